"""The state of a graph: its schema version, and a graph of release 0.1 that is brought to it."""

from collections.abc import Callable

import pytest

from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.doctor.database import check_schema
from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.events import Event, Notice
from graphrag_neo4j.extractive import STATIC_VECTORS, index_backend
from graphrag_neo4j.graph import (
    SCHEMA_VERSION,
    Graph,
    PlainRow,
    Transaction,
    dump,
    ensure_schema,
    hold_lease,
    schema_version,
)
from graphrag_neo4j.graph.state import migrate
from graphrag_neo4j.indexing.rows import HeldRow
from graphrag_neo4j.model import ChunkText, Extraction, LLMTask
from graphrag_neo4j.query.rows import StateRow
from graphrag_neo4j.settings import Settings
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.preset_backend import documents

Make = Callable[..., Settings]

TALES = documents(
    (
        "Ebenezer Scrooge was a tight-fisted hand at the grindstone. Jacob Marley was his partner. "
        "Marley was dead: to begin with. Ebenezer Scrooge and Jacob Marley were partners for many "
        "years in London. In 1843 Bob Cratchit was the clerk of Ebenezer Scrooge in London."
    ),
    (
        "Bob Cratchit lived in Camden Town with Tiny Tim. Tiny Tim was the son of Bob Cratchit. "
        "On 25 December 1843 Ebenezer Scrooge sent a turkey to Camden Town. Ebenezer Scrooge "
        "met Jacob Marley again in London, and Bob Cratchit saw Ebenezer Scrooge there."
    ),
)
# What release 0.1 kept on the Counter, which had no State beside it. It knew no keys of names.
INTO_OLD_LAYOUT = """
OPTIONAL MATCH (entity:Entity)
REMOVE entity.key, entity.first_word, entity.last_word, entity.initials
WITH DISTINCT 0 AS _
MATCH (state:State {id: 'graph'}), (counter:Counter {id: 'refs'})
SET counter += state {
  .embedding_model, .dimensions, .communities_with, .communities_due, .importing
}
DETACH DELETE state
"""
STATE = "MATCH (s:State) RETURN properties(s) AS state"
COUNTER = "MATCH (c:Counter) RETURN keys(c) AS keys"
REFS = {"id", "chunk", "entity", "relationship", "claim", "community", "decision"}
SIGNATURES = """
MATCH (n) UNWIND [n.extraction_with, n.claims_with, n.description_with, n.report_with] AS with
RETURN DISTINCT with
UNION MATCH ()-[r]->() UNWIND [r.description_with] AS with RETURN DISTINCT with
"""


async def index(settings: Settings) -> None:
    async with AsyncGraphRAG(settings) as rag:
        assert (await rag.index(TALES)).complete


async def wipe(graph: Graph) -> None:
    await graph.run_plain("MATCH (node) DETACH DELETE node")


async def made_by_release(
    graph: Graph, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A graph as release 0.1 left it."""
    with monkeypatch.context() as patch:
        patch.setattr(index_backend, "SIGNATURE_PREFIX", "offline")
        await index(settings)
    await graph.run_plain(INTO_OLD_LAYOUT)
    assert await graph.run_plain(STATE) == []


async def prefixes(graph: Graph) -> set[str]:
    """What the signatures of version 1 of the rules begin with."""
    found = [row["with"] for row in await graph.run_plain(SIGNATURES)]
    return {text.split()[0] for text in found if text and " " in text}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the chunks that are read without a model."""
    seen: list[str] = []
    extract = index_backend.ExtractiveIndexBackend.extract

    def counted(
        backend: index_backend.ExtractiveIndexBackend, chunk: ChunkText
    ) -> LLMTask[Extraction]:
        seen.append(chunk.text)
        return extract(backend, chunk)

    monkeypatch.setattr(index_backend.ExtractiveIndexBackend, "extract", counted)
    return seen


async def test_an_extractive_graph_of_the_release_becomes_that_of_a_fresh_build(
    graph: Graph, alone: Settings, monkeypatch: pytest.MonkeyPatch, read: list[str]
) -> None:
    alone = alone.changed(join_tokens=20, max_cluster_size=3)
    await index(alone)
    fresh, [state] = await dump(graph), await graph.run_plain(STATE)
    assert await prefixes(graph) == {"extractive"}
    assert any(value.get("description_with") for value in fresh.values())
    await wipe(graph)
    await made_by_release(graph, alone, monkeypatch)
    assert await prefixes(graph) == {"offline"}
    assert await dump(graph) != fresh
    read.clear()
    await index(alone)
    assert read == []
    assert await dump(graph) == fresh
    assert await graph.run_plain(STATE) == [{"state": {**state["state"], "names_uncompared": True}}]
    [counter] = await graph.run_plain(COUNTER)
    assert set(counter["keys"]) <= REFS


async def test_a_graph_of_the_release_that_a_model_has_read_is_migrated_without_a_call(
    graph: Graph, settings: Make, monkeypatch: pytest.MonkeyPatch, endpoint: FakeEndpoint
) -> None:
    await index(settings())
    fresh = await dump(graph)
    await wipe(graph)
    await made_by_release(graph, settings(), monkeypatch)
    endpoint.reset()
    await index(settings())
    assert endpoint.log == []
    assert await dump(graph) == fresh


async def test_migration_twice_is_migration_once(
    graph: Graph, alone: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await made_by_release(graph, alone, monkeypatch)

    async def everything() -> list[list[PlainRow]]:
        return [
            await graph.run_plain("MATCH (n) RETURN properties(n) AS held ORDER BY elementId(n)"),
            await graph.run_plain(
                "MATCH ()-[r]->() RETURN properties(r) AS held ORDER BY elementId(r)"
            ),
        ]

    await graph.transact(migrate)
    once = await everything()
    await graph.transact(migrate)
    assert await everything() == once
    assert await schema_version(graph) == SCHEMA_VERSION


async def test_a_migration_that_is_interrupted_leaves_the_graph_as_it_was(
    graph: Graph, alone: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await made_by_release(graph, alone, monkeypatch)

    async def interrupted(tx: Transaction) -> None:
        await migrate(tx)
        raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError, match="power"):
        await graph.transact(interrupted)
    assert await schema_version(graph) == 1
    assert await prefixes(graph) == {"offline"}


async def test_questions_to_a_graph_of_the_release_are_answered_from_its_vectors(
    graph: Graph, alone: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await made_by_release(graph, alone, monkeypatch)
    [state] = await graph.read("search/state", StateRow)
    assert (state["embedding_model"], state["schema_version"]) == (STATIC_VECTORS, 1)
    heard: list[Event] = []
    async with AsyncGraphRAG(alone, heard.append) as rag:
        answer = await rag.query("Who was the clerk of Ebenezer Scrooge?", method="basic")
    assert "Cratchit" in answer.text
    assert not [event for event in heard if isinstance(event, Notice) and "words" in event.text]
    assert await graph.run_plain(STATE) == []


async def test_an_import_that_the_release_has_begun_is_known_after_the_migration(
    graph: Graph, alone: Settings
) -> None:
    await graph.run_plain("CREATE (:Counter {id: 'refs', entity: 7, importing: 'tables'})")
    with pytest.raises(InputError, match="import into this graph was interrupted"):
        await index(alone)
    [held] = await graph.read("import/held", HeldRow)
    assert held["importing"] == "tables"
    assert held["given"] == {"id": "refs", "entity": 7}


async def test_a_graph_of_a_newer_schema_is_refused_and_left_as_it_is(
    graph: Graph, alone: Settings
) -> None:
    await graph.run_plain("CREATE (:State {id: 'graph', schema_version: 5}), (:Chunk {id: 'c'})")
    newer = r"schema version 5, .* up to 4: install a newer release"
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(GraphError, match=newer):
            await rag.index(TALES)
        with pytest.raises(GraphError, match=newer):
            await rag.query("Who?", method="text")
    with pytest.raises(GraphError, match=newer):
        await ensure_schema(graph)
    with pytest.raises(GraphError, match=newer):
        async with hold_lease(graph, {"command": "test"}, dict):
            pass
    assert await graph.run_plain("MATCH (n) WHERE NOT n:State AND NOT n:Chunk RETURN n") == []
    check = await check_schema(graph)
    assert (check.ok, "install a newer release" in check.says) == (False, True)


async def test_the_doctor_tells_the_schema_version(graph: Graph) -> None:
    assert (await check_schema(graph)).says == "There is no graph yet."
    await graph.run_plain("CREATE (:Counter {id: 'refs'})")
    check = await check_schema(graph)
    assert check.ok
    assert check.says == (
        "The graph has schema version 1: the next `kg-build index` brings it to 4."
    )
    async with hold_lease(graph, {"command": "test"}, dict):
        assert (await check_schema(graph)).says == "The graph has schema version 4."
