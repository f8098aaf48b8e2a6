"""Whole answers without a model, from a real graph: speakers, boilerplate, themes and counts."""

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.events import Event, Notice
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.query.answer import METHODS
from graphrag_neo4j.settings import Settings

OPENING = "ADA LOVELACE: We at the Talk of Ada ask people what moves them every single week.\n\n"
SAID = {
    "Ben Bloom": "Frogs live near ponds at Lake Garda. Lake Garda has a pond of frogs.",
    "Carl Cole": "Robots of Boston Dynamics walk on stairs. Boston Dynamics makes robots.",
    "Dora Dean": "Sheet music of Clara Schumann is rare. Clara Schumann wrote sheet music.",
    "Emil East": "Solar energy heats the houses of Oslo. In Oslo, solar energy is new.",
    "Fay Fox": "Frogs are in danger at Lake Garda. The pond of Lake Garda is dry.",
}
DOCUMENTS = [
    Document(
        f"{OPENING}{name.upper()}: {said}\n\nADA LOVELACE: That was {name} speaking with Ada.\n",
        f"{number}.txt",
        f"Talk {number}",
    )
    for number, (name, said) in enumerate(SAID.items(), start=1)
]
QUESTIONS = (
    "Where do frogs live?",
    "Why is there a risk for frogs?",
    "What does Ada Lovelace say every week?",
    "How many guests are there?",
    "How often is Lake Garda mentioned?",
    "Which documents mention heats the houses?",
    "How many documents speak of flying carpets?",
    "Compare robots with the rest.",
    "What is the capital of Mongolia?",
    "What are the main themes?",
)


async def test_answers_name_speakers_skip_boilerplate_and_count(
    graph: Graph, alone: Settings
) -> None:
    said: list[Event] = []
    async with AsyncGraphRAG(alone, said.append) as rag:
        assert (await rag.index(DOCUMENTS)).complete
        found = [await rag.query(question) for question in QUESTIONS]
        await _check_what_one_says(rag)
    assert all(citation.supported for answer in found for citation in answer.citations)
    texts = (one.text for one in found)
    live, risk, every, guests, often, phrase, nowhere, compared, mongolia, themes = texts
    assert "**Ben Bloom on " in live
    assert "Talk 1, characters " in live
    assert "Frogs are in danger" in risk
    assert "every single week" not in every
    assert "speaking with" not in f"{live}{risk}{every}{themes}"
    assert guests.startswith("**6 people speak in 5 documents**")
    assert "In many documents: Ada Lovelace (5)." in guests
    assert "**Lake Garda** is mentioned in 2 documents, in 2 passages" in often
    assert "| 1 | Talk 1 |" in often
    assert "**heats the houses** stands in 1 documents, in 1 passages." in phrase
    assert nowhere == "No document holds the words “flying carpets”."
    assert "a model" in compared
    assert mongolia == "No answer to this question was found."
    assert ", in 2 of 5 documents [Data: Reports" in themes
    await _check_communities(graph, said)


async def _check_what_one_says(rag: AsyncGraphRAG) -> None:
    """Each method quotes the speaker for whom a question asks, who is not named where he speaks."""
    for method in METHODS:
        said = await rag.query("What does Ben Bloom say about frogs?", method=method)
        assert "Lake Garda has a pond of frogs." in said.text, method
        assert "Frogs are in danger" not in said.text, "somebody else says it"


async def _check_communities(graph: Graph, said: list[Event]) -> None:
    """What is named everywhere is alone, and titles name no two episodes at once."""
    [notice] = [e.text for e in said if isinstance(e, Notice) and "stays alone" in e.text]
    assert "Talk of Ada" in notice
    rows = await graph.run_plain(
        "MATCH (:Entity {name: 'Talk of Ada'})-[:IN_COMMUNITY]->(c) RETURN c.size AS size"
    )
    assert [row["size"] for row in rows] == [1]
    titles = await graph.run_plain("MATCH (c:Community {origin: 'extractive'}) RETURN c.title AS t")
    assert titles
    for title in (row["t"] for row in titles):
        places = ("Lake Garda", "Boston Dynamics", "Clara Schumann", "Oslo")
        assert sum(place in title for place in places) <= 1
