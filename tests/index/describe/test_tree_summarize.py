"""Many descriptions into one: what is asked, what it costs, when it is asked again."""

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.index.describe.summarize import (
    Described,
    Group,
    Said,
    SummaryLimits,
    tree_summarize,
)
from graphrag_neo4j.text.strings import identify
from tests.support.preset_backend import words


def answer(group: Group) -> str:
    """Ten words that depend on the group and on nothing else."""
    return " ".join(["It"] * 9 + [group.hash])


BUDGET = SummaryLimits(join=10, context=100, count=words)


def ask_until_described(
    descriptions: Sequence[str | tuple[str, str]],
    known: dict[str, str],
    *,
    budget: SummaryLimits = BUDGET,
    say: Callable[[Group], str] = answer,
) -> tuple[Described, list[Group]]:
    """The description, and the groups that were asked about; `known` learns their texts.

    A description may come with its document.
    """
    asked: list[Group] = []
    pairs = [(one, "") if isinstance(one, str) else one for one in descriptions]
    said = [Said("", document, 0, text) for text, document in pairs]
    for _ in range(100):
        found = tree_summarize(said, "s", known, budget)
        if isinstance(found, Described):
            return found, asked
        asked += found
        known |= {group.hash: say(group) for group in found}
    raise AssertionError("it does not end")


TEXTS = st.lists(
    st.tuples(st.integers(1, 60), st.integers(0, 10**6)).map(lambda it: f"{it[1]} " * it[0]),
    max_size=60,
)


@given(TEXTS, st.integers(0, 40), st.integers(2, 50), st.integers(1, 80))
def test_it_always_ends_and_no_call_exceeds_its_budget(
    texts: list[str], join: int, context: int, length: int
) -> None:
    """Nor does it if a model's answers are longer than they should be."""
    budget = SummaryLimits(join, context, words)
    found, asked = ask_until_described(
        texts, {}, budget=budget, say=lambda group: f"{group.hash} " * length
    )
    for group in asked:
        assert len(group.texts) > 1
        assert sum(words(text) for text in group.texts) <= context
    assert len({group.hash for group in asked}) == len(asked)
    assert found.by_model is bool(asked)


@given(TEXTS, st.randoms(use_true_random=False))
def test_order_and_repetition_make_no_difference(texts: list[str], chance: Random) -> None:
    budget = SummaryLimits(5, 50, words)
    more = [*texts, *texts[:3]]
    one = ask_until_described(texts, {}, budget=budget)
    assert one == ask_until_described(chance.sample(more, len(more)), {}, budget=budget)


@pytest.mark.parametrize(
    ("descriptions", "text"),
    [
        ([], ""),
        (["Ann sails."], "Ann sails."),
        (["Ann sails.", "Ann sails.", ""], "Ann sails."),
        (["word " * 500], "word " * 500),
        (["b b b b b", "a a a a a"], "a a a a a\nb b b b b"),
    ],
)
def test_one_is_taken_as_it_is_and_a_few_are_joined_while_short(
    descriptions: list[str], text: str
) -> None:
    found, asked = ask_until_described(descriptions, {})
    assert found == Described(text, identify("joined", text), {}, by_model=False)
    assert not asked


def test_one_more_document_changes_few_groups_however_often_it_describes_the_element() -> None:
    def of(document: int) -> list[tuple[str, str]]:
        return [(f"Document {document} says thing {n}", f"d{document}") for n in range(20)]

    known: dict[str, str] = {}
    many = [one for document in range(30) for one in of(document)]
    assert len(ask_until_described(many, known)[1]) > 30
    assert len(ask_until_described([*many, *of(30)], known)[1]) <= 6


def test_descriptions_stand_in_the_order_of_time_with_one_date_for_each_document() -> None:
    said = [
        Said("2016-06-02", "a", 3, "Der Ausschuss tagte in Bonn."),
        Said("1951-05-23", "b", 7, "Der Ausschuß wurde vertagt."),
        Said("1951-05-23", "b", 2, "Der Ausschuß wurde eingesetzt."),
        Said("", "c", 0, "Der Ausschuss hat 30 Mitglieder."),
    ]
    budget = SummaryLimits(join=100, context=100, count=words)
    found = tree_summarize(said, "s", {}, budget)
    assert isinstance(found, Described)
    assert found.text.splitlines() == [
        "Der Ausschuss hat 30 Mitglieder.",
        "(1951-05-23) Der Ausschuß wurde eingesetzt.",
        "Der Ausschuß wurde vertagt.",
        "(2016-06-02) Der Ausschuss tagte in Bonn.",
    ]
    asked = tree_summarize(said, "s", {}, SummaryLimits(join=1, context=100, count=words))
    assert isinstance(asked, list)
    assert asked[0].texts == tuple(found.text.splitlines())
    plain = tree_summarize(said, "s", {}, budget, dated=False)
    assert isinstance(plain, Described)
    assert "1951" not in plain.text
