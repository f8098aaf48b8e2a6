"""Vector search, with the statement that the version of the server supports."""

from collections.abc import Mapping, Sequence

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import NAME_LABELS, IndexedKind, name_index, vector_index
from graphrag_neo4j.graph.rows import NearNameRow, ScoredRow

__all__ = ["nearest_names", "vector_search"]

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


async def nearest_names(
    graph: Graph, vectors: Mapping[str, Sequence[float]], k: int, least: float
) -> list[NearNameRow]:
    """For each spelling with its vector, those near to it among the `k` nearest of each label.

    Near is a score of at least `least`; the score is (1 + cosine) / 2. A spelling that is also an
    entity may be found twice.
    """
    rows = [{"id": id_, "vector": vector} for id_, vector in sorted(vectors.items())]
    found: list[NearNameRow] = []
    for label in NAME_LABELS if rows else ():
        if graph.version >= SEARCH_SINCE:
            statement = f"vector_search/names_{label.lower()}"
            found += await graph.read(statement, NearNameRow, rows=rows, k=k, least=least)
        else:
            found += await graph.read(
                "vector_search/names_by_procedure",
                NearNameRow,
                index=name_index(label),
                rows=rows,
                k=k,
                least=least,
            )
    return found
