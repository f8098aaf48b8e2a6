"""Is the difference of two conditions more than chance? The tests of the paper, what they show.

The scores of a pair are paired by question. Shapiro-Wilk tells whether their differences could be
normal; they mostly are not, so the pair is tested with Wilcoxon's signed-rank test, and the
p-values of all pairs of a metric are adjusted by Holm's method. The same test finds out judges that
go by place, by chance or by length, and compares the counts of claims. It needs SciPy (the extra
`eval`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev
from typing import Final, Literal

import numpy as np
from scipy import stats

from graphrag_neo4j.evaluate.answer_claims import ClaimCounts
from graphrag_neo4j.evaluate.judging import Judged
from graphrag_neo4j.evaluate.records import METRICS, Winner
from graphrag_neo4j.evaluate.scores import PairResult, bias_of

__all__ = [
    "count_tests",
    "holm",
    "normality",
    "p_of_z",
    "pair_tests",
    "preferences",
    "signed_rank",
    "smallest_difference",
]

MOST_EXACT: Final = 50  # differences; for more of them the normal approximation is close enough
DECIMALS: Final = 9
EFFICIENCY: Final = 0.864  # of Wilcoxon's test beside the t-test, for the worst distribution
ALPHA, POWER = 0.05, 0.8
BY_PLACE: Final = 0.7  # share of one place from which on the place often decides
OTHER: Final[Mapping[Winner | None, Winner]] = {"first": "second", "second": "first", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class SignedRank:
    """The result of Wilcoxon's signed-rank test, with two sides.

    `n` counts the differences that are not zero; `zeros` counts the others, which are left out as
    Wilcoxon does. `w` is the smaller sum of ranks; equal differences share their mean rank. `z` is
    negative or 0, as in the paper, with correction for ties. `p` comes from the exact distribution
    of these ranks, ties included, or from `z`, as `method` says.
    """

    n: int
    zeros: int
    w: float
    z: float
    p: float
    method: Literal["exact", "normal approximation"]


@dataclass(frozen=True, slots=True)
class PairTest:
    """A pair of conditions with its test.

    `adjusted` is the p-value after Holm's method over all pairs of the metric. `normal` is the
    p-value of the Shapiro-Wilk test, None where it can't be computed: for fewer than three
    questions, or if all scores are equal. `smallest` is the smallest distance of a win rate from
    50, in points, that so many questions find, None where none can be found or told.
    """

    result: PairResult
    test: SignedRank
    adjusted: float
    normal: float | None
    smallest: float | None


@dataclass(frozen=True, slots=True)
class CountTest:
    """The test of the counts of two conditions: their means, and the p-value after Holm's method.

    `measure` is "claims" or "clusters at" a threshold.
    """

    measure: str
    one: str
    other: str
    mean: float
    other_mean: float
    test: SignedRank
    adjusted: float


def pair_tests(results: Iterable[PairResult]) -> list[PairTest]:
    """Tests pairs. The p-values are adjusted over all pairs of the same metric.

    A pair without a score is left out, because nothing can be said about it.
    """
    scored = [result for result in results if result.scores]
    found = []
    for metric in METRICS:
        of_metric = [one for one in scored if one.metric == metric]
        # The score of `one` minus that of `other`, for each question.
        differences = [[2 * score - 100.0 for score in one.scores.values()] for one in of_metric]
        tests = _adjusted(differences)
        for result, given, (test, p) in zip(of_metric, differences, tests, strict=True):
            n, smallest = len(given), None
            if n > 1:
                deviation = stdev(result.scores.values())
                smallest = smallest_difference(deviation, n, pairs=len(of_metric))
            found.append(PairTest(result, test, p, normality(given), smallest))
    return found


def count_tests(
    counts: Mapping[tuple[str, str], ClaimCounts], order: Sequence[str]
) -> list[CountTest]:
    """Tests the numbers of claims, and of clusters at each threshold (Experiment 2 of the paper).

    They are paired by question; the p-values are adjusted over all pairs of conditions. `counts`
    are by the key of the question and the condition, and `order` is that of the conditions.
    """
    measures = {"claims": {at: one.claims for at, one in counts.items()}}
    for threshold in next(iter(counts.values())).clusters if counts else ():
        of_threshold = {at: one.clusters[threshold] for at, one in counts.items()}
        measures[f"clusters at {threshold}"] = of_threshold
    questions = dict.fromkeys(question for question, _ in counts)
    found = []
    for measure, numbers in measures.items():
        pairs = []
        for one, other in combinations(order, 2):
            both = [
                (numbers[question, one], numbers[question, other])
                for question in questions
                if (question, one) in numbers and (question, other) in numbers
            ]
            if both:
                pairs.append((one, other, both))
        tests = _adjusted([[a - b for a, b in both] for _, _, both in pairs])
        for (one, other, both), (test, p) in zip(pairs, tests, strict=True):
            means = [fmean(each) for each in zip(*both, strict=True)]
            found.append(CountTest(measure, one, other, means[0], means[1], test, p))
    return found


def _adjusted(differences: Sequence[Sequence[float]]) -> list[tuple[SignedRank, float]]:
    """Returns the test of each pair, and its p-value adjusted over all of these pairs."""
    tests = [signed_rank(given) for given in differences]
    return list(zip(tests, holm([test.p for test in tests]), strict=True))


def signed_rank(differences: Sequence[float]) -> SignedRank:
    """Tests whether differences are as often and as far above 0 as below.

    Differences that differ only in their tenth decimal are equal: they come from means of the same
    scores. Without a difference that is not zero, `p` is 1.
    """
    rounded = [round(one, DECIMALS) for one in differences]
    given = [one for one in rounded if one]
    zeros = len(differences) - len(given)
    if not given:
        return SignedRank(0, zeros, 0.0, 0.0, 1.0, "exact")
    ranks = stats.rankdata(np.abs(given))
    above = float(ranks[np.array(given) > 0].sum())
    w = min(above, float(ranks.sum()) - above)
    # This is the variance with correction for ties: their mean rank stands here several times.
    z = (w - float(ranks.sum()) / 2) / sqrt(float((ranks**2).sum()) / 4)
    if len(given) > MOST_EXACT:
        return SignedRank(len(given), zeros, w, z, p_of_z(z), "normal approximation")
    # The share of all signs of these ranks that give a sum as small as `w`, twice. Mean ranks are
    # multiples of a half, so the doubled sums are whole numbers. The number of ways to each sum is
    # counted rank by rank.
    doubled = [round(2 * rank) for rank in ranks]
    ways = [1] + [0] * sum(doubled)
    for rank in doubled:
        ways = [n + (ways[total - rank] if total >= rank else 0) for total, n in enumerate(ways)]
    below = sum(ways[: round(2 * w) + 1])
    p = min(1.0, float(2 * below / (1 << len(doubled))))
    return SignedRank(len(given), zeros, w, z, p, "exact")


def p_of_z(z: float) -> float:
    """Returns the p-value of a standard normal deviate, with two sides."""
    return float(2 * stats.norm.sf(abs(z)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns p-values adjusted by Holm's method, in their order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, most = [0.0] * len(p_values), 0.0
    places = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, place in enumerate(places):
        most = max(most, min(1.0, (len(places) - rank) * p_values[place]))
        adjusted[place] = most
    return adjusted


def normality(differences: Sequence[float]) -> float | None:
    """Returns the p-value of the Shapiro-Wilk test; a small one says: not normal.

    None for fewer than three differences, or if all are equal.
    """
    if len(differences) < 3 or len(set(differences)) == 1:
        return None
    return float(stats.shapiro(differences).pvalue)


def smallest_difference(deviation: float, questions: int, *, pairs: int = 1) -> float | None:
    """Returns the smallest distance of a win rate from 50, in points, that is found significant.

    It is found in four of five evaluations with so many `questions`, if it must hold against 0.05
    divided by the number of pairs (the hardest step of Holm's method). `deviation` is the standard
    deviation of the scores of the questions, in points. The method: the normal approximation of the
    paired t-test, divided by the efficiency of Wilcoxon's test for the worst distribution (0.864),
    so rather too large. None if no difference can be found, or if nothing deviates.

    >>> smallest_difference(20, 125), smallest_difference(20, 500, pairs=15)
    (5.4, 3.6)
    """
    quantiles = float(stats.norm.isf(ALPHA / pairs / 2) + stats.norm.isf(1 - POWER))
    found = round(quantiles * deviation / sqrt(questions * EFFICIENCY), 1)
    possible = 2 ** (1 - questions) < ALPHA / pairs  # of the p-values of the exact test
    return found if possible and 0 < found <= 50 else None


def preferences(judged: Sequence[Judged]) -> list[str]:
    """Returns a sentence for each thing that a judge seems to go by instead of the answers.

    These are their place, a coin, and their length. Without any the sentence says so; without a
    verdict there is none.
    """
    counting = {one.comparison: one for one in judged if one.label}
    verdicts, bias, found = list(counting.values()), bias_of(judged), list[str]()
    place: Winner = "first" if bias.first > bias.second else "second"
    share = max(bias.first, bias.second) / max(1, bias.first + bias.second)
    if share >= BY_PLACE and _won(verdicts, lambda _: place):
        found.append(
            f"This judge goes by the place: the {place} answer won {share:.0%} of its verdicts "
            "without a tie."
        )
    elif bias.turned_share is not None and not _won(
        (one for one in verdicts if one.comparison.turned in counting),
        lambda one: OTHER[counting[one.comparison.turned].winner],
    ):
        found.append(
            f"This judge can't be told from a coin: {bias.turned_share:.0%} of its verdicts turned "
            "with the order, and a coin turns 50 %."
        )
    of_metrics = [[one for one in verdicts if one.comparison.metric == of] for of in METRICS]
    if all(_won(of_metric, lambda one: one.longer) for of_metric in of_metrics):
        found.append(
            "This judge may go by length: the longer answer won beyond chance in every metric, "
            f"directness included ({bias.longer_share:.0%} of the verdicts without a tie)."
        )
    nothing = "Nothing shows that this judge goes by the place or the length of the answers."
    return found or ([nothing] if verdicts else [])


def _won(verdicts: Iterable[Judged], place: Callable[[Judged], Winner | None]) -> bool:
    """Tells whether a place won beyond chance. Each question counts once, ties nowhere."""
    of_question: defaultdict[str, list[float]] = defaultdict(list)
    for one in verdicts:
        if "tie" not in {one.winner, place(one)}:
            won = 1.0 if one.winner == place(one) else -1.0
            of_question[one.comparison.question].append(won)
    means = [fmean(given) for given in of_question.values()]
    return sum(means) > 0 and signed_rank(means).p < ALPHA
