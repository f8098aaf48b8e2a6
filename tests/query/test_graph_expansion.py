"""What surrounds a local answer: one hop, or a walk through the graph."""

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from typing import Any, Literal, Unpack

import pytest

from graphrag_neo4j import AsyncGraphRAG, InputError
from graphrag_neo4j.extractive.query_backend import ExtractiveQueryBackend
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model.concurrency import run_in_thread
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.local import local_context
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.options import QueryOptions
from graphrag_neo4j.text import tokens
from tests.support.carol import Indexed, indexed_carol
from tests.support.paths import ROOT
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


@pytest.mark.parametrize("budget", [600, 3000, 12_000])
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


class Watched(Graph):
    """A graph that keeps when each reading began and ended."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph._driver, graph.address, graph._auth, graph.database, graph.version)
        self.times: list[tuple[float, float]] = []

    async def read(self, name: str, row: Any = None, /, **parameters: object) -> list[Any]:  # noqa: ANN401 - of any type
        began = time.perf_counter()
        rows = await super().read(name, row, **parameters)
        self.times.append((began, time.perf_counter()))
        return rows

    @property
    def trips(self) -> int:
        """The most readings of which each began after the one before had ended."""
        trips, end = 0, 0.0
        for began, ended in sorted(self.times, key=lambda pair: pair[1]):
            if began >= end:
                trips, end = trips + 1, ended
        return trips


@pytest.mark.parametrize(("expand", "trips"), [("hop", 2), ("ppr", 3)])
async def test_a_local_context_takes_three_round_trips_at_most(
    carol: Indexed, expand: Literal["hop", "ppr"], trips: int
) -> None:
    watched = Watched(carol.graph)
    query = QueryContext(
        watched, carol.settings, ExtractiveQueryBackend(), run_in_thread, None,
        tokens.count, QUESTION, expand=expand,
    )  # fmt: skip
    assert (await local_context(query)).records
    assert watched.trips == trips


def test_the_command_line_has_the_choice(carol: Indexed) -> None:
    ask = [sys.executable, "-m", "graphrag_neo4j.cli", "query", QUESTION]
    ask += ["--method", "local", "--context-only"]
    printed = [
        subprocess.run(  # noqa: S603 - our own Python
            [*ask, "--expand", expand],
            env=os.environ | carol.environment | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for expand in ("hop", "ppr")
    ]
    assert all("# Sources" in text for text in printed)
    assert printed[0] != printed[1]
