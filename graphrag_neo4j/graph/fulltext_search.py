"""The search for relationships by words, in graphs that may be older than its index."""

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import ScoredPairRow

__all__ = ["fulltext_relationships"]


async def fulltext_relationships(graph: Graph, words: str, k: int) -> list[ScoredPairRow]:
    """The `k` relationships whose descriptions fit words best: {source, target, score}.

    None in a graph whose last build knew no index of them; the next one makes it.
    """
    try:
        return await graph.read("search/worded_relationships", ScoredPairRow, words=words, k=k)
    except GraphError as error:
        if "no such fulltext schema index" not in str(error):
            raise
        return []
