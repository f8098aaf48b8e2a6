"""Many workers that run tasks and one writer that saves: all slow stages have this form.

    items ──▶ worker, worker, worker … ──▶ writer (in batches, as results arrive)

If an error or Ctrl-C ends the work early, the writer first saves the results that have arrived.
Where a process is killed, nothing can do so. So a reply that was paid for, and waits for the writer
or for the next reply to its task, is kept as it is after a second.
"""

import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream

from graphrag_neo4j.errors import BudgetSpentError, ReplyError
from graphrag_neo4j.model.types import LLMTask, Reply, Request

T = TypeVar("T")
R = TypeVar("R")
Answered = tuple[Request, Reply]
"""A request with its reply."""
Keep = Callable[[Sequence[Answered]], Awaitable[None]]
"""Saves replies as they are, until their results are saved."""
KEPT_AFTER: Final = 1.0  # seconds that a reply waits
TICK: Final = 0.25  # seconds

_hearing: ContextVar[Callable[[Answered], None]] = ContextVar("hearing")


class ReplyPendingError(Exception):
    """The reply to a request has not come yet, so the item of its task waits for a later run."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T, R]):
    """An item with its result, or with the reason of its failure."""

    item: T
    result: R | None = None
    failure: str | None = None


async def run_tasks(
    items: AsyncIterable[T],
    task: Callable[[T], Awaitable[R]],
    save: Callable[[Sequence[Outcome[T, R]]], Awaitable[None]],
    *,
    workers: int,
    batch: int,
    advance: Callable[[int, int], None] = lambda _done, _failed: None,
    keep: Keep | None = None,
) -> None:
    """Runs a task for each item and saves the outcomes, failures included.

    `task` is run by `workers` workers at the same time; `save` gets at most `batch` outcomes.
    `advance` is called after each task with the numbers of items that are done and failed; numbers
    below 0 take back outcomes that could not be saved. `keep` gets the replies of `heard` whose
    outcomes are not saved after a second.

    A ReplyError fails only its item. An item whose task raises ReplyPendingError has no outcome: it
    is neither done nor failed. When the cost limit is reached, no more items are started, the
    running ones may finish, and BudgetSpentError is raised at the end.
    """
    spent: list[BudgetSpentError] = []
    unsaved = _Unsaved(advance)

    async def work(item: T) -> Outcome[T, R] | None:
        numbers: list[int] = []
        _hearing.set(partial(unsaved.hear, numbers))
        try:
            outcome: Outcome[T, R] = Outcome(item, await task(item))
        except ReplyError as error:
            outcome = Outcome(item, failure=str(error))
        except ReplyPendingError:
            return None
        except BudgetSpentError as error:
            spent.append(error)
            return None
        return unsaved.add(outcome, numbers)

    async def affordable() -> AsyncIterator[T]:
        async for item in items:
            if spent:
                return
            yield item

    try:
        async with unsaved.kept_by(keep):
            await work_and_save(
                affordable(), work, unsaved.counting(save), workers=workers, batch=batch
            )
    finally:
        unsaved.take_back()
    if spent:
        raise spent[0]


def heard(request: Request, reply: Reply) -> None:
    """Notes that a request of the running task was answered, until its outcome is saved."""
    if hear := _hearing.get(None):
        hear((request, reply))


class _Unsaved:
    """What is not saved yet: outcomes that were reported, done and failed ones, and replies."""

    def __init__(self, advance: Callable[[int, int], None]) -> None:
        self.advance = advance
        self.done = self.failed = 0
        self._waiting: dict[int, tuple[float, Answered]] = {}  # replies by number, since when
        self._numbers: dict[int, Sequence[int]] = {}  # of the replies to an outcome, by its id
        self._heard = 0

    def hear(self, numbers: list[int], answered: Answered) -> None:
        self._heard += 1
        numbers.append(self._heard)
        self._waiting[self._heard] = time.monotonic(), answered

    @asynccontextmanager
    async def kept_by(self, keep: Keep | None) -> AsyncIterator[None]:
        """Keeps the replies that wait for too long, while the context lasts."""
        with first_error():
            async with anyio.create_task_group() as tasks:
                if keep:
                    tasks.start_soon(self._keep_old, keep)
                yield
                tasks.cancel_scope.cancel()

    async def _keep_old(self, keep: Keep) -> None:
        while True:
            await anyio.sleep(TICK)
            until = time.monotonic() - KEPT_AFTER
            old = [number for number, (since, _) in self._waiting.items() if since < until]
            if old:
                await keep([self._waiting.pop(number)[1] for number in old])

    def add(self, outcome: Outcome[T, R], numbers: Sequence[int]) -> Outcome[T, R]:
        self._numbers[id(outcome)] = numbers
        failed = outcome.failure is not None
        self.done += not failed
        self.failed += failed
        self.advance(int(not failed), int(failed))
        return outcome

    def counting(
        self, save: Callable[[Sequence[Outcome[T, R]]], Awaitable[None]]
    ) -> Callable[[Sequence[Outcome[T, R]]], Awaitable[None]]:
        """The same `save`; the outcomes that it has saved are no longer counted."""

        async def save_counted(outcomes: Sequence[Outcome[T, R]]) -> None:
            await save(outcomes)
            for outcome in outcomes:
                for number in self._numbers.pop(id(outcome)):
                    self._waiting.pop(number, None)
            failed = sum(outcome.failure is not None for outcome in outcomes)
            self.done -= len(outcomes) - failed
            self.failed -= failed

        return save_counted

    def take_back(self) -> None:
        if self.done or self.failed:
            self.advance(-self.done, -self.failed)


async def work_and_save(
    items: AsyncIterable[T],
    work: Callable[[T], Awaitable[R | None]],
    save: Callable[[Sequence[R]], Awaitable[None]],
    *,
    workers: int,
    batch: int,
) -> None:
    """Gives each item to one of `workers` workers and saves the results, at most `batch` together.

    A result of None is not saved. Raises the first error of `items`, `work` or `save`.
    """
    waiting, todo = anyio.create_memory_object_stream[T](workers)
    arriving, results = anyio.create_memory_object_stream[R](batch)

    async def feed() -> None:
        async with waiting:
            async for item in items:
                await waiting.send(item)

    async def run_worker(mine: MemoryObjectReceiveStream[T]) -> None:
        async with mine:
            async for item in mine:
                result = await work(item)
                if result is not None:
                    # A result that was paid for reaches the writer.
                    with anyio.CancelScope(shield=True):
                        await arriving.send(result)

    async def write() -> None:
        # The stream ends when all workers have ended, also if they were cancelled.
        with anyio.CancelScope(shield=True):
            async with results:
                async for first in results:
                    together = [first]
                    with suppress(anyio.WouldBlock, anyio.EndOfStream):
                        while len(together) < batch:
                            together.append(results.receive_nowait())
                    await save(together)

    with first_error():
        async with anyio.create_task_group() as outer:
            outer.start_soon(write)
            async with arriving, anyio.create_task_group() as inner:
                inner.start_soon(feed)
                for _ in range(workers):
                    inner.start_soon(run_worker, todo.clone())
                todo.close()


@contextmanager
def first_error() -> Iterator[None]:
    """Raises the first error of a task group instead of the exception group."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from error.__cause__


def result_without_requests(task: LLMTask[T]) -> T:
    """The result of a task that yields no request, such as those of the extractive backend."""
    try:
        next(task)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("A task that must not yield a request has yielded one.")


async def run_in_thread(task: LLMTask[T]) -> T:
    """The result of a task that yields no request; the task runs in a worker thread."""
    return await anyio.to_thread.run_sync(result_without_requests, task)
