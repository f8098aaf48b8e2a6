"""Finds the statements of the graph whose meaning is nearest to a question.

A sentence encoder compares the question with statements. It is too slow for all statements of a
graph. So the candidates are the statements of the best passages and of the relationships that match
the words of the question, and static vectors choose the best of these for the encoder.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from graphrag_neo4j.protocols import Embedder
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.query.rows import StatementRow
from graphrag_neo4j.query.seeds import Statement

__all__ = ["nearest_statements"]

READ: Final = 30  # statements that the encoder reads; as many found as with 200
NEAREST: Final = 2
FALL: Final = 0.05  # the weight of a statement falls to 1/e if its cosine is lower by this


async def nearest_statements(
    query: QueryContext,
    question: str | None,
    chunks: Iterable[str],
    relationships: Iterable[str],
) -> list[Statement]:
    """Returns the statements nearest to the question, with weights from 0 to 1, the nearest first.

    `question` replaces the user's question. `chunks` and `relationships` are the ids of those whose
    statements are candidates. Returns nothing where no sentence encoder is used.
    """
    embedder = query.embedder
    vector = await query.vector(question) if embedder and embedder.elements else None
    if embedder is None or embedder.elements is None or vector is None:
        return []
    rows = await query.graph.read(
        "search/statements",
        StatementRow,
        chunks=list(chunks),
        relationships=list(relationships),
    )
    if static := await query.vector(question, "entity"):
        rows = [row for _, row in await _ranked(rows, embedder.elements, static)]
    found = (await _ranked(rows[:READ], embedder, vector))[:NEAREST]
    return [
        Statement(tuple(row["ends"]), math.exp((cosine - found[0][0]) / FALL))
        for cosine, row in found
    ]


async def _ranked(
    rows: Sequence[StatementRow], embedder: Embedder, vector: Sequence[float]
) -> list[tuple[float, StatementRow]]:
    """Returns the rows with their cosines to a vector, the nearest first."""
    cosines = await embedder.cosines(vector, [row["text"] for row in rows])
    pairs = zip(cosines, rows, strict=True)
    return sorted(pairs, key=lambda pair: (-pair[0], pair[1]["text"]))
