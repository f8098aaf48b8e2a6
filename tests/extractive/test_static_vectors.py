"""Static vectors: no network, the same length for all, nearer for what is alike."""

import math
from collections.abc import Sequence

from graphrag_neo4j.extractive import STATIC_VECTORS
from graphrag_neo4j.extractive.static_vectors import (
    DIMENSIONS,
    static_embedder,
)


def near(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


async def test_what_is_alike_is_near() -> None:
    made = static_embedder()
    assert (made.model, made.dimensions) == (STATIC_VECTORS, DIMENSIONS)
    cat, kitten, tax = await made.embed(["A cat sleeps.", "A kitten naps.", "Taxes were raised."])
    assert near(cat, kitten) > near(cat, tax)
    assert all(abs(math.hypot(*vector) - 1) < 1e-6 for vector in (cat, kitten, tax))
