"""Comparisons and their statistics: the numbers of the paper come out, the tests are SciPy's."""

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from graphrag_neo4j.extras.evaluate.judging import Comparison, Judged, comparisons
from graphrag_neo4j.extras.evaluate.statistics import (
    PairResult,
    agreement,
    agreement_of_repeats,
    bias_of,
    holm,
    majority_labels,
    p_of_z,
    pair_results,
    pair_tests,
    signed_rank,
    smallest_difference,
    win_rates,
)
from graphrag_neo4j.extras.evaluate.tasks.judges import Metric, Winner
from tests.extras.evaluate.paper import PAPER, rows_of

CONDITIONS: list[str] = PAPER["conditions"]
METRIC: Metric = "diversity"


def judged(
    *winners: Winner | None, swapped: bool = False, question: str = "q", start: int = 1
) -> list[Judged]:
    """Verdicts of the repeats of one comparison of the conditions A and B."""
    return [
        Judged(Comparison(METRIC, "A", "B", question, repeat, swapped), winner)
        for repeat, winner in enumerate(winners, start=start)
    ]


def test_the_paper_makes_75_000_comparisons() -> None:
    questions = [f"q{number}" for number in range(PAPER["questions"])]
    found = list(comparisons(CONDITIONS, questions, repeats=5))
    assert len(found) == 75_000  # of two corpora; here of one, in both orders
    assert len({(one.one, one.other) for one in found}) == 15


def test_the_score_of_a_question_is_the_mean_of_its_repeats_and_a_missing_verdict_no_tie() -> None:
    (result,) = pair_results(judged("first", "first", "tie", "second", "first"))
    assert result.scores == {"q": 70.0}
    turned = result.reversed()
    assert (result.win_rate, turned.win_rate) == (70.0, 30.0)
    assert (turned.one, turned.other) == ("B", "A")
    verdicts = [*judged("first", None), *judged(None, question="r")]
    (result,) = pair_results(verdicts)
    assert result.scores == {"q": 100.0}
    assert bias_of(verdicts).missing == 2
    (nothing,) = pair_results(judged(None))
    assert (nothing.scores, nothing.win_rate, nothing.reversed().win_rate) == ({}, None, None)


def test_the_matrix_of_the_paper_comes_out() -> None:
    rows = rows_of("comprehensiveness", "Podcast")
    results = [PairResult(row.metric, row.one, row.other, {"q": row.mean}) for row in rows]
    order = ["SS", "TS", "C0", "C1", "C2", "C3"]  # of the paper's figure
    matrix = win_rates(results, order, "comprehensiveness")
    for row, column in product(range(6), repeat=2):
        assert matrix[row][column] + matrix[column][row] == pytest.approx(100)  # type: ignore[operator]
    assert [round(rate or 0) for rate in matrix[0]] == [50, 17, 28, 25, 22, 21]
    assert [round(rate or 0) for rate in matrix[1]] == [83, 50, 50, 48, 43, 44]


def test_position_bias_is_what_turns_with_the_order() -> None:
    bias = bias_of(
        [
            *judged("first", "second", "first", "tie", "first", None),
            *judged("first", "first", "second", "tie", "tie", "second", swapped=True),
        ]
    )
    assert (bias.verdicts, bias.ties) == (11, 3)
    assert (bias.pairs, bias.held, bias.turned) == (5, 2, 1)
    assert bias.first_share == 5 / 8
    assert bias.turned_share == 1 / 3


# The examples of Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), C and E: one
# row for each observer, "." where he saw nothing.
TWO = ["0100000010", "1110010000"]
FOUR = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def columns(rows: list[str]) -> list[list[str]]:
    return [[seen for seen in column if seen != "."] for column in zip(*rows, strict=True)]


@pytest.mark.parametrize(("rows", "alpha", "items"), [(TWO, 0.095, 10), (FOUR, 0.743, 11)])
def test_alpha_is_that_of_the_published_examples(rows: list[str], alpha: float, items: int) -> None:
    found = agreement(columns(rows))
    assert found.alpha == pytest.approx(alpha, abs=0.0005)
    assert found.items == items


def test_repeats_agree_within_their_order_and_the_majority_counts_both() -> None:
    verdicts = judged("first", "first", None) + judged("first", "first", "second", swapped=True)
    found = agreement_of_repeats(verdicts)
    assert found.items == 2
    assert found.share == pytest.approx((1 + 1 / 3) / 2)
    verdicts = judged("first", "tie", None) + judged("second", "second", None, swapped=True)
    assert majority_labels(verdicts) == {("diversity", "A", "B", "q"): "one"}
    assert majority_labels(judged(None)) == {}


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


def test_rounding_of_means_breaks_no_tie() -> None:
    third = 100 / 3
    same = [third, -(100 - 2 * third), third + 1e-14, -third]
    assert signed_rank(same) == signed_rank([1.0, -1.0, 1.0, -1.0])


def test_pairs_are_adjusted_within_their_metric() -> None:
    strong, weak = [100.0] * 12 + [0.0], [100.0] * 7 + [0.0] * 6
    pairs = [("A", "B", strong), ("A", "C", weak), ("B", "C", [])]
    diversity = [result(*pair) for pair in pairs]
    found = pair_tests([*diversity, result("A", "B", strong, "directness")])
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
