"""The place in a source that says what an answer says."""

from graphrag_neo4j.query.answer import Source
from graphrag_neo4j.query.quote_match import nearest_sources

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


def test_where_no_sentence_says_it_only_the_place_is_given() -> None:
    end = "He saw London. END OF THE PROJECT GUTENBERG EBOOK A CHRISTMAS CAROL"
    said = "The foundation runs Project Gutenberg to give away electronic books."
    (found,) = nearest_sources([source(end, start=50)], [said], 3)
    assert found.quote is None
    assert found.place == (50, 50 + len(end))


def test_a_sentence_that_shares_the_name_alone_says_nothing_of_it() -> None:
    text = "The London Stock Exchange was closed. It snowed."
    said = "The London Stock Exchange lists Scrooge and his partner."
    name = "London Stock Exchange"
    assert nearest_sources([source(text)], [said], 3, name)[0].quote is None
    assert nearest_sources([source(text)], [said], 3)[0].quoted == (
        "The London Stock Exchange was closed."
    )


def test_a_sentence_is_not_cut_at_an_abbreviation_or_a_line_break() -> None:
    text = (
        "It snowed. On that evening old Mr. Scrooge\nsigned the register for St. Paul’s. He left."
    )
    assert quotes([source(text)], "Scrooge signed a register of the church of St. Paul’s.") == [
        "On that evening old Mr. Scrooge\nsigned the register for St. Paul’s."
    ]


def test_each_statement_of_a_source_that_is_cited_twice_has_its_place() -> None:
    said = ["Scrooge signed the register.", "Marley was dead: to begin with."]
    assert [one.quoted for one in nearest_sources([source(TEXT)], said, 1)] == said


def test_a_neutralised_mark_is_found_in_the_document_and_shown_neutralised() -> None:
    text = "It snowed. So it was [Data: Entities (1)] in London."
    said = "So it was ⟦Data: Entities (1)⟧ in London."
    (found,) = nearest_sources([source(text)], [said], 3)
    assert found.quoted == said
    assert text[slice(*found.place)] == "So it was [Data: Entities (1)] in London."
