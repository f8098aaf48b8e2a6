"""Passages near a question: the chunks that full-text search and vector search find for it.

The words of the question are searched without its stop words, because "What do they say about the
risks?" is near every chunk by its other words. The documents with most of the best chunks are then
searched once more, each chunk by its vector: of a person whom the question names, the passage that
answers may name nobody.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from graphrag_neo4j.context.context_table import ContextTable
from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.query.query_context import (
    QueryContext,
    gather,
    lucene_query,
    source_record,
)
from graphrag_neo4j.query.rows import ChunkRow
from graphrag_neo4j.query.seeds import fused

__all__ = ["near_passages"]

BY_WORDS: Final = 40  # chunks that full-text search finds, at most
FIRST: Final = 10  # best chunks that tell the documents that are searched once more
DOCUMENTS: Final = 2  # documents that are searched once more
WITHIN: Final = 16  # chunks that this search adds, at most


async def near_passages(query: QueryContext) -> ContextTable:
    """Returns a table of the chunks near the question, the nearest first."""
    found = await gather(words=partial(_by_words, query), vector=partial(_by_vector, query))
    ids = list(fused(found.values()))
    ids += [id_ for id_ in await _within_documents(query, ids[:FIRST]) if id_ not in ids]
    chunks = {row["id"]: row for row in await query.graph.read("search/chunks", ChunkRow, ids=ids)}
    table = query.table(float("inf"))
    table.add(source_record(chunks[id_]) for id_ in ids if id_ in chunks)
    return table


async def _within_documents(query: QueryContext, ids: Sequence[str]) -> list[str]:
    """Returns the ids of the chunks nearest to the question in the documents with most of `ids`."""
    vector = await query.vector()
    if vector is None:
        return []
    limits = {"documents": DOCUMENTS, "k": WITHIN}
    rows = await query.graph.read(
        "search/within_documents", ScoredRow, ids=list(ids), vector=vector, **limits
    )
    return [row["id"] for row in rows]


async def _by_words(query: QueryContext) -> Sequence[ScoredRow]:
    # This import reads word lists, which takes a moment.
    from graphrag_neo4j.nlp.sentence_ranking import content_words  # noqa: PLC0415
    from graphrag_neo4j.nlp.word_lists import ABOUT  # noqa: PLC0415

    words = " ".join(sorted(content_words(query.question) - ABOUT)) or query.question
    if not (text := lucene_query(words)):
        return []
    return await query.graph.read("search/fulltext_chunks", ScoredRow, words=text, k=BY_WORDS)


async def _by_vector(query: QueryContext) -> Sequence[ScoredRow]:
    vector = await query.vector()
    return [] if vector is None else await query.nearest_chunks(vector)
