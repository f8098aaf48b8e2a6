"""Statistics: the paper's table comes out again, and the tests are those of SciPy."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from graphrag_neo4j.evaluate.statistics import (
    PairResult,
    holm,
    normality,
    p_of_z,
    pair_tests,
    signed_rank,
    smallest_difference,
)
from graphrag_neo4j.llm.evaluate.judges import Metric
from tests.evaluate.paper import rows_of, table_6

GRID = [float(score) for score in range(-100, 101, 20)]  # differences after five repeats


def result(
    one: str, other: str, scores: Sequence[float], metric: Metric = "diversity"
) -> PairResult:
    named = {str(number): score for number, score in enumerate(scores)}
    return PairResult(metric, one, other, named)


@pytest.mark.parametrize("corpus", ["Podcast", "News"])
@pytest.mark.parametrize("metric", ["comprehensiveness", "diversity"])
def test_z_and_holm_give_the_p_values_of_the_paper(metric: Metric, corpus: str) -> None:
    rows = rows_of(metric, corpus)
    assert len(rows) == 15
    # Z is printed with two decimals, so each p-value lies between those of both limits.
    least = holm([p_of_z(abs(row.z) + 0.005) for row in rows])
    most = holm([p_of_z(max(0.0, abs(row.z) - 0.005)) for row in rows])
    for row, low, high in zip(rows, least, most, strict=True):
        if row.p == "<.001":
            assert low < 0.001, row
        else:
            assert low - 0.0005 <= float(row.p) <= high + 0.0005, row


def test_the_table_has_60_whole_rows_and_a_torn_test() -> None:
    assert len(table_6()) == 76
    for corpus in ("Podcast", "News"):
        for row in rows_of("empowerment", corpus):  # Holm's method only makes p larger
            if row.p not in {"<.001", "1"}:
                assert p_of_z(row.z - 0.005) <= float(row.p) + 0.0005


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_is_monotone_and_lies_between_no_correction_and_bonferroni(p: list[float]) -> None:
    adjusted = holm(p)
    for raw, new in zip(p, adjusted, strict=True):
        assert raw <= new <= min(1.0, len(p) * raw) + 1e-12
    by_raw = [new for _, new in sorted(zip(p, adjusted, strict=True))]
    assert by_raw == sorted(by_raw)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 200), min_size=1, max_size=20, unique=True), st.integers())
def test_without_ties_it_is_the_exact_test_of_scipy(sizes: list[int], seed: int) -> None:
    chance = random.Random(seed)
    differences = [size * chance.choice((-1, 1)) for size in sizes]
    theirs = stats.wilcoxon(differences, method="exact")
    ours = signed_rank(differences)
    assert ours.p == pytest.approx(theirs.pvalue)
    assert ours.w == theirs.statistic
    assert ours.method == "exact"


@pytest.mark.parametrize("seed", range(5))
def test_of_many_differences_it_is_the_approximation_of_scipy(seed: int) -> None:
    differences = random.Random(seed).choices(GRID, k=125)
    theirs: Any = stats.wilcoxon(differences, zero_method="wilcox", method="approx")
    ours = signed_rank(differences)
    assert ours.method == "normal approximation"
    assert ours.p == pytest.approx(theirs.pvalue)
    assert ours.z == pytest.approx(theirs.zstatistic)
    assert ours.z <= 0
    assert (ours.n, ours.zeros) == (125 - differences.count(0.0), differences.count(0.0))


def test_differences_that_are_all_zero_show_nothing() -> None:
    found = signed_rank([0.0] * 7)
    assert (found.n, found.zeros, found.p, found.z) == (0, 7, 1.0, 0.0)
    assert signed_rank([]).p == 1.0


def test_rounding_of_means_breaks_no_tie() -> None:
    third = 100 / 3
    same = [third, -(100 - 2 * third), third + 1e-14, -third]
    assert signed_rank(same) == signed_rank([1.0, -1.0, 1.0, -1.0])


def test_normality_is_that_of_shapiro_and_wilk() -> None:
    chance = np.random.default_rng(1)
    assert (normality(list(chance.normal(size=125))) or 0) > 0.05
    assert (normality([100.0] * 60 + [-100.0] * 60) or 1) < 0.001
    assert normality([1.0, 2.0]) is None
    assert normality([5.0] * 9) is None


def test_pairs_are_adjusted_within_their_metric() -> None:
    strong, weak = [100.0] * 12 + [0.0], [100.0] * 7 + [0.0] * 6
    found = pair_tests(
        [
            result("A", "B", strong),
            result("A", "C", weak),
            result("A", "B", strong, "directness"),
            result("B", "C", []),
        ]
    )
    assert [one.result.metric for one in found] == ["diversity", "diversity", "directness"]
    assert found[0].adjusted == pytest.approx(2 * found[2].adjusted)
    assert found[2].adjusted == found[2].test.p
    assert found[1].adjusted == found[1].test.p > 0.5
    assert found[0].test.z < 0


def test_too_few_or_equal_questions_find_no_difference() -> None:
    assert pair_tests([result("A", "B", [50.0] * 20)])[0].smallest is None
    assert pair_tests([result("A", "B", [100.0])])[0].smallest is None
    assert smallest_difference(40, 5) is None  # its smallest p-value is 0.06
    assert smallest_difference(40, 6, pairs=15) is None


def test_the_smallest_difference_is_found_as_often_as_it_says() -> None:
    chance = random.Random(7)
    scores, weights = [0.0, 50.0, 100.0], [25, 33, 42]
    mean = sum(score * weight for score, weight in zip(scores, weights, strict=True)) / 100
    square = sum(w * (s - mean) ** 2 for s, w in zip(scores, weights, strict=True)) / 100
    n = next(n for n in range(6, 999) if (smallest_difference(square**0.5, n) or 50) <= mean - 50)
    runs = 200
    found = sum(
        signed_rank([2 * one - 100 for one in chance.choices(scores, weights, k=n)]).p < 0.05
        for _ in range(runs)
    )
    assert 0.75 <= found / runs <= 0.95
