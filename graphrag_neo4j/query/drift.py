"""Drift search: community reports lead to follow-up questions, which local searches answer.

A primer call reads the reports nearest to the question, none beside a part of itself. It gives a
first answer and follow-up questions. Each follow-up question gets a local context, and may lead to
more questions for the next round. The questions of a round are answered side by side.
"""

from collections.abc import Iterable, Mapping

from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.events import Advanced, Started
from graphrag_neo4j.model.types import Point, Primer
from graphrag_neo4j.query.global_ import SkippedCalls, nearness, reduce
from graphrag_neo4j.query.local import add_reports, local_context
from graphrag_neo4j.query.query_context import QueryContext, ReportRow, SearchResult, side_by_side

ROUNDS = 2
PRIMED_BY = 5  # reports that the primer reads
CANDIDATES = 10 * PRIMED_BY  # nearest reports that these are chosen from
SMALL = 3  # members at most of a community that is rarely a theme
SET_BACK = 0.9  # the factor of its score, which takes it about six ranks down


class RankedRow(ReportRow):
    """A community with its number of members, and the ids of the communities above it."""

    size: int
    above: list[str]


async def search_drift(query: QueryContext) -> SearchResult:
    """Asks rounds of follow-up questions, and reduces all answers to one.

    There are ROUNDS rounds, and the setting `drift_calls` limits the number of questions. In a
    round, questions that come from an answer with a better score are asked first. With
    `context_only` the result is the context of the primer and the local context of the question.
    Without reports on a selection of documents, the primer reads the local context.
    """
    score = await nearness(query, CANDIDATES)
    rows = await query.graph.read("search/communities", RankedRow, ids=list(score))
    table = query.table(query.settings.map_context_tokens)
    add_reports(table, apart(rows, score)[:PRIMED_BY])
    if query.context_only:
        return SearchResult([table, await local_context(query)])
    if not rows and query.selection:  # no report is on the selected documents alone
        table = await local_context(query)
    if not table.records:
        return SearchResult([])
    calls = SkippedCalls(query.run, ("context", "contexts"))
    contexts, points = await _explore(query, table, calls)
    return SearchResult(contexts, reduce(query, points), calls.notices())


def apart(rows: Iterable[RankedRow], score: Mapping[str, float]) -> list[RankedRow]:
    """Returns reports by their scores, the best first; none is about a part of another.

    A part says again what the whole says, and takes the place of another theme. Small communities
    are set back.
    """

    def rank(row: RankedRow) -> tuple[float, str]:
        return -score[row["id"]] * (SET_BACK if row["size"] <= SMALL else 1), row["id"]

    kept: list[RankedRow] = []
    for row in sorted(rows, key=rank):
        if not any(row["id"] in one["above"] or one["id"] in row["above"] for one in kept):
            kept.append(row)
    return kept


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
