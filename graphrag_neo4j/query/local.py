"""The local context: the entities that are relevant to a question, and the graph around them.

There are two ways to find it. `graph_expansion` uses personalised PageRank from the entities that
the question names. The other way takes one hop: vector search and full-text search find the
entities, and a second round trip to Neo4j reads their direct neighbours.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations

from graphrag_neo4j.graph import vector_search
from graphrag_neo4j.model.context_table import (
    ContextRecord,
    ContextTable,
    measured,
    record_of_row,
    relationship_record,
)
from graphrag_neo4j.query.graph_expansion import STARTS, Rows, expand_graph, fused, named_in
from graphrag_neo4j.query.passages import near_passages
from graphrag_neo4j.query.query_context import (
    ENTITY_NAMES,
    QueryContext,
    SearchResult,
    gather,
    lucene_query,
    report_record,
    source_record,
)
from graphrag_neo4j.query.rows import (
    LocalRow,
    NamedRow,
    NeighbourhoodRow,
    OneHopRow,
    ReportRow,
)
from graphrag_neo4j.text import pair_id

__all__ = ["local_context", "search_local"]

OF_REPORTS, OF_SOURCES = 0.25, 0.5  # shares of the context; entities and the like take the rest
MOST = {"outward": 10 * STARTS, "inner": 100, "claims": 60, "communities": 10, "chunks": 40}


async def local_context(query: QueryContext, question: str | None = None) -> ContextTable:
    """Returns a table of the reports, entities, relationships, claims and sources for a question.

    `question` replaces the user's question, for example by a follow-up question. The shares
    `OF_REPORTS` and `OF_SOURCES` divide the budget of tokens, the setting `max_context_tokens`.
    """
    around = expand_graph if query.expand == "ppr" else _hop
    entities, found = await around(query, question, MOST)
    budget = query.settings.max_context_tokens
    reports = _reports(query, found["communities"], budget * OF_REPORTS)
    chunks = [measured(source_record(row), query.count) for row in found["chunks"]]
    sources = query.table(budget * OF_SOURCES)
    sources.add_each(chunks)
    table = query.table(budget)
    table.add(reports.records.values())
    # The elements may also use the tokens that the reports left free, and the sources those that
    # the elements left free.
    elements = query.table(budget - reports.tokens - sources.tokens)
    elements.add_each(_elements(found, entities))
    table.add(elements.records.values())
    table.add(sources.records.values())
    table.add_each(chunks)
    return table


async def _hop(
    query: QueryContext, question: str | None, most: Mapping[str, int]
) -> tuple[list[str], LocalRow]:
    """Returns the ids of the entities for the question, and the rows of what is one hop away."""
    entities = await _entities(query, question)
    pairs = [pair_id(*two) for two in combinations(entities, 2)]
    read = query.graph.read
    found = await gather(
        known=partial(read, "search/neighbourhood", NeighbourhoodRow, ids=entities, **most),
        hop=partial(read, "search/one_hop", OneHopRow, ids=entities, pairs=pairs, **most),
    )
    return entities, found["known"][0] | found["hop"][0]


async def _entities(query: QueryContext, question: str | None) -> list[str]:
    """Returns the ids of the entities for the question, by vector search and by their names."""
    k, text = STARTS, question or query.question

    async def by_vector() -> Rows:
        vector = await query.vector(question, "entity")
        return [] if vector is None else await vector_search(query.graph, "entity", vector, 2 * k)

    async def by_name() -> Rows:
        words = lucene_query(text, *ENTITY_NAMES)
        return (
            await query.graph.read("search/named", NamedRow, words=words, k=4 * k) if words else []
        )

    found = await gather(near=by_vector, named=by_name)
    return _fused(text, found["near"], found["named"])[:k]


def _fused(question: str, near: Rows, named: Rows) -> list[str]:
    """Ranks ids by reciprocal rank fusion, after the entities whose full name the question has."""
    score = fused([near, named])
    whole = {row["id"] for row in named if named_in(question, row["name"])}
    return sorted(score, key=lambda id_: (id_ not in whole, -score[id_], id_))


def _reports(query: QueryContext, rows: Sequence[ReportRow], budget: float) -> ContextTable:
    """Returns a table of full reports. A report that does not fit is reduced to its summary."""
    table = query.table(budget)
    for row in rows:
        if not table.add([report_record(row)]):
            table.add([report_record(row, short=True)])
    return table


def _elements(found: LocalRow, order: Sequence[str]) -> Iterable[ContextRecord]:
    """Yields entities, the relationships between them, their claims, then other relationships."""
    by_id = {row["id"]: row for row in found["entities"]}
    for id_ in order:
        if id_ in by_id:
            yield record_of_row("Entities", by_id[id_], "name", "type", "description")
    for row in found["inner"]:
        yield relationship_record(row, "source", "target")
    claim = ("subject", "object", "type", "status", "start", "end", "description")
    for one in found["claims"]:
        yield record_of_row("Claims", one, *claim)
    for row in found["outward"]:
        yield relationship_record(row, "source", "target")


async def search_local(query: QueryContext) -> SearchResult:
    """Returns the local context of the question, and the task that answers from it.

    An answer of quotations has no budget of tokens: it is also made from more passages near the
    question, which are a context of their own. The backend gets these first.
    """
    table = await local_context(query)
    contexts = [table]
    if query.backend.quotes and not query.context_only:
        near = await near_passages(query)
        contexts.append(near)
        table = query.table(float("inf"))
        table.records |= near.records | contexts[0].records
    answer = query.backend.answer(query.question, table, query.history)
    return SearchResult(contexts, answer if table.records else None)
