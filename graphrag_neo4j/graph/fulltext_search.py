"""Full-text search for relationships, also in graphs without the index for it."""

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import ScoredPairRow

__all__ = ["fulltext_relationships"]


async def fulltext_relationships(graph: Graph, words: str, k: int) -> list[ScoredPairRow]:
    """The `k` relationships whose descriptions fit words best: {id, source, target, score}.

    Returns no rows where the last build did not make the index; the next build makes it.
    """
    try:
        return await graph.read("search/fulltext_relationships", ScoredPairRow, words=words, k=k)
    except GraphError as error:
        if "no such fulltext schema index" not in str(error):
            raise
        return []
