"""On a cluster, a run sees what it has written, although reads go to followers that lag."""

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.graph import Graph, connect, dump
from graphrag_neo4j.graph.schema import VersionRow, begin_graph
from graphrag_neo4j.settings import Settings
from tests.support.cluster import lagging_cluster
from tests.support.preset_backend import documents
from tests.support.servers import TestServer

TALES = documents(
    "Ebenezer Scrooge met Jacob Marley in London. Bob Cratchit was the clerk of Ebenezer Scrooge.",
    "Bob Cratchit lived in Camden Town with Tiny Tim. Tiny Tim was the son of Bob Cratchit.",
)


async def test_what_was_just_written_is_read_from_a_follower_that_lags(
    graph: Graph, checked_server: TestServer
) -> None:
    one = checked_server
    await graph.run_plain("CREATE (:Note)")
    await graph.transact(begin_graph)
    async with (
        lagging_cluster(one.uri) as uri,
        connect(uri, one.username, one.password, one.database) as late,
    ):
        assert await late.read("state/version", VersionRow) == []
        assert await late.run_plain("MATCH (n:Note) RETURN count(n) AS n") == [{"n": 1}]  # leads
        await late.transact(begin_graph)
        assert len(await late.read("state/version", VersionRow)) == 1


async def test_a_graph_is_built_and_asked_through_lagging_followers(
    graph: Graph, alone: Settings
) -> None:
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
