"""The place in a source that says what an answer says."""

from graphrag_neo4j.answers import Source
from graphrag_neo4j.quoting import nearest_sources

TEXT = (
    "Marley was dead: to begin with. Scrooge signed the register.\n"
    "Old Marley was  as dead as a nail."
)


def source(text: str, start: int = 0, chunk: int = 1) -> Source:
    return Source("carol", "Carol", chunk, start, start + len(text), text)


def quotes(sources: list[Source], said: str) -> list[str]:
    return [one.quoted for one in nearest_sources(sources, [said], 3)]


def test_what_is_said_word_for_word_is_found_in_the_document() -> None:
    (found,) = nearest_sources([source(TEXT, start=100)], ["Old Marley was as dead as a nail."], 3)
    assert found.quoted == "Old Marley was  as dead as a nail."
    assert found.place == (100 + TEXT.index("Old"), 100 + len(TEXT))


def test_what_is_said_in_other_words_leads_to_the_sentence_that_shares_most() -> None:
    assert quotes([source(TEXT)], "It was Scrooge who signed.") == ["Scrooge signed the register."]


def test_sources_that_hold_it_word_for_word_come_alone() -> None:
    other = source("Scrooge signed nothing, and Marley the register.", chunk=2)
    said = "Scrooge signed the register."
    assert quotes([other, source(TEXT)], said) == [said]


def test_the_sources_that_share_most_come_first() -> None:
    far, near = source("It snowed in London."), source(TEXT, chunk=2)
    assert [one.chunk for one in nearest_sources([far, near], ["Who signed?"], 1)] == [2]


def test_a_place_in_two_overlapping_chunks_is_one() -> None:
    one, other = source(TEXT), source(TEXT[TEXT.index("Scrooge") :], TEXT.index("Scrooge"), 2)
    assert quotes([one, other], "Scrooge signed the register.") == ["Scrooge signed the register."]


def test_a_source_as_a_whole_is_its_own_quote() -> None:
    assert source(TEXT).quoted == TEXT


def test_a_source_without_a_word_is_quoted_as_it_is() -> None:
    assert quotes([source("…")], "Marley?") == ["…"]
