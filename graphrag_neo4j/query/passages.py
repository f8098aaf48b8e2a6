"""Passages near a question: the chunks that full-text search and vector search find for it.

The words of the question are searched without its stop words, because "What do they say about the
risks?" is near every chunk by its other words. The documents with a name in the question, or with
most of the best chunks, are then searched once more, each chunk by its vector: of a person whom the
question names, the passage that answers may name nobody.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.model.context_table import ContextTable
from graphrag_neo4j.query.graph_expansion import fused
from graphrag_neo4j.query.query_context import (
    QueryContext,
    gather,
    lucene_phrase,
    lucene_query,
    source_record,
)
from graphrag_neo4j.query.rows import ChunkRow, DocumentOfRow, MentionedInRow

__all__ = ["near_passages"]

BY_WORDS: Final = 40  # chunks that full-text search finds, at most
FIRST: Final = 10  # best chunks that tell the documents that are searched once more
DOCUMENTS: Final = 2  # documents that are searched once more, or for each name in the question
WITHIN: Final = 20  # chunks of each of them, at most


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
    """Returns the ids of the chunks nearest to the question within documents.

    These are the documents in which most chunks hold a name in the question, for example as the
    tag of a speaker. Without a name they are those with most of the chunks `ids`.
    """
    vector = await query.vector()
    if vector is None:
        return []
    rows = await query.graph.read(
        "search/within_documents",
        ScoredRow,
        documents=await _documents_of_names(query) or await _documents_of(query, ids),
        vector=vector,
        k=WITHIN,
    )
    return [row["id"] for row in rows]


async def _documents_of_names(query: QueryContext) -> list[str]:
    """Returns the documents with most chunks that hold each name of several words."""
    # This import reads word lists, which takes a moment.
    from graphrag_neo4j.text.sentence_ranking import names_in  # noqa: PLC0415

    names = [name for name in names_in(query.question) if not name.isalnum()]
    if not names:
        return []
    phrases = [{"id": name, "words": lucene_phrase(name)} for name in names]
    rows = await query.graph.read("search/phrases_by_document", MentionedInRow, phrases=phrases)
    held = {name: [row["document"] for row in rows if row["id"] == name] for name in names}
    return list(dict.fromkeys(one for documents in held.values() for one in documents[:DOCUMENTS]))


async def _documents_of(query: QueryContext, ids: Sequence[str]) -> list[str]:
    """Returns the documents with most of some chunks."""
    rows = await query.graph.read(
        "search/documents_of", DocumentOfRow, ids=list(ids), most=DOCUMENTS
    )
    return [row["document"] for row in rows]


async def _by_words(query: QueryContext) -> Sequence[ScoredRow]:
    # This import reads word lists, which takes a moment.
    from graphrag_neo4j.text.languages import ABOUT  # noqa: PLC0415
    from graphrag_neo4j.text.sentence_ranking import content_words  # noqa: PLC0415

    words = " ".join(sorted(content_words(query.question) - ABOUT)) or query.question
    if not (text := lucene_query(words)):
        return []
    return await query.graph.read("search/fulltext_chunks", ScoredRow, words=text, k=BY_WORDS)


async def _by_vector(query: QueryContext) -> Sequence[ScoredRow]:
    vector = await query.vector()
    return [] if vector is None else await query.nearest_chunks(vector)
