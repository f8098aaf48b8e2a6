"""Edges that travel to GDS in pages give the communities that they give in one piece."""

import pytest
from graphdatascience import GraphDataScience

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.index.clustering.gds_client import detector
from graphrag_neo4j.index.clustering.hierarchy import Edges, community_tree
from graphrag_neo4j.index.clustering.tree import HierarchyLimits, Leiden
from tests.index.stages.test_communities import carol


@pytest.mark.anyio
async def test_the_tree_does_not_depend_on_the_pages(connected: Graph) -> None:
    entities, pairs = carol()
    edges = Edges.of(sorted(pairs), entities)
    with connected.lend_driver() as driver:
        gds = GraphDataScience(driver, database=connected.database, arrow=False)
        trees = [
            community_tree(edges, detector(gds, Leiden(), page=page), HierarchyLimits())
            for page in (len(edges), 100)
        ]
        left = gds.run_cypher("CALL gds.graph.list() YIELD graphName RETURN graphName")
    assert len(trees[0]) > 40
    assert trees[0] == trees[1]
    assert left.empty
