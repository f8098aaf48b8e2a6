"""A Ray cluster that reads and cuts documents and runs tasks, while this process writes the graph.

    files ──▶ Ray tasks: read, cut ──▶ this process ──▶ Neo4j
    tasks ──▶ Ray actors: one for each worker, with its share of the limits

At most a few items for each worker are under way, so a slow writer slows the workers down, and no
results pile up. The model's key travels by reference through Ray's store, never as an argument.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread

from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, Notice, Waiting
from graphrag_neo4j.installing import install_command
from graphrag_neo4j.loaders import ReadOptions
from graphrag_neo4j.protocols import IndexBackend, RunTask
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.workers.deferred import Work
from graphrag_neo4j.workers.pool import WorkerEndedError, WorkerPool
from graphrag_neo4j.workers.ray_reading import Cuts, Guessed, Item, RayCutting, read_files
from graphrag_neo4j.workers.ray_worker import Answer, TaskRunner

if TYPE_CHECKING:
    from graphrag_neo4j.llm import Endpoint

# Ray is large, and most runs do without it.
# ruff: noqa: PLC0415

__all__ = ["LOCAL", "RayCluster", "check_address", "connected"]

LOCAL: Final = "local"
"""The address that starts Ray on this machine for one run."""
STORE: Final = 512 * 2**20  # bytes of the object store, if we start Ray
AHEAD: Final = 4  # files for each worker that are read before they are needed
PATIENCE: Final = 30  # seconds until a notice says that a worker has not begun
WITHOUT_MODEL_SLOTS: Final = 2  # tasks: one is done, one waits for it
RAY_CLIENT: Final = "ray://"
CONNECT_SECONDS: Final = 5
NO_RAY_HERE: Final = (
    "No Ray cluster runs on this machine: start one by `ray start --head`, or give --ray local, "
    "which starts Ray for this run."
)
NOT_ALIKE: Final = (
    "The Ray workers do not have the same versions of graphrag-neo4j and of the packages that read "
    "words as this process: use one image, or one environment, for all machines of the cluster."
)
NO_WORKER: Final = (
    f"A Ray worker has not begun after {PATIENCE} seconds. If the cluster has no free CPU, the run "
    "waits until it has."
)


@asynccontextmanager
async def connected(
    address: str, settings: Settings, listen: Listener
) -> AsyncIterator["RayCluster"]:
    """A connection to a Ray cluster, which ends at the end.

    `address` is `LOCAL`, "auto" for the cluster that runs on this machine, a host with a port, or
    "", which means the environment variable RAY_ADDRESS, or else `LOCAL`. Raises InputError if Ray
    is not installed, or if there is no cluster.
    """
    address = address or os.environ.get("RAY_ADDRESS") or LOCAL
    check_address(address)
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        async with _told(_connecting(address), listen):
            await anyio.to_thread.run_sync(_connect, ray, address, settings)
    try:
        yield RayCluster(ray, settings, listen)
    finally:
        if ours:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(ray.shutdown)


def check_address(address: str) -> None:
    """Raises InputError for a text that is no address of a Ray cluster."""
    if address.startswith(RAY_CLIENT):
        raise InputError(
            "Addresses of Ray Client (ray://) can't be used: run the command on the cluster by "
            "`ray job submit`, or give the address of the cluster itself, host:port."
        )
    if address not in (LOCAL, "auto") and not address.rpartition(":")[2].isdecimal():
        raise InputError(
            f"{address!r} is no address of a Ray cluster: give host:port, auto or local, or "
            "nothing after --ray. Paths stand before --ray."
        )


def _ray() -> Any:  # noqa: ANN401 - the module, which may not be installed
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports its use otherwise
    try:
        import ray
    except ImportError:
        raise InputError(
            f"--ray needs a package that is not installed: {install_command('ray')}"
        ) from None
    return ray


@asynccontextmanager
async def _told(what: str, listen: Listener) -> AsyncIterator[None]:
    """Tells every second what this process waits for, as long as the context lasts."""
    began = time.monotonic()

    async def tell() -> None:
        while True:
            listen(Waiting(what, time.monotonic() - began))
            await anyio.sleep(1)

    with first_error():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tell)
            yield
            tasks.cancel_scope.cancel()
    listen(Waiting("", time.monotonic() - began))


def _connecting(address: str) -> str:
    return "Starting Ray" if address == LOCAL else f"Connecting to the Ray cluster ({address})"


def _connect(ray: Any, address: str, settings: Settings) -> None:  # noqa: ANN401
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address not in (LOCAL, "auto"):
        _check_listens(address)
    try:
        if address == LOCAL:
            ray.init(
                address,
                num_cpus=settings.workers,
                include_dashboard=False,
                object_store_memory=STORE,
                **quiet,
            )
        else:
            ray.init(address, **quiet)
    except Exception as error:  # Ray raises this class itself, too
        if address == "auto" and isinstance(error, ConnectionError):
            raise InputError(NO_RAY_HERE) from error
        what = "Ray did not start here" if address == LOCAL else f"No Ray cluster is at {address}"
        raise InputError(f"{what}: {_first_line(error)}") from error


def _check_listens(address: str) -> None:
    """Raises InputError if nothing listens at host:port; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"No Ray cluster is at {address}: {reason}.") from error


class RayCluster:
    """A Ray cluster for one run. Its workers are started at the first task.

    `n` is the number of workers: as the settings say, or one for each CPU of the cluster.
    """

    def __init__(self, ray: Any, settings: Settings, listen: Listener) -> None:  # noqa: ANN401
        self.ray, self.settings, self.listen = ray, settings, listen
        self.n = settings.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._told = False

    def pool(self, backend: IndexBackend, run_here: RunTask) -> tuple[WorkerPool, int]:
        """A pool of workers for a backend that asks no model, and the number of tasks under way."""
        start = partial(self._start, backend, None, WITHOUT_MODEL_SLOTS, None)
        return WorkerPool(start, self.n, run_here=run_here), self.n * WITHOUT_MODEL_SLOTS

    def pool_with_model(
        self, make: Callable[[Settings], IndexBackend], endpoint: "Endpoint"
    ) -> tuple[WorkerPool, int]:
        """A pool of workers with their shares of the limits, and the number of tasks under way.

        `make` makes the backend from settings without secrets. There are no more workers than the
        limits have calls to share.
        """
        limits = (self.n, self.settings.concurrency, self.settings.requests_per_minute)
        n = min(limit for limit in limits if limit)
        share = _share(self.settings, n)
        start = partial(self._start, make(share), share, share.concurrency, endpoint)
        return WorkerPool(start, n, run_here=endpoint.run), n * share.concurrency

    async def _start(
        self,
        backend: IndexBackend,
        settings: Settings | None,
        slots: int,
        endpoint: "Endpoint | None",
    ) -> "RayWorker":
        """Starts a worker as soon as the cluster has a CPU for it.

        Raises WorkerEndedError if it is killed before it begins, InputError if it cannot begin.
        """
        actor = self.ray.remote(TaskRunner).options(num_cpus=1, max_concurrency=slots)
        worker = RayWorker(self.ray, actor.remote(backend, settings), slots, endpoint)
        alike = False
        try:
            alike = await self._begun(worker, settings) == backend.signature("extraction")
        except self.ray.exceptions.RayError as error:
            kind = WorkerEndedError if _was_killed(self.ray, error) else InputError
            raise kind(f"A Ray worker could not begin: {_first_line(error)}") from error
        finally:
            if not alike:
                await worker.stop()
        if not alike:
            raise InputError(NOT_ALIKE)
        return worker

    async def _begun(self, worker: "RayWorker", settings: Settings | None) -> str:
        key = self.settings.openai_api_key if settings else None
        keys = [self.ray.put(key.get_secret_value())] if key else []
        begun = asyncio.ensure_future(_value(worker.actor.begin.remote(keys)))
        try:
            if not (await asyncio.wait([begun], timeout=PATIENCE))[0] and not self._told:
                self._told = True
                self.listen(Notice(NO_WORKER, warning=True))
            return str(await begun)
        finally:
            begun.cancel()  # the run may end before the worker has begun

    def read_files(
        self, files: Iterable[Path], options: ReadOptions, guessed: Guessed
    ) -> Iterator[tuple[Path, Iterable[Item]]]:
        """Gives the items of each file in order; the next files are read meanwhile."""
        return read_files(self.ray, AHEAD * self.n, files, options, guessed)

    def cutting(self, cuts: Cuts) -> RayCutting:
        """The same way to cut documents, on the workers."""
        return RayCutting(self.ray, cuts)


@dataclass(eq=False, slots=True)
class RayWorker:
    """A worker of the cluster, with which the tasks are exchanged through Ray."""

    ray: Any
    actor: Any
    slots: int
    endpoint: "Endpoint | None"

    async def run(self, work: Work) -> object:
        """Has the worker do the work, and returns the result. Raises as `Worker` says."""
        spent = self.endpoint.meter.total.cost if self.endpoint else 0.0
        try:
            answer: Answer = await self.actor.run.remote(work, spent)
        except self.ray.exceptions.RayError as error:
            if _was_killed(self.ray, error):
                raise WorkerEndedError from error
            raise
        if self.endpoint:
            self.endpoint.meter.add(answer.usage)
        if answer.error:
            raise answer.error
        return answer.result

    async def stop(self) -> None:
        """Ends the worker at once; it holds nothing that could be lost."""
        self.ray.kill(self.actor)


def _share(settings: Settings, n: int) -> Settings:
    """The settings of one of `n` workers: without secrets, and with its share of the limits."""
    requests, tokens = settings.requests_per_minute, settings.tokens_per_minute
    return settings.model_copy(
        update={
            "openai_api_key": None,
            "neo4j_password": None,
            "concurrency": settings.concurrency // n,
            "requests_per_minute": requests and max(1, requests // n),
            "tokens_per_minute": tokens and max(1, tokens // n),
        }
    )


def _was_killed(ray: Any, error: Exception) -> bool:  # noqa: ANN401 - the module
    """Whether a worker or its machine ended from outside, so that another worker may go on."""
    errors = ray.exceptions
    outside = (
        errors.RayActorError,
        errors.ObjectLostError,
        errors.NodeDiedError,
        errors.OutOfMemoryError,
    )
    return isinstance(error, outside) and not getattr(error, "actor_init_failed", False)


async def _value(reference: Any) -> object:  # noqa: ANN401 - a reference of Ray
    return await reference


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
