"""Vector search, with the statement that the version of the server supports."""

from collections.abc import Sequence
from typing import Final

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import NAME_LABELS, IndexedKind, name_index, vector_index
from graphrag_neo4j.graph.rows import ScoredRow, SpellingRow

__all__ = ["nearest_names", "vector_search"]

# The clause SEARCH is a preview in 2026.01, and the procedure is deprecated in 2026.04.
SEARCH_SINCE = (2026, 2)
ROUNDING: Final = 0.01  # of a score that an index gives; the cosine is then counted exactly


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
    graph: Graph, ids: Sequence[str], k: int, least: float
) -> list[SpellingRow]:
    """For each spelling, by its id, those near to it among the `k` nearest of each label.

    Near is a cosine of at least `least`. The server compares, so that no vector travels. A spelling
    that is also an entity may be found twice; `key` is the id of the spelling that it is near to.
    """
    limits = {"ids": sorted(ids), "k": k, "least": _score(least), "rough": _score(least) - ROUNDING}
    found: list[SpellingRow] = []
    for label in NAME_LABELS if ids else ():
        if graph.version >= SEARCH_SINCE:
            found += await graph.read(f"vector_search/names_{label.lower()}", SpellingRow, **limits)
        else:
            found += await graph.read(
                "vector_search/names_by_procedure", SpellingRow, index=name_index(label), **limits
            )
    return found


def _score(cosine: float) -> float:
    """The score that Neo4j gives for a cosine."""
    return (1 + cosine) / 2
