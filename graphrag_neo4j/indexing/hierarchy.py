"""A tree of communities from a detector that finds them on one level (here: GDS Leiden).

Level 0 is one run over the whole graph. Then, level by level, every community that is too large
is split, all of them in one run over the edges inside them. Scaling the edges of community c by
mean(W) / W_c (W_c: the weight inside c) and multiplying gamma by the number of communities turns
the null model of that one run into each community's own, so it splits as runs one by one would.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from graphrag_neo4j.ids import identify
from graphrag_neo4j.model import WeightedEdge

__all__ = [
    "Detect",
    "HierarchyLimits",
    "TreeCommunity",
    "community_row",
    "community_tree",
    "components",
]

Detect = Callable[[Sequence[WeightedEdge], float], Mapping[str, int]]
"""Edges and gamma to a label for each of their ends."""
LITTLE = 2.0**-14  # of a weight
GRAIN = 2.0**-30  # sums up to eight million are exact


@dataclass(frozen=True, slots=True)
class HierarchyLimits:
    """What is split: communities of more than `max_size` members (0: all that can be), on at
    most `max_levels` levels; `gamma` is Leiden's resolution."""

    max_size: int = 10
    max_levels: int = 10
    gamma: float = 1.0


@dataclass(frozen=True, slots=True)
class TreeCommunity:
    """A community and its place in the tree; its id is that of its members."""

    id: str
    level: int
    members: tuple[str, ...]
    parent: str | None

    @classmethod
    def of(cls, level: int, members: Iterable[str], parent: str | None) -> Self:
        """The community of these members."""
        ordered = tuple(sorted(members))
        return cls(identify("community", *ordered), level, ordered, parent)


def community_row(community: TreeCommunity, ref: int | None) -> dict[str, object]:
    """A community as `communities/save` takes it; `ref`: None for one that has its ref already."""
    return {
        "id": community.id,
        "ref": ref,
        "level": community.level,
        "size": len(community.members),
        "parent": community.parent,
    }


def community_tree(
    entities: Iterable[str], edges: Sequence[WeightedEdge], detect: Detect, limits: HierarchyLimits
) -> list[TreeCommunity]:
    """All communities, a level after the other.

    Level 0 covers all entities; children partition their parent; a community that is not split
    has none. Each community of more than one member is connected.
    """
    edges = [_told_apart(edge) for edge in sorted(edges)]
    tree = level = [
        TreeCommunity.of(0, part, None) for part in _partition(entities, edges, detect, limits)
    ]
    for number in range(1, limits.max_levels):
        level = _split_all(level, edges, detect, limits, number)
        tree = tree + level
        if not level:
            break
    return tree


def components(nodes: Iterable[str], edges: Sequence[WeightedEdge]) -> list[list[str]]:
    """The connected parts of a graph; edges to other nodes do not count."""
    return sorted(_connected(dict.fromkeys(nodes, 0), edges))


def _partition(
    entities: Iterable[str], edges: Sequence[WeightedEdge], detect: Detect, limits: HierarchyLimits
) -> list[list[str]]:
    """Level 0; entities without edges are communities of one."""
    labels = detect(edges, limits.gamma) if edges else {}
    alone = [[entity] for entity in sorted(set(entities) - labels.keys())]
    return sorted([*_connected(labels, edges), *alone])


def _split_all(
    level: Sequence[TreeCommunity],
    edges: Sequence[WeightedEdge],
    detect: Detect,
    limits: HierarchyLimits,
    number: int,
) -> list[TreeCommunity]:
    large = [c for c in level if len(c.members) > max(limits.max_size, 1)]
    if not large:
        return []
    home = {member: i for i, community in enumerate(large) for member in community.members}
    inside = [edge for edge in edges if home.get(edge[0], -1) == home.get(edge[1], -2)]
    labels = detect(_scaled(inside, home), limits.gamma * len(large))
    parts: defaultdict[int, list[list[str]]] = defaultdict(list)
    for part in _connected(labels, inside):
        parts[home[part[0]]].append(part)
    return [
        TreeCommunity.of(number, part, large[i].id)
        for i in sorted(parts)
        for part in sorted(parts[i])
        if len(parts[i]) > 1
    ]


def _scaled(inside: Sequence[WeightedEdge], home: Mapping[str, int]) -> list[WeightedEdge]:
    weights: defaultdict[int, float] = defaultdict(float)
    for start, _, weight in inside:
        weights[home[start]] += weight
    mean = sum(weights[i] for i in sorted(weights)) / len(weights)
    return [(a, b, _exact(weight * mean / weights[home[a]])) for a, b, weight in inside]


def _told_apart(edge: WeightedEdge) -> WeightedEdge:
    """The edge with a weight that hardly any other has.

    Where two moves are worth the same, Leiden in GDS takes the one that a hash table of the moment
    gives first: seen to give four trees of one graph. So that no two are, each weight gets a
    little more, as its ends have it.
    """
    a, b, weight = edge
    share = int(identify("edge", a, b)[:8], 16) / 2**32
    return a, b, _exact(weight * (1 + LITTLE * share))


def _exact(weight: float) -> float:
    """To a grain at which sums are the same in any order."""
    return max(1, round(weight / GRAIN)) * GRAIN


def _connected(labels: Mapping[str, int], edges: Sequence[WeightedEdge]) -> list[list[str]]:
    """Labelled sets cut into connected components: Leiden in GDS joins what is apart, rarely."""
    root = {node: node for node in labels}

    def find(node: str) -> str:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for a, b, _ in edges:
        if a in labels and b in labels and labels[a] == labels[b]:
            root[find(a)] = find(b)
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for node in sorted(labels):
        parts[find(node)].append(node)
    return list(parts.values())
