"""Decides how a run uses batches, and puts them between its stages and the endpoint."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from graphrag_neo4j.backends import IndexSetup
from graphrag_neo4j.concurrency import Answered
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.indexing.batching.outbox import Outbox
from graphrag_neo4j.indexing.batching.rounds import BatchRounds
from graphrag_neo4j.indexing.batching.tasks import drop_requests, keep_replies
from graphrag_neo4j.indexing.stage_context import StageContext
from graphrag_neo4j.llm import BatchRequests, Endpoint
from graphrag_neo4j.model import Step
from graphrag_neo4j.settings import Settings

__all__ = ["BatchUse", "UntilAnswered", "refuse_without_model", "use_batches"]

BatchUse = Literal["no", "send", "wait"]
"""Whether a run sends its requests in batches, and whether it waits for these."""


class UntilAnswered(Protocol):
    """Runs work whose tasks belong to some steps, until all of its requests are answered."""

    async def __call__(self, work: Callable[[], Awaitable[None]], /, *steps: Step) -> None: ...


async def _at_once(work: Callable[[], Awaitable[None]], /, *_steps: Step) -> None:
    await work()


class _KeptReplies:
    """Keeps replies that wait for the writer as those of batches, until their step is done.

    The run after a killed one finds them as it finds those of batches.
    """

    def __init__(self, graph: Graph, endpoint: Endpoint) -> None:
        self._graph, self._requests = graph, BatchRequests(endpoint)
        self._any = False

    async def keep(self, answered: Sequence[Answered]) -> None:
        self._any = True
        await keep_replies(self._graph, self._requests, answered)

    async def until_answered(self, work: Callable[[], Awaitable[None]], /, *steps: Step) -> None:
        await work()
        if self._any:
            self._any = False
            await drop_requests(self._graph, steps)


def refuse_without_model(use: BatchUse, setup: IndexSetup) -> None:
    """Raises InputError for batches of a run that asks no model."""
    if use != "no" and setup.endpoint is None:
        raise InputError(
            "An extractive index asks no model, so it has no requests to send in batches: set a "
            "model, or run the command without --batch."
        )


async def use_batches(
    stage: StageContext, setup: IndexSetup, settings: Settings, outbox: Outbox, use: BatchUse
) -> tuple[StageContext, UntilAnswered]:
    """The stage context and the runner of stages for this use of batches.

    A run without batches uses the replies that earlier batches have brought, and those that a
    killed run has kept.
    """
    if setup.endpoint is None:
        return stage, _at_once
    direct = use == "no"
    if direct:
        kept = _KeptReplies(stage.graph, setup.endpoint)
        stage = replace(stage, keep=kept.keep)
        if not (await stage.graph.read("batch/count", CountRow))[0]["n"]:
            return stage, kept.until_answered
    rounds = BatchRounds(
        stage.graph,
        setup.endpoint,
        stage.listen,
        outbox,
        wait=use == "wait",
        direct=direct,
        poll=settings.batch_poll_seconds,
    )
    tasks = rounds.tasks
    batched = replace(stage, run=tasks.run, batched=not direct, waits=lambda: tasks.waits)
    return batched, rounds.until_answered
