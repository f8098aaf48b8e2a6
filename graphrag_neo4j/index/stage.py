"""The stages of an index, one file each.

Each stage reads its pending items from the graph, runs a task for each, and saves the results.
"""

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeVar

from graphrag_neo4j.concurrency import Keep, Outcome, run_tasks
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.contracts import IndexBackend, RunTask
from graphrag_neo4j.model.events import Advanced, Listener, silent

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class StageContext:
    """The dependencies of a stage.

    `run` runs a task of `backend`; the stage runs up to `workers` tasks at the same time. `listen`
    receives the events, and `keep` the replies that wait until their results are saved. `batched`
    says whether requests go to the model in batches; then `waits` says whether a task of this
    round waits for its reply, so that what needs all results can't be done yet.
    """

    graph: Graph
    backend: IndexBackend
    run: RunTask
    workers: int
    listen: Listener
    keep: Keep | None = None
    batched: bool = False
    waits: Callable[[], bool] = lambda: False

    async def run_tasks(
        self,
        items: Callable[[Listener], AsyncIterable[T]],
        task: Callable[[T], Awaitable[R]],
        save: Callable[[Sequence[Outcome[T, R]]], Awaitable[None]],
        *,
        together: int,
        counted: bool = False,
        save_at_end: bool = False,
    ) -> bool:
        """Runs a task for each item as `run_tasks` does; returns whether all replies have come.

        `items` yields the items and sends the listener how many need no task. With `counted`, each
        task that ends is an event. `save_at_end`: what is saved would change the items, so with
        batches nothing is saved before all replies have come.
        """
        if save_at_end and self.batched:
            await run_tasks(items(silent), task, _forget, workers=self.workers, together=together)
            if self.waits():
                return False

        def advance(done: int, failed: int) -> None:
            if counted:
                self.listen(Advanced(done, failed))

        await run_tasks(
            items(self.listen),
            task,
            save,
            workers=self.workers,
            together=together,
            advance=advance,
            keep=self.keep,
        )
        return not self.waits()


def in_batches(
    items: Iterable[T], size: Callable[[T], int], apart: Callable[[T], object], room: int, most: int
) -> list[tuple[T, ...]]:
    """Packs items into batches for one request: the largest first, each where it still fits.

    A batch has at most `most` items, of at most `room` tokens together or of one item that is
    larger. Items for which `apart` gives the same value are never in one batch.
    """
    batches: list[list[T]] = []
    taken: list[int] = []
    measured = [(size(item), item) for item in items]
    for n, item in sorted(measured, key=itemgetter(0), reverse=True):
        for place, batch in enumerate(batches):
            fits = len(batch) < most and taken[place] + n <= room
            if fits and all(apart(one) != apart(item) for one in batch):
                batch.append(item)
                taken[place] += n
                break
        else:
            batches.append([item])
            taken.append(n)
    return [tuple(batch) for batch in batches]


def of_each(
    outcomes: Sequence[Outcome[tuple[T, ...], Sequence[R | ReplyError]]],
) -> list[Outcome[T, R]]:
    """The outcomes of the items of batches. If a batch failed, so has each of its items."""
    found: list[Outcome[T, R]] = []
    for batch in outcomes:
        failed = [ReplyError(batch.failure or "")] * len(batch.item)
        for item, result in zip(batch.item, batch.result or failed, strict=True):
            if isinstance(result, ReplyError):
                found.append(Outcome(item, failure=str(result)))
            else:
                found.append(Outcome(item, result))
    return found


async def _forget(_outcomes: object) -> None:
    """Saves nothing: the replies are in the graph."""
