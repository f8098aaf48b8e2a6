"""Graphs that earlier releases made are loaded as they were, and can be read."""

from collections.abc import AsyncIterator

import pytest

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import ensure_schema
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.releases import RELEASES, drop_schema, load, read_graph, restore
from tests.support.wiping import wipe

NAMES = sorted(
    path.relative_to(RELEASES).as_posix().removesuffix(".jsonl.xz")
    for path in RELEASES.glob("*/*.jsonl.xz")
)
MOST_BYTES = 2_000_000
QUESTIONS = {
    "endpoint": "What do Bill Gates and Andrew Ng say about machine learning?",
    "extractive": "What do Bill Gates and Andrew Ng say about machine learning?",
    "mixed": "What did Charles Babbage show to Ada Lovelace?",
}
COUNTED = {  # by label, what a status calls it
    "Document": "documents",
    "Chunk": "chunks",
    "Entity": "entities",
    "Claim": "claims",
    "Community": "communities",
}


@pytest.fixture
async def database(graph: Graph) -> AsyncIterator[Graph]:
    """An empty graph, whose constraints and indexes are made again after the test."""
    yield graph
    await wipe(graph)
    await drop_schema(graph)
    await ensure_schema(graph)


@pytest.fixture
def fitting(settings: Make, alone: Settings) -> dict[str, Settings]:
    """By the name of a graph, settings like those that it was made with."""
    return {"endpoint": settings(), "extractive": alone, "mixed": alone}


@pytest.mark.parametrize("name", NAMES)
async def test_a_restored_graph_is_the_one_that_was_saved_and_can_be_read(
    database: Graph, fitting: dict[str, Settings], name: str
) -> None:
    await restore(database, name)
    stored, now = load(name), await read_graph(database)
    assert now.header == stored.header
    assert now.nodes == stored.nodes
    assert now.relationships == stored.relationships

    kind = name.rpartition("/")[2]
    async with AsyncGraphRAG(fitting[kind]) as rag:
        status = await rag.status()
        answers = [await rag.query(QUESTIONS[kind], method=m) for m in ("local", "global")]
    assert not status.failures
    assert not any(status.pending.values())
    for label, counted in COUNTED.items():
        assert status.counts[counted] == stored.header.counts.get(label, 0)
    for answer in answers:
        assert answer.found
        assert answer.citations


def test_the_files_take_little_room() -> None:
    assert sum(p.stat().st_size for p in RELEASES.rglob("*") if p.is_file()) < MOST_BYTES
