"""What surrounds a local answer: one hop, or a walk through the graph."""

from collections.abc import AsyncIterator
from typing import Unpack

import pytest

from graphrag_neo4j import AsyncGraphRAG, InputError
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.options import QueryOptions
from tests.support.carol import Indexed, indexed_carol
from tests.support.servers import TestServer

QUESTION = "What does Scrooge think of Christmas and of Marley?"


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server) as indexed:
        yield indexed


async def _context(
    settings: Settings, question: str = QUESTION, **how: Unpack[QueryOptions]
) -> Answer:
    chosen: QueryOptions = {"method": "local", "context_only": True, **how}
    async with AsyncGraphRAG(settings) as rag:
        return await rag.query(question, **chosen)


@pytest.mark.parametrize("budget", [1500, 3000, 12_000])
async def test_both_ways_keep_budget_and_form(carol: Indexed, budget: int) -> None:
    hop, ppr = [
        (await _context(carol.settings, expand=expand, max_context_tokens=budget)).context[0]
        for expand in ("hop", "ppr")
    ]
    assert hop.text != ppr.text
    for table in (hop, ppr):
        assert table.tokens <= table.budget == budget
        assert list(table.by_kind())[-1] == "Sources"
    if budget == 12_000:
        assert list(ppr.by_kind()) == list(hop.by_kind())
        assert "Scrooge" in ppr.by_kind()["Entities"][0].text


async def test_the_walk_is_the_default_and_comes_out_the_same_each_time(carol: Indexed) -> None:
    ways: list[QueryOptions] = [{}, {"expand": "ppr"}, {}]
    texts = [(await _context(carol.settings, **how)).context[0].text for how in ways]
    assert texts[0] == texts[1] == texts[2]
    with pytest.raises(InputError, match="expand"):
        await _context(carol.settings, expand="jump")  # type: ignore[arg-type]


async def test_drift_walks_too(carol: Indexed) -> None:
    texts = {
        (await _context(carol.settings, method="drift", expand=expand)).context[-1].text
        for expand in ("hop", "ppr")
    }
    assert len(texts) == 2
