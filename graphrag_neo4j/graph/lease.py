"""The lease: a run that writes holds it on its Build node, and a second run is refused.

A lease is renewed every 10 s. It is void 60 s after the last renewal, or at once if its process was
on this machine and has ended. All times are those of the server, so that clocks may differ.
"""

import platform
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypedDict

import anyio
import psutil

from graphrag_neo4j.errors import GraphBusyError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.rows import IdRow
from graphrag_neo4j.graph.schema import begin_graph
from graphrag_neo4j.model.concurrency import first_error

RENEW_SECONDS = 10
VOID_SECONDS = 60
CLOCK_SECONDS = 2  # the start time of a process shifts a little when the clock is set


@dataclass(slots=True)
class Lease:
    """The lease of a build. `outcome` is the outcome that is saved when the build ends."""

    build: str
    outcome: str = "done"


class OpenBuildRow(TypedDict):
    """A build without an outcome; `age`: seconds since its lease was renewed."""

    id: str
    host: str
    process: int
    born: float
    command: str
    age: float


@asynccontextmanager
async def hold_lease(
    graph: Graph, properties: Mapping[str, object], usage: Callable[[], Mapping[str, object]]
) -> AsyncIterator[Lease]:
    """Holds the lease as long as the context lasts. `usage` is saved on the Build at each renewal.

    Raises GraphBusyError that names the run that holds it, and GraphError for a graph of another
    schema version.
    """
    lease = Lease(await _open(graph, properties))
    graph.lease = lease.build
    try:
        with first_error():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_renew, graph, lease.build, usage)
                yield lease
                tasks.cancel_scope.cancel()
    except BaseException as error:
        lease.outcome = "failed" if isinstance(error, Exception) else "interrupted"
        raise
    finally:
        graph.lease = None
        with anyio.CancelScope(shield=True):
            await graph.write(
                "build/finish", build=lease.build, usage=dict(usage()), outcome=lease.outcome
            )


async def _open(graph: Graph, properties: Mapping[str, object]) -> str:
    build = str(uuid.uuid4())
    process = psutil.Process()
    own = {"host": platform.node(), "process": process.pid, "born": process.create_time()}

    async def start(tx: Transaction) -> None:
        others = await tx.run("build/open", OpenBuildRow)
        _refuse_living(others)
        await tx.run("build/void", builds=[other["id"] for other in others])
        await begin_graph(tx)
        await tx.run("build/start", build=build, properties={**properties, **own})

    await graph.transact(start)
    return build


async def refuse_busy(graph: Graph) -> None:
    """Raises GraphBusyError if a run holds the lease; waits for no lock and writes nothing."""
    _refuse_living(await graph.read("build/living", OpenBuildRow))


def _refuse_living(others: Iterable[OpenBuildRow]) -> None:
    for other in others:
        if not _void(other):
            raise GraphBusyError(
                f"Another run writes to this graph ({other['command']}, process "
                f"{other['process']} on {other['host']}, last seen {other['age']:.0f} s ago): "
                "wait for it, or end it."
            )


def _void(other: OpenBuildRow) -> bool:
    """Whether a lease was not renewed in time, or its process on this machine has ended."""
    if other["age"] > VOID_SECONDS or other["host"] != platform.node():
        return other["age"] > VOID_SECONDS
    try:  # a later process may have the same number
        born = psutil.Process(other["process"]).create_time()
    except psutil.NoSuchProcess:
        return True
    return abs(born - other["born"]) >= CLOCK_SECONDS


async def renew(graph: Graph, build: str, usage: Mapping[str, object]) -> bool:
    """Renews the lease, also during a long transaction; returns whether it still holds."""
    rows = await graph.transact(
        lambda tx: tx.run("build/renew", IdRow, build=build, usage=dict(usage)), fenced=False
    )
    return bool(rows)


async def _renew(graph: Graph, build: str, usage: Callable[[], Mapping[str, object]]) -> None:
    while True:
        await anyio.sleep(RENEW_SECONDS)
        if not await renew(graph, build, usage()):
            raise GraphBusyError("Another run has taken over this graph; this one stops.")
