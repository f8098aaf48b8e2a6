"""A pool of workers: each task goes to a worker that is free.

    task ──▶ free worker ──▶ result
                │ it ends unexpectedly
                └──▶ the task goes to another worker, and a new worker is started

The first tasks of a run may be run in this process, so that a small job starts no workers.
"""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, Protocol, Self, cast

import anyio
from anyio.abc import TaskGroup

from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.events import Listener, Notice
from graphrag_neo4j.model import LLMTask, T
from graphrag_neo4j.protocols import RunTask
from graphrag_neo4j.workers.deferred import DeferredTask, Work

__all__ = ["Worker", "WorkerEndedError", "WorkerPool"]

TRIES: Final = 3
"""Workers that a task may be given to, since it may need more memory than there is, and workers
that are started in place of one that ends before it has begun, since its machine may be gone."""
ENDED: Final = (
    f"{TRIES} workers ended unexpectedly while they worked on it, most likely for lack of memory"
)
REPLACED: Final = (
    "A worker ended unexpectedly. Its items go to other workers, and a new worker is started."
)

NOT_BEGUN: Final = "A worker ended before it could begin. Another one is started in its place."


class WorkerEndedError(Exception):
    """A worker has ended before it gave its result, or before it began."""


class Worker(Protocol):
    """Runs tasks in another process, at most `slots` of them at the same time.

    `run` raises the error of the task, and WorkerEndedError if the worker has ended. `stop` ends
    the worker, also in the midst of a task.
    """

    @property
    def slots(self) -> int: ...

    async def run(self, work: Work) -> object: ...

    async def stop(self) -> None: ...


class WorkerPool:
    """Runs tasks on `n` workers, which are started at the first task that needs them.

    `start` starts a worker. It raises WorkerEndedError, with a sentence, if the worker has ended
    before it began; any other error that it raises ends the run. `run_here` runs a task in this
    process: the first `few` tasks, and tasks that are not deferred.
    """

    def __init__(
        self, start: Callable[[], Awaitable[Worker]], n: int, *, run_here: RunTask, few: int = 0
    ) -> None:
        self._start, self._n = start, n
        self._run_here, self._few = run_here, few
        self._workers: set[Worker] = set()
        self._free: deque[Worker] = deque()  # once for each free slot
        self._n_free = anyio.Semaphore(0)
        self._tasks: TaskGroup | None = None
        self._started = False

    @asynccontextmanager
    async def opened(self, listen: Listener) -> AsyncIterator[Self]:
        """Allows workers to be started, and stops them at the end. `listen` gets notices."""
        self._listen = listen
        with first_error():
            async with anyio.create_task_group() as self._tasks:
                try:
                    yield self
                finally:
                    self._tasks.cancel_scope.cancel()
                    await self._stop()

    async def _stop(self) -> None:
        with anyio.CancelScope(shield=True):
            for worker in self._workers:
                await worker.stop()
        self._workers.clear()

    async def run(self, task: LLMTask[T]) -> T:
        """Runs a task and returns its result.

        Raises ReplyError if several workers have ended while they worked on the task.
        """
        if not isinstance(task, DeferredTask):
            return await self._run_here(task)
        if self._few > 0:
            self._few -= 1
            return await self._run_here(task)
        self._start_workers()
        for _ in range(TRIES):
            worker = await self._free_worker()
            try:
                result = await worker.run(task.work)
            except WorkerEndedError:
                await self._replace(worker)
            except Exception:
                self._give_back(worker)
                raise
            else:
                self._give_back(worker)
                return cast("T", result)
        raise ReplyError(ENDED)

    def _start_workers(self) -> None:
        if not self._started:
            self._started = True
            for _ in range(self._n):
                self._start_soon()

    def _start_soon(self) -> None:
        if self._tasks is None:
            raise RuntimeError("The pool of workers is not open.")
        self._tasks.start_soon(self._start_one)

    async def _start_one(self) -> None:
        worker = await self._begun_worker()
        self._workers.add(worker)
        for _ in range(worker.slots):
            self._give_back(worker)

    async def _begun_worker(self) -> Worker:
        failed = 0
        while True:
            try:
                return await self._start()
            except WorkerEndedError as error:
                failed += 1
                if failed == TRIES:
                    raise InputError(str(error)) from error
                self._listen(Notice(NOT_BEGUN, warning=True))

    def _give_back(self, worker: Worker) -> None:
        self._free.append(worker)
        self._n_free.release()

    async def _free_worker(self) -> Worker:
        while True:
            await self._n_free.acquire()
            worker = self._free.popleft()
            if worker in self._workers:
                return worker

    async def _replace(self, worker: Worker) -> None:
        if worker not in self._workers:  # another task has noticed it before
            return
        self._workers.remove(worker)
        self._listen(Notice(REPLACED, warning=True))
        self._start_soon()
        await worker.stop()
