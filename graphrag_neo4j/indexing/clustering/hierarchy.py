"""Makes a tree of communities with a detector that finds communities on one level (GDS Leiden).

Level 0 comes from one run of the detector over the whole graph. Then, level by level, all
communities that are too large are split in one run over the edges inside them. For this run the
edges of community c are scaled by mean(W) / W_c, where W_c is the total weight inside c, and gamma
is multiplied by the number of communities. The null model of modularity is then that of each
community, so the one run gives the same split as a run for each community.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
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
    "connected_parts",
    "fresh_parts",
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
    """A community and its place in the tree. `of` makes its id from its members alone."""

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
    edges = sorted(edges)
    members = [sorted(set(entities))]
    tree = level = [
        TreeCommunity.of(0, part, None)
        for parts in fresh_parts(members, edges, detect, limits.gamma)
        for part in parts
    ]
    for number in range(1, limits.max_levels):
        large = [c for c in level if len(c.members) > max(limits.max_size, 1)]
        split = fresh_parts([c.members for c in large], edges, detect, limits.gamma)
        level = [
            TreeCommunity.of(number, part, community.id)
            for community, parts in zip(large, split, strict=True)
            for part in parts
            if len(parts) > 1
        ]
        tree = tree + level
        if not level:
            break
    return tree


def fresh_parts(
    wholes: Sequence[Sequence[str]], edges: Sequence[WeightedEdge], detect: Detect, gamma: float
) -> list[list[list[str]]]:
    """The connected parts into which the detector splits each of several sets, in one run.

    The sets have no member in common. A member without an edge inside its set is a part of its own.
    """
    home = {member: i for i, whole in enumerate(wholes) for member in whole}
    inside = [_distinct(e) for e in edges if home.get(e[0], -1) == home.get(e[1], -2)]
    labels = detect(_scaled(inside, home), gamma * len(wholes)) if inside else {}
    parts: list[list[list[str]]] = [[] for _ in wholes]
    for part in connected_parts(labels, inside):
        parts[home[part[0]]].append(part)
    for member in home.keys() - labels.keys():
        parts[home[member]].append([member])
    return [sorted(one) for one in parts]


def components(nodes: Iterable[str], edges: Sequence[WeightedEdge]) -> list[list[str]]:
    """The connected components of a graph; edges to nodes outside `nodes` do not count."""
    return sorted(connected_parts(dict.fromkeys(nodes, 0), edges))


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


def connected_parts(
    labels: Mapping[str, Hashable], edges: Sequence[WeightedEdge]
) -> list[list[str]]:
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
