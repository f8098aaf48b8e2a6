"""Checks the vectors of a graph: they have one model and one length, and Neo4j can index them.

Neo4j stores a zero vector or a vector of another length without an error, and never finds it.
"""

import math
from collections.abc import Sequence

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import INDEXED_KINDS, drop_vector_indexes
from graphrag_neo4j.graph.rows import IdRow, MadeWithRow
from graphrag_neo4j.settings import MOST_DIMENSIONS

__all__ = ["flaw_of", "forget_vectors", "refuse_length", "refuse_other_vectors"]

PAGE = 1000
REEMBED = "`kg-build index PATHS --reembed`, which makes all vectors and their indexes again"


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
