"""Vector search, with the statement that the version of the server supports."""

from collections.abc import Sequence

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import IndexedKind, vector_index
from graphrag_neo4j.graph.rows import ScoredRow

__all__ = ["vector_search"]

# The clause SEARCH is a preview in 2026.01, and the procedure is deprecated in 2026.04.
SEARCH_SINCE = (2026, 2)


async def vector_search(
    graph: Graph, kind: IndexedKind, vector: Sequence[float], k: int
) -> list[ScoredRow]:
    """The `k` nodes of a kind nearest to a vector: {id, score}, the nearest first.

    `score` is (1 + cosine) / 2, from 0 to 1. Raises GraphError for a vector whose dimensions are
    not those of the index.
    """
    if graph.version >= SEARCH_SINCE:
        return await graph.read(f"vector_search/{kind}", ScoredRow, vector=vector, k=k)
    return await graph.read(
        "vector_search/procedure", ScoredRow, index=vector_index(kind), vector=vector, k=k
    )
