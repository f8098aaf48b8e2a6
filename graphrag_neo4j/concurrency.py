"""Many workers that run tasks and one writer that saves: all slow stages have this form.

    items ──▶ worker, worker, worker … ──▶ writer (several at once, as results arrive)

If an error or Ctrl-C ends the work early, the writer first saves the results that have arrived.
Where a process is killed, nothing can do so. So a reply that was paid for, and waits for the writer
or for the next reply to its task, is kept as it is after a second.
"""

import time
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import count
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

    @property
    def failed(self) -> bool:
        """Whether it has no result."""
        return self.failure is not None


async def run_tasks(
    items: AsyncIterable[T],
    task: Callable[[T], Awaitable[R]],
    save: Callable[[Sequence[Outcome[T, R]]], Awaitable[None]],
    *,
    workers: int,
    together: int,
    advance: Callable[[int, int], None] = lambda _done, _failed: None,
    keep: Keep | None = None,
) -> None:
    """Runs a task for each item and saves the outcomes, failures included.

    `task` is run by `workers` workers at the same time; `save` gets at most `together` outcomes.
    `advance` is called after each task with the numbers of items that are done and failed; numbers
    below 0 take back outcomes that could not be saved. `keep` gets the replies of `heard` whose
    outcomes are not saved after a second.

    A ReplyError fails only its item. An item whose task raises ReplyPendingError has no outcome: it
    is neither done nor failed. When the cost limit is reached, no more items are started, the
    running ones may finish, and BudgetSpentError is raised at the end.
    """
    spent: list[BudgetSpentError] = []
    replies = _Replies()
    unsaved = Counter[bool]()  # outcomes that were reported, by whether they failed

    async def work(item: T) -> tuple[Outcome[T, R], list[int]] | None:
        numbers: list[int] = []
        _hearing.set(partial(replies.hear, numbers))
        try:
            outcome: Outcome[T, R] = Outcome(item, await task(item))
        except ReplyError as error:
            outcome = Outcome(item, failure=str(error))
        except ReplyPendingError:
            return None
        except BudgetSpentError as error:
            spent.append(error)
            return None
        unsaved[outcome.failed] += 1
        advance(int(not outcome.failed), int(outcome.failed))
        return outcome, numbers

    async def save_counted(results: Sequence[tuple[Outcome[T, R], list[int]]]) -> None:
        await save([outcome for outcome, _ in results])
        unsaved.subtract(outcome.failed for outcome, _ in results)
        replies.drop([number for _, numbers in results for number in numbers])

    try:
        with first_error():
            async with anyio.create_task_group() as tasks:
                if keep:
                    tasks.start_soon(replies.keep_old, keep)
                affordable = _affordable(items, spent)
                await work_and_save(
                    affordable, work, save_counted, workers=workers, together=together
                )
                tasks.cancel_scope.cancel()
    finally:
        if any(unsaved.values()):
            advance(-unsaved[False], -unsaved[True])
    if spent:
        raise spent[0]


async def _affordable(
    items: AsyncIterable[T], spent: Sequence[BudgetSpentError]
) -> AsyncIterator[T]:
    """The items, until the cost limit is reached."""
    async for item in items:
        if spent:
            return
        yield item


def heard(request: Request, reply: Reply) -> None:
    """Notes that a request of the running task was answered, until its outcome is saved."""
    if hear := _hearing.get(None):
        hear((request, reply))


class _Replies:
    """The replies whose outcomes are not saved yet, by number, and since when they wait."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[float, Answered]] = {}
        self._numbers = count()

    def hear(self, numbers: list[int], answered: Answered) -> None:
        numbers.append(number := next(self._numbers))
        self._waiting[number] = time.monotonic(), answered

    def drop(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self._waiting.pop(number, None)

    async def keep_old(self, keep: Keep) -> None:
        """Keeps the replies that wait for too long, until it is cancelled."""
        while True:
            await anyio.sleep(TICK)
            until = time.monotonic() - KEPT_AFTER
            old = [number for number, (since, _) in self._waiting.items() if since < until]
            if old:
                await keep([self._waiting.pop(number)[1] for number in old])


async def work_and_save(
    items: AsyncIterable[T],
    work: Callable[[T], Awaitable[R | None]],
    save: Callable[[Sequence[R]], Awaitable[None]],
    *,
    workers: int,
    together: int,
) -> None:
    """Gives each item to one of `workers` workers; saves at most `together` results at once.

    A result of None is not saved. Raises the first error of `items`, `work` or `save`.
    """
    waiting, todo = anyio.create_memory_object_stream[T](workers)
    arriving, results = anyio.create_memory_object_stream[R](together)

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
                    page = [first]
                    with suppress(anyio.WouldBlock, anyio.EndOfStream):
                        while len(page) < together:
                            page.append(results.receive_nowait())
                    await save(page)

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
