"""On a cluster, a run sees what it has written, although reads go to followers that lag."""

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.settings import Settings
from tests.support.cluster import lagging_cluster
from tests.support.preset_backend import documents

TALES = documents(
    "Ebenezer Scrooge met Jacob Marley in London. Bob Cratchit was the clerk of Ebenezer Scrooge.",
    "Bob Cratchit lived in Camden Town with Tiny Tim. Tiny Tim was the son of Bob Cratchit.",
)


async def test_lagging_followers_change_nothing(graph: Graph, alone: Settings) -> None:
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(TALES)).complete
        expected = await dump(graph)
    await graph.run_plain("MATCH (n) DETACH DELETE n")
    async with (
        lagging_cluster(str(alone.neo4j_uri)) as uri,
        AsyncGraphRAG(alone.changed(neo4j_uri=uri, gds=alone.neo4j_uri)) as rag,
    ):
        result = await rag.index(TALES)
        assert result.complete
        assert result.status
        assert result.status.counts["documents"] == 2
        assert "Scrooge" in (await rag.query("Who was the clerk?", method="basic")).text
    assert await dump(graph) == expected
