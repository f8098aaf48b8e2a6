"""The state of a graph: its schema version, and a graph of another one."""

import pytest

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.client.doctor import check_schema
from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph import SCHEMA_VERSION, Graph, ensure_schema, hold_lease
from graphrag_neo4j.settings import Settings
from tests.support.preset_backend import documents

OTHER = SCHEMA_VERSION + 1


async def test_a_graph_of_another_schema_is_refused_and_left_as_it_is(
    graph: Graph, alone: Settings
) -> None:
    await graph.run_plain(
        "CREATE (:State:KgBuild {id: 'graph', schema_version: $version}), (:Chunk:KgBuild)",
        version=OTHER,
    )
    other = f"schema version {OTHER}, .* version {SCHEMA_VERSION}: install"
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(GraphError, match=other):
            await rag.index(documents("Scrooge lived in London."))
        with pytest.raises(GraphError, match=other):
            await rag.query("Who?", method="text")
    with pytest.raises(GraphError, match=other):
        await ensure_schema(graph)
    with pytest.raises(GraphError, match=other):
        async with hold_lease(graph, {"command": "test"}, dict):
            pass
    assert await graph.run_plain("MATCH (n) WHERE NOT n:State AND NOT n:Chunk RETURN n") == []
    check = await check_schema(graph)
    assert (check.ok, "install" in check.says) == (False, True)
    await graph.run_plain("MATCH (n) DETACH DELETE n")
    assert "no graph yet" in (await check_schema(graph)).says
