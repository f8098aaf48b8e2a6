"""Text search: map-reduce over all source texts, the baseline TS of arXiv 2404.16130."""

import random
from collections.abc import AsyncIterator

from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.query.map_reduce import answer_from, pack
from graphrag_neo4j.query.query_context import QueryContext, SearchResult, source_record
from graphrag_neo4j.query.rows import ChunkRow

__all__ = ["search_text"]

PAGE = 1000  # chunks that one read returns


async def search_text(query: QueryContext) -> SearchResult:
    """Runs map-reduce over all chunks. Each chunk is mapped exactly once.

    The chunks are shuffled as the reports of global search are, so that each context is a sample
    of the whole corpus (section 3.1.6 of the paper). The order depends on the setting `seed`.
    """
    units = [[record] async for record in _chunks(query)]
    random.Random(query.settings.seed).shuffle(units)  # noqa: S311 - not for cryptography
    return await answer_from(query, pack(query, units))


async def _chunks(query: QueryContext) -> AsyncIterator[ContextRecord]:
    after = -1  # an imported chunk may have ref 0
    while rows := await query.graph.read("search/all_chunks", ChunkRow, after=after, limit=PAGE):
        for row in rows:
            yield source_record(row)
        after = rows[-1]["ref"]
