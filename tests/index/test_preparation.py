"""What is read again by a model, what is refused, and when claims are extracted."""

import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.preparation import mark_read_without_model, refuse_to_lose_model
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.files import read_statement
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.preset_backend import PresetBackend, claim, documents, found, names, put, read

pytestmark = pytest.mark.one_release

TEXT = "Microsoft acquired LinkedIn in 2016."
READ = found(("Microsoft", "organization", "It bought LinkedIn."))


async def index(settings: Settings, text: str = TEXT) -> IndexResult:
    async with AsyncGraphRAG(settings) as rag:
        return await rag.index(documents(text))


async def test_a_model_reads_again_what_was_read_without_one_and_nothing_else(
    graph: Graph, alone: Settings
) -> None:
    await index(alone)
    assert await names(graph) == ["LinkedIn", "Microsoft"]
    assert await mark_read_without_model(graph) == 1
    assert await names(graph) == ["LinkedIn", "Microsoft"]
    told = PresetBackend({TEXT: READ}, {TEXT: [claim("Microsoft")]})
    await read(graph, told)
    assert await names(graph) == ["Microsoft"]
    rows = await graph.run_plain("MATCH (c:Claim) RETURN c.description AS said")
    assert [row["said"] for row in rows] == ["It is so."]
    assert await mark_read_without_model(graph) == 0


async def test_what_a_model_has_read_is_not_given_up_by_accident(
    graph: Graph, alone: Settings
) -> None:
    await index(alone)
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


async def test_a_model_extracts_claims_only_if_asked_and_they_are_pending_without_the_setting_then(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    waiting = read_statement("browse/waiting")  # a query of the guide for Neo4j Browser
    result = await index(settings(claims=None), TALE)
    assert result.complete
    assert "claims" not in {call.kind for call in endpoint.log}
    assert result.status
    assert sum(result.status.pending.values()) == 0
    assert result.status.counts["claims"] == 0
    async with AsyncGraphRAG(settings(claims=None, model="extractive")) as rag:
        assert sum((await rag.status()).pending.values()) == 0
    assert await graph.run_plain(waiting) == []
    endpoint.change(garbage=1.0, only=["claims"])
    assert not (await index(settings(claims=True), TALE)).complete
    async with AsyncGraphRAG(settings(claims=None)) as rag:
        status = await rag.status()
    assert status.pending["claims"] == 1
    assert [failure.stage for failure in status.failures] == ["claims"]
    assert [row["what"] for row in await graph.run_plain(waiting)] == ["chunk to read for claims"]
