"""Is the difference of two conditions more than chance? The tests of the paper, and what they need.

The scores of a pair are paired by question. Shapiro-Wilk tells whether their differences could be
normal; they mostly are not, so the pair is tested with Wilcoxon's signed-rank test, and the
p-values of all pairs of a metric are adjusted by Holm's method. It needs SciPy (the extra `eval`).
"""

from collections.abc import Iterable, Sequence
from math import ceil, sqrt
from statistics import stdev
from typing import Final

import numpy as np
from scipy import stats

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.judge.comparisons import AGAINST_ITSELF, PairResult
from graphrag_neo4j.evaluation.judge.tested_pair import PairTest, SignedRank
from graphrag_neo4j.evaluation.model import METRICS

__all__ = [
    "MOST_EXACT",
    "holm",
    "normality",
    "p_of_z",
    "pair_tests",
    "questions_needed",
    "signed_rank",
]

MOST_EXACT: Final = 50  # differences; for more of them the normal approximation is close enough
DECIMALS: Final = 9
EFFICIENCY: Final = 0.864  # of Wilcoxon's test beside the t-test, for the worst distribution
ALPHA, POWER = 0.05, 0.8


def pair_tests(results: Iterable[PairResult]) -> list[PairTest]:
    """Tests pairs. The p-values are adjusted over all pairs of the same metric.

    A pair without a score is left out, because nothing can be said about it.
    """
    scored = [result for result in results if result.scores]
    by_metric = [[one for one in scored if one.metric == metric] for metric in METRICS]
    return [one for group in by_metric for one in _tests_of_metric(group)]


def _tests_of_metric(results: Sequence[PairResult]) -> list[PairTest]:
    tests = [signed_rank(_differences(result)) for result in results]
    adjusted = holm([test.p for test in tests])
    return [
        PairTest(result, test, p, normality(_differences(result)), _needed(result, len(results)))
        for result, test, p in zip(results, tests, adjusted, strict=True)
    ]


def _differences(result: PairResult) -> list[float]:
    """The score of `one` minus that of `other` for each question."""
    return [score - (100.0 - score) for score in result.scores.values()]


def _needed(result: PairResult, pairs: int) -> int | None:
    rate, scores = result.win_rate, list(result.scores.values())
    if rate is None or rate == AGAINST_ITSELF or len(scores) < 2:
        return None
    return questions_needed(rate - AGAINST_ITSELF, stdev(scores), pairs=pairs)


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
    return SignedRank(len(given), zeros, w, z, _exact_p(ranks, w), "exact")


def _exact_p(ranks: Iterable[float], w: float) -> float:
    """Returns the share of all signs of these ranks that give a sum as small as `w`, twice.

    Mean ranks are multiples of a half, so the doubled sums are whole numbers. The number of ways
    to each sum is counted rank by rank.
    """
    doubled = [round(2 * rank) for rank in ranks]
    ways = [1] + [0] * sum(doubled)
    for rank in doubled:
        ways = [n + (ways[total - rank] if total >= rank else 0) for total, n in enumerate(ways)]
    below = sum(ways[: round(2 * w) + 1])
    return min(1.0, float(2 * below / (1 << len(doubled))))


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


def questions_needed(
    difference: float,
    deviation: float,
    *,
    pairs: int = 1,
    alpha: float = ALPHA,
    power: float = POWER,
) -> int:
    """Returns the number of questions with which a difference is found significant.

    `difference` is the distance of a win rate from 50, in points; `deviation` the standard
    deviation of the scores of the questions, in points. The difference is found with the
    probability `power`, if it must hold against `alpha` divided by the number of pairs (the hardest
    step of Holm's method). The method: the normal approximation of the paired t-test, divided by
    the efficiency of Wilcoxon's test for the worst distribution (0.864), so rather too many.
    Raises InputError if the difference is 0.

    >>> questions_needed(5, 20)
    146
    >>> questions_needed(5, 20, pairs=15)
    265
    """
    if difference == 0:
        raise InputError("A difference of 0 points can't be found: name a larger one.")
    quantiles = float(stats.norm.isf(alpha / pairs / 2) + stats.norm.isf(1 - power))
    return max(2, ceil((quantiles * deviation / difference) ** 2 / EFFICIENCY))
