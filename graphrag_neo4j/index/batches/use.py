"""Whether the requests of a run go to the model in batches."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Literal, Protocol

from graphrag_neo4j.backends import IndexSetup
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.index.batches.outbox import Outbox
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.types import Step

BatchUse = Literal["no", "send", "wait"]
"""Whether a run sends its requests in batches, and whether it waits for these."""


class BatchWaitsError(Exception):
    """The run ends because batches are not over; the message is a sentence for a person."""


class UntilAnswered(Protocol):
    """Runs work whose tasks belong to some steps, until all of its requests are answered."""

    async def __call__(self, work: Callable[[], Awaitable[None]], /, *steps: Step) -> None: ...


def refuse_without_model(use: BatchUse, setup: IndexSetup) -> None:
    """Raises InputError for batches of a run that asks no model."""
    if use != "no" and setup.endpoint is None:
        raise InputError(
            "An extractive index asks no model, so it has no requests to send in batches: set a "
            "model (and add --with-model to a graph that was made without one), or leave out "
            "--batch."
        )


async def use_batches(
    stage: StageContext, setup: IndexSetup, outbox: Outbox, use: BatchUse
) -> tuple[StageContext, UntilAnswered]:
    """The stage context and the runner of stages for this use of batches.

    A run without batches uses the replies that earlier batches have brought, and those that a
    killed run has kept.
    """
    if setup.endpoint is None:

        async def at_once(work: Callable[[], Awaitable[None]], /, *_steps: Step) -> None:
            await work()

        return stage, at_once
    # They bring the client of the endpoint, which takes a moment to import.
    from graphrag_neo4j.index.batches.rounds import BatchRounds, KeptReplies  # noqa: PLC0415

    direct = use == "no"
    if direct:
        kept = KeptReplies(stage.graph, setup.endpoint)
        stage = replace(stage, keep=kept.keep)
        if not (await stage.graph.read("batch/count", CountRow))[0]["n"]:
            return stage, kept.until_answered
    rounds = BatchRounds(
        stage.graph, setup.endpoint, stage.listen, outbox, wait=use == "wait", direct=direct
    )
    tasks = rounds.tasks
    batched = replace(stage, run=tasks.run, batched=not direct, waits=lambda: tasks.waits)
    return batched, rounds.until_answered
