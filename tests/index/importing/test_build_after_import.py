"""Builds after an import keep what it brought until the graph changes, or it is to go."""

from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j import AsyncGraphRAG, InputError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.index.stages.communities import CommunitiesDueRow
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.graphrag_tables import brought, column, interrupted, pairs_of, write_small

pytestmark = pytest.mark.one_release


async def test_a_build_leaves_an_imported_tree_and_its_reports_alone(
    graph: Graph, alone: Settings, settings: Make, tmp_path: Path
) -> None:
    await brought(alone, write_small(tmp_path / "output"))
    before = await reports(graph)
    for given in ({}, {"max_cluster_size": 2}):
        built = await built_on(settings(**given), tmp_path)
        assert built.complete
        assert await reports(graph) == before
    assert await column(graph, "MATCH (c:Community) WHERE c.stale RETURN c AS x") == []


async def test_recluster_finds_communities_and_writes_reports_anew(
    graph: Graph, alone: Settings, settings: Make, tmp_path: Path
) -> None:
    """Also the report of a community that stays: London is one of its own."""
    communities = [
        {"community": 0, "level": 0, "parent": -1, "entity_ids": ["e0", "e1"]},
        {"community": 1, "level": 0, "parent": -1, "entity_ids": ["e3"]},
    ]
    told = [{"community": n, "title": f"Told {n}", "summary": "Told."} for n in (0, 1)]
    tables = write_small(tmp_path / "output", communities=communities, community_reports=told)
    await brought(alone, tables)
    assert (await built_on(settings(), tmp_path, recluster=True)).complete
    assert (await graph.read("communities/due", CommunitiesDueRow))[0]["made_with"] != "import"
    titles = await pairs_of(graph, "MATCH (c:Community) RETURN c.ref AS a, c.title AS b")
    assert 1 in dict(titles)
    assert not {"Told 0", "Told 1"} & set(dict(titles).values())
    assert await reports(graph) == []


@pytest.mark.usefixtures("graph")
async def test_nothing_else_is_done_to_a_graph_before_its_import_is_complete(
    alone: Settings, tmp_path: Path
) -> None:
    await interrupted(alone, write_small(tmp_path / "output"), "merge")
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(InputError, match="An import into this graph was interrupted"):
            await rag.index(tmp_path)
        with pytest.raises(InputError, match="An import into this graph was interrupted"):
            await rag.delete("ada.txt")


async def built_on(settings: Settings, folder: Path, *, recluster: bool = False) -> IndexResult:
    """A build of the files in a folder that are not tables."""
    (folder / "input").mkdir(exist_ok=True)
    async with AsyncGraphRAG(settings) as rag:
        return await rag.index(folder / "input", recluster=recluster)


async def reports(graph: Graph) -> list[tuple[Any, Any]]:
    query = "MATCH (c:Community {origin: 'import'}) RETURN c.id AS a, c.report AS b ORDER BY a"
    return await pairs_of(graph, query)
