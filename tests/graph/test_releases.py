"""Graphs that earlier releases made are loaded as they were, and can be read."""

from collections.abc import AsyncIterator

import pytest

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.schema import SCHEMA_VERSION, ensure_schema, schema_version
from graphrag_neo4j.index.status import Again
from graphrag_neo4j.index.upgrade import STEPS
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.make_release_fixture import DOCUMENTS, SAMPLE, TRANSCRIPTS
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
    titled = alone.model_copy(update={"prepend_metadata": ("title", "date")})
    return {"endpoint": settings(), "extractive": alone, "mixed": titled}


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


FILES = {"endpoint": TRANSCRIPTS, "extractive": TRANSCRIPTS, "mixed": [DOCUMENTS]}
ROOTS = {"endpoint": SAMPLE, "extractive": SAMPLE, "mixed": DOCUMENTS}
MORE = Document("Ada Lovelace met Charles Babbage in London in 1833.", "more", "More")
# Where a chunk stands and what went before it.
PLACES = (
    "MATCH (c:Chunk)-[:PART_OF]->(d:Document) RETURN d.source AS source, d.name AS name, "
    "c.start AS start, c.header AS header, c.speaker AS speaker, c.line AS line, "
    "c.parts AS parts, c.part_starts AS part_starts, c.text AS text, c.document = d.id AS owned "
    "ORDER BY source, start"
)
SPEAKERS = (
    "MATCH (c:Chunk) WHERE c.speaker IS NOT NULL RETURN c.speaker AS speaker, "
    "EXISTS { (c)-[:MENTIONS]->(e:Entity) WHERE toLower(e.name) = toLower(c.speaker) } AS mentioned"
)


@pytest.mark.parametrize("name", NAMES)
async def test_the_next_index_brings_a_graph_of_an_earlier_release_up_to_date(
    database: Graph, fitting: dict[str, Settings], name: str, endpoint: FakeEndpoint
) -> None:
    await restore(database, name)
    kind = name.rpartition("/")[2]
    given, options = fitting[kind], ReadOptions(source_root=ROOTS[kind])
    await STEPS[1](database, silent)  # an upgrade that is ended before its version is saved
    before = len(endpoint.log)
    async with AsyncGraphRAG(given) as rag:
        reread: list[Again] = ["documents"] if kind == "mixed" else []
        result = await rag.index(FILES[kind], options=options, again=reread)
        assert result.complete
        assert result.ingested.added == 0
        assert len(endpoint.log) == before  # nothing is read or paid again
        assert (await rag.index([MORE])).complete
        answer = await rag.query(QUESTIONS[kind], method="local")
        assert answer.citations
        assert await schema_version(database) == SCHEMA_VERSION
        upgraded, graph = await database.run_plain(PLACES), await dump(database)
        spoken = await database.run_plain(SPEAKERS)
        if spoken and kind == "extractive":
            assert sum(row["mentioned"] for row in spoken) >= len(spoken) * 0.9
        if kind == "extractive":  # rules read it again for nothing
            again: list[Again] = ["extraction", "vectors", "communities"]
            await rag.index(FILES[kind], options=options, again=again, fresh=True)
            graph = await dump(database)
        await wipe(database)
        await rag.index(FILES[kind], options=options)
        await rag.index([MORE], fresh=True)
        fresh, made = await database.run_plain(PLACES), await dump(database)
    assert upgraded == fresh
    assert all(row["owned"] for row in upgraded)
    if kind == "extractive":
        assert [one for one in graph.keys() | made.keys() if graph.get(one) != made.get(one)] == []


def test_the_files_take_little_room() -> None:
    assert sum(p.stat().st_size for p in RELEASES.rglob("*") if p.is_file()) < MOST_BYTES
