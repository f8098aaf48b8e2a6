"""Basic search: answers from the chunks that are most similar to the question.

It is the baseline SS (semantic search, or vector RAG) of arXiv 2404.16130.
"""

import random
from collections.abc import AsyncIterator

from graphrag_neo4j.graph import vector_search
from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.model.context_table import ContextRecord
from graphrag_neo4j.query.map_reduce import answer_from, pack
from graphrag_neo4j.query.query_context import (
    SEED,
    QueryContext,
    SearchResult,
    lucene_query,
    source_record,
)
from graphrag_neo4j.query.rows import ChunkRow

__all__ = ["search_basic", "search_text"]

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


PAGE = 1000  # chunks that one read returns


async def search_text(query: QueryContext) -> SearchResult:
    """Runs map-reduce over all chunks. Each chunk is mapped exactly once.

    The chunks are shuffled as the reports of global search are, so that each context is a sample
    of the whole corpus (section 3.1.6 of the paper).
    """
    units = [[record] async for record in _chunks(query)]
    random.Random(SEED).shuffle(units)  # noqa: S311 - not for cryptography
    return await answer_from(query, pack(query, units))


async def _chunks(query: QueryContext) -> AsyncIterator[ContextRecord]:
    after = -1  # an imported chunk may have ref 0
    while rows := await query.graph.read("search/all_chunks", ChunkRow, after=after, limit=PAGE):
        for row in rows:
            yield source_record(row)
        after = rows[-1]["ref"]
