"""Reads the entities and the weighted edges that communities are made of.

A row of the driver costs much more than an item of a list. So a statement gives many items in one
row, which makes the reading of a large graph five times as fast.
"""

from typing import NamedTuple

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.rows import EdgesRow, MembersRow
from graphrag_neo4j.model import WeightedEdge

__all__ = ["Member", "read_edges", "read_members"]


class Member(NamedTuple):
    """An entity, and the id of the leaf community that it is in now, if it is in one.

    `placed` is its weighted degree when it was placed there.
    """

    id: str
    leaf: str | None
    placed: float | None


async def read_edges(graph: Graph) -> list[WeightedEdge]:
    """All relationships as (start, end, weight); the weight is the number of statements."""
    rows = await graph.read("communities/edges", EdgesRow)
    return [(start, end, float(weight)) for row in rows for start, end, weight in row["edges"]]


async def read_members(graph: Graph) -> list[Member]:
    """All entities with their communities."""
    rows = await graph.read("communities/entities", MembersRow)
    return [Member(*entity) for row in rows for entity in row["entities"]]
