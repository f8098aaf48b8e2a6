"""What a condition takes: the numbers of the paper's Table 2, and what is not known."""

import pytest

from graphrag_neo4j.evaluate.answers import condition_costs
from graphrag_neo4j.evaluate.folder import AnswerRecord

NAMES = ("C0", "C1", "C2", "C3", "TS")
TABLE_2 = {
    "Podcast": (
        (34, 367, 969, 1310, 1669),
        (26657, 225756, 565720, 746100, 1014611),
        (2.6, 22.3, 55.8, 73.5, 100.0),
    ),
    "News": (
        (55, 555, 1797, 2142, 3197),
        (39770, 352641, 980898, 1140266, 1707694),
        (2.3, 20.7, 57.4, 66.8, 100.0),
    ),
}


def answer(condition: str, question: str = "q", **given: object) -> AnswerRecord:
    return AnswerRecord(f"{condition} {question}", question, condition, "Yes.", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("dataset", TABLE_2)
def test_the_columns_of_table_2_come_out(dataset: str) -> None:
    units, tokens, percent = TABLE_2[dataset]
    answers = [
        answer(name, question, units=n, context_tokens=size)
        for question in ("a", "b")
        for name, n, size in zip(NAMES, units, tokens, strict=True)
    ]
    found = condition_costs(answers)
    assert [one.condition for one in found] == list(NAMES)
    assert [one.units for one in found] == list(units)
    assert [one.context_tokens for one in found] == list(tokens)
    assert [round(one.percent or 0, 1) for one in found] == list(percent)
    assert [one.answers for one in found] == [2] * 5


def test_means_count_only_what_is_there_and_what_is_known_of_all() -> None:
    answers = [
        answer("C0", "a", calls=3, input_tokens=90, output_tokens=9, cost=0.5, seconds=2.0),
        answer("C0", "b", calls=5, input_tokens=10, output_tokens=1, cost=0.1, seconds=4.0),
        answer("C0", "c", failure="no reply"),
        answer("other", "a", cost=1.0, calls=1),
        answer("other", "b"),
        answer("none", "a", failure="no reply"),
    ]
    ours, other, none = condition_costs(answers)
    assert (ours.answers, ours.missing, ours.calls, ours.seconds) == (2, 1, 4, 3)
    assert ours.cost == pytest.approx(0.3)
    assert ours.total_cost == pytest.approx(0.6)
    assert (ours.input_tokens, ours.output_tokens, ours.units) == (50, 5, None)
    assert (other.cost, other.total_cost, other.calls) == (None, None, None)
    assert (none.answers, none.missing, none.context_tokens, none.percent) == (0, 1, None, None)
