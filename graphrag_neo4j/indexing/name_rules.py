"""Decides by rules which spellings of a block are certainly one thing; these functions do no I/O.

The decisions are a function of the block alone. So they do not depend on the order in which the
documents came.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.indexing.name_groups import Decision, decision
from graphrag_neo4j.nlp.name_variants import (
    Named,
    block_key,
    contradict,
    plain_form,
    same_by_form,
    type_class,
)

__all__ = ["Spelling", "acronym_block", "by_acronym", "by_form", "form_block"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """A spelling with its most frequent form and type.

    `n` counts how often chunks and claims use it: 0 means that there is no evidence of it now.
    `holders` are the ids of the entities that hold its evidence.
    """

    id: str
    name: str
    type: str | None
    n: int
    holders: frozenset[str] = field(default=frozenset())

    @property
    def named(self) -> Named:
        """The name and the type alone."""
        return Named(self.name, self.type)


def form_block(key: str) -> str:
    """The block of the spellings with this key, which could be other forms of one name."""
    return f"form {key}"


def acronym_block(key: str) -> str:
    """The block of the acronyms with this key and of what they stand for."""
    return f"acronym {key}"


def by_form(key: str, spellings: Iterable[Spelling]) -> list[Decision]:
    """The decisions in a block of forms of a name: as many as join what the rules join."""
    block = form_block(key)
    found = []
    for alike in _without_contradiction(list(spellings)):
        plain: defaultdict[str, list[Spelling]] = defaultdict(list)
        for one in alike:
            plain[plain_form(one.name)].append(one)
        heads = [_foremost(same) for _, same in sorted(plain.items())]
        for head, same in zip(heads, (same for _, same in sorted(plain.items())), strict=True):
            found += [pair for one in same if (pair := _by_form(block, head, one))]
        found += _tree(block, heads)
    return sorted(found, key=lambda one: one.id)


def by_acronym(
    acronym: Spelling, expanded: Iterable[str], spellings: Sequence[Spelling]
) -> list[Decision]:
    """The decision that an acronym is one of these spellings, if it is certain.

    `expanded` is what documents say that the acronym stands for: if these are two things, nothing
    is certain.
    """
    keys = {block_key(name) for name in expanded}
    fitting = [one for one in spellings if block_key(one.name) in keys and one.n]
    if len(keys) != 1 or not fitting or contradict([acronym.type, *(s.type for s in fitting)]):
        return []
    reason = "A document gives one as the acronym of the other, and none says otherwise."
    block = acronym_block(block_key(acronym.name))
    return [decision(acronym.id, _foremost(fitting).id, "same", "rule", reason, block=block)]


def _without_contradiction(spellings: list[Spelling]) -> list[list[Spelling]]:
    """The spellings in parts whose types do not contradict; without type, they may be either."""
    there = [one for one in spellings if one.n]
    if not contradict(one.type for one in there):
        return [there]
    classes: defaultdict[str, list[Spelling]] = defaultdict(list)
    for one in there:
        if class_ := type_class(one.type):
            classes[class_].append(one)
    return [part for _, part in sorted(classes.items())]


def _foremost(spellings: Iterable[Spelling]) -> Spelling:
    """The most frequent spelling; of equally frequent ones, that with the smallest id."""
    return min(spellings, key=lambda one: (-one.n, one.id))


def _by_form(block: str, one: Spelling, other: Spelling) -> Decision | None:
    if one.id == other.id:
        return None
    reason = same_by_form(one.named, other.named)
    return decision(one.id, other.id, "same", "rule", reason, block=block) if reason else None


def _tree(block: str, heads: Sequence[Spelling]) -> list[Decision]:
    """The first decision that joins each of these spellings to one before it."""
    found = []
    for n, one in enumerate(heads):
        decisions = (_by_form(block, earlier, one) for earlier in heads[:n])
        found += [next(filter(None, decisions), None)]
    return [one for one in found if one]
