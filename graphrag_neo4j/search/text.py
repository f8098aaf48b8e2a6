"""Text search: map and reduce over all source text, the paper's baseline TS."""

from collections.abc import AsyncIterator

from graphrag_neo4j.asking import Asking, Found, source_record
from graphrag_neo4j.mapreduce import answer_from, pack
from graphrag_neo4j.tables import Record

__all__ = ["search_text"]

PAGE = 1000


async def search_text(asking: Asking) -> Found:
    """Each chunk is mapped exactly once."""
    units = [[record] async for record in _chunks(asking)]
    return await answer_from(asking, pack(asking, units))


async def _chunks(asking: Asking) -> AsyncIterator[Record]:
    after = -1  # an imported chunk may have ref 0
    while rows := await asking.graph.read("search/all_chunks", after=after, limit=PAGE):
        for row in rows:
            yield source_record(row)
        after = rows[-1]["ref"]
