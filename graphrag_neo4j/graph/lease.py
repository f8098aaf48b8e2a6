"""The lease: a run that writes holds it on its Build node, and a second run is refused.

A lease is renewed every 2 s. It is void 60 s after the last renewal, or as soon as two renewals are
missing if its process was on this machine and has ended, or if the clock was set back since then.
All times are those of the server, so that clocks may differ.

Whoever finds a lease void ends the open transactions of its run, which may be suspended, and only
then locks anything.
"""

import platform
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TypedDict

import anyio
import psutil

from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import GraphBusyError, GraphError, InputError
from graphrag_neo4j.graph.connection import LOCK_SECONDS, TAKEN_OVER, Graph, Transaction
from graphrag_neo4j.graph.indexes import ensure_fulltext_indexes
from graphrag_neo4j.graph.rows import IdRow
from graphrag_neo4j.graph.schema import begin_graph, ensure_schema
from graphrag_neo4j.model.events import Listener, Waiting, silent

RENEW_SECONDS = 2
MISSED = 2.5  # times the seconds between renewals: two of them are missing
VOID_SECONDS = 60
TERMINATED = "Transaction.Terminated"  # part of the code of Neo4j's error
LOOK_SECONDS = 1  # between two looks at a lease that may become void
Used = Callable[[], Mapping[str, object]]
"""Returns what a run has used so far, as properties of its Build."""
CLOCK_SECONDS = 2  # a start in seconds shifts a little when the clock is set; ticks never do


@dataclass(slots=True)
class Lease:
    """The lease of a build. `outcome` is the outcome that is saved when the build ends."""

    build: str
    outcome: str = "done"


class OpenBuildRow(TypedDict):
    """A build without an outcome, and its process.

    `every` is the number of seconds between its renewals, and `age` that since the last one;
    `renewed` is its time in milliseconds. `start` is that of the process: in ticks where there is a
    `namespace`, and in seconds for a process outside Linux and in builds of earlier versions.
    """

    id: str
    host: str
    process: int
    namespace: str | None
    start: float
    command: str
    every: float
    renewed: int
    age: float


Void = Mapping[str, OpenBuildRow]
"""Open builds whose lease is void, by their id."""


@asynccontextmanager
async def hold_lease(
    graph: Graph, properties: Mapping[str, object], usage: Used, listen: Listener = silent
) -> AsyncIterator[Lease]:
    """Holds the lease as long as the context lasts. `usage` is saved on the Build at each renewal.

    The schema is made first where it is missing. Raises GraphBusyError that names the run that
    holds the lease, and the errors of `ensure_schema`.
    """
    void = await void_builds(graph, listen)
    await ensure_schema(graph)
    lease = Lease(await _open(graph, void, properties))
    graph.lease = lease.build
    try:
        with first_error():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_renew, graph, lease.build, usage)
                yield lease
                tasks.cancel_scope.cancel()
    except BaseException as error:
        lease.outcome = "failed" if isinstance(error, Exception) else "interrupted"
        # Who takes over ends the transactions here, which Neo4j tells in its own words, and marks
        # the build a moment later.
        if TERMINATED in str(error.__cause__):
            await _until_marked(graph)
        if not await _finish(graph, lease, usage()) and isinstance(error, GraphError):
            raise GraphBusyError(TAKEN_OVER) from error
        raise
    await _finish(graph, lease, usage())


async def prepare_schema(graph: Graph, analyzer: str | None, listen: Listener = silent) -> None:
    """Makes the schema and the full-text indexes before anybody reads, whose locks would delay it.

    Another run that writes to the graph makes them itself. Raises the errors of `ensure_schema`.
    """
    with suppress(GraphBusyError):
        await void_builds(graph, listen)
        await ensure_schema(graph)
        await ensure_fulltext_indexes(graph, analyzer)


async def void_builds(graph: Graph, listen: Listener = silent) -> Void:
    """The open builds, by id, if the leases of all are void.

    It locks nothing, and waits for renewals where these decide. Raises GraphBusyError if a run
    holds the lease.
    """
    first, waited = dict[str, OpenBuildRow](), 0
    while True:
        others = await graph.write("build/open", OpenBuildRow)
        undecided = [one for one in others if not _is_void(one, first.setdefault(one["id"], one))]
        if undecided or waited:
            text = "Waiting to see whether another run has ended" if undecided else ""
            listen(Waiting(text, waited))
        if not undecided:
            return {one["id"]: one for one in others}
        await anyio.sleep(LOOK_SECONDS)
        waited += LOOK_SECONDS


def _is_void(other: OpenBuildRow, first: OpenBuildRow | None) -> bool:
    """Whether a lease is void; False if it may become so soon. `first` is how it was first seen.

    Raises GraphBusyError if it holds, or was not seen before.
    """
    if other["age"] > VOID_SECONDS:
        return True
    ahead = other["age"] < -other["every"]  # the server's clock was set back since then
    if first is None or other["renewed"] != first["renewed"] or not (ahead or _has_ended(other)):
        raise GraphBusyError(
            f"Another run writes to this graph ({other['command']}, process {other['process']} on "
            f"{other['host']}, last seen {max(other['age'], 0):.0f} s ago): wait for it, or end it."
        )
    return other["age"] - (first["age"] if ahead else 0) > MISSED * other["every"]


async def _open(graph: Graph, void: Void, properties: Mapping[str, object]) -> str:
    build = str(uuid.uuid4())
    release = {"release": metadata.version("graphrag-neo4j")}
    own = {**properties, **_this_process(), **release, "renewed_every": RENEW_SECONDS}
    if void:
        await graph.write("build/terminate", IdRow, builds=list(void))

    async def start(tx: Transaction) -> None:
        await tx.run("build/lock")
        for other in await tx.run("build/open", OpenBuildRow):
            _is_void(other, void.get(other["id"]))  # it may have begun or gone on meanwhile
        await tx.run("build/void", builds=list(void))
        await begin_graph(tx)
        await tx.run("build/start", build=build, properties=own)

    await graph.transact(start, seconds=LOCK_SECONDS)
    return build


async def _until_marked(graph: Graph) -> None:
    """Waits until another run has marked this build, or has had enough time for it."""
    with suppress(GraphBusyError), anyio.move_on_after(LOCK_SECONDS):
        while True:
            await graph.write("build/open", OpenBuildRow)  # no marked build may write
            await anyio.sleep(LOOK_SECONDS)


async def _finish(graph: Graph, lease: Lease, usage: Mapping[str, object]) -> bool:
    """Ends a build. Returns whether it held the lease until now."""
    ended = {"build": lease.build, "usage": dict(usage), "outcome": lease.outcome}
    rows = list[IdRow]()
    with anyio.CancelScope(shield=True):
        try:
            rows = await graph.transact(
                lambda tx: tx.run("build/finish", IdRow, **ended), fenced=False
            )
        finally:
            graph.lease = None
    return bool(rows)


def _this_process() -> dict[str, object]:
    """What tells this process from others: its host, number and start.

    On Linux, the start is also told in ticks since the boot, which no step of the clock changes.
    `namespace` names this boot, and the namespace in which the process has its number.
    """
    process = psutil.Process()
    own = {"host": platform.node(), "process": process.pid, "born": process.create_time()}
    with suppress(OSError):  # another system
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        own["namespace"] = f"{boot} {Path('/proc/self/ns/pid').readlink()}"
        own["ticks"] = _ticks(process.pid)
    return own


def _ticks(process: int) -> int:
    """The start of a process on Linux in ticks since the boot; 0 if it has ended as a zombie."""
    stat = Path(f"/proc/{process}/stat").read_bytes()
    state, *fields = stat.rpartition(b")")[2].split()  # the name before it may hold anything
    return 0 if state == b"Z" else int(fields[18])


def _has_ended(other: OpenBuildRow) -> bool:
    """Whether the process of a build was on this machine and has ended; False if not known."""
    number, namespace = other["process"], other["namespace"]
    if other["host"] != platform.node() or namespace not in (
        None,
        _this_process().get("namespace"),
    ):
        return False
    try:  # a later process may have the same number
        start = _ticks(number) if namespace else psutil.Process(number).create_time()
    except (OSError, psutil.NoSuchProcess):
        return True
    return abs(start - other["start"]) >= CLOCK_SECONDS


async def renew(graph: Graph, build: str, usage: Mapping[str, object]) -> bool:
    """Renews the lease, also during a long transaction; returns whether it still holds."""
    rows = await graph.transact(
        lambda tx: tx.run("build/renew", IdRow, build=build, usage=dict(usage)), fenced=False
    )
    return bool(rows)


async def _renew(graph: Graph, build: str, usage: Used) -> None:
    while True:
        await anyio.sleep(RENEW_SECONDS)
        if not await renew(graph, build, usage()):
            raise GraphBusyError(TAKEN_OVER)


class HeldRow(TypedDict):
    """What an import finds in a graph.

    `held` says whether the graph holds anything, `importing` is the hash of the tables whose import
    has begun, and `given` holds the last ref of each kind.
    """

    held: bool
    importing: str | None
    given: dict[str, int | None] | None


def command_name() -> str:
    """The name of the command for its Build node; never its arguments, which may hold secrets."""
    return "kg-build" if sys.argv[0].endswith("kg-build") else "python"


async def refuse_half_imported(graph: Graph) -> None:
    """Raises InputError where an import into this graph was interrupted."""
    if (await graph.read("import/held", HeldRow))[0]["importing"]:
        raise InputError(
            "An import into this graph was interrupted: run the same `kg-build import` again to "
            "finish it, or empty the graph."
        )
