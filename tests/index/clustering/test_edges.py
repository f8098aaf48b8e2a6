"""Edges as arrays: the same edges, degrees and components as one by one."""

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.index.clustering import hierarchy as edges_module
from graphrag_neo4j.index.clustering.hierarchy import (
    Edges,
    connected,
    entity_ids,
    entity_pages,
    read_edges,
)
from graphrag_neo4j.model import WeightedEdge
from tests.index.clustering.test_hierarchy import edge_lists
from tests.index.stages.test_communities import carol, fill

NAMES = [f"n{i:02d}" for i in range(30)]


@given(edge_lists, st.lists(st.integers(0, 1), min_size=30, max_size=30))
def test_components_are_those_that_are_found_one_by_one(
    edges: list[WeightedEdge], labels: list[int]
) -> None:
    with patch.object(edges_module, "PART", 3):
        found = connected(Edges.of(edges, NAMES), np.array(labels, np.int32)).tolist()
    names, label = list(range(30)), dict(zip(NAMES, labels, strict=True))
    for a, b, _ in edges:
        if label[a] == label[b]:
            one, other = sorted((names[NAMES.index(a)], names[NAMES.index(b)]))
            names = [one if name == other else name for name in names]
    assert found == names


def test_a_long_chain_in_any_order_is_one_component() -> None:
    places = np.random.default_rng(1).permutation(20_000).astype(np.int32)
    long = Edges(range(20_000), places[:-1], places[1:], np.ones(19_999))  # type: ignore[arg-type]
    assert not connected(long, np.zeros(20_000, np.int32)).any()


async def test_pages_of_any_size_are_the_whole_graph(graph: Graph) -> None:
    entities, pairs = carol()
    await fill(graph, entities, pairs)
    names = [row["id"] async for page in entity_pages(graph, 37) for row in page]
    assert names == sorted(entities) == await entity_ids(graph)
    assert (await read_edges(graph, names, 37)).named() == sorted(pairs)
