"""Drift search: community reports lead to follow-up questions, which local searches answer.

A primer call reads the reports that are most similar to the question. It gives a first answer and
follow-up questions. Each follow-up question gets a local context, and may lead to more questions
for the next round. The questions of a round are answered side by side.
"""

from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.events import Advanced, Started
from graphrag_neo4j.model.types import Point, Primer
from graphrag_neo4j.query.global_ import SkippedCalls, reduce
from graphrag_neo4j.query.local import add_reports, local_context
from graphrag_neo4j.query.query_context import QueryContext, ReportRow, SearchResult, side_by_side

ROUNDS = 2
PRIMED_BY = 5  # reports that the primer reads


async def search_drift(query: QueryContext) -> SearchResult:
    """Asks rounds of follow-up questions, and reduces all answers to one.

    There are ROUNDS rounds, and the setting `drift_calls` limits the number of questions. In a
    round, questions that come from an answer with a better score are asked first. With
    `context_only` the result is the context of the primer and the local context of the question.
    Without reports on a selection of documents, the primer reads the local context.
    """
    ids = await query.near("community", PRIMED_BY)
    rows = await query.graph.read("search/communities", ReportRow, ids=ids)
    table = query.table(query.settings.map_context_tokens)
    add_reports(table, sorted(rows, key=lambda row: ids.index(row["id"])))
    if query.context_only:
        return SearchResult([table, await local_context(query)])
    if not rows and query.selection:  # no report is on the selected documents alone
        table = await local_context(query)
    if not table.records:
        return SearchResult([])
    calls = SkippedCalls(query.run, ("context", "contexts"))
    contexts, points = await _explore(query, table, calls)
    return SearchResult(contexts, reduce(query, points), calls.notices())


async def _explore(
    query: QueryContext, primer: ContextTable, skipping: SkippedCalls
) -> tuple[list[ContextTable], list[Point]]:
    """Runs the primer and the rounds of follow-up questions. Returns their contexts and points.

    If the reply of the primer can't be used, the question itself is the only follow-up question.
    """
    query.listen(Started("primer"))
    first = await skipping.result(query.backend.prime(query.question, primer))
    first = first or Primer("", 0, [query.question])
    contexts, points = [primer], [Point(first.answer, first.score)]
    asked = list(dict.fromkeys(first.follow_ups))
    seen = {query.question, *asked}
    calls = query.settings.drift_calls
    query.listen(Started("follow-ups", calls if asked else 0))

    async def ask(question: str) -> tuple[ContextTable, Primer | None]:
        table = await local_context(query, question)
        reply = await skipping.result(query.backend.prime(question, table))
        query.listen(Advanced(1) if reply else Advanced(failed=1))
        return table, reply

    for _ in range(ROUNDS):
        # In the order of the questions, whatever the order of the replies.
        done = await side_by_side(ask, asked[:calls], query.settings.concurrency)
        calls -= len(done)
        contexts += [table for table, _ in done]
        found = [reply for _, reply in done if reply]
        points += [Point(one.answer, one.score) for one in found]
        # New questions, those of the best replies first; of equal ones the earlier reply is first.
        ranked = sorted(found, key=lambda one: -one.score)
        new = dict.fromkeys(more for one in ranked for more in one.follow_ups if more not in seen)
        seen.update(new)
        asked = list(new)
    return contexts, points
