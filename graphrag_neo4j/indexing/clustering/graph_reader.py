"""Reads the weighted edges that communities are made of."""

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.rows import EdgeRow
from graphrag_neo4j.model import WeightedEdge

__all__ = ["read_edges"]


async def read_edges(graph: Graph) -> list[WeightedEdge]:
    """All relationships as (start, end, weight); the weight is the number of statements."""
    rows = await graph.read_bulk("communities/edges", EdgeRow)
    return [(row["source"], row["target"], float(row["weight"])) for row in rows]
