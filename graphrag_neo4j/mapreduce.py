"""Answers from everything: each part is asked what it has to say, the best of it is joined.

As in arXiv 2404.16130, section 3.1.6: contexts of bounded size, mapped in parallel to points with
a helpfulness from 0 to 100; those of 0 are dropped, the rest is filled into one last call.
"""

from collections.abc import Iterable, Sequence

import anyio

from graphrag_neo4j.asking import Asking, Found
from graphrag_neo4j.events import Advanced, Started
from graphrag_neo4j.flow import first_error
from graphrag_neo4j.model import Point, Think
from graphrag_neo4j.tables import Count, Record, Shown
from graphrag_neo4j.text import flat, shortened

__all__ = ["answer_from", "pack"]


def pack(asking: Asking, units: Iterable[Sequence[Record]]) -> list[Shown]:
    """Units of records in contexts of at most `map_context_tokens`, in their order.

    A unit that is larger than a context is shown as far as it fits.
    """
    contexts: list[Shown] = []
    for unit in units:
        if not (contexts and contexts[-1].add(unit)):
            contexts.append(asking.shown(asking.settings.map_context_tokens))
            if not contexts[-1].add(unit):
                contexts[-1].add_each(_cut(asking, unit))
    return [shown for shown in contexts if shown.records]


def _cut(asking: Asking, unit: Sequence[Record]) -> list[Record]:
    """Records, those that are too large for any context cut to what fits."""
    room = asking.settings.map_context_tokens // 2
    return [_shortened(record, room, asking.count) for record in unit]


def _shortened(record: Record, room: int, count: Count) -> Record:
    """A record of at most so many tokens, with the pieces that are whole in it, else the first one
    as far as it fits."""
    text = shortened(record.text, room, count)
    whole = tuple(piece for piece in record.pieces if flat(piece) in text)
    pieces = whole or tuple(shortened(piece, room, count) for piece in record.pieces[:1])
    return Record(record.kind, record.ref, record.id, text, pieces=pieces)


async def answer_from(asking: Asking, contexts: Sequence[Shown]) -> Found:
    """Maps the contexts and gives the step that joins what they said."""
    if asking.context_only:
        return Found(contexts)
    points: list[Sequence[Point]] = [()] * len(contexts)
    limiter = anyio.CapacityLimiter(asking.settings.concurrency)

    async def one(n: int) -> None:
        async with limiter:
            points[n] = await asking.run(asking.answerer.points(asking.question, contexts[n]))
        asking.listen(Advanced(1))

    asking.listen(Started("map", len(contexts)))
    with first_error():
        async with anyio.create_task_group() as tasks:
            for n in range(len(contexts)):
                tasks.start_soon(one, n)
    return Found(contexts, reduce(asking, [point for part in points for point in part]))


def reduce(asking: Asking, points: Iterable[Point]) -> Think[str] | None:
    """The step that joins the most helpful points; None where none helps."""
    ranked = sorted(
        (point for point in points if point.helpfulness > 0 and point.description),
        key=lambda point: -point.helpfulness,
    )
    kept, room = [], asking.settings.data_max_tokens
    for point in ranked:
        room -= asking.count(point.description) + 10  # its heading
        if room < 0:
            break
        kept.append(point)
    return asking.answerer.reduce(asking.question, kept, asking.history) if kept else None
