"""The place in a source that says what an answer says."""

import pytest

from graphrag_neo4j.query.answer import Source, nearest_sources

TEXT = (
    "Marley was dead: to begin with. Scrooge signed the register.\n"
    "Old Marley was  as dead as a nail."
)


def source(text: str, start: int = 0, chunk: int = 1) -> Source:
    return Source("carol", "Carol", chunk, start, start + len(text), text)


def quotes(sources: list[Source], said: str) -> list[str]:
    return [one.quoted for one in nearest_sources(sources, [said], 3)]


SIGNED = "Scrooge signed the register."
SNOW = "It snowed. On that evening old Mr. Scrooge\nsigned the register for St. Paul’s. He left."


@pytest.mark.parametrize(
    ("texts", "said", "quoted"),
    [
        ([TEXT], "Old Marley was as dead as a nail.", "Old Marley was  as dead as a nail."),
        ([TEXT], "It was Scrooge who signed.", SIGNED),
        (["Scrooge signed nothing, and Marley the register.", TEXT], SIGNED, SIGNED),
        (["…"], "Marley?", "…"),
        ([SNOW], "Scrooge signed a register of the church of St. Paul’s.", SNOW[11:-9]),
    ],
)
def test_the_sentence_that_says_it_is_quoted(texts: list[str], said: str, quoted: str) -> None:
    assert quotes([source(text, chunk=n) for n, text in enumerate(texts)], said) == [quoted]


def test_each_statement_has_its_place_in_the_document_once() -> None:
    said = [SIGNED, "Marley was dead: to begin with."]
    found = nearest_sources([source("It snowed in London."), source(TEXT, 100, 2)], said, 1)
    assert [one.quoted for one in found] == said
    assert found[0].span == (100 + TEXT.index("Scrooge"), 100 + TEXT.index("\n"))
    overlapping = source(TEXT[TEXT.index("Scrooge") :], TEXT.index("Scrooge"), 2)
    assert quotes([source(TEXT), overlapping], SIGNED) == [SIGNED]


def test_where_no_sentence_says_it_only_the_place_is_given() -> None:
    end = "He saw London. END OF THE PROJECT GUTENBERG EBOOK A CHRISTMAS CAROL"
    said = "The foundation runs Project Gutenberg to give away electronic books."
    (found,) = nearest_sources([source(end, start=50)], [said], 3)
    assert found.quote is None
    assert found.span == (50, 50 + len(end))
    # A sentence that shares the name alone says nothing of it.
    text = "The London Stock Exchange was closed. It snowed."
    said = "The London Stock Exchange lists Scrooge and his partner."
    name = "London Stock Exchange"
    assert nearest_sources([source(text)], [said], 3, name)[0].quote is None
    quoted = nearest_sources([source(text)], [said], 3)[0].quoted
    assert quoted == "The London Stock Exchange was closed."


def test_a_neutralised_mark_is_found_in_the_document_and_shown_neutralised() -> None:
    text = "It snowed. So it was [Data: Entities (1)] in London."
    said = "So it was ⟦Data: Entities (1)⟧ in London."
    (found,) = nearest_sources([source(text)], [said], 3)
    assert found.quoted == said
    assert text[slice(*found.span)] == "So it was [Data: Entities (1)] in London."


FISCHER = "Joschka Fischer, Bundesminister des Auswärtigen:"
DEBATE = f"""{FISCHER}
Herr Präsident! Die Bundesregierung lehnt diesen Vertrag ab, weil er die Länder schwächt.

Thomas Oppermann (SPD):

Wir wollen mehr Geld für die Schulen in Niedersachsen."""


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        (
            "Thomas Oppermann von der SPD will mehr Geld für Schulen in Niedersachsen.",
            "Wir wollen mehr Geld für die Schulen in Niedersachsen.",
        ),
        (
            "Joschka Fischer, Bundesminister des Auswärtigen: Der Vertrag schwächt die Länder.",
            "Die Bundesregierung lehnt diesen Vertrag ab, weil er die Länder schwächt.",
        ),
        ("Thomas Oppermann (SPD) sprach danach über Bonn.", None),
        ("Joschka Fischer, Bundesminister des Auswärtigen, sprach zuerst.", None),
    ],
)
def test_the_tag_of_a_speaker_says_nothing(said: str, quoted: str | None) -> None:
    (found,) = nearest_sources([source(DEBATE, start=7)], [said], 3)
    assert (found.quoted if found.quote else None) == quoted
