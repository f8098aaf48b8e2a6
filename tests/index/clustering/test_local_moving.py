"""Local moving: only what a change touches moves, and a move never lowers modularity."""

from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.index.clustering.hierarchy import Edges, Numbers
from graphrag_neo4j.index.clustering.tree_update import modularity, move_locally
from graphrag_neo4j.model import WeightedEdge

names = st.sampled_from([f"n{i:02d}" for i in range(16)])
edge_lists = st.lists(
    st.tuples(names, names, st.floats(0.1, 9)), min_size=1, max_size=50, unique_by=lambda e: e[:2]
).map(lambda edges: [(min(a, b), max(a, b), w) for a, b, w in edges if a != b])


def clique(names_: str) -> list[WeightedEdge]:
    return [(a, b, 1.0) for a in names_ for b in names_ if a < b]


def moved(
    edges: list[WeightedEdge], label: Mapping[str, str], free: Iterable[str]
) -> dict[str, int]:
    """The communities by node after the moves of `move_locally`."""
    numbered, labels = of_names(edges, label, {*label, *free})
    places = [numbered.names.index(node) for node in free]
    found = move_locally(labels, places, numbered, 1.0).tolist()
    return dict(zip(numbered.names, found, strict=True))


def of_names(
    edges: list[WeightedEdge], label: Mapping[str, object], nodes: set[str]
) -> tuple[Edges, Numbers]:
    """The edges as arrays, and the number of the label of each node; -1 for none."""
    numbered = Edges.of(sorted(edges), {*nodes, *(end for edge in edges for end in edge[:2])})
    known = sorted({*map(str, label.values())})
    labels = [known.index(str(label[n])) if n in label else -1 for n in numbered.names]
    return numbered, np.array(labels, np.int32)


def quality(edges: list[WeightedEdge], label: Mapping[str, object]) -> float:
    numbered, labels = of_names(edges, label, set(label))
    return modularity(labels, numbered)


def together(label: Mapping[str, object]) -> list[str]:
    groups: dict[object, str] = {}
    for node in sorted(label):
        groups[label[node]] = groups.get(label[node], "") + node
    return sorted(groups.values())


def test_new_nodes_form_a_community_of_their_own_before_any_of_them_joins_another() -> None:
    edges = [*clique("abcd"), *clique("nopq"), ("a", "n", 1.0)]
    assert together(moved(edges, dict.fromkeys("abcd", "old"), "nopq")) == ["abcd", "nopq"]


def test_a_node_that_nothing_frees_stays_although_it_would_gain() -> None:
    edges = [*clique("abcd"), *clique("wxyz")]
    wrong = dict.fromkeys("abcz", "left") | dict.fromkeys("dwxy", "right")
    assert together(moved(edges, wrong, "")) == ["abcz", "dwxy"]
    assert together(moved(edges, wrong, "dz")) == ["abcd", "wxyz"]


@given(edge_lists, st.dictionaries(names, st.sampled_from("pqr")), st.sets(names))
def test_moves_never_lower_modularity_and_repeat_exactly(
    edges: list[WeightedEdge], label: dict[str, str], free: set[str]
) -> None:
    ends = {end for edge in edges for end in edge[:2]}
    free |= ends - label.keys()
    found = moved(edges, label, sorted(free))
    assert found.keys() == label.keys() | free
    begun = {node: label.get(node, node) for node in found}
    assert quality(edges, found) >= quality(edges, begun) - 1e-9
    assert moved(edges, label, sorted(free, reverse=True)) == found


def test_modularity_is_that_of_the_literature() -> None:
    """Two cliques of four with one edge between them: 12/13 - (2 * 13^2) / 26^2."""
    edges = [*clique("abcd"), *clique("wxyz"), ("a", "w", 1.0)]
    label = {node: node in "abcd" for node in "abcdwxyz"}
    assert quality(edges, label) == pytest.approx(12 / 13 - 0.5)
    assert quality([], {}) == 0.0
