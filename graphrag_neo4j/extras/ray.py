"""A Ray cluster that reads and cuts documents and runs tasks, while this process writes the graph.

    files ──▶ Ray tasks: read, cut ──▶ this process ──▶ Neo4j
    tasks ──▶ Ray actors: one for each worker, with its share of the limits

At most a few items for each worker are under way, so a slow writer slows the workers down, and no
results pile up. The model's key travels by reference through Ray's store, never as an argument.
"""

import logging
import os
import socket
import traceback
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from copy import copy
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Final, cast

import anyio
import anyio.to_thread

from graphrag_neo4j.concurrency import first_error, result_without_requests
from graphrag_neo4j.documents import ReadOptions, Remark, Unreadable, holds_rows, read
from graphrag_neo4j.documents.chunking import Cuts
from graphrag_neo4j.errors import BudgetSpentError, GraphRAGError, InputError, ReplyError
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.llm.endpoint.cost import Meter
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.contracts import IndexBackend
from graphrag_neo4j.model.events import Listener, Notice, Waiting
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import Document, LLMTask, Reply, Request, Span, T, Usage
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.installing import needing

TASKS = ("extract", "claims", "summarize", "compare")  # methods of a backend that give tasks
Work = tuple[str, tuple[object, ...]]
"""What a task is made of: the name of a method of the index backend, and its arguments."""
Answer = tuple[object, Exception | None, dict[str, Usage]]
"""The result of a task, or None and its error, and what it used of the endpoint."""


class DeferredTask(Generator[Request, Reply, T]):
    """An LLM task that begins on a worker. Here it only holds its `work`."""

    def __init__(self, method: str, *arguments: object) -> None:
        self.work: Work = (method, arguments)

    def send(self, _value: Reply) -> Request:
        raise TypeError("This task runs on a worker.")

    def throw(self, *_error: Any) -> Request:  # noqa: ANN401 - as its base has it
        raise TypeError("This task runs on a worker.")


class _Deferring:
    """An index backend whose tasks are deferred; everything else is that of `backend`."""

    def __init__(self, backend: IndexBackend) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> object:
        return partial(DeferredTask, name) if name in TASKS else getattr(self._backend, name)

    def reports(
        self, contexts: Sequence[tuple[ContextTable, ReportMaterial]]
    ) -> DeferredTask[object]:
        """Writes reports. Of contexts and materials, only what the backend reads travels."""
        nothing = ReportMaterial({}, (), ())
        # Nothing is counted there, and not every function can travel.
        sent = [(replace(table, count=len), nothing) for table, _ in contexts]
        if self._backend.quotes:
            sent = [(ContextTable(0, len), material) for _, material in contexts]
        return DeferredTask("reports", sent)


def deferring(backend: IndexBackend) -> IndexBackend:
    """The same backend, but its tasks are deferred."""
    return cast("IndexBackend", _Deferring(backend))


class TaskRunner:
    """Runs the tasks of a backend in the process of one worker.

    `settings` have no key; they are None for a backend that asks no model.
    """

    def __init__(self, backend: IndexBackend, settings: Settings | None) -> None:
        self._backend, self._settings = backend, settings
        self._endpoint: Endpoint | None = None

    async def begin(self, keys: Sequence[Any]) -> str:
        """Opens the endpoint with a key, and returns the signature of extractions.

        `keys` holds a reference to the key in Ray's store, or nothing. The reference stands in a
        list, because Ray would replace a reference that is an argument itself by what it refers to.
        """
        if self._settings:
            settings = self._settings.with_key(await keys[0] if keys else None)
            self._endpoint = Endpoint(settings)
        return self._backend.signature("extraction")

    async def run(self, work: Work, most: float | None) -> Answer:
        """Runs a task, which may cost at most `most` US dollars.

        Errors are returned, because Ray would print a traceback into the text of an error.
        """
        result: object = None
        error: Exception | None = None
        meter = Meter(self._endpoint.meter if self._endpoint else None, most)
        try:
            result = await self._result(work, meter)
        except GraphRAGError as found:
            error = found
        except Exception as found:  # noqa: BLE001 - the driver raises it
            found.add_note(f"On a Ray worker:\n{traceback.format_exc()}")
            error = found
        return result, error, dict(meter.steps)

    async def _result(self, work: Work, meter: Meter) -> object:
        task = cast("LLMTask[object]", getattr(self._backend, work[0])(*work[1]))
        if self._endpoint is None:
            return result_without_requests(task)
        alone = copy(self._endpoint)
        alone.meter = meter
        return await alone.run(task)


def version_of(path: Path) -> tuple[int, int] | None:
    """The size of a file in bytes and its last change in nanoseconds; None if it is not there."""
    try:
        found = path.stat()
    except OSError:  # reading the file reports it
        return None
    return found.st_size, found.st_mtime_ns


def read_file(
    path: Path, version: tuple[int, int], options: ReadOptions
) -> tuple[Sequence[Document | Unreadable], Sequence[Remark]] | None:
    """The items of a file, and what is to be told about it.

    It is None if this machine has not the same version of the file.
    """
    if version_of(path) != version:
        return None
    remarks: list[Remark] = []
    return list(read(path, options, remarks.append)), remarks


LOCAL: Final = "local"
"""The address that starts Ray on this machine for one run."""
STORE: Final = 512 * 2**20  # bytes of the object store, if we start Ray
AHEAD: Final = 4  # files for each worker that are read before they are needed
LARGE: Final = 32_000_000  # bytes of a file that this process reads itself, as its text is large
WITHOUT_MODEL_SLOTS: Final = 2  # tasks: one is done, one waits for it
CONNECT_SECONDS: Final = 5
TRIES: Final = 3
"""Workers that a task may be given to, since it may need more memory than there is, and workers
that are started in place of one that ends before it has begun, since its machine may be gone."""


def check_ray_address(address: str) -> None:
    """Raises InputError for a text that isn't an address of a Ray cluster."""
    if address.startswith("ray://"):
        raise InputError(
            "Addresses of Ray Client (ray://) can't be used: run the command on the cluster by "
            "`ray job submit`, or give the address of the cluster itself, host:port."
        )
    if address not in (LOCAL, "auto") and not address.rpartition(":")[2].isdecimal():
        raise InputError(
            f"{address!r} isn't an address of a Ray cluster: give host:port, auto or local, or "
            "nothing after --ray. Paths stand before --ray."
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
    check_ray_address(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports its use otherwise
    with needing("ray", "--ray needs"):
        import ray  # noqa: PLC0415 - it is large, and most runs do without it
    ours = not ray.is_initialized()
    if ours:
        what = "Starting Ray" if address == LOCAL else f"Connecting to Ray ({address})"
        listen(Waiting(what, 0))
        await anyio.to_thread.run_sync(_connect, ray, address, settings)
        listen(Waiting("", 0))
    try:
        yield RayCluster(ray, settings)
    finally:
        if ours:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(ray.shutdown)


def _connect(ray: Any, address: str, settings: Settings) -> None:  # noqa: ANN401 - the module
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    what = f"No Ray cluster is at {address}"
    if address == LOCAL:
        what = "Ray did not start here"
        options |= {"num_cpus": settings.workers, "include_dashboard": False}
        options["object_store_memory"] = STORE
    elif address != "auto":  # where nothing listens, Ray would try for minutes
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{what}: {reason}.") from error
    try:
        ray.init(address, **options)
    except Exception as error:  # Ray also raises this class itself
        if address == "auto" and isinstance(error, ConnectionError):
            raise InputError(
                "No Ray cluster runs on this machine: start one by `ray start --head`, or give "
                "--ray local, which starts Ray for this run."
            ) from error
        raise InputError(f"{what}: {_first_line(error)}") from error


class RayCluster:
    """A Ray cluster for one run.

    `n` is the number of workers: as the settings say, or one for each CPU of the cluster.
    """

    def __init__(self, ray: Any, settings: Settings) -> None:  # noqa: ANN401 - the module
        self.ray, self.settings = ray, settings
        self.n = settings.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))

    def read_files(
        self, files: Iterable[Path], options: ReadOptions, tell: Callable[[Path, Remark], None]
    ) -> Iterator[tuple[Path, Iterable[Document | Unreadable]]]:
        """Gives the items of each file in order; the next files are read meanwhile.

        `tell` receives a file and what is to be told about it. This process reads files of rows,
        large files, and files that the workers do not have.
        """
        remote = self.ray.remote(read_file)

        def items(path: Path, reading: Any) -> tuple[Path, Iterable[Document | Unreadable]]:  # noqa: ANN401 - a reference of Ray
            found = self.ray.get(reading) if reading is not None else None
            if found is None:
                return path, read(path, options, partial(tell, path))
            for remark in found[1]:
                tell(path, remark)
            return path, found[0]

        waiting: deque[tuple[Path, Any]] = deque()
        for path in files:
            version = version_of(path)
            here = version is None or version[0] > LARGE or holds_rows(path)
            waiting.append((path, None if here else remote.remote(path, version, options)))
            if len(waiting) > AHEAD * self.n:
                yield items(*waiting.popleft())
        while waiting:
            yield items(*waiting.popleft())

    def cutting(self, cuts: Cuts) -> "RayCutting":
        """The same way to cut documents, on the workers."""
        return RayCutting(self.ray, cuts)

    def pool(
        self, make: Callable[[Settings], IndexBackend], endpoint: Endpoint | None
    ) -> "RayPool":
        """The workers that run the tasks of a backend."""
        return RayPool(self, make, endpoint)


class RayCutting:
    """Cuts documents on the workers of a cluster, all those that are announced at the same time."""

    def __init__(self, ray: Any, cuts: Cuts) -> None:  # noqa: ANN401 - the module
        self.prepend, self.signature = cuts.prepend, cuts.signature
        self._ray = ray
        self._cut = ray.remote(lambda document: cuts.spans(document, lambda _: None))
        self._cutting: dict[str, Any] = {}  # references of Ray by source

    def ahead(self, documents: Sequence[Document]) -> None:
        """Starts to cut documents."""
        self._cutting |= {one.source: self._cut.remote(one) for one in documents}

    def spans(self, document: Document, _progress: Callable[[float], None]) -> list[Span]:
        """The places of a document's chunks, as soon as a worker has found them."""
        found: list[Span] = self._ray.get(self._cutting.pop(document.source))
        return found


class RayPool:
    """Workers that run deferred tasks; they are started at the first task.

        task ──▶ free worker ──▶ result
                    │ it ends unexpectedly
                    └──▶ the task goes to another worker, and a new worker is started

    Each worker has its share of the limits, and there are no more workers than the limits have
    calls to share. `make` makes their backend from settings without secrets. `backend` is the same
    with deferred tasks, of which up to `in_flight` are under way. Without an `endpoint`, it asks no
    model.
    """

    def __init__(
        self,
        cluster: RayCluster,
        make: Callable[[Settings], IndexBackend],
        endpoint: Endpoint | None,
    ) -> None:
        settings = cluster.settings
        self._ray, self._endpoint, self._key = cluster.ray, endpoint, settings.openai_api_key
        self._n, self._slots = cluster.n, WITHOUT_MODEL_SLOTS
        share = settings.without_secrets()
        if endpoint:
            limits = (cluster.n, settings.concurrency, settings.requests_per_minute)
            self._n = min(limit for limit in limits if limit)
            share = _share(settings, self._n)
            self._slots = share.concurrency
        self.in_flight = self._n * self._slots
        backend = make(share)
        self.backend = deferring(backend)
        self._arguments = (backend, share if endpoint else None)
        self._workers: set[Any] = set()  # actors of Ray
        self._last_try = anyio.Lock()

    @asynccontextmanager
    async def opened(self, listen: Listener) -> AsyncIterator[None]:
        """Allows workers to be started, and ends them at the end. `listen` gets notices."""
        self._listen = listen
        self._give_back, self._free = anyio.create_memory_object_stream[Any](inf)  # one a slot
        with first_error(), self._give_back, self._free:
            async with anyio.create_task_group() as self._tasks:
                try:
                    yield
                finally:
                    self._tasks.cancel_scope.cancel()
                    for worker in self._workers:  # they hold nothing that could be lost
                        self._ray.kill(worker)

    async def run(self, task: LLMTask[T]) -> T:
        """Runs a task of `backend` and returns its result.

        Raises ReplyError if several workers have ended while they worked on the task.
        """
        work = cast("DeferredTask[T]", task).work
        if not self._workers:
            self._listen(Waiting("Waiting for free CPUs of the Ray cluster", 0))
            for _ in range(self._n):
                self._start_soon()
        async with self._allowance() as most:
            for left in reversed(range(TRIES)):
                # At the last try, no other task is with it that has seen workers end as often.
                async with nullcontext() if left else self._last_try:
                    while (worker := await self._free.receive()) not in self._workers:
                        pass  # it has ended
                    try:
                        result, error, usage = await worker.run.remote(work, most)
                    except self._ray.exceptions.RayError as ended:
                        if not _was_killed(self._ray, ended):
                            raise
                        self._replace(worker)
                        continue
                self._give_back.send_nowait(worker)
                if self._endpoint:
                    self._endpoint.meter.add(usage)
                if error:
                    raise error
                return cast("T", result)
        raise ReplyError(
            f"{TRIES} workers ended unexpectedly while they worked on it, most likely for lack of "
            "memory"
        )

    @asynccontextmanager
    async def _allowance(self) -> AsyncIterator[float | None]:
        """Holds what a task may cost, in US dollars: its part of what is left; None for any cost.

        Raises BudgetSpentError if that is too little.
        """
        meter = self._endpoint.meter if self._endpoint else None
        if meter is None or not meter.is_limited:
            yield None
            return
        most = meter.left / self.in_flight
        async with meter.hold(most):
            try:
                yield most
            except BudgetSpentError as error:  # it names the part
                raise BudgetSpentError(meter.refusal(most)) from error

    def _start_soon(self, tries: int = TRIES) -> None:
        remote = self._ray.remote(TaskRunner)
        worker = remote.options(num_cpus=1, max_concurrency=self._slots).remote(*self._arguments)
        self._workers.add(worker)
        self._tasks.start_soon(self._begin, worker, tries)

    async def _begin(self, worker: Any, tries: int) -> None:  # noqa: ANN401 - an actor of Ray
        """Lets a worker take tasks as soon as the cluster has had a CPU for it.

        Another one takes its place if it is killed before it begins, up to `tries` in all. Raises
        InputError if it can't begin.
        """
        keys = [self._ray.put(self._key.get_secret_value())] if self._key and self._endpoint else []
        try:
            signature = await worker.begin.remote(keys)
        except self._ray.exceptions.RayError as error:
            if tries == 1 or not _was_killed(self._ray, error):
                said = f"A Ray worker could not begin: {_first_line(error)}"
                raise InputError(said) from error
            self._replace(worker, tries - 1)
            return
        if signature != self.backend.signature("extraction"):
            raise InputError(
                "The Ray workers do not have the same versions of graphrag-neo4j and of the "
                "packages that read words: use one image or environment for all machines."
            )
        self._listen(Waiting("", 0))
        for _ in range(self._slots):
            self._give_back.send_nowait(worker)

    def _replace(self, worker: Any, tries: int = TRIES) -> None:  # noqa: ANN401
        if worker in self._workers:  # otherwise another task has noticed it before
            self._workers.remove(worker)
            self._ray.kill(worker)
            told = "A worker ended unexpectedly. Another one is started, and gets its items."
            self._listen(Notice(told, warning=True))
            self._start_soon(tries)


def _share(settings: Settings, n: int) -> Settings:
    """The settings of one of `n` workers: without secrets, and with its share of the limits."""
    requests, tokens = settings.requests_per_minute, settings.tokens_per_minute
    return settings.without_secrets().model_copy(
        update={
            "concurrency": settings.concurrency // n,
            "requests_per_minute": requests and max(1, requests // n),
            "tokens_per_minute": tokens and max(1, tokens // n),
        }
    )


def _was_killed(ray: Any, error: Exception) -> bool:  # noqa: ANN401 - the module
    """Whether a worker or its machine ended from outside, so that another worker may go on."""
    all_ = ray.exceptions
    outside = (all_.RayActorError, all_.ObjectLostError, all_.NodeDiedError, all_.OutOfMemoryError)
    return isinstance(error, outside) and not getattr(error, "actor_init_failed", False)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
