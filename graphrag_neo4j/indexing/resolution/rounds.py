"""Resolves names and merges in turns, until no evidence moves any more."""

from graphrag_neo4j.events import Listener
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.stages.merge import merge
from graphrag_neo4j.indexing.stages.resolve import resolve

__all__ = ["resolve_and_merge"]


async def resolve_and_merge(graph: Graph, listen: Listener, *, rules: bool) -> None:
    """Compares all marked names, and brings up to date what the moves of their evidence mark.

    `rules` is that of `resolve`.
    """
    while await resolve(graph, listen, rules=rules):
        await merge(graph, listen)
