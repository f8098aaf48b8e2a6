"""Makes a tree of communities with a detector that finds communities on one level (GDS Leiden).

Level 0 comes from one run of the detector over the whole graph. Then, level by level, all
communities that are too large are split in one run over the edges inside them. For this run the
edges of community c are scaled by mean(W) / W_c, where W_c is the total weight inside c, and gamma
is multiplied by the number of communities. The null model of modularity is then that of each
community, so the one run gives the same split as a run for each community.
"""

from array import array
from collections.abc import AsyncIterator, Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Self, TypedDict

import numpy as np
from numpy.typing import NDArray

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.tree import HierarchyLimits, TreeCommunity
from graphrag_neo4j.model.types import WeightedEdge
from graphrag_neo4j.text.strings import identify

Numbers = NDArray[np.int32]
MOST_ADDED = 2.0**-14  # share of a weight that is added at most, to make weights distinct
PART = 100_000  # edges that are looked at together
ENTITY_PAGE = 50_000  # entities; all of a corpus of some hundred documents are one page
PAGE_WITH_EDGES = 10_000  # entities
GRAIN = 2.0**-30  # weights are multiples of it; sums up to eight million are exact


class MemberRow(TypedDict):
    """An entity, and the id of the leaf community that it is in now, if it is in one.

    `placed` is its weighted degree when it was placed there, and `unplaced` is its mark.
    """

    id: str
    leaf: str | None
    placed: float | None
    unplaced: bool | None


class EdgesOfRow(TypedDict):
    """The relationships that start at an entity: the ids of their ends, and their weights."""

    source: str
    targets: list[str]
    weights: list[int]


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges between nodes. A node has a name and a number, which is its place in `names`.

    Edge i goes from `starts[i]` to `ends[i]` and has the weight `weights[i]`. What Leiden finds may
    depend on the order of the edges.
    """

    names: Sequence[str]
    starts: Numbers
    ends: Numbers
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, edges: Iterable[WeightedEdge], nodes: Iterable[str]) -> Self:
        """The edges whose ends are both among `nodes`, in their order."""
        names = sorted(set(nodes))
        number = {name: i for i, name in enumerate(names)}
        rows = [(number[a], number[b], w) for a, b, w in edges if a in number and b in number]
        starts, ends, weights = zip(*rows, strict=True) if rows else ((), (), ())
        numbers = np.array(starts, np.int32), np.array(ends, np.int32)
        return cls(names, *numbers, np.array(weights, np.float64))

    def __len__(self) -> int:
        """The number of edges."""
        return len(self.weights)

    def kept(self, these: NDArray[np.bool_] | slice) -> "Edges":
        """The edges at the places where `these` is true, or at the places of a slice."""
        return Edges(self.names, self.starts[these], self.ends[these], self.weights[these])

    def weighing(self, weights: NDArray[np.float64]) -> "Edges":
        """The same edges with other weights."""
        return Edges(self.names, self.starts, self.ends, weights)

    def degrees(self) -> NDArray[np.float64]:
        """The weighted degree of each node."""
        nodes = len(self.names)
        degrees = np.zeros(nodes)
        degrees += np.bincount(self.starts, self.weights, nodes)
        degrees += np.bincount(self.ends, self.weights, nodes)
        return degrees

    def named(self) -> list[WeightedEdge]:
        """The edges by the names of their nodes."""
        return [(self.names[start], self.names[end], weight) for start, end, weight in self.rows()]

    def rows(self) -> Iterator[tuple[int, int, float]]:
        """The edges one by one, as (start, end, weight)."""
        for first in range(0, len(self), PART):
            part = slice(first, first + PART)
            columns = (self.starts[part], self.ends[part], self.weights[part])
            yield from zip(*(column.tolist() for column in columns), strict=True)


async def entity_pages(graph: Graph, size: int = ENTITY_PAGE) -> AsyncIterator[list[MemberRow]]:
    """All entities in pages, so that not all rows are in memory at the same time."""
    after = ""
    while rows := await graph.read_bulk("communities/entities", MemberRow, after=after, size=size):
        yield rows
        after = max(row["id"] for row in rows)


async def all_entity_ids(graph: Graph) -> list[str]:
    """The ids of all entities in their order."""
    return sorted([row["id"] async for page in entity_pages(graph) for row in page])


async def read_edges(graph: Graph, names: Sequence[str], size: int = PAGE_WITH_EDGES) -> Edges:
    """All relationships as arrays, in the order of the ids of their ends.

    `names` are the ids of all entities in their order. The weight is the number of statements.
    """
    known = np.array(names, np.bytes_)  # a dict of a million names takes 70 MB more
    starts, ends, weights = array("i"), array("i"), array("d")  # they grow in place

    def places(some: Iterable[str]) -> Numbers:
        return np.searchsorted(known, np.array([*some], known.dtype)).astype(np.int32)

    for after, last in id_ranges(names, size):
        rows = await graph.read_bulk("communities/edges_of", EdgesOfRow, after=after, last=last)
        repeats = [len(row["targets"]) for row in rows]
        page_starts = np.repeat(places(row["source"] for row in rows), repeats)
        page_ends = places(target for row in rows for target in row["targets"])
        page_weights = np.array([weight for row in rows for weight in row["weights"]], np.float64)
        order = np.lexsort((page_ends, page_starts))
        starts.frombytes(page_starts[order].tobytes())
        ends.frombytes(page_ends[order].tobytes())
        weights.frombytes(page_weights[order].tobytes())
    return Edges(
        names,
        np.frombuffer(starts, np.int32),
        np.frombuffer(ends, np.int32),
        np.frombuffer(weights, np.float64),
    )


def id_ranges(names: Sequence[str], size: int = ENTITY_PAGE) -> Iterator[tuple[str, str]]:
    """Ranges that hold at most `size` of the sorted ids each: the id before it, and its last id."""
    after = ""
    for first in range(0, len(names), size):
        last = names[min(first + size, len(names)) - 1]
        yield after, last
        after = last


def distinct(edges: Edges) -> Edges:
    """The edges with weights that hardly any two of them share.

    Where two moves improve modularity equally, Leiden in GDS takes the one that a hash table gives
    first, and its order differs from run to run: one graph was seen to give four different trees.
    So a small amount, which depends on the two ends, is added to each weight.
    """
    names = edges.names
    hashes = (identify("edge", names[a], names[b])[:8] for a, b, _ in edges.rows())
    shares = np.fromiter((int(one, 16) for one in hashes), np.float64, len(edges))
    shares *= MOST_ADDED / 2**32
    shares += 1
    shares *= edges.weights
    return edges.weighing(_exact(shares))


def homes(sets: Iterable[Numbers], nodes: int) -> Numbers:
    """For each of so many nodes the number of the set that it is in; -1 for none."""
    home = np.full(nodes, -1, np.int32)
    for i, members in enumerate(sets):
        home[members] = i
    return home


def inside(edges: Edges, home: Numbers) -> Edges:
    """The edges inside the sets of nodes that are to be split.

    `home` is that of `homes`.
    """
    at = home[edges.starts]
    these = (at >= 0) & (at == home[edges.ends])
    return edges if these.all() else edges.kept(these)


def parted(edges: Edges, parts: Sequence[Numbers]) -> list[Edges]:
    """The edges inside each of several sets of nodes, which have no node in common.

    A node of a set gets its place in the set as its number. The edges keep their order.
    """
    home, number = homes(parts, len(edges.names)), np.zeros(len(edges.names), np.int32)
    for part in parts:
        number[part] = np.arange(len(part))
    kept = inside(edges, home)
    at = home[kept.starts]
    order = np.argsort(at, kind="stable")
    bounds = np.searchsorted(at[order], np.arange(len(parts)))
    return [
        Edges(
            [edges.names[node] for node in part.tolist()],
            number[kept.starts[these]],
            number[kept.ends[these]],
            kept.weights[these],
        )
        for part, these in zip(parts, np.split(order, bounds)[1:], strict=True)
    ]


def scaled(edges: Edges, home: Numbers) -> Edges:
    """The edges inside sets with weights scaled so that each set has the same total weight.

    `home` is that of `homes`. The total weight of all edges stays the same.
    """
    at = home[edges.starts]
    totals = np.bincount(at, edges.weights)
    found = totals[totals > 0].tolist()
    if len(found) == 1:
        return edges  # scaled by 1
    mean = sum(found) / len(found)
    weights = edges.weights * mean
    weights /= totals[at]
    return edges.weighing(_exact(weights))


def connected_components(edges: Edges, labels: Numbers) -> Numbers:
    """The connected component of each node, named by the smallest number of a node in it.

    Only edges between nodes of the same label count. In each round every component that has an edge
    to one with a smaller name joins the one with the smallest.
    """
    name = np.arange(len(edges.names), dtype=np.int32)
    counts = labels[edges.starts] == labels[edges.ends]
    starts, ends = edges.starts[counts], edges.ends[counts]
    while len(starts):
        for first in range(0, len(starts), PART):
            part = slice(first, first + PART)
            one, other = name[starts[part]], name[ends[part]]
            np.minimum.at(name, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(further := name[name], name):
            name = further
        apart = name[starts] != name[ends]
        starts, ends = starts[apart], ends[apart]
    return name


def grouped(labels: Numbers) -> list[Numbers]:
    """The places of each label in their order, ordered by their first place."""
    order = np.argsort(labels, kind="stable").astype(np.int32)
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return sorted((group for group in groups if len(group)), key=itemgetter(0))


def _exact(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rounds weights to multiples of GRAIN, so that sums are the same in any order.

    It changes the array itself, because a copy of millions of weights takes much memory.
    """
    weights /= GRAIN
    np.rint(weights, out=weights)
    np.maximum(weights, 1.0, out=weights)
    weights *= GRAIN
    return weights


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

    The sets have no member in common. A member without an edge inside its set is a separate part.
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
        name = connected_components(edges, labels)
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
    groups = grouped(connected_components(edges, labels))
    return [_named(group, edges.names) for group in groups if labels[group[0]] == 0]
