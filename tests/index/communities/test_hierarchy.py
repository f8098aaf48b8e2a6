"""The tree of communities, with a detector that needs no server: it always splits in two."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities import hierarchy
from graphrag_neo4j.index.communities.hierarchy import (
    Detect,
    Edges,
    Numbers,
    all_entity_ids,
    community_tree,
    connected_components,
    entity_pages,
    read_edges,
)
from graphrag_neo4j.index.communities.tree import HierarchyLimits, TreeCommunity
from graphrag_neo4j.model.types import WeightedEdge
from tests.index.communities.test_communities import carol, fill

NAMES = [f"n{i:02d}" for i in range(30)]
names = st.sampled_from(NAMES)
edge_lists = st.lists(st.tuples(names, names, st.floats(0.1, 9)), max_size=60).map(
    lambda edges: [(min(a, b), max(a, b), w) for a, b, w in edges if a != b]
)


def by_names(split: Callable[[Sequence[WeightedEdge], float], Mapping[str, int]]) -> Detect:
    """A detector made from a function that knows nodes by their names."""

    def detect(edges: Edges, gamma: float) -> Numbers:
        names = edges.names
        found = split([(names[a], names[b], weight) for a, b, weight in edges.rows()], gamma)
        return np.array([found.get(name, -1) for name in names], np.int32)

    return detect


@by_names
def halves(edges: Sequence[WeightedEdge], _gamma: float) -> Mapping[str, int]:
    """Cuts by the order of names, so that parts are often not connected."""
    nodes = sorted({end for edge in edges for end in edge[:2]})
    return {node: i * 2 // len(nodes) for i, node in enumerate(nodes)}


def cover(tree: Sequence[TreeCommunity], level: int) -> list[str]:
    """The members of a level's communities, those above it that were not split included."""
    parents = {community.parent for community in tree}
    at = [c for c in tree if c.level == level or (c.level < level and c.id not in parents)]
    return sorted(member for community in at for member in community.members)


def in_one_piece(members: Sequence[str], edges: Sequence[WeightedEdge]) -> bool:
    reached, todo = set(), [members[0]]
    near: defaultdict[str, set[str]] = defaultdict(set)
    for a, b, _ in edges:
        near[a].add(b)
        near[b].add(a)
    while todo:
        node = todo.pop()
        if node not in reached:
            reached.add(node)
            todo += near[node] & set(members)
    return reached >= set(members)


def checked(
    tree: Sequence[TreeCommunity], entities: set[str], edges: Sequence[WeightedEdge]
) -> dict[str, TreeCommunity]:
    """The communities of a tree by id; each level holds each entity once, in connected parts."""
    for level in {community.level for community in tree}:
        assert cover(tree, level) == sorted(entities)
    for community in tree:
        assert in_one_piece(community.members, edges)
    by_id = {community.id: community for community in tree}
    assert len(by_id) == len(tree)
    return by_id


@given(st.sets(names), edge_lists, st.integers(0, 5))
def test_a_tree_covers_each_level_once_and_its_communities_are_connected(
    alone: set[str], edges: list[WeightedEdge], max_size: int
) -> None:
    entities = alone | {end for edge in edges for end in edge[:2]}
    tree = community_tree(
        Edges.of(sorted(edges), entities), halves, HierarchyLimits(max_size=max_size)
    )
    by_id = checked(tree, entities, edges)
    children: defaultdict[str, list[str]] = defaultdict(list)
    for community in tree:
        if community.parent:
            children[community.parent] += community.members
    for parent, members in children.items():
        assert sorted(members) == list(by_id[parent].members)
        assert len(by_id[parent].members) > max_size


def test_only_what_is_too_large_is_split_and_levels_are_limited() -> None:
    chain = [(f"n{i:02d}", f"n{i + 1:02d}", 1.0) for i in range(20)]
    entities = {end for edge in chain for end in edge[:2]}

    def sizes(limits: HierarchyLimits) -> list[list[int]]:
        widths = iter((16, 8, 4, 2, 1, 1))

        @by_names
        def blocks(edges: Sequence[WeightedEdge], _gamma: float) -> Mapping[str, int]:
            width = next(widths)
            return {end: int(end[1:]) // width for edge in edges for end in edge[:2]}

        tree = community_tree(Edges.of(chain, entities), blocks, limits)
        levels = range(1 + max(c.level for c in tree))
        return [[len(c.members) for c in tree if c.level == level] for level in levels]

    assert sizes(HierarchyLimits(max_size=6)) == [[16, 5], [8, 8], [4, 4, 4, 4]]
    assert sizes(HierarchyLimits(max_size=6, max_levels=2)) == [[16, 5], [8, 8]]
    assert sizes(HierarchyLimits(max_size=0))[4] == [1] * 16  # what was left whole once stays whole


def test_splits_of_one_run_weigh_as_if_each_were_alone() -> None:
    edges = [("a", "b", 1.0), ("b", "c", 1.0), ("x", "y", 50.0), ("y", "z", 30.0)]
    seen: list[tuple[list[WeightedEdge], float]] = []

    @by_names
    def apart(given_edges: Sequence[WeightedEdge], gamma: float) -> Mapping[str, int]:
        seen.append((list(given_edges), gamma))
        nodes = sorted({end for edge in given_edges for end in edge[:2]})
        return {node: int(node in "xyz") if len(seen) == 1 else ord(node) for node in nodes}

    community_tree(Edges.of(edges, "abcxyz"), apart, HierarchyLimits(max_size=1, gamma=1.5))
    scaled, gamma = seen[1]
    assert gamma == 3.0
    weights: defaultdict[bool, float] = defaultdict(float)
    for a, _, weight in scaled:
        weights[a in "xyz"] += weight
    assert weights[False] == pytest.approx(41.0, rel=1e-4)
    assert weights[True] == pytest.approx(41.0, rel=1e-4)


@given(edge_lists, st.lists(st.integers(0, 1), min_size=30, max_size=30))
def test_components_are_those_that_are_found_one_by_one(
    edges: list[WeightedEdge], labels: list[int]
) -> None:
    with patch.object(hierarchy, "PART", 3):
        found = connected_components(Edges.of(edges, NAMES), np.array(labels, np.int32)).tolist()
    names, label = list(range(30)), dict(zip(NAMES, labels, strict=True))
    for a, b, _ in edges:
        if label[a] == label[b]:
            one, other = sorted((names[NAMES.index(a)], names[NAMES.index(b)]))
            names = [one if name == other else name for name in names]
    assert found == names


def test_a_long_chain_in_any_order_is_one_component() -> None:
    places = np.random.default_rng(1).permutation(20_000).astype(np.int32)
    long = Edges(range(20_000), places[:-1], places[1:], np.ones(19_999))  # type: ignore[arg-type]
    assert not connected_components(long, np.zeros(20_000, np.int32)).any()


async def test_pages_of_any_size_are_the_whole_graph(graph: Graph) -> None:
    entities, pairs = carol()
    await fill(graph, entities, pairs)
    names = [row["id"] async for page in entity_pages(graph, 37) for row in page]
    assert names == sorted(entities) == await all_entity_ids(graph)
    assert (await read_edges(graph, names, 37)).named() == sorted(pairs)
