"""A hash of the part of a graph that the answers of a search method depend on.

It reads the content and not a stamp, so it stays the same when an index finds nothing to do, and it
differs when a report was written anew from the same material. A page has as many rows as Neo4j
sends quickly; only the hash is kept.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from graphrag_neo4j.evaluation.rows import ContentRow
from graphrag_neo4j.graph import Graph

__all__ = ["GraphPart", "GraphState", "parts_of"]

GraphPart = Literal["chunks", "communities", "entities", "relationships", "claims"]
PAGE: Final = 5_000  # rows of one read
WHOLE: Final[Sequence[GraphPart]] = (
    "chunks",
    "communities",
    "entities",
    "relationships",
    "claims",
)
PARTS: Final[Mapping[str, Sequence[GraphPart]]] = {
    "global": ("communities",),
    "text": ("chunks",),
    "basic": ("chunks",),
    "local": WHOLE,
    "drift": WHOLE,
}


def parts_of(method: str) -> Sequence[GraphPart]:
    """The parts of the graph that a search method reads."""
    return PARTS[method]


class GraphState:
    """The hashes of the parts of one graph. Each part is read once, when it is first asked for."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._hashes: dict[GraphPart, str] = {}

    async def hash_for(self, method: str) -> str:
        """Returns the hash of all that the answers of a method depend on."""
        found = hashlib.sha256()
        for part in parts_of(method):
            if part not in self._hashes:
                self._hashes[part] = await self._hash(part)
            found.update(f"{part} {self._hashes[part]}\n".encode())
        return found.hexdigest()[:16]

    async def _hash(self, part: GraphPart) -> str:
        found, after = hashlib.sha256(), ""
        while rows := await self._graph.read(
            f"evaluation/{part}", ContentRow, after=after, limit=PAGE
        ):
            for row in rows:
                found.update(json.dumps([row["id"], *row["content"]]).encode())
            after = rows[-1]["id"]
        return found.hexdigest()
