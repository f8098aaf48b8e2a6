"""Full-text search finds each word in the forms in which people and files write it."""

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import ANALYZERS, NEUTRAL, AnalyzerRow
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.query.lookup import WordRow
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import legible, searched_words

FORMS = {  # a text: how it is asked for
    "Die Maßnahmen in Großbritannien": "Maßnahmen Großbritannien GROßBRITANNIEN",
    "İstanbul ve ısırgan": "İstanbul ısırgan",
    "Ὁ Ὀδυσσεύς": "Ὀδυσσεύς",
    "The \ufb01nancial o\ufb03ce": "financial office",
    "ＮＡＴＯ と ﾄﾖﾀ": "NATO トヨタ",
    "Die O\u0308sterreicher, le de\u0301bat": "Österreicher débat",
    "Österreich, débat": "O\u0308sterreich de\u0301bat",
    "Andere oder nicht": "OR AND NOT oder",
    "Bundes\u00adtag und Gesetz-\nentwurf": "Bundestag Gesetzentwurf",
}


@pytest.mark.parametrize("text", FORMS)
def test_words_are_asked_for_as_they_are_indexed(text: str) -> None:
    held = {word.lower() for word in searched_words(text)}
    asked = {word.lower() for word in searched_words(FORMS[text])} - {"or", "and", "not"}
    assert asked <= held
    assert legible(legible(text)) == legible(text)


async def test_words_are_found_however_they_are_written(graph: Graph, alone: Settings) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([Document(text, f"d{n}") for n, text in enumerate(FORMS)])
    asked = [word for one in FORMS.values() for word in searched_words(one)]
    rows = await graph.read("search/words_nowhere", WordRow, words=asked)
    assert {row["word"] for row in rows} <= {"or", "and", "not"}


GERMAN = (
    "Der Ausschuß tagte gestern in Bonn. Die Regierung von Großbritannien war vertreten. "
    "Die Abgeordneten der Partei stimmten den Anträgen zu, und Konrad Adenauer dankte ihnen."
)


async def analyzers(graph: Graph) -> dict[str, object]:
    rows = await graph.run_plain(
        "SHOW FULLTEXT INDEXES YIELD name, options WHERE name STARTS WITH 'kg_' "
        "RETURN name, options.indexConfig['fulltext.analyzer'] AS analyzer"
    )
    return {str(row["name"]).removeprefix("kg_"): row["analyzer"] for row in rows}


async def test_the_analyser_follows_the_language_of_the_documents(
    graph: Graph, alone: Settings
) -> None:
    said: list[Event] = []
    async with AsyncGraphRAG(alone, said.append) as rag:
        await rag.index([Document(GERMAN, "de")])
        german = {"chunk_text": "german", "community_text": "german", "related_text": "german"}
        assert await analyzers(graph) == {**german, "entity_text": NEUTRAL}
        [found] = await rag.find_entities("Großbritannien")
        assert found.name == "Großbritannien"
        # Other forms are in the data, and words of the language aren't misspelt names.
        for question in ("Wer stimmte dem Antrag zu?", "Was hat der Ausschuss gezogen?"):
            await rag.query(question, method="local")
        assert not [one for one in said if isinstance(one, Notice) and "not contain" in one.text]
        await rag.query("Was tat Konrad Adenaur?", method="local")
        assert any("Did you mean Konrad Adenauer?" in str(one) for one in said)
        english = "Ada Lovelace wrote the first program. It was for the engine of Charles Babbage."
        await rag.index([Document(f"{english} Part {n}.", f"en{n}") for n in range(2)])
        assert set((await analyzers(graph)).values()) == {NEUTRAL}
    async with AsyncGraphRAG(alone.changed(fulltext_analyzer="swedish")) as rag:
        await rag.index([Document(GERMAN, "de")])
        assert (await analyzers(graph))["chunk_text"] == "swedish"


async def test_neo4j_has_the_analysers_of_all_languages(graph: Graph) -> None:
    known = {row["analyzer"] for row in await graph.read("graph/analyzers", AnalyzerRow)}
    assert {NEUTRAL, *ANALYZERS.values()} <= known
