"""What verdicts say: win rates, the bias of a judge, and how far judges agree. It needs no SciPy.

A condition gets 100 for a win, 0 for a loss and 50 for a tie. The score of a question is the mean
of its verdicts; the win rate of a pair is the mean over its questions. So the win rates of the two
conditions of a pair sum to 100, and a condition has 50 against itself.

Agreement is a share, and Krippendorff's alpha for nominal labels: 1 is full agreement, 0 is what
chance gives. Alpha was chosen over Cohen's kappa because it takes any number of verdicts on an
item, and items on which some are missing: so one number serves for five repeats and two judges.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from statistics import fmean
from typing import Final

from graphrag_neo4j.evaluate.judging import Comparison, Judged, Label
from graphrag_neo4j.evaluate.records import METRICS, Metric

__all__ = [
    "Agreement",
    "PairResult",
    "agreement",
    "agreement_of_judges",
    "agreement_of_repeats",
    "bias_of",
    "majority",
    "majority_labels",
    "pair_results",
    "win_rates",
]

SCORES: Final[Mapping[Label, float]] = {"one": 100.0, "other": 0.0, "tie": 50.0}
Compared = tuple[str, str, str, str]
"""The metric, the pair of conditions and the question of a comparison."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """The result of a pair of conditions under a metric.

    `scores` holds the score of `one` from 0 to 100 by question; a question without a verdict has
    none.
    """

    metric: Metric
    one: str
    other: str
    scores: Mapping[str, float]

    @property
    def win_rate(self) -> float | None:
        """The mean score of `one`; that of `other` is 100 minus this. None without any verdict."""
        return fmean(self.scores.values()) if self.scores else None

    def turned(self) -> "PairResult":
        """The same result with the conditions in the other order."""
        scores = {question: 100.0 - score for question, score in self.scores.items()}
        return replace(self, one=self.other, other=self.one, scores=scores)


def pair_results(judged: Iterable[Judged]) -> list[PairResult]:
    """Returns the results of all pairs, by metric and pair, in the order of the metrics."""
    given: dict[tuple[Metric, str, str], dict[str, list[float]]] = {}
    for each in judged:
        of = each.comparison
        scores = given.setdefault((of.metric, of.one, of.other), {})
        if label := each.label:
            scores.setdefault(of.question, []).append(SCORES[label])
    return [
        PairResult(*pair, {question: fmean(each) for question, each in given[pair].items()})
        for pair in sorted(given, key=lambda pair: (METRICS.index(pair[0]), *pair[1:]))
    ]


def win_rates(
    results: Iterable[PairResult], conditions: Sequence[str], metric: Metric
) -> list[list[float | None]]:
    """Returns a matrix: the win rate of the condition of each row against that of each column.

    It has None where a pair has no verdict.
    """
    rates: dict[tuple[str, str], float | None] = {(one, one): 50.0 for one in conditions}
    for result in results:
        if result.metric == metric:
            for each in (result, result.turned()):
                rates[each.one, each.other] = each.win_rate
    return [[rates.get((row, column)) for column in conditions] for row in conditions]


@dataclass(frozen=True, slots=True)
class Bias:
    """How much the verdicts depend on the order and the length of the answers.

    `first`, `second` and `ties` count the verdicts by the place that won; `longer` and `shorter`
    those that are no ties by the length of the answer that won. `pairs` counts the comparisons that
    have a verdict in both orders. Of these, `held` name the same winner in both orders, `turned`
    name the same place (so another condition), and the rest have a tie. `missing` verdicts are not
    there, and those `left_out` lack the other order; both count in nothing else.
    """

    first: int
    second: int
    ties: int
    longer: int
    shorter: int
    pairs: int
    held: int
    turned: int
    missing: int
    left_out: int

    @property
    def first_share(self) -> float | None:
        """The share (0 to 1) of the first place in the verdicts that are no ties. 0.5 is fair."""
        return _share(self.first, self.second)

    @property
    def longer_share(self) -> float | None:
        """The share (0 to 1) of the longer answer where one of two lengths won."""
        return _share(self.longer, self.shorter)

    @property
    def turned_share(self) -> float | None:
        """The share (0 to 1) that turned of the pairs with a winner in both orders. A coin: 0.5."""
        return _share(self.turned, self.held)


def bias_of(judged: Sequence[Judged]) -> Bias:
    """Returns how much the verdicts depend on the order and the length of the answers."""
    counting = [one for one in judged if one.label]
    winners = Counter(one.winner for one in counting)
    decided = [one for one in counting if "tie" not in {one.winner, one.longer}]
    longer = sum(one.winner == one.longer for one in decided)
    labels = {one.comparison: one.label for one in counting}
    pairs = [
        {label, labels[of.turned]}
        for of, label in labels.items()
        if not of.swapped and of.turned in labels
    ]
    return Bias(
        first=winners["first"],
        second=winners["second"],
        ties=winners["tie"],
        longer=longer,
        shorter=len(decided) - longer,
        pairs=len(pairs),
        held=sum(len(both) == 1 and "tie" not in both for both in pairs),
        turned=sum(both == {"one", "other"} for both in pairs),
        missing=sum(one.winner is None for one in judged),
        left_out=sum(one.left_out for one in judged),
    )


def _share(n: int, others: int) -> float | None:
    return n / (n + others) if n + others else None


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
    shares = []  # of the pairs of an item's labels that are equal
    for labels in usable:
        equal = sum(n * (n - 1) for n in Counter(labels).values())
        shares.append(equal / (len(labels) * (len(labels) - 1)))
    # Alpha is 1 - observed / expected disagreement, from the matrix of coincidences.
    totals = Counter(label for labels in usable for label in labels)
    pairs = sum(totals[a] * totals[b] for a, b in permutations(totals, 2))
    expected = pairs / (totals.total() - 1)
    observed = sum(len(labels) * (1 - share) for labels, share in zip(usable, shares, strict=True))
    return Agreement(len(usable), fmean(shares), 1 - observed / expected if expected else None)


def agreement_of_repeats(judged: Iterable[Judged]) -> Agreement:
    """Returns the agreement of the repeats of the same comparison, each order by itself."""
    items: defaultdict[Comparison, list[str]] = defaultdict(list)
    for each in judged:
        if label := each.label:
            items[replace(each.comparison, repeat=0)].append(label)
    return agreement(items.values())


def agreement_of_judges(
    judged: Mapping[str, Sequence[Judged]],
) -> dict[tuple[str, str], Agreement]:
    """Returns how far each two judges agree, persons among them, by the majority of their verdicts.

    They are compared on the questions, pairs and metrics that both have judged.
    """
    labels = {judge: majority_labels(verdicts) for judge, verdicts in judged.items()}
    agreed = {}
    for one, other in combinations(sorted(labels), 2):
        both = labels[one].keys() & labels[other].keys()
        agreed[one, other] = agreement([labels[one][key], labels[other][key]] for key in both)
    return agreed


def majority_labels(judged: Iterable[Judged]) -> dict[Compared, Label]:
    """Returns the label of the majority of the verdicts on each item, of both orders together."""
    labels: defaultdict[Compared, list[Label]] = defaultdict(list)
    for each in judged:
        if label := each.label:
            of = each.comparison
            labels[of.metric, of.one, of.other, of.question].append(label)
    return {item: majority(given) for item, given in labels.items()}


def majority(labels: Sequence[Label]) -> Label:
    """Returns the label that more than half of the verdicts have; without one it is a tie.

    >>> majority(["one", "one", "tie"]), majority(["one", "one", "other", "other", "tie"])
    ('one', 'tie')
    """
    label, most = Counter(labels).most_common(1)[0] if labels else ("tie", 0)
    return label if 2 * most > len(labels) else "tie"
