"""A tree that follows the changes of its graph: always strict, the same where nothing changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.index.clustering.hierarchy import Detect, Edges, Numbers, community_tree
from graphrag_neo4j.index.clustering.tree import (
    ROOT,
    HierarchyLimits,
    TreeCommunity,
    lasting_ids,
    with_ids,
)
from graphrag_neo4j.index.clustering.tree_update import FormerTree, updated_tree
from graphrag_neo4j.model import WeightedEdge
from tests.index.clustering.test_hierarchy import (
    by_names,
    connected,
    cover,
    edge_lists,
    halves,
    names,
)

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
    found: Counter[str] = Counter()
    for a, b, weight in edges:
        found[a] += weight  # type: ignore[assignment]
        found[b] += weight  # type: ignore[assignment]
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
    unchecked: dict[str, float] = {}
    for before, edges in pairwise(states):
        entities = alone | ends(edges)
        tree, unchecked = updated(tree, before, entities, edges, unchecked)
        by_id = {community.id: community for community in tree}
        assert len(by_id) == len(tree)
        for level in {community.level for community in tree}:
            assert cover(tree, level) == sorted(entities)
        for community in tree:
            assert connected(community.members, edges)
            if community.parent is not None:
                parent = by_id[community.parent]
                assert parent.level == community.level - 1
                assert set(community.members) < set(parent.members)
        assert unchecked.keys() <= {ROOT, *by_id}


@given(st.sets(names), edge_lists)
def test_without_a_change_the_tree_is_the_same(alone: set[str], edges: list[WeightedEdge]) -> None:
    entities = alone | ends(edges)
    tree = community_tree(Edges.of(sorted(edges), entities), halves, LIMITS)
    assert updated(tree, edges, entities, edges)[0] == tree


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

    def clique(letter: str) -> list[WeightedEdge]:
        nodes = [f"{letter}{i}" for i in range(4)]
        return [(a, b, 1.0) for a in nodes for b in nodes if a < b]

    edges = [*clique("a"), *clique("b"), ("a0", "b0", 0.1)]
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


def test_the_comparison_of_a_light_community_waits() -> None:
    """It can hardly lower the modularity, and it costs a run of Leiden."""

    def chain(letter: str, weight: float) -> list[WeightedEdge]:
        return [(f"{letter}{i}", f"{letter}{i + 1}", weight) for i in range(7)]

    runs: list[int] = []

    def counted(edges: Edges, gamma: float) -> Numbers:
        runs.append(round(edges.weights.sum()))
        return halves(edges, gamma)

    edges = [*chain("a", 1.0), *chain("b", 20.0), *chain("c", 500.0)]
    entities = ends(edges)
    numbered = Edges.of(sorted(edges), entities)
    paths = {e: [e[0], f"{e[0]}{int(e[1]) // 4}"] for e in entities}

    def unchecked_after(name: str, change: float) -> dict[str, float]:
        former = FormerTree(paths, {name: 2 * change}, {})
        found = updated_tree(numbered, counted, HierarchyLimits(max_size=4), former)
        ids = {ROOT: ROOT, **lasting_ids(found.communities, paths)}
        return {ids[id_]: weight for id_, weight in found.unchecked.items()}

    assert unchecked_after("a3", 3.0)["a"] == 3.0
    assert runs == []
    assert unchecked_after("b3", 10.0)["b"] == 0.0
    assert runs == [140]
