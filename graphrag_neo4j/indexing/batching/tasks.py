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
from typing import Final, cast

import anyio

from graphrag_neo4j.concurrency import Answered, ReplyPendingError
from graphrag_neo4j.errors import BudgetSpentError, ReplyError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.graph.rows import CountRow, IdRow
from graphrag_neo4j.indexing.batching.outbox import Outbox
from graphrag_neo4j.indexing.batching.rows import RequestRow
from graphrag_neo4j.llm import BatchRequests, Endpoint
from graphrag_neo4j.llm.cost import us_dollars
from graphrag_neo4j.model import LLMTask, Reply, Request, Step, T

__all__ = ["BatchedTasks", "drop_requests", "keep_replies"]

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
    `waiting` counts the requests of this round whose replies are still to come. `promised` is the
    largest possible cost of the batches that are not over, in US dollars.
    """

    def __init__(self, graph: Graph, endpoint: Endpoint, outbox: Outbox, *, direct: bool) -> None:
        self._graph, self._endpoint, self._outbox = graph, endpoint, outbox
        self._requests = BatchRequests(endpoint)
        self._direct = direct
        self._known: set[str] = set()
        self._forms: set[Form] = set()
        self._trying = anyio.Lock()
        self.waiting = 0
        self.promised = 0.0

    @property
    def waits(self) -> bool:
        """Whether an item of this round waits for a reply."""
        return self.waiting > 0

    async def begin_round(self, promised: float) -> None:
        """Looks which requests are in the graph; `promised` is what the open batches may cost."""
        self.waiting, self.promised = 0, promised
        self._known = {row["id"] for row in await self._graph.read_bulk("batch/known", IdRow)}

    async def run(self, task: LLMTask[T]) -> T:
        """Runs a task to its end, as `RunTask` says.

        Raises ReplyPendingError where a reply is still to come.
        """
        repaired = Counter[Step]()
        try:
            request = next(task)
            while True:
                reply = await self._reply(request)
                request = _advance(task, request, reply, repaired)
        except StopIteration as done:
            self._note(repaired)
            return cast("T", done.value)
        except ReplyError:
            self._note(repaired)
            raise

    def _note(self, repaired: Counter[Step]) -> None:
        """Counts what was repaired in the replies to a task that has ended: once, as it is run
        from its beginning in each round.
        """
        for step, parts in repaired.items():
            self._endpoint.meter.note_repaired(step, parts)

    async def _reply(self, request: Request) -> Reply | ReplyError:
        """The reply to a request, or the error with which it failed."""
        key = self._requests.key(request)
        row = await self._row(key)
        if row and row["text"] is not None:
            return self._requests.reply(request, row["text"], cut=row["cut"])
        if row and row["error"] is not None:
            refused = row["problem"] == "refused"
            if refused or self._is_given_up(row):
                return ReplyError(row["error"], refused=refused)
        if self._direct:
            return await self._endpoint.reply_or_error(request)
        if not row or row["error"] is not None:
            if tried := await self._tried(request, key):
                return tried
            self._put(request, key, more_room=bool(row and row["problem"] == "more room"))
        self.waiting += 1
        raise ReplyPendingError

    async def _row(self, key: str) -> RequestRow | None:
        if key not in self._known:
            return None
        rows = await self._graph.read("batch/request", RequestRow, id=key)
        return rows[0] if rows else None

    def _is_given_up(self, row: RequestRow) -> bool:
        if row["problem"] == "more room":
            return row["tries"] >= ROOM_TRIES
        return row["problem"] == "final" or row["tries"] > self._endpoint.settings.max_retries

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

    def _put(self, request: Request, key: str, *, more_room: bool) -> None:
        """Puts a request into the outbox. Raises BudgetSpentError if it could cost too much."""
        if key in self._outbox:
            return
        cost = self._requests.cost_at_most(request, more_room=more_room)
        self._check_budget(cost or 0.0)
        line = self._requests.line(request, more_room=more_room)
        self._outbox.add(self._requests.model(request), key, line, cost)

    def _check_budget(self, cost: float) -> None:
        limit = self._endpoint.settings.max_cost
        if limit is None:
            return
        promised = self.promised + self._outbox.cost
        if self._endpoint.meter.total.cost + promised + cost > limit:
            raise BudgetSpentError(
                f"The cost limit of {us_dollars(limit)} allows no more requests in batches: if all "
                "replies were as long as possible, it would be exceeded."
            )


def _advance(
    task: LLMTask[T], request: Request, reply: Reply | ReplyError, repaired: Counter[Step]
) -> Request:
    """Gives a task the reply to its request, and returns its next request."""
    if isinstance(reply, ReplyError):
        return task.throw(reply)
    try:
        return task.send(reply)
    finally:
        repaired[request.step] += len(reply.odd)
