"""Map-reduce: answers a question from many contexts, as in arXiv 2404.16130, section 3.1.6.

The map step turns contexts of limited size, several at the same time, into points with a
helpfulness from 0 to 100. The reduce step drops the points with 0 and makes the answer from the
most helpful of the others in one last call.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import anyio

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.model import FinalTask, LLMTask, Point, T
from graphrag_neo4j.model.concurrency import first_error
from graphrag_neo4j.model.context_table import ContextRecord, ContextTable
from graphrag_neo4j.model.events import Advanced, Started
from graphrag_neo4j.model.protocols import RunTask
from graphrag_neo4j.query.query_context import QueryContext, SearchResult
from graphrag_neo4j.text import flat, shortened
from graphrag_neo4j.text.tokens import CountTokens

__all__ = ["SkippedCalls", "answer_from", "pack"]


def pack(query: QueryContext, units: Iterable[Sequence[ContextRecord]]) -> list[ContextTable]:
    """Packs units of records, in their order, into contexts of at most `map_context_tokens`.

    A unit is not divided. Of a unit that is larger than a context, only the part that fits is
    kept.
    """
    contexts: list[ContextTable] = []
    for unit in units:
        if not (contexts and contexts[-1].add(unit)):
            contexts.append(query.table(query.settings.map_context_tokens))
            if not contexts[-1].add(unit):
                contexts[-1].add_each(_cut(query, unit))
    return [table for table in contexts if table.records]


def _cut(query: QueryContext, unit: Sequence[ContextRecord]) -> list[ContextRecord]:
    """Returns the records, each shortened to at most half of a context."""
    room = query.settings.map_context_tokens // 2
    return [_shortened(record, room, query.count) for record in unit]


def _shortened(record: ContextRecord, room: int, count: CountTokens) -> ContextRecord:
    """Shortens a record to at most `room` tokens.

    It keeps the pieces that are still complete or, if there is none, the beginning of the first.
    """
    text = shortened(record.text, room, count)
    whole = tuple(piece for piece in record.pieces if flat(piece) in text)
    pieces = whole or tuple(shortened(piece, room, count) for piece in record.pieces[:1])
    return ContextRecord(record.kind, record.ref, record.id, text, pieces=pieces)


async def answer_from(query: QueryContext, contexts: Sequence[ContextTable]) -> SearchResult:
    """Maps the contexts to points, and returns the task that reduces the points to an answer.

    A context whose reply can't be used is left out, and the result says so. Raises ReplyError if
    this is so for all of them.
    """
    if query.context_only:
        return SearchResult(contexts)
    points: list[Sequence[Point]] = [()] * len(contexts)
    limiter = anyio.CapacityLimiter(query.settings.concurrency)
    calls = SkippedCalls(query.run, ("context", "contexts"))

    async def one(n: int) -> None:
        async with limiter:
            task = query.backend.points(query.question, contexts[n])
            found = await calls.result(task)
        points[n] = found or ()
        query.listen(Advanced(1) if found is not None else Advanced(failed=1))

    query.listen(Started("map", len(contexts)))
    with first_error():
        async with anyio.create_task_group() as tasks:
            for n in range(len(contexts)):
                tasks.start_soon(one, n)
    answer = reduce(query, [point for part in points for point in part])
    return SearchResult(contexts, answer, calls.notices())


def reduce(query: QueryContext, points: Iterable[Point]) -> FinalTask | None:
    """Returns the task that writes the answer from the most helpful points.

    The points together have at most `map_context_tokens` tokens. Returns None if no point helps.
    """
    ranked = sorted(
        (point for point in points if point.helpfulness > 0 and point.description),
        key=lambda point: -point.helpfulness,
    )
    kept, room = [], query.settings.map_context_tokens
    for point in ranked:
        room -= query.count(point.description) + 10  # its heading
        if room < 0:
            break
        kept.append(point)
    return query.backend.reduce(query.question, kept, query.history) if kept else None


class SkippedCalls:
    """Runs the tasks of one step of a search, and skips those whose reply can't be used.

    `what` names what a call reads, in the singular and the plural, and `outcome` says what becomes
    of it if the call is skipped. Errors that concern all calls,
    such as a refused key or the cost limit, are raised.
    """

    def __init__(self, run: RunTask, what: tuple[str, str], outcome: str = "left out") -> None:
        self._run, self._what, self._outcome = run, what, outcome
        self._calls = 0
        self._reasons: list[str] = []

    async def result(self, task: LLMTask[T]) -> T | None:
        """Returns the result of a task, or None if its reply can't be used."""
        self._calls += 1
        try:
            return await self._run(task)
        except ReplyError as error:
            self._reasons.append(str(error))
            return None

    def notices(self) -> list[str]:
        """Returns a sentence about the skipped calls, if there are any.

        Raises ReplyError if every call was skipped, because then there is nothing to go on with.
        """
        skipped = len(self._reasons)
        if not skipped:
            return []
        # The most frequent reason: the first one would depend on the order of the replies.
        counted = Counter(self._reasons)
        reason = min(counted, key=lambda one: (-counted[one], one)).rstrip(".")
        if skipped == self._calls:
            raise ReplyError(f"none of the model's replies can be used: {reason}")
        one, many = self._what
        which = f"{one} was" if skipped == 1 else f"{many} were"
        happened = f"{skipped:,} of {self._calls:,} {which} {self._outcome}"
        return [f"{happened}, because the model's reply can't be used: {reason}."]
