"""Makes a tree of communities with a detector that finds communities on one level (GDS Leiden).

Level 0 comes from one run of the detector over the whole graph. Then, level by level, all
communities that are too large are split in one run over the edges inside them. For this run the
edges of community c are scaled by mean(W) / W_c, where W_c is the total weight inside c, and gamma
is multiplied by the number of communities. The null model of modularity is then that of each
community, so the one run gives the same split as a run for each community.
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
"""Gives a label for each end of the edges, for a resolution gamma; equal labels: one community."""
LITTLE = 2.0**-14  # share of a weight that is added at most, to make weights distinct
GRAIN = 2.0**-30  # weights are multiples of it; sums up to eight million are exact


@dataclass(frozen=True, slots=True)
class HierarchyLimits:
    """The limits of the hierarchy.

    Communities of more than `max_size` members are split (0: all that can be split), on at most
    `max_levels` levels. `gamma` is the resolution of the Leiden algorithm.
    """

    max_size: int = 10
    max_levels: int = 10
    gamma: float = 1.0


@dataclass(frozen=True, slots=True)
class TreeCommunity:
    """A community and its place in the tree. Its id depends on its members alone."""

    id: str
    level: int
    members: tuple[str, ...]
    parent: str | None

    @classmethod
    def of(cls, level: int, members: Iterable[str], parent: str | None) -> Self:
        """The community of these members, with its id."""
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
    """Returns all communities, one level after the other.

    Level 0 covers all entities. The children of a community partition it; a community that is not
    split has no children. Each community of more than one member is connected.
    """
    edges = [_distinct(edge) for edge in sorted(edges)]
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
    """The connected components of a graph; edges to nodes outside `nodes` do not count."""
    return sorted(_connected(dict.fromkeys(nodes, 0), edges))


def _partition(
    entities: Iterable[str], edges: Sequence[WeightedEdge], detect: Detect, limits: HierarchyLimits
) -> list[list[str]]:
    """The communities of level 0; an entity without edges is a community of one."""
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


def _distinct(edge: WeightedEdge) -> WeightedEdge:
    """The edge with a weight that hardly any other edge has.

    Where two moves improve modularity equally, Leiden in GDS takes the one that a hash table gives
    first, and its order differs from run to run: one graph was seen to give four different trees.
    So a small amount, which depends on the two ends, is added to each weight.
    """
    a, b, weight = edge
    share = int(identify("edge", a, b)[:8], 16) / 2**32
    return a, b, _exact(weight * (1 + LITTLE * share))


def _exact(weight: float) -> float:
    """The weight rounded to a multiple of GRAIN, so that sums are the same in any order."""
    return max(1, round(weight / GRAIN)) * GRAIN


def _connected(labels: Mapping[str, int], edges: Sequence[WeightedEdge]) -> list[list[str]]:
    """Cuts the labelled sets into connected components.

    In rare cases Leiden in GDS puts nodes that are not connected into one community.
    """
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
