"""Local moving: only what a change touches moves, and a move never lowers modularity."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.indexing.clustering.local_moving import (
    modularity,
    move_locally,
    neighbours,
)
from graphrag_neo4j.model import WeightedEdge

names = st.sampled_from([f"n{i:02d}" for i in range(16)])
edge_lists = st.lists(
    st.tuples(names, names, st.floats(0.1, 9)), min_size=1, max_size=50, unique_by=lambda e: e[:2]
).map(lambda edges: [(min(a, b), max(a, b), w) for a, b, w in edges if a != b])


def clique(names_: str) -> list[WeightedEdge]:
    return [(a, b, 1.0) for a in names_ for b in names_ if a < b]


def together(label: Mapping[str, str]) -> list[str]:
    groups: dict[str, str] = {}
    for node in sorted(label):
        groups[label[node]] = groups.get(label[node], "") + node
    return sorted(groups.values())


def test_a_new_node_joins_the_community_that_it_is_tied_to() -> None:
    edges = [*clique("abcd"), *clique("wxyz"), ("a", "n", 1.0), ("b", "n", 1.0), ("n", "z", 1.0)]
    label = dict.fromkeys("abcd", "left") | dict.fromkeys("wxyz", "right")
    assert together(move_locally(label, "n", neighbours(edges), 1.0)) == ["abcdn", "wxyz"]


def test_new_nodes_form_a_community_of_their_own_before_any_of_them_joins_another() -> None:
    edges = [*clique("abcd"), *clique("nopq"), ("a", "n", 1.0)]
    moved = move_locally(dict.fromkeys("abcd", "old"), "nopq", neighbours(edges), 1.0)
    assert together(moved) == ["abcd", "nopq"]
    assert moved["a"] == "old"


def test_pairs_of_new_nodes_move_as_a_whole() -> None:
    chain = [(f"n{i}", f"n{i + 1}", 1.0) for i in range(7)]
    moved = move_locally({}, [f"n{i}" for i in range(8)], neighbours(chain), 1.0)
    sizes = sorted(list(moved.values()).count(name) for name in set(moved.values()))
    assert len(sizes) <= 3
    assert sizes[0] > 1


def test_a_node_that_nothing_frees_stays_although_it_would_gain() -> None:
    edges = [*clique("abcd"), *clique("wxyz")]
    wrong = dict.fromkeys("abcz", "left") | dict.fromkeys("dwxy", "right")
    assert move_locally(wrong, [], neighbours(edges), 1.0) == wrong
    assert together(move_locally(wrong, "dz", neighbours(edges), 1.0)) == ["abcd", "wxyz"]


@given(edge_lists, st.dictionaries(names, st.sampled_from("pqr")), st.sets(names))
def test_moves_never_lower_modularity_and_repeat_exactly(
    edges: list[WeightedEdge], label: dict[str, str], free: set[str]
) -> None:
    ends = {end for edge in edges for end in edge[:2]}
    free |= ends - label.keys()
    near = neighbours(edges)
    moved = move_locally(label, free, near, 1.0)
    assert moved.keys() == label.keys() | free
    begun = {node: label.get(node, node) for node in moved}
    assert modularity(moved, edges) >= modularity(begun, edges) - 1e-9
    assert move_locally(label, sorted(free, reverse=True), near, 1.0) == moved


def test_modularity_is_that_of_the_literature() -> None:
    """Two cliques of four with one edge between them: 12/13 - (2 * 13^2) / 26^2."""
    edges = [*clique("abcd"), *clique("wxyz"), ("a", "w", 1.0)]
    label = {node: node in "abcd" for node in "abcdwxyz"}
    assert modularity(label, edges) == pytest.approx(12 / 13 - 0.5)
    assert modularity({}, []) == 0.0
