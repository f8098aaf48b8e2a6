"""Comparisons: which there are, the scores of their verdicts, and the bias of the place."""

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.evaluate.judging import Comparison, Judged, Label, comparisons
from graphrag_neo4j.evaluate.statistics import PairResult, bias_of, pair_results, win_rates
from graphrag_neo4j.llm.evaluate.judges import Metric, Winner
from tests.evaluate.paper import PAPER, rows_of, table_6

CONDITIONS: list[str] = PAPER["conditions"]
METRIC: Metric = "diversity"
WINNERS: Sequence[Winner | None] = ("first", "second", "tie", None)


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


@pytest.mark.parametrize(
    ("winner", "swapped", "label"),
    [
        ("first", False, "one"),
        ("second", False, "other"),
        ("first", True, "other"),
        ("second", True, "one"),
        ("tie", True, "tie"),
        (None, False, None),
    ],
)
def test_the_winner_is_the_condition_and_not_its_place(
    winner: Winner | None, swapped: bool, label: Label | None
) -> None:
    assert judged(winner, swapped=swapped)[0].label == label


def test_the_score_of_a_question_is_the_mean_of_its_repeats() -> None:
    (result,) = pair_results(judged("first", "first", "tie", "second", "first"))
    assert result.scores == {"q": 70.0}
    assert result.win_rate == 70.0
    assert result.turned().win_rate == 30.0
    assert (result.turned().one, result.turned().other) == ("B", "A")


def test_a_missing_verdict_is_counted_and_is_no_tie() -> None:
    verdicts = [*judged("first", None), *judged(None, question="r")]
    (result,) = pair_results(verdicts)
    assert result.scores == {"q": 100.0}
    assert bias_of(verdicts).missing == 2
    (nothing,) = pair_results(judged(None))
    assert (nothing.scores, nothing.win_rate, nothing.turned().win_rate) == ({}, None, None)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("qrs"), st.booleans(), st.integers(1, 3), st.sampled_from(WINNERS)
        )
    )
)
def test_the_win_rates_of_a_pair_sum_to_100(
    given_verdicts: list[tuple[str, bool, int, Winner | None]],
) -> None:
    verdicts = [
        Judged(Comparison(METRIC, "A", "B", question, repeat, swapped), winner)
        for question, swapped, repeat, winner in given_verdicts
    ]
    for result in pair_results(verdicts):
        one, other = result.win_rate, result.turned().win_rate
        if one is not None and other is not None:
            assert one + other == pytest.approx(100)
            assert 0 <= one <= 100


def test_the_means_of_the_paper_lie_on_the_grid_of_its_repeats() -> None:
    step = 50 / 5 / PAPER["questions"]
    assert step == pytest.approx(0.08)
    means = [row.mean for row in table_6()]
    assert len(means) == 76
    assert all(mean / step == pytest.approx(round(mean / step)) for mean in means)


@pytest.mark.parametrize("corpus", ["Podcast", "News"])
def test_the_matrix_of_the_paper_is_antisymmetric_about_50(corpus: str) -> None:
    results = [
        PairResult(row.metric, row.one, row.other, {"q": row.mean})
        for row in rows_of("comprehensiveness", corpus)
    ]
    order = ["SS", "TS", "C0", "C1", "C2", "C3"]  # of the paper's figure
    matrix = win_rates(results, order, "comprehensiveness")
    for row, column in product(range(6), repeat=2):
        assert matrix[row][column] + matrix[column][row] == pytest.approx(100)  # type: ignore[operator]
    assert [matrix[place][place] for place in range(6)] == [50.0] * 6
    if corpus == "Podcast":
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
