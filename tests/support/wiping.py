"""An empty graph."""

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump


async def wipe(graph: Graph) -> None:
    """Deletes all nodes, where there are any: to count them takes a millisecond."""
    [row] = await graph.run_plain("MATCH (node) RETURN count(node) AS n")
    if row["n"]:
        await graph.run_plain("MATCH (node) DETACH DELETE node")


async def emptied(graph: Graph) -> Dump:
    """The dump of a graph, which is then emptied."""
    held = await dump(graph)
    await wipe(graph)
    return held
