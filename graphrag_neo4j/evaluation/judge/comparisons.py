"""Which comparisons of answers there are, and the scores that their verdicts give.

Two conditions are compared on each question, under each metric, several times, and in both orders
of their answers. A condition gets 100 for a win, 0 for a loss and 50 for a tie. The score of a
question is the mean of its verdicts; the win rate of a pair is the mean over its questions. So the
win rates of the two conditions of a pair sum to 100, and a condition has 50 against itself. What a
model says about one order only does not count: it would bring back the bias of the places.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Final, Literal

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.model import METRICS, Metric, Winner

__all__ = [
    "AGAINST_ITSELF",
    "Bias",
    "Comparison",
    "Judged",
    "Label",
    "PairResult",
    "bias_of",
    "comparisons",
    "pair_results",
    "win_rates",
]

Label = Literal["one", "other", "tie"]
SCORES: Final[Mapping[Label, float]] = {"one": 100.0, "other": 0.0, "tie": 50.0}
AGAINST_ITSELF: Final = 50.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """One call of the judge: two conditions on a question, under a metric.

    `one` comes before `other` by code point, so that a pair has one name. `repeat` counts from 1.
    If it is `swapped`, the answer of `other` is shown first.
    """

    metric: Metric
    one: str
    other: str
    question: str
    repeat: int
    swapped: bool

    @property
    def shown(self) -> tuple[str, str]:
        """The conditions in the order in which the judge sees their answers."""
        return (self.other, self.one) if self.swapped else (self.one, self.other)

    @property
    def turned(self) -> "Comparison":
        """The same comparison in the other order of the answers."""
        return replace(self, swapped=not self.swapped)


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison with its verdict. `winner` is the place that won, None if it is missing.

    `longer` is the place of the longer answer. A verdict that is `left_out` lacks its counterpart
    in the other order.
    """

    comparison: Comparison
    winner: Winner | None
    longer: Winner = "tie"
    left_out: bool = False

    @property
    def label(self) -> Label | None:
        """Which condition won, whatever its place; None where no verdict counts."""
        if self.left_out or self.winner is None:
            return None
        if self.winner == "tie":
            return "tie"
        return "other" if (self.winner == "second") != self.comparison.swapped else "one"


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


def comparisons(
    conditions: Sequence[str],
    questions: Sequence[str],
    metrics: Sequence[Metric] = METRICS,
    *,
    repeats: int = 5,
) -> Iterator[Comparison]:
    """Yields all comparisons of some conditions. The order of the conditions makes no difference.

    All questions come once before any comes again, so that a run that was stopped early has judged
    as many questions as it could. Raises InputError for a condition that comes twice.
    """
    if len(set(conditions)) < len(conditions):
        raise InputError("A condition is named twice: name each one once.")
    pairs = list(combinations(sorted(conditions), 2))
    for repeat in range(1, repeats + 1):
        for question in questions:
            for one, other in pairs:
                for metric in metrics:
                    for swapped in (False, True):
                        yield Comparison(metric, one, other, question, repeat, swapped)


def pair_results(judged: Iterable[Judged]) -> list[PairResult]:
    """Returns the results of all pairs, by metric and pair, in the order of the metrics."""
    pairs: dict[tuple[Metric, str, str], list[Judged]] = {}
    for each in judged:
        of = each.comparison
        pairs.setdefault((of.metric, of.one, of.other), []).append(each)
    ordered = sorted(pairs, key=lambda pair: (METRICS.index(pair[0]), *pair[1:]))
    return [_result(*pair, pairs[pair]) for pair in ordered]


def _result(metric: Metric, one: str, other: str, judged: Sequence[Judged]) -> PairResult:
    given: dict[str, list[float]] = {}
    for each in judged:
        if label := each.label:
            given.setdefault(each.comparison.question, []).append(SCORES[label])
    scores = {question: fmean(of_question) for question, of_question in given.items()}
    return PairResult(metric, one, other, scores)


def win_rates(
    results: Iterable[PairResult], conditions: Sequence[str], metric: Metric
) -> list[list[float | None]]:
    """Returns a matrix: the win rate of the condition of each row against that of each column.

    It has None where a pair has no verdict.
    """
    rates: dict[tuple[str, str], float | None] = {
        (condition, condition): AGAINST_ITSELF for condition in conditions
    }
    for result in results:
        if result.metric == metric:
            for each in (result, result.turned()):
                rates[each.one, each.other] = each.win_rate
    return [[rates.get((row, column)) for column in conditions] for row in conditions]


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
