"""Local search: the entities that are relevant to a question, and the graph around them.

`graph_expansion` finds them, and `selected_graph` those of a selection of documents. Basic search
is here as well: it answers from the chunks that are most similar to the question, the baseline SS
(semantic search, or vector RAG) of arXiv 2404.16130.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, TypedDict

from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.model.context import (
    ContextRecord,
    ContextTable,
    measured,
    record_of_row,
    relationship_record,
)
from graphrag_neo4j.query.graph_expansion import (
    STARTS,
    LocalRow,
    PredicatedRow,
    PredicateRow,
    RankedGraph,
    RelationshipRow,
    expand_graph,
    fused,
    in_order,
    named_in,
    ranked_graph,
)
from graphrag_neo4j.query.query_context import (
    ChunkRow,
    QueryContext,
    ReportRow,
    SearchResult,
    gather,
    lucene_phrase,
    report_record,
    source_record,
)
from graphrag_neo4j.query.selected_graph import expand_selection
from graphrag_neo4j.rules.asking import predicates_near
from graphrag_neo4j.rules.ranking import names_in

NEAR_CHUNKS: Final = 100  # chunks of basic search; a context of a usual size has room for fewer
OF_REPORTS, OF_SOURCES = 0.25, 0.5  # shares of the context; entities and the like take the rest
MOST = {"outward": 10 * STARTS, "inner": 100, "claims": 60, "communities": 10, "chunks": 40}
WORDED: Final = 40  # chunks that full-text search finds, at most
FIRST_PASSAGES: Final = 10  # best chunks that tell the documents that are searched once more
DOCUMENTS: Final = 2  # documents that are searched once more, or for each name in the question
WITHIN: Final = 20  # chunks of each of them, at most


class DocumentOfRow(TypedDict):
    """A document, and how many of some chunks it has."""

    document: str
    n: int


class MentionedInRow(TypedDict):
    """The number of chunks of a document that mention the entity `id`."""

    id: str
    document: str
    title: str | None
    n: int


async def search_local(query: QueryContext) -> SearchResult:
    """Returns the local context of the question, and the task that answers from it.

    An answer of quotations has no budget of tokens: it is also made from more passages near the
    question, which are a separate context. The backend gets these first.
    """
    table = await local_context(query)
    contexts = [table]
    if query.backend.quotes and not query.context_only:
        near = await _near_passages(query)
        contexts.append(near)
        table = query.table(float("inf"))
        table.records |= near.records | contexts[0].records
    answer = query.backend.answer(query.question, table, query.history)
    return SearchResult(contexts, answer if table.records else None)


async def local_context(
    query: QueryContext, question: str | None = None, ranked: RankedGraph | None = None
) -> ContextTable:
    """Returns a table of the reports, entities, relationships, claims and sources for a question.

    `question` replaces the user's question, for example by a follow-up question. `ranked` is the
    graph as it is ranked for it, if that is known. The shares `OF_REPORTS` and `OF_SOURCES` divide
    the budget of tokens, the setting `max_context_tokens`.
    An entity that the question names is shortened if it does not fit, and so is a record that is
    longer than its share. The listener is told of a named one that still has no room.
    """
    best = ranked or await ranked_graph(query, question, MOST)
    found = await (expand_selection if query.selection else expand_graph)(query, best, MOST)
    budget = query.settings.max_context_tokens
    reports = query.table(budget * OF_REPORTS)
    add_reports(reports, found["communities"])
    chunks = [measured(source_record(row), query.count) for row in found["chunks"]]
    sources = query.table(budget * OF_SOURCES)
    sources.add_or_shorten(chunks)
    table = query.table(budget)
    table.add(reports.records.values())
    # The elements may also use the tokens that the reports left free, and the sources those that
    # the elements left free.
    elements = query.table(budget - reports.tokens - sources.tokens)
    asked = question or query.question
    names = {row["id"]: row["name"] for row in found["entities"]}
    named = {id_: names[id_] for id_ in best.entities if named_in(asked, names.get(id_, ""))}
    named_first = sorted(best.entities, key=lambda id_: id_ not in named)
    whole = not (query.selection or query.backend.quotes)
    stated = await _stated_as_asked(query, asked, [*named]) if whole else []
    elements.add_or_shorten(_elements(found, named_first, len(named), stated), named)
    left_out = [name for id_, name in named.items() if ("Entities", id_) not in elements.records]
    if left_out:
        query.warn(
            f"The context has no room for what is said of {', '.join(left_out)}: raise "
            "KG_MAX_CONTEXT_TOKENS."
        )
    table.add(elements.records.values())
    table.add(sources.records.values())
    table.add_each(chunks)
    return table


async def _stated_as_asked(
    query: QueryContext, question: str, named: Sequence[str]
) -> list[ContextRecord]:
    """Returns the relationships of what a question names that have a predicate of its words.

    The relationships around a hub are many more than a context has room for.
    """
    read = query.graph.read
    rows = await read("search/predicates", PredicateRow, ids=named) if named else []
    if not (meant := predicates_near(question, [row["predicate"] for row in rows])):
        return []
    given = {"ids": named, "predicates": meant, "documents": None}
    ids = [row["id"] for row in await read("search/stated", PredicatedRow, **given)]
    ids = [*dict.fromkeys(ids)][: MOST["inner"]]
    found = await read("search/relationships", RelationshipRow, ids=ids)
    ends = ("source", "target")
    return [relationship_record(row, *ends, predicates=True) for row in in_order(found, ids)]


def add_reports(table: ContextTable, rows: Iterable[ReportRow]) -> None:
    """Adds full reports. One that does not fit is reduced to its summary."""
    for row in rows:
        if not table.add([report_record(row)]):
            table.add([report_record(row, short=True)])


def _elements(
    found: LocalRow, order: Sequence[str], named: int, stated: Sequence[ContextRecord]
) -> Iterable[ContextRecord]:
    """Yields entities, the relationships between them, their claims, then other relationships.

    The first `named` entities are followed by what is `stated` of them as the question asks.
    """
    pairs = [*found["inner"], *found["outward"]]
    predicates = any(row["predicate"] for row in pairs)
    relationships = [
        relationship_record(row, "source", "target", predicates=predicates) for row in pairs
    ]
    by_id = {row["id"]: row for row in found["entities"]}
    entities = [
        record_of_row("Entities", by_id[id_], "name", "type", "description")
        for id_ in order
        if id_ in by_id
    ]
    yield from [*entities[:named], *stated, *entities[named:]]
    yield from relationships[: len(found["inner"])]
    claim = ("subject", "object", "type", "status", "start", "end", "description")
    yield from (record_of_row("Claims", one, *claim) for one in found["claims"])
    yield from relationships[len(found["inner"]) :]


async def _near_passages(query: QueryContext) -> ContextTable:
    """Returns a table of the chunks near the question, the nearest first.

    The words of the question are searched without its stop words, because "What do they say about
    the risks?" is near every chunk by its other words. The documents with a name in the question,
    or with most of the best chunks, are then searched once more, each chunk by its vector: of a
    person whom the question names, the passage that answers may name nobody.
    """

    async def by_vector() -> Sequence[ScoredRow]:
        return await query.nearest("chunk", await query.vector())

    words = partial(query.by_words, "search/fulltext_chunks", ScoredRow)
    found = await gather(
        words=partial(words, query.content_words, WORDED),
        vector=by_vector,
    )
    ids = list(fused([found["words"], found["vector"]]))
    ids += [id_ for id_ in await _within_documents(query, ids[:FIRST_PASSAGES]) if id_ not in ids]
    table = query.table(float("inf"))
    table.add(await _sources(query, ids))
    return table


async def _sources(query: QueryContext, ids: Sequence[str]) -> list[ContextRecord]:
    """Returns the records of chunks, in the order of their ids."""
    rows = await query.graph.read("search/chunks", ChunkRow, ids=list(ids))
    return [source_record(row) for row in in_order(rows, ids)]


async def _within_documents(query: QueryContext, ids: Sequence[str]) -> list[str]:
    """Returns the ids of the chunks nearest to the question within documents.

    These are the documents in which most chunks hold a name in the question, for example as the
    tag of a speaker. Without a name they are those with most of the chunks `ids`.
    """
    vector = await query.vector()
    if vector is None:
        return []
    read = query.graph.read
    names = [name for name in names_in(query.question) if not name.isalnum()]  # of several words
    phrases = [{"id": name, "words": lucene_phrase(name)} for name in names]
    held: list[MentionedInRow] = []
    if names:
        given = {"phrases": phrases, "documents": query.documents}
        held = await read("search/phrases_by_document", MentionedInRow, **given)
    of_names = ([row["document"] for row in held if row["id"] == name] for name in names)
    documents = list(dict.fromkeys(one for each in of_names for one in each[:DOCUMENTS]))
    if not documents:
        most = await read("search/documents_of", DocumentOfRow, ids=list(ids), most=DOCUMENTS)
        documents = [row["document"] for row in most]
    rows = await read(
        "search/within_documents", ScoredRow, documents=documents, vector=vector, k=WITHIN
    )
    return [row["id"] for row in rows]


async def search_basic(query: QueryContext) -> SearchResult:
    """Fills a context with chunks, the most similar first, until the budget is used up."""
    table = query.table(query.settings.max_context_tokens)
    for record in await _sources(query, await query.near_chunks(NEAR_CHUNKS)):
        if not table.add([record]):
            if not table.records:
                table.add_or_shorten([record])
            break
    answer = query.backend.answer(query.question, table, query.history)
    return SearchResult([table], answer if table.records else None)
