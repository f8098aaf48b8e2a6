"""Divides spellings into groups that are one thing each, from the decisions about pairs of them.

Decisions of a person come first, then those of a rule, then those of a model. A decision "same"
joins two groups, unless a decision "different" of the same or a stronger origin is about a pair
across them. The order of the decisions makes no difference.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphrag_neo4j.ids import identify

__all__ = ["Decision", "DecisionOrigin", "Verdict", "decision", "groups"]

Verdict = Literal["same", "different", "unsure"]
DecisionOrigin = Literal["person", "rule", "model"]
STRENGTH: Final[dict[str, int]] = {"person": 0, "rule": 1, "model": 2}


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether two spellings are one thing, with the reason and who decided it.

    `one` and `other` are ids of spellings, the smaller first. `block` names the block of spellings
    that a rule compared, and is None for the other origins. `saw` is a hash of the evidence that a
    model was shown, and is None for the other origins.
    """

    id: str
    one: str
    other: str
    verdict: Verdict
    origin: DecisionOrigin
    reason: str
    block: str | None = None
    saw: str | None = None


def decision(
    one: str,
    other: str,
    verdict: Verdict,
    origin: DecisionOrigin,
    reason: str,
    *,
    block: str | None = None,
    saw: str | None = None,
) -> Decision:
    """A decision about two spellings, given in either order."""
    ends = sorted((one, other))
    id_ = identify("compared", origin, *ends)
    return Decision(id_, ends[0], ends[1], verdict, origin, reason, block, saw)


def groups(spellings: Iterable[str], decisions: Sequence[Decision]) -> list[frozenset[str]]:
    """The groups of these spellings, each spelling in one group; sorted by their smallest ids."""
    group_of = {spelling: frozenset((spelling,)) for spelling in spellings}
    apart = [one for one in decisions if one.verdict == "different"]
    same = [one for one in decisions if one.verdict == "same"]
    for join in sorted(same, key=lambda one: (STRENGTH[one.origin], one.id)):
        left, right = group_of[join.one], group_of[join.other]
        if left is right or any(_forbids(one, join, left, right) for one in apart):
            continue
        group_of |= dict.fromkeys(left | right, left | right)
    return sorted(set(group_of.values()), key=min)


def _forbids(apart: Decision, join: Decision, left: frozenset[str], right: frozenset[str]) -> bool:
    """Whether a decision "different" prevents that these two groups are joined."""
    if STRENGTH[apart.origin] > STRENGTH[join.origin]:
        return False
    ends = apart.one, apart.other
    return (ends[0] in left and ends[1] in right) or (ends[1] in left and ends[0] in right)
