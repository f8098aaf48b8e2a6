"""Whether claims are extracted: not by default with a model, always without one."""

from collections.abc import Sequence

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.index.status import Status
from graphrag_neo4j.model.events import Event
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.files import read_statement
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

TALE = (
    "Ebenezer Scrooge met Jacob Marley in London in 1843. Microsoft acquired LinkedIn in 2016. "
    "Jacob Marley was the partner of Ebenezer Scrooge."
)


async def index(settings: Settings, *texts: str, heard: list[Event] | None = None) -> Status:
    documents = [Document(text, f"memory:{n}") for n, text in enumerate(texts)]
    heard = [] if heard is None else heard
    async with AsyncGraphRAG(settings, heard.append) as rag:
        result = await rag.index(documents)
    assert result.complete
    assert result.status
    return result.status


async def waiting(graph: Graph) -> Sequence[str]:
    """What the query of the guide for Neo4j Browser lists."""
    return [row["what"] for row in await graph.run_plain(read_statement("browse/waiting"))]


async def test_a_model_extracts_no_claims_by_default_and_none_are_waiting(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    given = settings(claims=None)
    status = await index(given, TALE)
    assert "claims" not in {call.kind for call in endpoint.log}
    assert status.pending["claims"] == 0
    assert status.counts["claims"] == 0
    async with AsyncGraphRAG(given) as rag:
        assert sum((await rag.status()).pending.values()) == 0
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
