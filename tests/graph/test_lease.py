"""One writer: who holds the lease, when it is void, and what a run writes that has lost it."""

import os
import platform
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import aclosing

import anyio
import psutil
import pytest

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.errors import GraphBusyError, ReplyError
from graphrag_neo4j.graph import lease as lease_module
from graphrag_neo4j.graph.connection import Graph, PlainRow, Transaction
from graphrag_neo4j.graph.lease import hold_lease, refuse_busy, renew
from graphrag_neo4j.graph.schema import refuse_foreign
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.pipeline import build
from graphrag_neo4j.index.status import IndexResult, read_status
from graphrag_neo4j.model.events import Event, Started, silent
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.preset_backend import documents
from tests.support.servers import TestServer

pytestmark = pytest.mark.one_release


@pytest.fixture(autouse=True)
def renewed_by_hand_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a lease that a test made void might just be renewed on a busy machine."""
    monkeypatch.setattr(lease_module, "RENEW_SECONDS", 3600)


RUN = {"command": "kg-build"}
TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."


async def hold(graph: Graph) -> None:
    """Takes the lease, and lets it go."""
    async with hold_lease(graph, RUN, dict):
        pass


@pytest.fixture
async def other(checked_server: TestServer) -> AsyncIterator[Graph]:
    """The same graph, as another run sees it."""
    async with checked_server.connect() as graph:
        yield graph


async def builds(graph: Graph) -> list[PlainRow]:
    rows = await graph.run_plain("MATCH (b:Build) RETURN properties(b) AS b ORDER BY b.renewed")
    return [row["b"] for row in rows]


async def held(graph: Graph, **properties: object) -> None:
    """A build of another process that has not ended."""
    await graph.write("build/start", build="other", properties={**RUN, **properties})


async def index(graph: Graph, settings: Settings, text: str = TALE) -> IndexResult:
    async with aclosing(Backends(settings)) as backends:
        return await build(graph, Corpus.of_documents(documents(text)), backends, silent)


async def test_a_second_run_refuses_and_names_the_first(graph: Graph, other: Graph) -> None:
    async with hold_lease(graph, RUN, dict):
        await refuse_foreign(other)  # what a first run has just begun is no data of somebody else
        with pytest.raises(GraphBusyError) as caught:
            await hold(other)
    assert f"kg-build, process {os.getpid()} on {platform.node()}, last seen" in str(caught.value)
    await hold(other)
    assert [one["outcome"] for one in await builds(graph)] == ["done", "done"]


async def test_of_many_runs_at_once_one_gets_the_lease(checked_server: TestServer) -> None:
    outcomes, all_tried = [], anyio.Event()

    async def run() -> None:
        async with checked_server.connect() as graph:
            try:
                async with hold_lease(graph, RUN, dict):
                    outcomes.append("held")
                    await all_tried.wait()
            except GraphBusyError:
                outcomes.append("refused")
                if outcomes.count("refused") == 4:
                    all_tried.set()

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(run)
    assert sorted(outcomes) == ["held", *["refused"] * 4]


async def test_the_lease_of_a_process_stands_while_it_runs(graph: Graph) -> None:
    born = psutil.Process().create_time() - 100  # a dead one had the number that we have
    await held(graph, host=platform.node(), process=os.getpid(), born=born)
    await hold(graph)
    await graph.run_plain("MATCH (b:Build) DELETE b")
    command = [sys.executable, "-c", "input()"]
    async with await anyio.open_process(command) as waiting:
        born = psutil.Process(waiting.pid).create_time()
        await held(graph, host=platform.node(), process=waiting.pid, born=born)
        with pytest.raises(GraphBusyError, match=f"process {waiting.pid} "):
            await hold(graph)
        waiting.kill()
    await hold(graph)
    assert [one["outcome"] for one in await builds(graph)] == ["interrupted", "done"]


async def test_the_lease_of_another_host_stands_for_60_seconds(graph: Graph) -> None:
    began = time.monotonic()
    await held(graph, host="elsewhere", process=1, born=0.0)
    await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed - 5000")
    with pytest.raises(GraphBusyError) as refused:
        await hold(graph)
    seen = re.search(r"process 1 on elsewhere, last seen (\d+) s ago", str(refused.value))
    assert seen
    assert 5 <= int(seen[1]) <= round(5.01 + time.monotonic() - began)
    assert [one["outcome"] for one in (await read_status(graph)).builds] == ["running"]
    await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed - 56000")
    assert [one["outcome"] for one in (await read_status(graph)).builds] == ["interrupted"]
    await hold(graph)
    assert [one["outcome"] for one in await builds(graph)] == ["interrupted", "done"]


async def test_a_build_that_loses_its_lease_stops(
    graph: Graph, other: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    endpoint.change(latency=0.05)
    tales = documents(*(f"{TALE} This is tale {n}." for n in range(60)))
    read = "MATCH (c:Chunk {extraction: 'done'}) RETURN count(c) AS n"
    some_are_read, then = anyio.Event(), []

    def listen(event: Event) -> None:
        if event == Started("extraction", 60):
            some_are_read.set()

    async def take_over() -> None:
        await some_are_read.wait()
        await other.run_plain("MATCH (b:Build) SET b.host = 'elsewhere', b.renewed = 0")
        async with hold_lease(other, RUN, dict):
            then.extend(await other.run_plain(read))

    async with (
        aclosing(Backends(settings(gleanings=0))) as backends,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(take_over)
        with pytest.raises(GraphBusyError, match="Another run has taken over this graph"):
            await build(graph, Corpus.of_documents(tales), backends, listen)
    assert then == await other.run_plain(read)


async def test_nobody_takes_over_in_the_middle_of_a_transaction(graph: Graph, other: Graph) -> None:
    order = []

    async def take_over() -> None:
        async with hold_lease(other, RUN, dict):
            order.append("taken over")

    async def work(_tx: Transaction) -> None:
        tasks.start_soon(take_over)
        await anyio.sleep(0.2)
        order.append("written")

    async with hold_lease(graph, RUN, dict), anyio.create_task_group() as tasks:
        await graph.run_plain("MATCH (b:Build) SET b.host = 'elsewhere', b.renewed = 0")
        await graph.transact(work)
    assert order == ["written", "taken over"]


async def test_whether_a_run_writes_is_seen_without_a_lock(graph: Graph, other: Graph) -> None:
    async def work(_tx: Transaction) -> None:
        with pytest.raises(GraphBusyError, match=f"kg-build, process {os.getpid()} on"):
            await refuse_busy(other)

    await refuse_busy(other)
    async with hold_lease(graph, RUN, dict):
        await graph.transact(work)  # it holds the lock that the opening of a lease waits for
        await graph.run_plain("MATCH (b:Build) SET b.host = 'elsewhere', b.renewed = 0")
        await refuse_busy(other)
    assert len(await builds(graph)) == 1


async def test_the_lease_is_renewed_in_a_transaction_while_it_is_held(graph: Graph) -> None:
    async def work(_tx: Transaction) -> None:
        assert await renew(graph, lease.build, {"calls": 7})

    async with hold_lease(graph, RUN, dict) as lease:
        await graph.run_plain("MATCH (b:Build) SET b.renewed = 0")
        await graph.transact(work)
        [one] = await builds(graph)
        assert one["renewed"] > 0
        assert one["calls"] == 7
    assert not await renew(graph, lease.build, {})


async def test_a_build_records_how_it_ended(graph: Graph) -> None:
    with pytest.raises(ReplyError):
        async with hold_lease(graph, RUN, lambda: {"calls": 3}):
            raise ReplyError("no")
    with anyio.CancelScope() as scope:
        async with hold_lease(graph, RUN, lambda: {"calls": 4}):
            scope.cancel()
            await anyio.sleep(1)
    ended = [(one["outcome"], one["calls"]) for one in await builds(graph)]
    assert ended == [("failed", 3), ("interrupted", 4)]


async def test_a_build_records_what_it_used(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    built = await index(graph, settings(model="gpt-4.1-mini"))
    [shown] = (await read_status(graph)).builds
    assert (shown["outcome"], shown["calls"]) == ("done", len(endpoint.log))
    assert shown["input_tokens"] == sum(call.prompt_tokens for call in endpoint.log)
    assert shown["output_tokens"] == sum(call.completion_tokens for call in endpoint.log)
    assert shown["cost"] == pytest.approx(sum(usage.cost for usage in built.usage.values()))
    assert shown["cost"] > 0
    most = 1.1 * built.usage["extraction"].cost + 0.006  # of a second list, not of all the rest
    await index(graph, settings(max_cost=most), TALE + " So it was.")
    last, *_ = (await read_status(graph)).builds
    assert last["outcome"] == "incomplete"
    assert last["calls"] > 0
