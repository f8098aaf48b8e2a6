"""What is read again by a model, what is refused, and when claims are extracted."""

from collections.abc import Sequence

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.preparation import mark_read_without_model, refuse_to_lose_model
from graphrag_neo4j.text.files import read_statement
from tests.conftest import Make
from tests.support.extractive_index import index_extractively
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.preset_backend import PresetBackend, claim, documents, found, put, read

pytestmark = pytest.mark.one_release

TEXT = "Microsoft acquired LinkedIn in 2016."
READ = found(("Microsoft", "organization", "It bought LinkedIn."))


async def names(graph: Graph) -> list[str]:
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name ORDER BY name")
    return [row["name"] for row in rows]


async def test_a_model_reads_again_what_was_read_without_one_and_nothing_else(graph: Graph) -> None:
    await index_extractively(graph, documents(TEXT))
    assert await names(graph) == ["LinkedIn", "Microsoft"]
    assert await mark_read_without_model(graph) == 1
    assert await names(graph) == ["LinkedIn", "Microsoft"]
    told = PresetBackend({TEXT: READ}, {TEXT: [claim("Microsoft")]})
    await read(graph, told)
    assert await names(graph) == ["Microsoft"]
    rows = await graph.run_plain("MATCH (c:Claim) RETURN c.description AS said")
    assert [row["said"] for row in rows] == ["It is so."]
    assert await mark_read_without_model(graph) == 0


async def test_what_a_model_has_read_is_not_given_up_by_accident(graph: Graph) -> None:
    await index_extractively(graph, documents(TEXT))
    await refuse_to_lose_model(graph)
    await put(graph, [*documents(TEXT), *documents("", "Another one.")[1:]])
    await refuse_to_lose_model(graph)
    await read(graph, PresetBackend({"Another one.": READ}))
    with pytest.raises(InputError, match="--reread"):
        await refuse_to_lose_model(graph)


TALE = (
    "Ebenezer Scrooge met Jacob Marley in London in 1843. Microsoft acquired LinkedIn in 2016. "
    "Jacob Marley was the partner of Ebenezer Scrooge."
)


async def waiting(graph: Graph) -> Sequence[str]:
    """What the query of the guide for Neo4j Browser lists."""
    return [row["what"] for row in await graph.run_plain(read_statement("browse/waiting"))]


async def test_a_model_extracts_no_claims_by_default_and_none_are_waiting(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    given = settings(claims=None)
    async with AsyncGraphRAG(given) as rag:
        assert (await rag.index([Document(TALE, "memory:0")])).complete
        status = await rag.status()
    assert "claims" not in {call.kind for call in endpoint.log}
    assert sum(status.pending.values()) == 0
    assert status.counts["claims"] == 0
    async with AsyncGraphRAG(settings(claims=None, model="extractive")) as rag:
        assert sum((await rag.status()).pending.values()) == 0
    assert await waiting(graph) == []


async def test_claims_that_one_run_is_asked_for_are_pending_without_the_setting_too(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    endpoint.change(garbage=1.0, only=["claims"])
    async with AsyncGraphRAG(settings(claims=True)) as rag:
        result = await rag.index([Document(TALE, "memory:0")])
    assert not result.complete
    async with AsyncGraphRAG(settings(claims=None)) as rag:
        status = await rag.status()
    assert status.pending["claims"] == 1
    assert [failure.stage for failure in status.failures] == ["claims"]
    assert await waiting(graph) == ["chunk to read for claims"]
