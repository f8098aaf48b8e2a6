"""Runs LLM tasks with the replies that batches have brought.

An LLM task is a generator of requests, and the same replies give the same next request. So nothing
of a task is saved between two rounds: each round runs it from its beginning. Where the reply to a
request is in the graph, the task receives it and goes on. Otherwise the request is put into the
outbox for the next round, and the item of the task waits.

The first request of each form is sent directly: so the options that the endpoint refuses are left
out of a whole batch, and a wrong key or model is found before a file is uploaded.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypedDict

import anyio

from graphrag_neo4j.concurrency import Answered, ReplyPendingError
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import CountRow, IdRow
from graphrag_neo4j.index.batches.outbox import Outbox
from graphrag_neo4j.llm.endpoint import Endpoint, driven
from graphrag_neo4j.llm.endpoint.batches import BatchRequests
from graphrag_neo4j.model.types import LLMTask, Reply, Request, Step, T


class RequestRow(TypedDict):
    """A request: its reply `text`, or the `error` that it got; neither where none has come yet.

    `cut` says whether the reply ended at its limit. `problem` is that of a result without a reply,
    and `tries` is the number of results without a reply.
    """

    text: str | None
    cut: bool
    error: str | None
    problem: str | None
    tries: int


DROPPED: Final = 10_000  # requests that are removed together
ROOM_TRIES = 2  # at a reply whose text did not begin before its limit, as of direct calls
Form = tuple[str, bool, bool]
"""What the options of a request depend on: its model, whether it has a schema, and choices."""


async def keep_replies(graph: Graph, requests: BatchRequests, answered: Sequence[Answered]) -> None:
    """Saves the replies to requests that were sent directly, beside a transaction of the writer."""
    rows = [
        {"id": requests.key(request), "text": reply.text, "cut": reply.cut}
        for request, reply in answered
    ]
    await graph.transact(lambda tx: tx.run("batch/answered", rows=rows), fenced=False)


async def drop_requests(graph: Graph, steps: Sequence[Step]) -> None:
    """Removes the requests of steps that are done."""
    while (await graph.write("batch/drop", CountRow, steps=steps, limit=DROPPED))[0]["n"]:
        pass


class BatchedTasks:
    """Runs tasks in rounds.

    With `direct`, a request without a reply in the graph is sent at once, and no item waits.
    `waits` says whether an item of this round waits for a reply that is still to come.
    """

    def __init__(self, graph: Graph, endpoint: Endpoint, outbox: Outbox, *, direct: bool) -> None:
        self._graph, self._endpoint, self._outbox = graph, endpoint, outbox
        self._requests = BatchRequests(endpoint)
        self._direct = direct
        self._known: set[str] = set()
        self._forms: set[Form] = set()
        self._trying = anyio.Lock()
        self._promised = 0.0  # US dollars that are reserved for the batches which are not over
        self.waits = False

    async def begin_round(self, promised: float) -> None:
        """Looks which requests are in the graph; `promised` is what the open batches may cost."""
        self.waits = False
        self.promise(promised)
        self._known = {row["id"] for row in await self._graph.read_bulk("batch/known", IdRow)}

    def promise(self, dollars: float) -> None:
        """Reserves what the batches that are not over may cost, instead of what was before."""
        self._endpoint.meter.reserve(dollars - self._promised)
        self._promised = dollars

    async def run(self, task: LLMTask[T]) -> T:
        """Runs a task to its end, as `RunTask` says.

        Raises ReplyPendingError where a reply is still to come.
        """
        repaired = Counter[Step]()
        ended = True
        try:
            return await driven(task, self._reply, lambda step, n: repaired.update({step: n}))
        except ReplyPendingError:
            ended = False
            raise
        finally:
            # Once, since a task is run from its beginning in each round.
            for step, parts in repaired.items() if ended else ():
                self._endpoint.meter.note_repaired(step, parts)

    async def _reply(self, request: Request) -> Reply | ReplyError:
        """The reply to a request, or the error with which it failed."""
        key = self._requests.key(request)
        row: RequestRow | None = None
        if key in self._known:
            row = next(iter(await self._graph.read("batch/request", RequestRow, id=key)), None)
        if row and row["text"] is not None:
            return self._requests.reply(request, row["text"], cut=row["cut"])
        if row and row["error"] is not None and self._is_given_up(row):
            return ReplyError(row["error"], refused=row["problem"] == "refused")
        if self._direct:
            return await self._endpoint.reply_or_error(request)
        if not row or row["error"] is not None:
            if tried := await self._tried(request, key):
                return tried
            await self._put(request, key, more_room=bool(row and row["problem"] == "more room"))
        self.waits = True
        raise ReplyPendingError

    def _is_given_up(self, row: RequestRow) -> bool:
        if row["problem"] == "more room":
            return row["tries"] >= ROOM_TRIES
        final = row["problem"] in {"final", "refused"}
        return final or row["tries"] > self._endpoint.settings.max_retries

    async def _tried(self, request: Request, key: str) -> Reply | ReplyError | None:
        """Sends the first request of a form directly and saves its reply; None for later ones."""
        form = (self._requests.model(request), bool(request.schema), bool(request.choices))
        async with self._trying:
            if form in self._forms:
                return None
            reply = await self._endpoint.reply_or_error(request)
            if isinstance(reply, Reply):
                self._forms.add(form)
                await keep_replies(self._graph, self._requests, [(request, reply)])
                self._known.add(key)
            return reply

    async def _put(self, request: Request, key: str, *, more_room: bool) -> None:
        """Puts a request into the outbox. Raises BudgetSpentError if it could cost too much."""
        if key in self._outbox:
            return
        line, cost = self._requests.line(request, more_room=more_room)
        async with self._endpoint.meter.hold(cost or 0.0):
            self.promise(self._promised + (cost or 0.0))
        self._outbox.add(self._requests.model(request), key, line, cost)
