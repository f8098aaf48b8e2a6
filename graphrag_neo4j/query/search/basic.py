"""Basic search: answers from the chunks that are most similar to the question.

It is the baseline SS (semantic search, or vector RAG) of arXiv 2404.16130.
"""

from graphrag_neo4j.graph import vector_search
from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.query.query_context import (
    QueryContext,
    SearchResult,
    lucene_query,
    source_record,
)
from graphrag_neo4j.query.rows import ChunkRow

__all__ = ["search_basic"]

CANDIDATES = 100  # chunks; a context of a usual size has room for fewer


async def search_basic(query: QueryContext) -> SearchResult:
    """Fills a context with chunks, the most similar first, until the budget is used up."""
    ids = await _ranked(query)
    chunks = {row["id"]: row for row in await query.graph.read("search/chunks", ChunkRow, ids=ids)}
    table = query.table(query.settings.max_context_tokens)
    for id_ in ids:
        if id_ in chunks and not table.add([source_record(chunks[id_])]):
            break
    answer = query.backend.answer(query.question, table, query.history)
    return SearchResult([table], answer if table.records else None)


async def _ranked(query: QueryContext) -> list[str]:
    vector = await query.vector()
    if vector is not None:
        rows = await vector_search(query.graph, "chunk", vector, CANDIDATES)
    elif words := lucene_query(query.question):
        rows = await query.graph.read(
            "search/fulltext_chunks", ScoredRow, words=words, k=CANDIDATES
        )
    else:
        rows = []
    return [row["id"] for row in rows]
