"""One writer: who holds the lease, when it is void, and what a run writes that has lost it."""

import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager

import anyio
import psutil
import pytest

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.errors import GraphBusyError, ReplyError
from graphrag_neo4j.graph import lease as lease_module
from graphrag_neo4j.graph.connection import TAKEN_OVER, Graph, PlainRow, Transaction
from graphrag_neo4j.graph.lease import hold_lease, renew, void_builds
from graphrag_neo4j.graph.rows import IdRow
from graphrag_neo4j.graph.schema import begin_graph, refuse_foreign
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.pipeline import build
from graphrag_neo4j.index.status import IndexResult, read_status
from graphrag_neo4j.model.events import Event, Started, Waiting, silent
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
    await graph.transact(begin_graph)
    await graph.write("build/start", build="other", properties={**RUN, **properties})


# A run that stays in a writing transaction until it gets a line.
WRITES = """
import sys
import anyio
from graphrag_neo4j.graph.driver import connect
from graphrag_neo4j.graph.lease import hold_lease

async def run():
    async with connect(*sys.argv[1:4]) as graph:
        async with hold_lease(graph, {"command": "first"}, dict):
            await graph.transact(work)

async def work(tx):
    print("writing", flush=True)
    await anyio.to_thread.run_sync(sys.stdin.readline)
    await tx.run("import/done")

anyio.run(run)
"""


@contextmanager
def run_that_writes(server: TestServer) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own, in the middle of a transaction."""
    command = [sys.executable, "-c", WRITES, server.uri, server.username, server.password]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:  # noqa: S603 - ours
        try:
            assert process.stdout
            assert process.stdout.readline() == "writing\n"
            yield process
        finally:
            process.kill()


async def index(graph: Graph, settings: Settings, text: str = TALE) -> IndexResult:
    async with aclosing(Backends(settings)) as backends:
        return await build(graph, Corpus.of_documents(documents(text)), backends, silent)


async def test_a_second_run_refuses_and_names_the_first(graph: Graph, other: Graph) -> None:
    async with hold_lease(graph, RUN, dict):
        await refuse_foreign(other)  # what a first run has just begun isn't data of somebody else
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
    await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed - 26000")
    await hold(graph)
    await graph.run_plain("MATCH (b:Build) DELETE b")
    command = [sys.executable, "-c", "input()"]
    async with await anyio.open_process(command) as waiting:
        born = psutil.Process(waiting.pid).create_time()
        await held(graph, host=platform.node(), process=waiting.pid, born=born)
        await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed - 26000")
        with pytest.raises(GraphBusyError, match=f"process {waiting.pid} "):
            await hold(graph)
        waiting.kill()
    await hold(graph)
    assert [one["outcome"] for one in await builds(graph)] == ["interrupted", "done"]


async def test_a_killed_run_is_followed_when_two_renewals_are_missing(
    graph: Graph, checked_server: TestServer
) -> None:
    events: list[Event] = []
    with run_that_writes(checked_server) as process:
        process.kill()
        process.wait()
        async with hold_lease(graph, RUN, dict, events.append):
            [dead, _] = await builds(graph)
    waits = [one.seconds for one in events if isinstance(one, Waiting)]
    assert waits
    assert waits == sorted(waits)
    assert events[-1] == Waiting("", waits[-1])
    assert dead["outcome"] == "interrupted"


async def test_no_step_of_the_clock_makes_a_running_process_an_ended_one(
    graph: Graph, checked_server: TestServer
) -> None:
    with run_that_writes(checked_server) as process:
        for step in (-7000, 7000):  # ms, less than 60 s
            await graph.run_plain(
                "MATCH (b:Build) SET b.renewed = b.renewed + $n, b.born = b.born + $n / 1000",
                n=step,
            )
            with pytest.raises(GraphBusyError, match=f"process {process.pid} "):
                await hold(graph)


@pytest.mark.parametrize("namespace", ["of another container", None])
async def test_a_process_of_another_namespace_is_not_looked_for_here(
    graph: Graph, namespace: str | None
) -> None:
    here = lease_module._this_process()
    if "namespace" not in here:
        pytest.skip("this system has no namespaces of processes")
    # This process has that number here, and began at another time.
    await held(graph, **{**here, "ticks": 1, "renewed_every": 2}, command="serve")
    await graph.run_plain(
        "MATCH (b:Build) SET b.renewed = b.renewed - 20000,"
        " b.namespace = coalesce($namespace, b.namespace)",
        namespace=namespace,
    )
    if namespace:
        with pytest.raises(GraphBusyError, match=r"serve, process \d+ on .*, last seen 2\d s ago"):
            await hold(graph)
    else:
        await hold(graph)


async def test_a_dead_build_of_a_clock_that_was_ahead_is_not_waited_for_until_then(
    graph: Graph,
) -> None:
    await held(graph, host="elsewhere", process=1, born=0.0, renewed_every=0.2)
    await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed + 86400000")
    assert [one["outcome"] for one in (await read_status(graph)).builds] == ["interrupted"]
    await hold(graph)
    assert {one["outcome"] for one in await builds(graph)} == {"interrupted", "done"}


async def test_a_build_that_is_renewed_lives_also_ahead_of_the_clock(
    graph: Graph, other: Graph
) -> None:
    await held(graph, host="elsewhere", process=1, born=0.0, renewed_every=2)
    await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed + 86400000")

    def renew_it(event: Event) -> None:
        if isinstance(event, Waiting):
            tasks.start_soon(other.run_plain, "MATCH (b:Build) SET b.renewed = b.renewed + 1")

    async with anyio.create_task_group() as tasks:
        with pytest.raises(GraphBusyError, match="process 1 on elsewhere, last seen 0 s ago"):
            async with hold_lease(graph, RUN, dict, renew_it):
                pass


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no signals to suspend a process")
async def test_a_suspended_run_holds_nobody_up_and_is_taken_over_after_60_seconds(
    graph: Graph, checked_server: TestServer
) -> None:
    with run_that_writes(checked_server) as process:
        process.send_signal(signal.SIGSTOP)
        with anyio.fail_after(30), pytest.raises(GraphBusyError, match=f"process {process.pid} "):
            await hold(graph)
        await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed - 61000")
        with anyio.fail_after(30):
            await hold(graph)
        [row] = await graph.run_plain(
            "SHOW TRANSACTIONS YIELD metaData, status WHERE metaData.kg_build IS NOT NULL"
            " AND NOT status STARTS WITH 'Terminated' RETURN count(*) AS open"
        )
        assert row["open"] == 0
        process.send_signal(signal.SIGCONT)
        _, err = process.communicate("\n")
    assert err.splitlines()[-1].endswith(f"GraphBusyError: {TAKEN_OVER}")
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


async def test_who_takes_over_ends_the_transaction_of_the_run_before(
    graph: Graph, other: Graph
) -> None:
    over = anyio.Event()

    async def take_over() -> None:
        async with hold_lease(other, RUN, dict):
            over.set()

    async def work(tx: Transaction) -> None:
        await tx.run("import/done")
        tasks.start_soon(take_over)
        await over.wait()

    async def run() -> None:
        async with hold_lease(graph, RUN, dict):
            await graph.run_plain("MATCH (b:Build) SET b.host = 'elsewhere', b.renewed = 0")
            await graph.transact(work)

    async with anyio.create_task_group() as tasks:
        with pytest.raises(GraphBusyError, match=TAKEN_OVER):
            await run()
    assert graph.lease is None


async def test_it_says_that_it_was_taken_over_although_its_transaction_ended_first(
    graph: Graph, other: Graph
) -> None:
    async def mark(build: str) -> None:
        await anyio.sleep(0.5)  # on a slow server
        await other.write("build/void", builds=[build])

    async def work(tx: Transaction) -> None:
        await tx.run("import/done")
        assert await other.write("build/terminate", IdRow, builds=[graph.lease])
        tasks.start_soon(mark, str(graph.lease))
        await tx.run("import/done")

    async with anyio.create_task_group() as tasks:
        with pytest.raises(GraphBusyError, match=TAKEN_OVER):
            async with hold_lease(graph, RUN, dict):
                await graph.transact(work)


async def test_who_waits_for_a_lock_of_somebody_else_is_told_so(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_module, "LOCK_SECONDS", 1)
    await hold(graph)
    with (
        graph.lend_driver() as driver,
        driver.session(database=graph.database) as session,
        session.begin_transaction() as locking,
    ):
        locking.run("MATCH (counter:Counter) SET counter.id = counter.id").consume()
        with anyio.fail_after(30), pytest.raises(GraphBusyError, match="SHOW TRANSACTIONS"):
            await hold(graph)
    await hold(graph)


async def test_whether_a_run_writes_is_seen_without_a_lock(graph: Graph, other: Graph) -> None:
    async def work(_tx: Transaction) -> None:
        with pytest.raises(GraphBusyError, match=f"kg-build, process {os.getpid()} on"):
            await void_builds(other)

    await void_builds(other)
    async with hold_lease(graph, RUN, dict):
        await graph.transact(work)  # it holds the lock that the opening of a lease waits for
        await graph.run_plain("MATCH (b:Build) SET b.host = 'elsewhere', b.renewed = 0")
        await void_builds(other)
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
