"""A tree that follows the changes of its graph: always strict, the same where nothing changed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.index.communities.hierarchy import Detect, Edges, Numbers, community_tree
from graphrag_neo4j.index.communities.tree import (
    ROOT,
    HierarchyLimits,
    TreeCommunity,
    lasting_ids,
    with_ids,
)
from graphrag_neo4j.index.communities.update import (
    FormerTree,
    LocalMoves,
    modularity,
    updated_tree,
)
from graphrag_neo4j.model.types import WeightedEdge
from tests.index.communities.test_hierarchy import by_names, checked, edge_lists, halves, names

LIMITS = HierarchyLimits(max_size=3)


def paths_of(tree: Sequence[TreeCommunity]) -> dict[str, list[str]]:
    paths: dict[str, list[str]] = {}
    for community in tree:
        for member in community.members:
            paths.setdefault(member, []).append(community.id)
    return paths


def ends(edges: Sequence[WeightedEdge]) -> set[str]:
    return {end for edge in edges for end in edge[:2]}


def degrees(edges: Sequence[WeightedEdge]) -> Mapping[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for a, b, weight in edges:
        found[a] += weight
        found[b] += weight
    return found


def updated(
    tree: Sequence[TreeCommunity],
    before: Sequence[WeightedEdge],
    entities: set[str],
    edges: Sequence[WeightedEdge],
    unchecked: Mapping[str, float] | None = None,
    *,
    detect: Detect = halves,
    limits: HierarchyLimits = LIMITS,
) -> tuple[list[TreeCommunity], dict[str, float]]:
    old, new = degrees(before), degrees(edges)
    paths = {entity: path for entity, path in paths_of(tree).items() if entity in entities}
    touched = {e: abs(new[e] - old[e]) for e in entities if e not in paths or new[e] != old[e]}
    former = FormerTree(paths, touched, unchecked or {})
    found = updated_tree(Edges.of(sorted(edges), entities), detect, limits, former)
    ids = {ROOT: ROOT, **lasting_ids(found.communities, paths)}
    return with_ids(found.communities, ids), {ids[id_]: w for id_, w in found.unchecked.items()}


@given(st.sets(names), st.lists(edge_lists, min_size=2, max_size=4))
def test_after_any_changes_the_tree_is_strict_and_its_communities_are_connected(
    alone: set[str], states: list[list[WeightedEdge]]
) -> None:
    entities = alone | ends(states[0])
    tree = community_tree(Edges.of(sorted(states[0]), entities), halves, LIMITS)
    assert updated(tree, states[0], entities, states[0])[0] == tree  # as nothing has changed
    unchecked: dict[str, float] = {}
    for before, edges in pairwise(states):
        entities = alone | ends(edges)
        tree, unchecked = updated(tree, before, entities, edges, unchecked)
        by_id = checked(tree, entities, edges)
        for community in tree:
            if community.parent is not None:
                parent = by_id[community.parent]
                assert parent.level == community.level - 1
                assert set(community.members) < set(parent.members)
        assert unchecked.keys() <= {ROOT, *by_id}


def test_what_a_change_does_not_reach_stays_as_it_is() -> None:
    far = [(f"f{i}", f"f{i + 1}", 1.0) for i in range(9)]
    near = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0)]
    tree = community_tree(Edges.of([*far, *near], ends([*far, *near])), halves, LIMITS)
    more = [*far, *near, ("c", "d", 1.0)]
    now, _ = updated(tree, [*far, *near], ends(more), more)
    distant = [c for c in tree if set(c.members) <= ends(far)]
    assert [c for c in now if set(c.members) <= ends(far)] == distant
    assert {m for c in now if "d" in c.members for m in c.members} >= {"a", "b", "c", "d"}


def test_a_split_that_falls_behind_a_fresh_one_is_made_anew() -> None:
    """Small changes are counted, and where they add up the tree is compared with a fresh one."""

    @by_names
    def by_letter(edges: Sequence[WeightedEdge], _gamma: float) -> Mapping[str, int]:
        return {node: ord(node[0]) for node in ends(edges)}

    cliques = [[f"{letter}{i}" for i in range(4)] for letter in "ab"]
    edges = [*clique(*cliques[0]), *clique(*cliques[1]), ("a0", "b0", 0.1)]
    entities = ends(edges)
    wrong = {e: ["one" if e in ("a0", "b0", "b1", "b2", "b3") else "two"] for e in entities}
    touched = {"a3": 0.2}
    limits = HierarchyLimits(max_size=10)
    numbered = Edges.of(sorted(edges), entities)
    kept = updated_tree(numbered, by_letter, limits, FormerTree(wrong, touched, {}))
    assert sorted(len(c.members) for c in kept.communities) == [3, 5]
    assert kept.unchecked[ROOT] == 0.1
    again = updated_tree(numbered, by_letter, limits, FormerTree(wrong, touched, {ROOT: 2.0}))
    assert sorted(len(c.members) for c in again.communities) == [4, 4]
    assert again.unchecked[ROOT] == 0.0


def test_the_larger_part_of_a_community_that_falls_apart_keeps_its_id() -> None:
    larger, smaller = (TreeCommunity.of(0, part, None) for part in ("abc", "d"))
    found = lasting_ids([larger, smaller], {member: ["one"] for member in "abcd"})
    assert found[larger.id] == "one" != found[smaller.id]


def test_a_new_community_never_gets_the_id_of_one_that_lives_on() -> None:
    """The older one began with the members that the new one has now."""
    new, old = (TreeCommunity.of(0, part, None) for part in ("ab", "cdefg"))
    found = lasting_ids([new, old], {member: [new.id] for member in "cdefg"})
    assert found[old.id] == new.id != found[new.id]


partitions = st.dictionaries(st.sampled_from("abcdefghij"), st.sampled_from("pqrs"))


@given(partitions, partitions)
def test_ids_are_given_once_and_the_same_communities_keep_theirs(
    before: dict[str, str], after: dict[str, str]
) -> None:
    former = {member: [home] for member, home in before.items()}
    parts = {home: {m for m, at in after.items() if at == home} for home in after.values()}
    now = [TreeCommunity.of(0, part, None) for part in parts.values()]
    lasting = lasting_ids(now, former)
    assert len(set(lasting.values())) == len(now)
    for community in now:
        homes = {before.get(member) for member in community.members}
        if len(homes) == 1 and (home := homes.pop()) is not None:
            whole = {m for m, at in before.items() if at == home} == set(community.members)
            assert not whole or lasting[community.id] == home


def clique(*names_: str) -> list[WeightedEdge]:
    return [(a, b, 1.0) for a in names_ for b in names_ if a < b]


def moved(
    edges: list[WeightedEdge], label: Mapping[str, str], free: Iterable[str]
) -> dict[str, int]:
    """The communities by node after the moves of `LocalMoves`."""
    numbered, labels = of_names(edges, label, {*label, *free})
    places = [numbered.names.index(node) for node in free]
    found = LocalMoves(labels, numbered, 1.0).run(places).tolist()
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
    edges = [*clique(*"abcd"), *clique(*"nopq"), ("a", "n", 1.0)]
    assert together(moved(edges, dict.fromkeys("abcd", "old"), "nopq")) == ["abcd", "nopq"]


def test_a_node_that_nothing_frees_stays_although_it_would_gain() -> None:
    edges = [*clique(*"abcd"), *clique(*"wxyz")]
    wrong = dict.fromkeys("abcz", "left") | dict.fromkeys("dwxy", "right")
    assert together(moved(edges, wrong, "")) == ["abcz", "dwxy"]
    assert together(moved(edges, wrong, "dz")) == ["abcd", "wxyz"]


@given(edge_lists.filter(bool), st.dictionaries(names, st.sampled_from("pqr")), st.sets(names))
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
    edges = [*clique(*"abcd"), *clique(*"wxyz"), ("a", "w", 1.0)]
    label = {node: node in "abcd" for node in "abcdwxyz"}
    assert quality(edges, label) == pytest.approx(12 / 13 - 0.5)
    assert quality([], {}) == 0.0
