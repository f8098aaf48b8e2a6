"""The sample comes as a model has read it, and its file can be made again from recorded replies."""

import copy
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from record_sample import Reading, Recorded, make

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.sample import READ_BY_MODEL, bring_sample, key_of_passage
from graphrag_neo4j.files import read_data
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.llm.prompts import marked
from graphrag_neo4j.model.citations import rewrite
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import Settings
from tests.support.wiping import wipe

pytestmark = pytest.mark.graph
LARGEST = 4_000_000  # bytes of the file


@pytest.fixture(scope="module")
def reading() -> Reading:
    """The content of the file."""
    content = read_data(READ_BY_MODEL)
    assert len(content) < LARGEST
    found: Reading = json.loads(content)
    return found


@pytest.fixture(scope="module")
async def brought(connected: Graph, alone: Settings) -> AsyncIterator[IndexResult]:
    """The result of the run that brings the sample into the graph."""
    await wipe(connected)
    yield await bring_sample(connected, alone, silent)
    await wipe(connected)


async def test_the_sample_is_complete_and_a_later_run_leaves_it_so(
    brought: IndexResult, connected: Graph, alone: Settings, reading: Reading
) -> None:
    assert brought.complete
    assert not brought.notices
    assert brought.status
    assert brought.status.counts["chunks"] == len(reading["passages"])
    rows = await connected.run_plain(
        "MATCH (c:Community {origin: 'model'}) RETURN c.title AS title"
    )
    titles = [one["title"] for one in reading["reports"].values()]
    assert sorted(row["title"] for row in rows) == sorted(titles)
    again = await bring_sample(connected, alone, silent)
    assert again.complete
    assert again.ingested.unchanged == brought.ingested.added
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(InputError, match="A model has read this graph"):
            await rag.index([Document("Ada met Charles.", "memory:own")])
        people = await rag.query("Which people are mentioned?")
        themes = await rag.query("What are the main themes?")
    assert people.text.startswith("The documents name 87 entities of the type person.")
    assert not people.notices
    assert {one.kind for one in themes.citations} == {"Reports"}


async def test_the_file_is_made_again_from_recorded_replies(
    brought: IndexResult,  # noqa: ARG001 - the graph that is read
    connected: Graph,
    alone: Settings,
    reading: Reading,
) -> None:
    less = copy.deepcopy(reading)
    recorded = [
        *await a_list(connected, less),
        await a_report(connected, less),
        a_verdict(less),
    ]
    await wipe(connected)
    made, lacks = await make(connected, alone, less, Recorded(recorded))
    assert not lacks
    assert made == reading


async def a_list(graph: Graph, reading: Reading) -> list[dict[str, Any]]:
    """The requests for a list that is taken from the file, with their replies."""
    [row] = await graph.run_plain("MATCH (c:Chunk) RETURN c.text AS text ORDER BY c.id LIMIT 1")
    found = reading["passages"].pop(key_of_passage(row["text"]))
    records = [("entity", *one) for one in found["entities"]]
    records += [("relationship", *one) for one in found["relationships"]]
    lines = [f"({'<|>'.join(map(str, one))})" for one in records]
    asked = [{"content": marked(row["text"])}]
    more = [*asked, {"content": "the list"}, {"content": "What is missing?"}]
    return [
        {"kind": "extraction", "messages": asked, "reply": "\n##\n".join(lines) + "<|COMPLETE|>"},
        {"kind": "gleaning", "messages": more, "reply": "<|COMPLETE|>"},
    ]


async def a_report(graph: Graph, reading: Reading) -> dict[str, Any]:
    """The request for a report that is taken from the file, with other numbers, and its reply."""
    rows = await graph.run_plain(
        "MATCH (c:Community {origin: 'model'}) WHERE NOT EXISTS { (c)<-[:PARENT]-() } "
        "MATCH (c)<-[:IN_COMMUNITY]-(e:Entity) "
        "RETURN c.title AS title, collect(e.name) AS names ORDER BY title LIMIT 1"
    )
    key = next(k for k, one in reading["reports"].items() if one["title"] == rows[0]["title"])
    found = reading["reports"].pop(key)
    refs: dict[tuple[str, ...], int] = {
        ("Entities", name): n for n, name in enumerate(rows[0]["names"], 9_000)
    }
    pairs = [one for one in map(tuple, found["cites"]) if one[0] == "Relationships"]
    refs |= {pair: n for n, pair in enumerate(pairs, 9_500)}
    table = ["# Entities", "id | name | type | description"]
    table += [f"{n} | {one[1]} | person | So." for one, n in refs.items() if n < 9_500]
    table += ["# Relationships", "id | source | predicate | target | description"]
    table += [
        f"{n} | {pair[2]} | is of | {pair[1]} | So." for pair, n in refs.items() if n >= 9_500
    ]
    reply = {
        "title": found["title"],
        "summary": found["summary"],
        "rating": found["rating"],
        "rating_explanation": found["rating_explanation"],
        "findings": [{"summary": a, "explanation": b} for a, b in found["findings"]],
    }

    def number(_kind: object, place: int) -> int:
        return refs[tuple(found["cites"][place - 1])]

    text = rewrite(json.dumps(reply, ensure_ascii=False), number)
    return {"kind": "report", "messages": [{"content": marked("\n".join(table))}], "reply": text}


def a_verdict(reading: Reading) -> dict[str, Any]:
    """The request for a verdict that is taken from the file, and its reply."""
    one, other, verdict, reason = reading["names"].pop()
    pair = f"Pair 1\nA: {one} | person | So.\nB: {other} | person | So."
    reply = json.dumps({"pairs": [{"pair": 1, "verdict": verdict, "reason": reason}]})
    return {"kind": "names", "messages": [{"content": marked(pair)}], "reply": reply}


async def test_a_graph_of_other_documents_is_left_alone(graph: Graph, alone: Settings) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([Document("Ada met Charles in London.", "memory:own")])
        with pytest.raises(InputError, match="documents of its own"):
            await bring_sample(rag.graph, alone, silent)
    [row] = await graph.run_plain("MATCH (d:Document) RETURN count(d) AS n")
    assert row["n"] == 1
