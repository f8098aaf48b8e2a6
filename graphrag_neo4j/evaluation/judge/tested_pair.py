"""The test of a pair of conditions, as `statistics` makes it; this module needs no SciPy."""

from dataclasses import dataclass
from typing import Literal

from graphrag_neo4j.evaluation.judge.comparisons import PairResult

__all__ = ["PairTest", "SignedRank"]


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
