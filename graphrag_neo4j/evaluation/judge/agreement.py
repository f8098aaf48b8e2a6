"""How far verdicts agree: those of the repeats, of two judges, of a judge and a person.

Agreement is given as a share and as Krippendorff's alpha for nominal labels: 1 is full agreement, 0
is what chance gives, and less than 0 is worse than chance. Alpha was chosen over Cohen's kappa
because it takes any number of verdicts on an item, and items on which some are missing. So one
number serves for five repeats and for two judges.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar

from graphrag_neo4j.evaluation.judge.comparisons import Comparison, Judged, Label

__all__ = [
    "Agreement",
    "Item",
    "agreement",
    "agreement_between",
    "agreement_of_repeats",
    "majority",
    "majority_labels",
]

Item = tuple[str, str, str, str]
"""The metric, the pair of conditions and the question of a comparison."""
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the verdicts on the same items agree.

    `items` counts the items with at least two verdicts. `share` (0 to 1) is the mean share of their
    pairs of verdicts that are equal. `alpha` is Krippendorff's; it is None where all verdicts are
    the same label, because then nothing tells agreement from chance. Both are None without items.
    """

    items: int
    share: float | None
    alpha: float | None


def agreement(items: Iterable[Sequence[str]]) -> Agreement:
    """Returns the agreement of the verdicts on each item."""
    usable = [labels for labels in items if len(labels) > 1]
    if not usable:
        return Agreement(0, None, None)
    shares = [_equal_pairs(labels) for labels in usable]
    return Agreement(len(usable), sum(shares) / len(usable), _alpha(usable))


def agreement_of_repeats(judged: Iterable[Judged]) -> Agreement:
    """Returns the agreement of the repeats of the same comparison, each order by itself."""
    items: dict[tuple[Item, bool], list[str]] = {}
    for each in judged:
        if label := each.label:
            key = (_item(each.comparison), each.comparison.swapped)
            items.setdefault(key, []).append(label)
    return agreement(items.values())


def agreement_between(one: Mapping[K, str], other: Mapping[K, str]) -> Agreement:
    """Returns the agreement of two judges, or of a judge and a person, on what both have judged."""
    return agreement([label, other[key]] for key, label in one.items() if key in other)


def majority_labels(judged: Iterable[Judged]) -> dict[Item, Label]:
    """Returns the label of the majority of the verdicts on each item, of both orders together."""
    labels: dict[Item, list[Label]] = {}
    for each in judged:
        if label := each.label:
            labels.setdefault(_item(each.comparison), []).append(label)
    return {item: majority(given) for item, given in labels.items()}


def majority(labels: Sequence[Label]) -> Label:
    """Returns the label that more than half of the verdicts have; without one it is a tie.

    >>> majority(["one", "one", "tie"]), majority(["one", "one", "other", "other", "tie"])
    ('one', 'tie')
    """
    label, most = Counter(labels).most_common(1)[0] if labels else ("tie", 0)
    return label if 2 * most > len(labels) else "tie"


def _item(of: Comparison) -> Item:
    return of.metric, of.one, of.other, of.question


def _equal_pairs(labels: Sequence[str]) -> float:
    """Returns the share of the pairs of an item's labels that are equal."""
    equal = sum(n * (n - 1) for n in Counter(labels).values())
    return equal / (len(labels) * (len(labels) - 1))


def _alpha(items: Sequence[Sequence[str]]) -> float | None:
    """Returns 1 - observed / expected disagreement, from the matrix of coincidences."""
    totals = Counter(label for labels in items for label in labels)
    n = totals.total()
    expected = sum(totals[a] * totals[b] for a, b in permutations(totals, 2)) / (n - 1)
    if expected == 0:
        return None
    observed = sum(len(labels) * (1 - _equal_pairs(labels)) for labels in items)
    return 1 - observed / expected
