"""Drift search: reports near the question prime follow-up questions, answered by local searches."""

import heapq
from collections.abc import Sequence
from itertools import count

from graphrag_neo4j.asking import Asking, Found, escaped, report_record
from graphrag_neo4j.events import Advanced, Started
from graphrag_neo4j.graph import Row, nearest
from graphrag_neo4j.mapreduce import reduce
from graphrag_neo4j.model import Point, Primer
from graphrag_neo4j.neighbourhood import local_context
from graphrag_neo4j.tables import Shown

__all__ = ["search_drift"]

PRIMED_BY = 5  # reports


async def search_drift(asking: Asking) -> Found:
    """Follow-ups are asked best-scored first, to a depth and a number of calls (settings).

    Under `context_only` what the primer would be given, and the local context of the question.
    """
    rows = await _near_reports(asking)
    shown = asking.shown(asking.settings.map_context_tokens)
    for row in rows:
        if not shown.add([report_record(row)]):
            shown.add([report_record(row, short=True)])
    if asking.context_only:
        return Found([shown, await local_context(asking)])
    if not rows:
        return Found([])
    contexts, points = await _explore(asking, shown)
    return Found(contexts, reduce(asking, points))


async def _explore(asking: Asking, primer: Shown) -> tuple[list[Shown], list[Point]]:
    """The contexts looked at and the points they gave, from the primer on."""
    asking.listen(Started("primer"))
    first = await asking.run(asking.answerer.prime(asking.question, primer))
    contexts, points = [primer], [Point(first.answer, first.score)]
    order = count()  # the earlier of two equal ones first
    waiting = [(-first.score, next(order), 1, asked) for asked in first.follow_ups]
    seen = {asking.question, *first.follow_ups}
    heapq.heapify(waiting)
    calls = asking.settings.drift_calls
    asking.listen(Started("follow-ups", calls if waiting else 0))
    while waiting and calls and asking.settings.drift_depth:
        _, _, depth, asked = heapq.heappop(waiting)
        calls -= 1
        shown = await local_context(asking, asked)
        found: Primer = await asking.run(asking.answerer.prime(asked, shown))
        asking.listen(Advanced(1))
        contexts.append(shown)
        points.append(Point(found.answer, found.score))
        if depth < asking.settings.drift_depth:
            for more in found.follow_ups:
                if more not in seen:
                    heapq.heappush(waiting, (-found.score, next(order), depth + 1, more))
            seen |= set(found.follow_ups)
    return contexts, points


async def _near_reports(asking: Asking) -> Sequence[Row]:
    vector = await asking.vector()
    if vector is not None:
        near = await nearest(asking.graph, "community", vector, PRIMED_BY)
    elif words := escaped(asking.question):
        near = await asking.graph.read("search/worded_communities", words=words, k=PRIMED_BY)
    else:
        near = []
    ids = [row["id"] for row in near]
    rows = await asking.graph.read("search/communities", ids=ids)
    return sorted(rows, key=lambda row: ids.index(row["id"]))
