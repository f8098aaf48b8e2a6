"""Vectors: checks of their model and length, and the search for the nearest.

Neo4j stores a zero vector or a vector of another length without an error, and never finds it.
"""

import math
from collections.abc import Sequence
from typing import Final

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import (
    INDEXED_KINDS,
    NAME_LABELS,
    IndexedKind,
    drop_vector_indexes,
    name_index,
    vector_index,
)
from graphrag_neo4j.graph.rows import IdRow, MadeWithRow, ScoredRow, SpellingRow
from graphrag_neo4j.settings import MOST_DIMENSIONS

__all__ = [
    "SEARCH_SINCE",
    "flaw_of",
    "forget_vectors",
    "nearest_names",
    "refuse_length",
    "refuse_other_vectors",
    "vector_search",
]

PAGE = 1000
REEMBED = "`kg-build index PATHS --reembed`, which makes all vectors and their indexes again"
# The clause SEARCH is a preview in 2026.01, and the procedure is deprecated in 2026.04.
SEARCH_SINCE = (2026, 2)
ROUNDING: Final = 0.01  # of a score that an index gives; the cosine is then counted exactly


async def refuse_other_vectors(graph: Graph, model: str, wanted: int | None) -> int | None:
    """Returns the dimensions of the graph's vectors, None as long as it has no vectors.

    Raises InputError where the vectors come from another model than `model`, or where their
    dimensions are not `wanted` (None: any).
    """
    made = (await graph.read("embed/known", MadeWithRow))[0]
    by, dimensions = made["model"], made["dimensions"]
    if by is None:
        return None
    if by != model:
        raise InputError(
            f"The graph's vectors come from {by} ({dimensions} dimensions), and "
            f"KG_EMBEDDING_MODEL is {model}: set it back, or run {REEMBED}."
        )
    if wanted not in (None, dimensions):
        raise InputError(
            f"The graph's vectors have {dimensions} dimensions, and KG_EMBEDDING_DIMENSIONS is "
            f"{wanted}: set it back, or run {REEMBED}."
        )
    return dimensions


def refuse_length(model: str, found: int, known: int | None, wanted: int | None) -> None:
    """Raises InputError where vectors of `found` dimensions can't be used.

    `known` are the dimensions of the graph's vectors, `wanted` those that the model was asked for.
    """
    if known and found != known:
        raise InputError(
            f"The graph's vectors have {known} dimensions, and {model} gives {found} now: set "
            "KG_EMBEDDING_MODEL, KG_EMBEDDING_DIMENSIONS and OPENAI_BASE_URL to their old values, "
            f"or run {REEMBED}."
        )
    if wanted and found != wanted:
        raise InputError(
            f"KG_EMBEDDING_DIMENSIONS is {wanted}, and {model} gives {found} dimensions all the "
            "same: unset it, or set KG_EMBEDDING_MODEL to a model that can shorten its vectors."
        )
    if found > MOST_DIMENSIONS:
        raise InputError(
            f"{model} gives vectors of {found} dimensions, and Neo4j indexes {MOST_DIMENSIONS} at "
            "most: let KG_EMBEDDING_DIMENSIONS ask for fewer, or set KG_EMBEDDING_MODEL to "
            "another model."
        )


def flaw_of(vector: Sequence[float]) -> str | None:
    """The reason why Neo4j would not index a vector of the right length, None if it would."""
    length = math.hypot(*vector)
    if length == 0:
        return "the vector is zero"
    return None if math.isfinite(length) else "the vector is not finite"


async def forget_vectors(graph: Graph) -> None:
    """Removes all vectors and their indexes, and marks all nodes to be embedded."""
    await drop_vector_indexes(graph)
    for kind in INDEXED_KINDS:
        after = ""
        while rows := await graph.write(f"embed/forget_{kind}", IdRow, after=after, limit=PAGE):
            after = rows[-1]["id"]
    await graph.write("embed/unmade")  # last: until then another model is still refused


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
    score = (1 + least) / 2  # that Neo4j gives for a cosine
    limits = {"ids": sorted(ids), "k": k, "least": score, "rough": score - ROUNDING}
    found: list[SpellingRow] = []
    for label in NAME_LABELS if ids else ():
        if graph.version >= SEARCH_SINCE:
            found += await graph.read(f"vector_search/names_{label.lower()}", SpellingRow, **limits)
        else:
            found += await graph.read(
                "vector_search/names_by_procedure", SpellingRow, index=name_index(label), **limits
            )
    return found
