"""Makes a tree of communities with a detector that finds communities on one level (GDS Leiden).

Level 0 comes from one run of the detector over the whole graph. Then, level by level, all
communities that are too large are split in one run over the edges inside them. For this run the
edges of community c are scaled by mean(W) / W_c, where W_c is the total weight inside c, and gamma
is multiplied by the number of communities. The null model of modularity is then that of each
community, so the one run gives the same split as a run for each community.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

from graphrag_neo4j.indexing.clustering.edges import (
    Edges,
    Numbers,
    connected,
    distinct,
    inside,
    scaled,
)
from graphrag_neo4j.indexing.clustering.tree import HierarchyLimits, TreeCommunity
from graphrag_neo4j.model import WeightedEdge

__all__ = [
    "Detect",
    "community_tree",
    "components",
    "connected_parts",
    "fresh_parts",
]

Whole = tuple[str | None, Numbers]
"""A set of nodes, after the id of the community that it is, or that it is a part of."""
Detect = Callable[[Edges, float], Numbers]
"""Gives a label for each node, for a resolution gamma; equal labels: one community.

The labels of nodes without an edge mean nothing.
"""


def community_tree(edges: Edges, detect: Detect, limits: HierarchyLimits) -> list[TreeCommunity]:
    """Returns all communities of the nodes of `edges`, one level after the other.

    Level 0 covers all nodes. The children of a community partition it; a community that is not
    split has no children. Each community of more than one member is connected.
    """
    names, edges = edges.names, distinct(edges)
    tree: list[TreeCommunity] = []
    wholes: list[Whole] = [(None, np.arange(len(names), dtype=np.int32))]
    for number in range(limits.max_levels):
        home = _home([members for _, members in wholes], len(names))
        edges = inside(edges, home)  # no later level needs the others
        level = _level(number, wholes, _split(home, len(wholes), edges, detect, limits.gamma))
        wholes = []
        for parent, part in level:
            tree.append(TreeCommunity.of(number, _named(part, names), parent))
            if len(part) > max(limits.max_size, 1):
                wholes.append((tree[-1].id, part))
        if not wholes:
            break
    return tree


def _level(
    number: int, wholes: Sequence[Whole], split: Iterable[Sequence[Numbers]]
) -> Iterator[Whole]:
    """The members of each community of a level, after the id of its parent."""
    for (parent, _), parts in zip(wholes, split, strict=True):
        if number == 0 or len(parts) > 1:
            yield from ((parent, part) for part in parts)


def fresh_parts(
    wholes: Sequence[Sequence[str]], edges: Sequence[WeightedEdge], detect: Detect, gamma: float
) -> list[list[list[str]]]:
    """The connected parts into which the detector splits each of several sets, in one run.

    The sets have no member in common. A member without an edge inside its set is a part of its own.
    """
    numbered = Edges.of(edges, chain.from_iterable(wholes))
    number = {name: i for i, name in enumerate(numbered.names)}
    members = [np.array([number[one] for one in whole], np.int32) for whole in wholes]
    home = _home(members, len(number))
    split = _split(home, len(wholes), distinct(inside(numbered, home)), detect, gamma)
    return [[_named(part, numbered.names) for part in parts] for parts in split]


def _home(wholes: Sequence[Numbers], nodes: int) -> Numbers:
    """For each node the number of the set that it is in; -1 for none."""
    home = np.full(nodes, -1, np.int32)
    for i, members in enumerate(wholes):
        home[members] = i
    return home


def _split(
    home: Numbers, sets: int, edges: Edges, detect: Detect, gamma: float
) -> Iterator[list[Numbers]]:
    """The parts of each of several sets in the order of their first members, in one run.

    All `edges` are inside sets; `home` is that of `inside`.
    """
    name = np.arange(len(home), dtype=np.int32)
    if len(edges):
        labels = detect(scaled(edges, home), gamma * sets)
        name = connected(edges, labels)
    members = np.flatnonzero(home >= 0).astype(np.int32)
    members = members[np.lexsort((members, name[members], home[members]))]
    bounds = np.flatnonzero(np.diff(name[members], prepend=-1, append=-1))
    places = np.searchsorted(home[members[bounds[:-1]]], np.arange(sets + 1))
    for first, last in pairwise(places.tolist()):
        yield [members[begin:end] for begin, end in pairwise(bounds[first : last + 1].tolist())]


def _named(part: Numbers, names: Sequence[str]) -> list[str]:
    return [names[member] for member in part.tolist()]


def components(nodes: Iterable[str], edges: Sequence[WeightedEdge]) -> list[list[str]]:
    """The connected components of a graph; edges to nodes outside `nodes` do not count."""
    return sorted(connected_parts(dict.fromkeys(nodes, 0), edges))


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
