"""Drift search: community reports lead to follow-up questions, which local searches answer.

A primer call reads the reports that are most similar to the question. It gives a first answer and
follow-up questions. Each follow-up question gets a local context, and may lead to more questions.
"""

import heapq
from collections.abc import Sequence
from itertools import count

from graphrag_neo4j.context.context_table import ContextTable
from graphrag_neo4j.events import Advanced, Started
from graphrag_neo4j.graph import vector_search
from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.model import Point, Primer
from graphrag_neo4j.query.local_context import local_context
from graphrag_neo4j.query.map_reduce import reduce
from graphrag_neo4j.query.query_context import (
    QueryContext,
    SearchResult,
    lucene_query,
    report_record,
)
from graphrag_neo4j.query.rows import ReportRow
from graphrag_neo4j.query.skipped_calls import SkippedCalls

__all__ = ["search_drift"]

PRIMED_BY = 5  # reports that the primer reads


async def search_drift(query: QueryContext) -> SearchResult:
    """Asks follow-up questions, those with the best score first, and reduces all answers to one.

    The settings `drift_depth` and `drift_calls` limit the depth and the number of calls. With
    `context_only` the result is the context of the primer and the local context of the question.
    """
    rows = await _near_reports(query)
    table = query.table(query.settings.map_context_tokens)
    for row in rows:
        if not table.add([report_record(row)]):
            table.add([report_record(row, short=True)])
    if query.context_only:
        return SearchResult([table, await local_context(query)])
    if not rows:
        return SearchResult([])
    calls = SkippedCalls(query.run, ("context", "contexts"))
    contexts, points = await _explore(query, table, calls)
    return SearchResult(contexts, reduce(query, points), calls.notices())


async def _explore(
    query: QueryContext, primer: ContextTable, skipping: SkippedCalls
) -> tuple[list[ContextTable], list[Point]]:
    """Runs the primer and the follow-up questions. Returns their contexts and their points.

    If the reply of the primer can't be used, the question itself is the only follow-up question.
    """
    query.listen(Started("primer"))
    first = await skipping.result(query.backend.prime(query.question, primer))
    first = first or Primer("", 0, [query.question])
    contexts, points = [primer], [Point(first.answer, first.score)]
    order = count()  # of two questions with the same score, the earlier one comes first
    waiting = [(-first.score, next(order), 1, follow_up) for follow_up in first.follow_ups]
    seen = {query.question, *first.follow_ups}
    heapq.heapify(waiting)
    calls = query.settings.drift_calls
    query.listen(Started("follow-ups", calls if waiting else 0))
    while waiting and calls and query.settings.drift_depth:
        _, _, depth, question = heapq.heappop(waiting)
        calls -= 1
        table = await local_context(query, question)
        found = await skipping.result(query.backend.prime(question, table))
        contexts.append(table)
        if found is None:
            query.listen(Advanced(failed=1))
            continue
        query.listen(Advanced(1))
        points.append(Point(found.answer, found.score))
        if depth < query.settings.drift_depth:
            for more in found.follow_ups:
                if more not in seen:
                    heapq.heappush(waiting, (-found.score, next(order), depth + 1, more))
            seen |= set(found.follow_ups)
    return contexts, points


async def _near_reports(query: QueryContext) -> Sequence[ReportRow]:
    vector = await query.vector(kind="community")
    if vector is not None:
        near = await vector_search(query.graph, "community", vector, PRIMED_BY)
    elif words := lucene_query(query.question):
        near = await query.graph.read(
            "search/worded_communities", ScoredRow, words=words, k=PRIMED_BY
        )
    else:
        near = []
    ids = [row["id"] for row in near]
    rows = await query.graph.read("search/communities", ReportRow, ids=ids)
    return sorted(rows, key=lambda row: ids.index(row["id"]))
