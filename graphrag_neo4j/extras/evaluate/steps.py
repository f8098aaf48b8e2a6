"""A step of an evaluation: it makes the records that are not there yet.

    items ──▶ those without a record ──▶ a call, or several, for each ──▶ the file of the records

So every step can be stopped and continued, and nothing is paid for twice. A record that takes
several calls keeps their replies until it is whole (`RememberingEndpoint`).
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, Final, Generic, Protocol, Self, TypeVar

from graphrag_neo4j.concurrency import Outcome, run_tasks
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.extras.evaluate.folder import CallRecord, RecordFile
from graphrag_neo4j.extras.evaluate.tasks.judges import plain_answer
from graphrag_neo4j.index.estimate import StepEstimate, priced
from graphrag_neo4j.llm.endpoint import Endpoint, driven, model_of
from graphrag_neo4j.llm.endpoint.cost import Meter
from graphrag_neo4j.model.events import Advanced, Listener, Spent, Started
from graphrag_neo4j.model.types import LLMTask, Reply, Request, Step, Usage
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import identify

TOGETHER: Final = 16  # records that are written together, if so many have arrived


class Item(Protocol):
    """What a record is made from. `record` is that record as long as it is missing."""

    @property
    def record(self) -> Any: ...  # noqa: ANN401 - a record of the step


T = TypeVar("T", bound=Item)
V = TypeVar("V")


@dataclass(slots=True)
class StepResult:
    """What a step did: records that were there already, made now, and failed now."""

    there: int = 0
    made: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """What a step still takes: records that are there, those that are missing, and their calls."""

    there: int
    missing: int
    steps: Sequence[StepEstimate] = ()


def token_counter() -> Callable[[str], int]:
    """Returns a function that counts the tokens of an answer once, without its citations."""
    return cache(lambda text: tokens.count(plain_answer(text)))


@dataclass(frozen=True, slots=True)
class EvaluationStep(Generic[T]):
    """The records that are to be in a `file`: those of the `items`."""

    name: str
    file: RecordFile[Any]
    items: Sequence[T]

    def missing(self) -> list[T]:
        """Returns the items whose record is not there; of several with one key the last."""
        keyed = {one.record.key: one for one in self.items}
        return [one for key, one in keyed.items() if key not in self.file]

    def calls_for(self, missing: Sequence[T]) -> Sequence[StepEstimate]:  # noqa: ARG002
        """Returns the calls that these items take; without a model there are none.

        Raises InputError if a cost limit is set and the price of a model is not known.
        """
        return ()

    def estimate(self) -> RemainingWork:
        """Returns what there is and what is missing, with the calls that this takes."""
        missing = self.missing()
        there = len({one.record.key for one in self.items}) - len(missing)
        return RemainingWork(there, len(missing), self.calls_for(missing))

    async def run(
        self,
        make: Callable[[T], Awaitable[Any]],
        *,
        workers: int,
        listen: Listener,
        meter: Meter | None = None,
    ) -> StepResult:
        """Makes the records that are missing, `workers` at the same time, and saves each.

        `make` returns the record of an item, or raises ReplyError: the record is then saved with
        this failure. The listener is told what `meter` has counted. Raises BudgetSpentError if the
        cost limit is reached, and ModelError if the model can't be used at all; what was made
        before is saved.
        """
        todo = self.missing()
        result = StepResult(there=len(self.items) - len(todo))
        listen(Started(self.name, len(todo)))

        async def pending() -> AsyncIterator[T]:
            for item in todo:
                yield item

        async def save(outcomes: Sequence[Outcome[T, Any]]) -> None:
            self.file.add(
                one.result or replace(one.item.record, failure=one.failure) for one in outcomes
            )

        def advance(done: int, failed: int) -> None:
            result.made += done
            result.failed += failed
            listen(Advanced(done, failed))
            if meter:
                spent = meter.total
                listen(Spent(spent.input_tokens + spent.output_tokens, spent.cost))

        await run_tasks(pending(), make, save, workers=workers, together=TOGETHER, advance=advance)
        return result


@dataclass(frozen=True, slots=True)
class ModelStep(EvaluationStep[T]):
    """A step in which a model makes each record.

    `task` returns the record of an item, by `calls` calls of this `kind`. `tokens_of` returns
    the tokens that these send, and those of their replies. With `replies`, what the model said is
    kept there until its record is whole.
    """

    kind: Step
    task: Callable[[T], LLMTask[Any]]
    tokens_of: Callable[[T], tuple[float, float]]
    settings: Settings
    calls: int = 1
    replies: RecordFile[CallRecord] | None = None

    def calls_for(self, missing: Sequence[T]) -> Sequence[StepEstimate]:
        """Estimates the calls that these items take. It makes none."""
        sizes = [self.tokens_of(one) for one in missing]
        sent, replied = (sum(size[n] for size in sizes) for n in (0, 1))
        return [priced(self.kind, self.calls * len(sizes), sent, replied, self.settings)]

    async def complete(self, listen: Listener) -> StepResult:
        """Has the model make the records that are missing, and saves each.

        Raises InputError if no model is set, and the errors of `run`.
        """
        meter, replies = Meter(limit=self.settings.max_cost), self.replies
        async with RememberingEndpoint(self.settings, meter, replies) as endpoint:

            async def make(item: T) -> Any:  # noqa: ANN401 - a record of the step
                return await endpoint.of_record(item.record.key).run(self.task(item))

            workers = self.settings.concurrency
            result = await self.run(make, workers=workers, listen=listen, meter=meter)
        if replies is not None and not result.failed:
            replies.remove()
        return result


class RememberingEndpoint(Endpoint):
    """Sends a request only if `calls` holds no reply to it, and keeps each reply there.

    A reply that is remembered counts in the usage of its record, but not against the cost limit of
    the run, since it was paid for before. One that a task can't use is asked for again. `record` is
    the key of the record for which it asks. Without `calls` it is an endpoint like any other.
    """

    def __init__(
        self, settings: Settings, meter: Meter, calls: RecordFile[CallRecord] | None
    ) -> None:
        super().__init__(settings, meter)
        self.remembered, self.record = calls, ""

    def of_record(self, key: str) -> Self:
        """Returns this endpoint for one record: what it remembers for others is not used.

        So two records that send the same request get two replies, as they would alone.
        """
        part = copy(self)
        part.record = key
        return part

    def key_of(self, request: Request) -> str:
        """Returns the key of the call that sends a request for this record."""
        asked = json.dumps(asdict(request), sort_keys=True, ensure_ascii=False)
        return identify("call", self.record, model_of(self.settings, request.step), asked)

    async def run(self, task: LLMTask[V]) -> V:
        """Runs a task as `Endpoint.run` does; a reply that it can't use is noted as a failure."""
        last = ""

        async def reply(request: Request) -> Reply | ReplyError:
            nonlocal last
            last = self.key_of(request)
            return await self.reply_or_error(request)

        try:
            return await driven(task, reply, self.meter.note_repaired)
        except ReplyError as error:
            if self.remembered is not None and last in self.remembered:
                self.remembered.add([replace(self.remembered[last], failure=str(error))])
            raise

    async def ask(self, request: Request) -> Reply:
        """Returns the reply that is remembered, or sends the request. Raises as `Endpoint.ask`."""
        if self.remembered is None:
            return await super().ask(request)
        key, steps = self.key_of(request), self.meter.steps
        if key in self.remembered:
            call = self.remembered[key]
            steps[request.step] = Usage.total([steps[request.step], call.usage])
            return Reply(call.text, call.cut)
        alone = copy(self)
        alone.meter = Meter(self.meter)  # which counts this call only
        reply = await Endpoint.ask(alone, request)
        self.remembered.add([CallRecord(key, reply.text, reply.cut, alone.meter.total)])
        return reply
