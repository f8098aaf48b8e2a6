"""The statements nearest to a question by their meaning, with the real encoder and graph."""

import pytest

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.extractive.query_backend import ExtractiveQueryBackend
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model.concurrency import run_in_thread
from graphrag_neo4j.model.protocols import Embedder
from graphrag_neo4j.query.graph_expansion import nearest_statements
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.settings import load_settings
from tests.support.preset_backend import PresetBackend, documents, found, put, read

TEXT = "A tale of a town."
QUESTION = "Which person healed the sick horse?"
HEALED = "The veterinarian made the pony well again."
TOLD = found(
    ("Vera Holm", "person", "A veterinarian."),
    ("Bess", "animal", "A pony."),
    ("Otto Rand", "person", "A mayor."),
    ("Town Hall", "place", "A house."),
    ("Vera Holm", "Bess", HEALED, 5.0),
    ("Otto Rand", "Town Hall", "The mayor opened the sick house for each person.", 5.0),
)
IDS = "MATCH (x:Chunk|Entity) RETURN x.id AS id, x.name AS name"


def asked(graph: Graph, embedder: Embedder | None) -> QueryContext:
    backend = ExtractiveQueryBackend()
    return QueryContext(graph, load_settings(), backend, run_in_thread, embedder, len, QUESTION)


@pytest.fixture
async def ids(graph: Graph) -> dict[str | None, str]:
    """The id of each entity by its name; that of the chunk by None."""
    await put(graph, documents(TEXT))
    await read(graph, PresetBackend({TEXT: TOLD}))
    return {row["name"]: row["id"] for row in await graph.run_plain(IDS)}


async def test_meaning_counts_and_not_shared_words(
    graph: Graph, ids: dict[str | None, str]
) -> None:
    embedder = Backends(load_settings()).local_embedder("en")
    first, second = await nearest_statements(asked(graph, embedder), None, [ids[None]], [])
    assert set(first.ends) == {ids["Vera Holm"], ids["Bess"]}
    assert first.weight == 1
    assert set(second.ends) == {ids["Otto Rand"], ids["Town Hall"]}
    assert 0 < second.weight < 1
