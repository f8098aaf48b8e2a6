"""What a question asks for, by its words."""

from datetime import date

import pytest

from graphrag_neo4j.rules.asking import (
    ASKS_LIST,
    ASKS_NOW,
    COMPARED,
    COUNTED,
    COUNTED_BY_MODEL,
    EXPLAINED,
    not_done,
    period_in,
    words_of_predicate,
)
from graphrag_neo4j.text.languages import lines_of

TODAY = date(2024, 3, 5)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How many frogs live in the pond?", COUNTED),
        ("What is the difference between a frog and a toad?", COMPARED),
        ("How do frogs and toads differ?", COMPARED),
        ("Why do frogs sing?", EXPLAINED),
        ("How does the pump work?", EXPLAINED),
        ("How was the pond made?", None),
        ("Who lives in the pond?", None),
        ("Wie viele Frösche leben in dem Teich?", COUNTED),
        ("Pourquoi les grenouilles chantent-elles dans la mare ?", EXPLAINED),
        ("Чем отличается лягушка от жабы?", COMPARED),
        ("青蛙为什么叫？", EXPLAINED),
    ],
)
def test_what_quotations_can_not_do_is_said(question: str, told: str | None) -> None:
    assert not_done(question, with_model=False) == [told] * bool(told)
    by_model = [COUNTED_BY_MODEL] if told == COUNTED else []
    assert not_done(question, with_model=True) == by_model


def test_each_language_has_words_for_each_kind() -> None:
    lines = lines_of("words/kinds.txt")
    assert {len(line.partition(" = ")[2].split(" | ")) for line in lines} == {3}
    questions = [line.partition(" = ")[0] for line in lines_of("words/questions.txt")]
    assert [line.partition(" = ")[0] for line in lines] == questions


@pytest.mark.parametrize(
    ("question", "rest", "period"),
    [
        ("What was said in 2022?", "What was said?", "2022"),
        ("What was said in March 2023?", "What was said?", "2023-03"),
        (
            "What was said on frogs since May 5th, 2021?",
            "What was said on frogs?",
            "from 2021-05-05",
        ),
        ("Who spoke between 2020 and March 2022?", "Who spoke?", "from 2020 to 2022-03"),
        ("Who spoke from 2020-2022?", "Who spoke?", "from 2020 to 2022"),
        ("Who spoke before 2023-02-01?", "Who spoke?", "before 2023-02-01"),
        ("Who spoke last year?", "Who spoke?", "2023"),
        ("Who spoke since last month?", "Who spoke?", "from 2024-02"),
        ("Wer sprach im Jahr 2022?", "Wer sprach im?", "2022"),
    ],
)
def test_a_period_is_read_and_taken_out(question: str, rest: str, period: str) -> None:
    found = period_in(question, TODAY)
    assert found
    assert (found[0], str(found[1])) == (rest, period)


@pytest.mark.parametrize("question", ["Who built 2000 houses?", "What is PEP 2026?", "May I ask?"])
def test_a_number_is_no_year(question: str) -> None:
    assert period_in(question, TODAY) is None


def test_a_period_ends_with_its_last_day() -> None:
    found = period_in("Who spoke between 2020 and March 2022?", TODAY)
    assert found
    days = ("2019-12-31", "2020", "2020-01-01", "2022-03-31", "2022-04")
    assert [found[1].holds(day) for day in days] == [False, True, True, True, False]


def test_a_list_is_asked_for() -> None:
    asked = (
        "Which rules were made?",
        "List all rules",
        "Who came?",
        "Who is Ada Lovelace?",
        "How?",
    )
    assert [bool(ASKS_LIST.search(one)) for one in asked] == [True, True, True, False, False]


def test_a_question_about_the_present_is_told_from_one_about_a_current() -> None:
    asked = ("Who is the current chair?", "What is it called now?", "What is the latest price?")
    assert all(map(ASKS_NOW.search, asked))
    assert not any(map(ASKS_NOW.search, ("What is an electric current?", "Who knows Snowden?")))


def test_what_is_denied_or_planned_answers_only_where_the_question_says_so() -> None:
    held = {"bought", "who", "chairs"}
    assert words_of_predicate(held, "bought") == words_of_predicate(held, "bought (former)")
    assert not words_of_predicate(held, "bought (denied)")
    assert words_of_predicate({*held, "planned"}, "bought (planned)") == {"bought", "planned"}
