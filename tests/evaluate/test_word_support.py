"""Support by words and vectors: what it sees, and what it is known not to see."""

import pytest

from graphrag_neo4j.evaluate.word_support import support_by_words

PASSAGE = """\
ADA: In June 1833 I met Charles Babbage at a party in London. He showed me the engine that he had \
built. I could not forget its brass wheels.

Years later I translated an article about it, and I added notes that were longer than the article.
"""


@pytest.mark.parametrize(
    "sentence",
    [
        "I could not forget its brass wheels.",
        "He showed me  the engine\nthat he had built.",
        "Ada met Charles Babbage at a London party in June 1833.",
        "She translated an article about the engine and added longer notes.",
    ],
)
def test_what_a_passage_says_is_supported(sentence: str) -> None:
    assert support_by_words(sentence, ["Nothing of this is here.", PASSAGE]).support == "supported"


@pytest.mark.parametrize(
    "sentence",
    [
        "The village has a small church and two mills.",
        "Neural networks need large amounts of labelled images.",
        "Scrooge paid Bob Cratchit fifteen shillings a week.",
    ],
)
def test_what_a_passage_does_not_tell_is_not_supported(sentence: str) -> None:
    assert support_by_words(sentence, [PASSAGE]).support == "not"


def test_another_number_is_no_full_support() -> None:
    verdict = support_by_words("Ada met Charles Babbage at a London party in June 1843.", [PASSAGE])
    assert verdict.support == "partly"
    assert "lack 1843" in verdict.reason


def test_it_does_not_see_a_negation_or_who_does_what() -> None:
    """The page on groundedness says so: a model is needed for these."""
    for wrong in (
        "In June 1833 I never met Charles Babbage at a party in London.",
        "Charles Babbage met Ada at a party in London in June 1833, not I.",
    ):
        assert support_by_words(wrong, [PASSAGE]).support == "supported"
