"""Makes a tree of communities with a detector that finds communities on one level (GDS Leiden).

Level 0 comes from one run of the detector over the whole graph. Then, level by level, all
communities that are too large are split in one run over the edges inside them. For this run the
edges of community c are scaled by mean(W) / W_c, where W_c is the total weight inside c, and gamma
is multiplied by the number of communities. The null model of modularity is then that of each
community, so the one run gives the same split as a run for each community.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import pairwise

import numpy as np

from graphrag_neo4j.index.clustering.edges import (
    Edges,
    Numbers,
    connected,
    distinct,
    grouped,
    homes,
    inside,
    scaled,
)
from graphrag_neo4j.index.clustering.tree import HierarchyLimits, TreeCommunity

__all__ = ["Detect", "community_tree", "components", "fresh_parts"]

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
        home = homes([members for _, members in wholes], len(names))
        edges = inside(edges, home)  # no later level needs the others
        split = _split(home, len(wholes), edges, detect, limits.gamma)
        further: list[Whole] = []
        for (parent, _), parts in zip(wholes, split, strict=True):
            for part in parts if number == 0 or len(parts) > 1 else ():
                tree.append(TreeCommunity.of(number, _named(part, names), parent))
                if len(part) > max(limits.max_size, 1):
                    further.append((tree[-1].id, part))
        if not (wholes := further):
            break
    return tree


def fresh_parts(
    wholes: Sequence[Numbers], edges: Edges, detect: Detect, gamma: float
) -> list[list[Numbers]]:
    """The connected parts into which the detector splits each of several sets, in one run.

    The sets have no member in common. A member without an edge inside its set is a part of its own.
    """
    home = homes(wholes, len(edges.names))
    return list(_split(home, len(wholes), distinct(inside(edges, home)), detect, gamma))


def _split(
    home: Numbers, sets: int, edges: Edges, detect: Detect, gamma: float
) -> Iterator[list[Numbers]]:
    """The parts of each of several sets in the order of their first members, in one run.

    All `edges` are inside sets; `home` is that of `homes`.
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


def components(edges: Edges, without: Container[str]) -> list[list[str]]:
    """The connected components of the graph without some of its nodes."""
    labels = np.array([-1 if name in without else 0 for name in edges.names], np.int32)
    groups = grouped(connected(edges, labels))
    return [_named(group, edges.names) for group in groups if labels[group[0]] == 0]
