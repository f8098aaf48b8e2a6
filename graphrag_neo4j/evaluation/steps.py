"""A step of an evaluation: it makes the records that are not there yet.

Each step has the same form: items, a function that makes the record of one item, and the file that
takes the records. So every step can be stopped and continued, and nothing is paid for twice.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from graphrag_neo4j.concurrency import Outcome, run_tasks
from graphrag_neo4j.evaluation.records import Record, RecordFile
from graphrag_neo4j.events import Advanced, Listener, Started

__all__ = ["Item", "Step", "StepResult", "make_missing"]

BATCH = 16  # records that are written together, if so many have arrived


class Item(Protocol):
    """What a record is made from; `key` is the key that the record will have."""

    @property
    def key(self) -> str: ...


T = TypeVar("T", bound=Item)
R = TypeVar("R", bound=Record)


@dataclass(slots=True)
class StepResult:
    """What a step did: records that were there already, made now, and failed now."""

    there: int = 0
    made: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Step(Generic[T, R]):
    """A step of an evaluation.

    `make` returns the record of an item, or raises ReplyError; then `missing` returns the record
    that says why there is none.
    """

    name: str
    file: RecordFile[R]
    make: Callable[[T], Awaitable[R]]
    missing: Callable[[T, str], R]


async def make_missing(
    step: Step[T, R], items: Sequence[T], *, workers: int, listen: Listener
) -> StepResult:
    """Makes the records of the items that the file does not hold, `workers` at the same time.

    Items with the same key are made once. Raises BudgetSpentError if the cost limit is reached, and
    ModelError if the model can't be used at all; what was made before is saved.
    """
    missing = {item.key: item for item in items if item.key not in step.file}
    todo = list(missing.values())
    result = StepResult(there=len(items) - len(todo))
    listen(Started(step.name, len(todo)))

    async def pending() -> AsyncIterator[T]:
        for item in todo:
            yield item

    async def save(outcomes: Sequence[Outcome[T, R]]) -> None:
        step.file.add([_record(step, outcome) for outcome in outcomes])

    def advance(done: int, failed: int) -> None:
        result.made += done
        result.failed += failed
        listen(Advanced(done, failed))

    await run_tasks(pending(), step.make, save, workers=workers, batch=BATCH, advance=advance)
    return result


def _record(step: Step[T, R], outcome: Outcome[T, R]) -> R:
    if outcome.result is not None:
        return outcome.result
    return step.missing(outcome.item, outcome.failure or "it has no result")
