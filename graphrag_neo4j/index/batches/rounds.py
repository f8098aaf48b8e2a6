"""The rounds of a batch run: send requests, wait, collect the results, and run the tasks again.

    tasks ──▶ outbox ──▶ file ──▶ Batch in the graph ──▶ batch of the provider
      ▲                                                          │
      └──────────── BatchRequest in the graph ◀──── results ◀────┘

The graph knows of a batch before the provider does, so that a run which is stopped anywhere neither
loses a batch nor sends it twice. A file that was uploaded and is not in the graph costs nothing.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from tempfile import TemporaryFile
from typing import Final
from uuid import uuid4

import anyio
import anyio.to_thread

from graphrag_neo4j.concurrency import Answered
from graphrag_neo4j.errors import BudgetSpentError, ModelError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.rows import CountRow, IdRow, pages
from graphrag_neo4j.index.batches.outbox import Outbox, RequestFile
from graphrag_neo4j.index.batches.tasks import (
    BatchedTasks,
    drop_requests,
    keep_replies,
)
from graphrag_neo4j.index.batches.use import BatchWaitsError
from graphrag_neo4j.index.status import BatchRow
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.llm.endpoint.batches import (
    BatchCalls,
    BatchRequests,
    BatchResult,
    BatchState,
    PassingError,
    UnknownBatchError,
)
from graphrag_neo4j.model.events import Listener, Notice, Waiting
from graphrag_neo4j.model.types import Step
from graphrag_neo4j.text.strings import money

POLL: Final = 60.0  # seconds between two looks at the batches
PAGE: Final = 1000  # results that are saved together
KEYS: Final = 10_000  # of requests that are saved together
SMALLER: Final = (
    "If your account may not have so much in batches at once, set KG_BATCH_REQUESTS to a smaller "
    "number of requests."
)
EXPIRED: Final = "the batch ended without a result of this request"


class KeptReplies:
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


class BatchRounds:
    """The rounds of one run.

    With `wait` it waits for the batches, and looks at them every POLL seconds. With `direct` it
    sends no batches: it uses the replies that have come, and sends all other requests directly.
    """

    def __init__(
        self,
        graph: Graph,
        endpoint: Endpoint,
        listen: Listener,
        outbox: Outbox,
        *,
        wait: bool,
        direct: bool,
    ) -> None:
        self._graph, self._listen, self._outbox = graph, listen, outbox
        self._calls, self._requests = BatchCalls(endpoint), BatchRequests(endpoint)
        self._wait, self._direct = wait, direct
        self._told = False
        self.tasks = BatchedTasks(graph, endpoint, outbox, direct=direct)

    async def until_answered(self, work: Callable[[], Awaitable[None]], /, *steps: Step) -> None:
        """Runs `work`, whose tasks belong to `steps`, in rounds until none of its items waits.

        Raises BatchWaitsError if the run does not wait for its batches, and what `work` raises.
        """
        try:
            while True:
                batches, spent, sent = await self._collect(), None, 0
                await self.tasks.begin_round(sum(row["cost"] or 0.0 for row in batches))
                try:
                    await work()
                except BudgetSpentError as error:
                    spent = error
                for file in self._outbox.take():
                    uploaded, id_ = await self._calls.upload(file.content), uuid4().hex
                    await self._note_batch(id_, uploaded, file)
                    await self._note_state(id_, await self._calls.create(uploaded, id_))
                    sent += 1
                if spent and (self._direct or not (sent or batches)):
                    raise spent
                if not (self.tasks.waits or spent):
                    break
                if not self._wait:
                    raise BatchWaitsError(await self._what_waits(spent))
                await self._pause()
        finally:
            self.tasks.promise(0.0)  # the next run reserves it again
        await drop_requests(self._graph, steps)

    async def _note_batch(self, id_: str, uploaded: str, file: RequestFile) -> None:
        """Saves a batch and its requests, before the provider makes it."""
        properties = {"file": uploaded, "requests": len(file.keys), "cost": file.cost}

        async def work(tx: Transaction) -> None:
            await tx.run("batch/create", id=id_, properties=properties)
            for keys in pages(file.keys, KEYS):
                await tx.run("batch/requests", batch=id_, keys=keys)

        await self._graph.transact(work)

    async def _note_state(self, id_: str, state: BatchState) -> None:
        await self._graph.write(
            "batch/sent", id=id_, provider=state.id, state=state.state, answered=state.answered
        )

    async def _collect(self) -> list[BatchRow]:
        """Saves the results of the batches that have ended; returns the other batches.

        Raises ModelError if the provider refused batches as a whole and accepts no other, since
        they would be refused again.
        """
        open_, refusals, answered = [], [], 0
        for row in await self._graph.read("batch/list", BatchRow):
            state = await self._state(row)
            if state is None:
                continue
            if not state.ended:
                open_.append(row)
                continue
            await self._save_results(row, state)
            if state.state == "failed":
                reason = (state.refusal or "no reason is given").rstrip(".")
                refusals.append(f"The provider refused a batch as a whole: {reason}.")
            else:
                answered += 1
        if refusals and not (open_ or answered or self._direct):
            raise ModelError(f"{refusals[0]} {SMALLER}")
        for sentence in refusals:
            self._warn(sentence)
        waiting = sum(row["requests"] for row in open_)
        if self._direct and waiting and not self._told:
            self._told = True
            self._warn(
                f"Requests that still wait in batches: {waiting:,}. This run asks for them "
                "directly, so they are paid for twice. Give --batch to go on with the batches."
            )
        return open_

    async def _state(self, row: BatchRow) -> BatchState | None:
        """The state of a batch at the provider; it is sent if it was only uploaded.

        None where a direct run forgets a batch that the endpoint does not know.
        """
        sent = row["sent"][:16].replace("T", " ")
        which = f"The batch {row['provider'] or row['file']}, which was sent at {sent} UTC,"
        try:
            if row["provider"] is not None:
                state = await self._calls.state(row["provider"])
            else:
                state = await self._uploaded(row)
        except UnknownBatchError as error:
            if not self._direct:
                raise ModelError(
                    f"{which} is not known to this endpoint: set OPENAI_BASE_URL and "
                    "OPENAI_API_KEY to those with which it was sent, or forget it by a run "
                    f"without --batch ({error})."
                ) from None
            self._warn(f"{which} is forgotten: {str(error).rstrip('.')}.")
            await self._forget(row["id"])
            return None
        await self._note_state(row["id"], state)
        return state

    async def _uploaded(self, row: BatchRow) -> BatchState:
        """The state of a batch of which is known only that its file was uploaded."""
        if found := await self._calls.find(row["id"]):
            return found
        if self._direct:
            raise UnknownBatchError("it was uploaded, and never sent")
        return await self._calls.create(row["file"], row["id"])

    async def _save_results(self, row: BatchRow, state: BatchState) -> None:
        """Saves all results of an ended batch, and removes the batch."""
        for file in state.files:
            with TemporaryFile() as lines:  # it has no name, so a killed process leaves none behind
                await self._calls.download(file, lines)
                lines.seek(0)
                results = filter(None, map(self._requests.result, lines))
                for page in pages(results, PAGE):
                    await self._save_page(row["id"], page)
        if state.state != "failed":  # what a refused batch held is as if it had not been sent
            await self._graph.write("batch/unanswered", CountRow, batch=row["id"], reason=EXPIRED)
        await self._forget(row["id"])
        for file in (row["file"], *state.files):
            if reason := await self._calls.delete(file):
                self._warn(f"The provider still holds the file {file} of a batch: {reason}")

    async def _save_page(self, batch: str, page: Sequence[BatchResult]) -> None:
        """Saves results, and counts those that were not saved before."""
        rows = [
            {
                "key": result.key,
                "text": result.reply.text if result.reply else None,
                "cut": result.reply.cut if result.reply else None,
                "error": None if result.reply else result.error,
                "problem": result.problem,
            }
            for result in page
        ]
        saved = await self._graph.write("batch/results", IdRow, batch=batch, rows=rows)
        new = {row["id"] for row in saved}
        for result in page:
            if result.key in new:
                self._requests.count(result)

    async def _forget(self, id_: str) -> None:
        async def work(tx: Transaction) -> None:
            await tx.run("batch/forget", batch=id_)
            await tx.run("batch/close", id=id_)

        await self._graph.transact(work)

    async def _what_waits(self, spent: BudgetSpentError | None) -> str:
        """A sentence about the batches that are not over."""
        rows = await self._graph.read("batch/list", BatchRow)
        requests, answered = (sum(row[name] for row in rows) for name in ("requests", "answered"))
        costs = [row["cost"] for row in rows]
        total = sum(cost or 0.0 for cost in costs)
        most = "" if None in costs else f" They cost at most {money(total)}."
        said = (
            f"Batches that wait at the provider, which takes up to 24 hours: {len(rows):,}. "
            f"Requests that are answered: {answered:,} of {requests:,}.{most}"
        )
        return f"{said} {spent}" if spent else said

    async def _pause(self) -> None:
        """Waits until all batches are over."""
        began, away = time.monotonic(), False
        while rows := await self._graph.read("batch/list", BatchRow):
            done = sum(row["answered"] for row in rows)
            count = f"{done:,} of {sum(row['requests'] for row in rows):,} requests answered"
            self._listen(Waiting(f"Waiting for the provider ({count})", time.monotonic() - began))
            await anyio.sleep(POLL)
            try:
                await self._collect()
            except PassingError as error:  # a wait of hours survives a network outage
                if not away:
                    self._warn(f"{error} The run goes on waiting.")
                away = True
            else:
                away = False
        self._listen(Waiting("", time.monotonic() - began))

    def _warn(self, sentence: str) -> None:
        self._listen(Notice(sentence, warning=True))
