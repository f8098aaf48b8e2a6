"""Edges as arrays: the same edges, degrees and components as one by one."""

from itertools import chain
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.index.clustering import hierarchy as edges_module
from graphrag_neo4j.index.clustering.hierarchy import (
    Edges,
    components,
    connected,
    entity_ids,
    entity_pages,
    parted,
    read_edges,
)
from graphrag_neo4j.model import WeightedEdge
from tests.index.clustering.test_hierarchy import connected as is_connected
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


@given(edge_lists, st.sets(st.sampled_from(NAMES)))
def test_components_are_those_of_the_nodes_that_are_left(
    edges: list[WeightedEdge], without: set[str]
) -> None:
    found = components(Edges.of(edges, NAMES), without)
    assert sorted(chain.from_iterable(found)) == sorted({*NAMES} - without)
    home = {name: i for i, part in enumerate(found) for name in part}
    assert all(home[a] == home[b] for a, b, _ in edges if not {a, b} & without)
    assert all(is_connected(part, edges) for part in found)


@given(edge_lists, st.lists(st.integers(-1, 2), min_size=30, max_size=30))
def test_the_edges_inside_parts_are_those_between_their_nodes(
    edges: list[WeightedEdge], labels: list[int]
) -> None:
    parts = [np.flatnonzero(np.array(labels) == i).astype(np.int32) for i in range(3)]
    for part, found in zip(parts, parted(Edges.of(edges, NAMES), parts), strict=True):
        names = [NAMES[node] for node in part]
        assert found.names == names
        assert found.named() == [edge for edge in edges if {*edge[:2]} <= {*names}]
    assert parted(Edges.of(edges, NAMES), []) == []


def test_a_long_chain_in_any_order_is_one_component() -> None:
    places = np.random.default_rng(1).permutation(20_000).astype(np.int32)
    long = Edges(range(20_000), places[:-1], places[1:], np.ones(19_999))  # type: ignore[arg-type]
    assert not connected(long, np.zeros(20_000, np.int32)).any()


@given(edge_lists)
def test_edges_come_out_as_they_went_in(edges: list[WeightedEdge]) -> None:
    numbered = Edges.of(edges, NAMES)
    assert numbered.named() == edges
    degrees = dict.fromkeys(NAMES, 0.0)
    for a, b, weight in edges:
        degrees[a] += weight
        degrees[b] += weight
    assert numbered.degrees().tolist() == pytest.approx(list(degrees.values()))


async def test_pages_of_any_size_are_the_whole_graph(graph: Graph) -> None:
    entities, pairs = carol()
    await fill(graph, entities, pairs)
    names = [row["id"] async for page in entity_pages(graph, 37) for row in page]
    assert names == sorted(entities) == await entity_ids(graph)
    assert (await read_edges(graph, names, 37)).named() == sorted(pairs)
