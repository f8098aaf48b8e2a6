"""Agreement of verdicts: shares, Krippendorff's alpha, and the majority."""

import pytest

from graphrag_neo4j.evaluate.judging import Comparison, Judged, Label
from graphrag_neo4j.evaluate.statistics import (
    agreement,
    agreement_of_repeats,
    majority,
    majority_labels,
)
from graphrag_neo4j.llm.evaluate.judges import Winner

# The examples of Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), C and E: one
# row for each observer, "." where he saw nothing.
TWO = ["0100000010", "1110010000"]
FOUR = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def columns(rows: list[str]) -> list[list[str]]:
    return [[seen for seen in column if seen != "."] for column in zip(*rows, strict=True)]


def judged(swapped: bool, *winners: Winner | None) -> list[Judged]:
    return [
        Judged(Comparison("diversity", "A", "B", "q", repeat, swapped), winner)
        for repeat, winner in enumerate(winners, start=1)
    ]


@pytest.mark.parametrize(("rows", "alpha", "items"), [(TWO, 0.095, 10), (FOUR, 0.743, 11)])
def test_alpha_is_that_of_the_published_examples(rows: list[str], alpha: float, items: int) -> None:
    found = agreement(columns(rows))
    assert found.alpha == pytest.approx(alpha, abs=0.0005)
    assert found.items == items


def test_where_all_verdicts_are_one_label_alpha_says_nothing() -> None:
    found = agreement([["one", "one"]] * 9)
    assert (found.items, found.share, found.alpha) == (9, 1, None)


def test_repeats_agree_within_their_order() -> None:
    verdicts = judged(False, "first", "first", None) + judged(True, "first", "first", "second")
    found = agreement_of_repeats(verdicts)
    assert found.items == 2
    assert found.share == pytest.approx((1 + 1 / 3) / 2)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["one"] * 3 + ["other"] * 2, "one"),
        (["one"] * 2 + ["other"] * 2 + ["tie"], "tie"),
        (["tie"] * 3 + ["one"] * 2, "tie"),
        (["one", "other"], "tie"),
        (["one", "one", "tie", "other"], "tie"),
        ([], "tie"),
    ],
)
def test_without_a_majority_it_is_a_tie(labels: list[Label], expected: Label) -> None:
    assert majority(labels) == expected


def test_the_majority_counts_conditions_of_both_orders() -> None:
    verdicts = judged(False, "first", "tie", None) + judged(True, "second", "second", None)
    assert majority_labels(verdicts) == {("diversity", "A", "B", "q"): "one"}
    assert majority_labels(judged(False, None)) == {}
