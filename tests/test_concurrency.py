"""Many workers, one writer: what is saved, whatever ends the flow."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial

import anyio
import pytest
from anyio.lowlevel import checkpoint

from graphrag_neo4j.concurrency import Outcome, run_tasks, work_and_save
from graphrag_neo4j.errors import BudgetSpentError, GraphError, ModelError, ReplyError

pytestmark = pytest.mark.usefixtures("in_time")


@pytest.fixture
async def in_time() -> AsyncIterator[None]:
    """No deadlock: each test ends by itself."""
    with anyio.fail_after(20):
        yield


class Saved:
    """A writer that remembers each batch; it may wait for a signal, or fail at a batch."""

    def __init__(self, *, fails_at: int = 0, waits: bool = False) -> None:
        self.batches: list[list[object]] = []
        self.go = anyio.Event()
        if not waits:
            self.go.set()
        self._fails_at = fails_at

    async def __call__(self, results: Sequence[object]) -> None:
        await self.go.wait()
        if len(self.batches) + 1 == self._fails_at:
            raise GraphError("the disk is full")
        self.batches.append(list(results))

    @property
    def all(self) -> list[object]:
        return [result for batch in self.batches for result in batch]


async def numbers(n: int, *, then: Exception | None = None) -> AsyncIterator[int]:
    for i in range(n):
        yield i
    if then:
        raise then


async def twice(n: int) -> int:
    await checkpoint()
    return 2 * n


async def run(
    saved: Saved,
    work: Callable[[int], Awaitable[int | None]] = twice,
    items: AsyncIterator[int] | None = None,
    *,
    workers: int = 4,
    together: int = 5,
) -> None:
    await work_and_save(items or numbers(20), work, saved, workers=workers, together=together)


async def test_each_result_is_saved_once_in_batches_of_the_size_at_most() -> None:
    saved = Saved()
    await run(saved)
    assert sorted(map(str, saved.all)) == sorted(str(2 * n) for n in range(20))
    assert all(1 <= len(batch) <= 5 for batch in saved.batches)


async def test_results_stay_with_their_items_though_the_last_comes_first() -> None:
    saved = Saved()
    turns = [anyio.Event() for _ in range(9)]
    turns[8].set()

    async def backwards(n: int) -> str:
        await turns[n].wait()
        turns[n - 1].set()
        return f"text {n}"

    await run_tasks(numbers(9), backwards, saved, workers=9, together=2)
    assert saved.all == [Outcome(n, f"text {n}") for n in reversed(range(9))]


async def test_items_are_taken_up_only_as_workers_come_free() -> None:
    """A corpus is never held in memory."""
    taken = finished = 0

    async def items() -> AsyncIterator[int]:
        nonlocal taken
        for n in range(20):
            taken += 1
            assert taken - finished <= 3 + 1
            yield n

    async def work(n: int) -> int:
        nonlocal finished
        await checkpoint()
        finished += 1
        return n

    await run(Saved(), work, items(), workers=3)
    assert taken == 20


async def test_an_error_is_raised_as_it_is_and_what_arrived_is_saved() -> None:
    async def fail_at_ten(n: int) -> int:
        if n == 10:
            raise ModelError("the key is refused")
        return n

    saved = Saved()
    with pytest.raises(ModelError, match="the key is refused"):
        await run(saved, fail_at_ten, workers=1)
    assert saved.all == list(range(10))
    saved = Saved()
    with pytest.raises(GraphError, match="no such page"):
        await run(saved, items=numbers(7, then=GraphError("no such page")), workers=1)
    assert saved.all[:6] == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("workers", [1, 30])
@pytest.mark.parametrize("fails_at", [1, 3])
async def test_an_error_of_the_writer_is_raised_though_workers_wait_for_it(
    workers: int, fails_at: int
) -> None:
    saved = Saved(fails_at=fails_at)
    with pytest.raises(GraphError, match="the disk is full"):
        await run(saved, items=numbers(100), workers=workers, together=2)
    assert len(saved.batches) == fails_at - 1


@pytest.mark.parametrize(("workers", "together", "last"), [(1, 5, 3), (8, 2, 7)])
async def test_what_arrived_is_saved_when_the_flow_is_cancelled(
    workers: int, together: int, last: int
) -> None:
    """Also with eight workers: the writer has one, two wait in its stream, five with workers."""
    saved = Saved(waits=True)  # the writer is busy with the first result all the while

    async def cancel_at_last(n: int) -> int:
        if n == last:
            scope.cancel()
            saved.go.set()
        if n == last and workers == 1:
            await anyio.sleep_forever()
        return n

    with anyio.CancelScope() as scope:
        await run(saved, cancel_at_last, numbers(last + 1), workers=workers, together=together)
    assert scope.cancelled_caught
    assert sorted(map(str, saved.all)) == sorted(map(str, range(last + (workers > 1))))


async def test_an_unusable_reply_fails_its_item_alone() -> None:
    saved = Saved()

    async def odd(n: int) -> int:
        if n % 2:
            raise ReplyError(f"no record in {n}")
        return n

    await run_tasks(numbers(3), odd, saved, workers=1, together=1)
    assert saved.all == [Outcome(0, 0), Outcome(1, failure="no record in 1"), Outcome(2, 2)]


async def test_once_the_budget_is_spent_no_more_items_are_taken_and_the_rest_is_saved() -> None:
    saved = Saved()
    asked = []
    spent = anyio.Event()

    async def dear(n: int) -> int:
        asked.append(n)
        if n == 3:
            spent.set()
            raise BudgetSpentError("The cost limit is reached.")
        if n == 2:
            await spent.wait()  # under way when the limit is reached: it may finish
        return n

    with pytest.raises(BudgetSpentError, match="cost limit"):
        await run_tasks(numbers(100), dear, saved, workers=2, together=1)
    assert {outcome.item for outcome in saved.all if isinstance(outcome, Outcome)} >= {0, 1, 2}
    assert len(asked) <= 6  # those that were taken up before


async def fail_at_three(n: int) -> int:
    await checkpoint()
    if n == 3:
        raise ReplyError("isn't a list")
    return n


async def test_each_outcome_is_told_at_once_and_not_when_its_batch_is_saved() -> None:
    saved = Saved(waits=True)
    told: list[tuple[int, int]] = []

    def hear(done: int, failed: int) -> None:
        told.append((done, failed))
        if len(told) == 5:
            saved.go.set()  # nothing was saved until then

    await run_tasks(numbers(5), fail_at_three, saved, workers=5, together=5, advance=hear)
    assert sorted(told) == [(0, 1), (1, 0), (1, 0), (1, 0), (1, 0)]


async def test_what_was_told_and_could_not_be_saved_is_taken_back() -> None:
    saved = Saved(fails_at=2)
    told: list[tuple[int, int]] = []
    tell = partial(run_tasks, advance=lambda *n: told.append(n))
    with pytest.raises(GraphError):
        await tell(numbers(20), fail_at_three, saved, workers=3, together=2)
    outcomes = [one for one in saved.all if isinstance(one, Outcome)]
    assert len(outcomes) == len(saved.all) > 0
    assert sum(done for done, _ in told) == sum(one.failure is None for one in outcomes)
    assert sum(failed for _, failed in told) == sum(one.failure is not None for one in outcomes)
