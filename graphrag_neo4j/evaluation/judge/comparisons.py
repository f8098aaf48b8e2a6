"""Which comparisons of answers there are, and the scores that their verdicts give.

Two conditions are compared on each question, under each metric, several times, and in both orders
of their answers. A condition gets 100 for a win, 0 for a loss and 50 for a tie. The score of a
question is the mean of its verdicts; the win rate of a pair is the mean over its questions. So the
win rates of the two conditions of a pair sum to 100, and a condition has 50 against itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Final, Literal

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.model import METRICS, Metric, Winner

__all__ = [
    "AGAINST_ITSELF",
    "Comparison",
    "Judged",
    "Label",
    "PairResult",
    "PositionBias",
    "comparisons",
    "pair_results",
    "position_bias",
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


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison with its verdict, None where it is missing. `winner` is the place that won."""

    comparison: Comparison
    winner: Winner | None

    @property
    def label(self) -> Label | None:
        """Which condition won, whatever its place; None where the verdict is missing."""
        if self.winner is None or self.winner == "tie":
            return self.winner
        return "other" if (self.winner == "second") != self.comparison.swapped else "one"


@dataclass(frozen=True, slots=True)
class PairResult:
    """The result of a pair of conditions under a metric.

    `scores` holds the score of `one` from 0 to 100 by question; a question without a verdict has
    none. `missing` counts the verdicts that are missing, among `verdicts` that were asked for.
    """

    metric: Metric
    one: str
    other: str
    scores: Mapping[str, float]
    verdicts: int
    missing: int

    @property
    def win_rate(self) -> float | None:
        """The mean score of `one`; that of `other` is 100 minus this. None without any verdict."""
        return fmean(self.scores.values()) if self.scores else None

    def turned(self) -> "PairResult":
        """The same result with the conditions in the other order."""
        scores = {question: 100.0 - score for question, score in self.scores.items()}
        return replace(self, one=self.other, other=self.one, scores=scores)


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How much the verdicts depend on the order of the answers.

    `first`, `second` and `ties` count the verdicts by the place that won. `pairs` counts the
    comparisons that have a verdict in both orders. Of these, `same` name the same winner in both
    orders, `turned` name the same place (so another condition), and the rest have one tie.
    `turned_to_first` counts those of `turned` that name the first place.
    """

    first: int
    second: int
    ties: int
    pairs: int
    same: int
    turned: int
    turned_to_first: int

    @property
    def first_share(self) -> float | None:
        """The share (0 to 1) of the first place in the verdicts that are no ties. 0.5 is fair."""
        decided = self.first + self.second
        return self.first / decided if decided else None

    @property
    def turned_share(self) -> float | None:
        """The share (0 to 1) of the swapped pairs whose verdict turned with the order."""
        return self.turned / self.pairs if self.pairs else None


def comparisons(
    conditions: Sequence[str],
    questions: Sequence[str],
    metrics: Sequence[Metric] = METRICS,
    *,
    repeats: int = 5,
    both_orders: bool = True,
) -> Iterator[Comparison]:
    """Yields all comparisons of some conditions. The order of the conditions makes no difference.

    All questions come once before any comes again, so that a run that was stopped early has judged
    as many questions as it could. Without `both_orders`, each condition of a pair comes first in
    about half of the repeats and questions. Raises InputError for a condition that comes twice.
    """
    if len(set(conditions)) < len(conditions):
        raise InputError("A condition is named twice: name each one once.")
    pairs = list(combinations(sorted(conditions), 2))
    for repeat in range(1, repeats + 1):
        for place, question in enumerate(questions):
            orders = (False, True) if both_orders else ((place + repeat) % 2 == 0,)
            for one, other in pairs:
                for metric in metrics:
                    for swapped in orders:
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
    labels: dict[str, dict[bool, list[Label]]] = {}
    for each in judged:
        if label := each.label:
            of = each.comparison
            labels.setdefault(of.question, {}).setdefault(of.swapped, []).append(label)
    scores = {question: _score(orders) for question, orders in labels.items()}
    missing = sum(each.label is None for each in judged)
    return PairResult(metric, one, other, scores, len(judged), missing)


def _score(orders: Mapping[bool, Sequence[Label]]) -> float:
    """The mean of the two orders, so that a verdict that is missing in one adds no position bias.

    Where no verdict is missing, this is the mean of all verdicts.
    """
    return fmean(fmean(SCORES[label] for label in labels) for labels in orders.values())


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


def position_bias(judged: Iterable[Judged]) -> PositionBias:
    """Returns how much the verdicts depend on the order of the answers."""
    winners: list[Winner] = []
    orders: dict[tuple[object, ...], dict[bool, Winner]] = {}
    for each in judged:
        if each.winner is not None:
            winners.append(each.winner)
            of = each.comparison
            key = (of.metric, of.one, of.other, of.question, of.repeat)
            orders.setdefault(key, {})[of.swapped] = each.winner
    pairs = [(both[False], both[True]) for both in orders.values() if len(both) == 2]
    turned = [given for given, swapped in pairs if given == swapped != "tie"]
    half = sum((given == "tie") != (swapped == "tie") for given, swapped in pairs)
    return PositionBias(
        first=winners.count("first"),
        second=winners.count("second"),
        ties=winners.count("tie"),
        pairs=len(pairs),
        same=len(pairs) - len(turned) - half,
        turned=len(turned),
        turned_to_first=turned.count("first"),
    )
