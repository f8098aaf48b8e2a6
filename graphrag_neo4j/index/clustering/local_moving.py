"""Brings a partition of a graph up to date where the graph has changed, by local moving.

The method is that of Dynamic Frontier Leiden (arXiv 2405.11658): the nodes that a change touched
are free to move to a neighbouring community where that increases modularity, and a node that moves
frees its neighbours. All other nodes stay where they are. Nodes that were in no community begin
alone; the communities that they form among themselves then move as a whole, as in the aggregation
phase of the Louvain algorithm.
"""

from collections import deque
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from graphrag_neo4j.index.clustering.edges import Edges, Numbers

__all__ = ["modularity", "move_locally"]

LITTLE = 1e-9  # gains of a move that are smaller are errors of rounding
ROUNDS = 10
Weights = NDArray[np.float64]


def modularity(labels: Numbers, edges: Edges, gamma: float = 1.0) -> float:
    """The modularity of a partition of a graph, from -gamma to 1; 0 for a graph without edges.

    `labels` gives the community of each node.
    """
    if not (total := float(edges.weights.sum())):
        return 0.0
    inside = float(edges.weights[labels[edges.starts] == labels[edges.ends]].sum())
    degrees = np.bincount(labels, edges.degrees())
    return inside / total - gamma * float(np.square(degrees).sum()) / (4 * total * total)


def move_locally(labels: Numbers, free: Iterable[int], edges: Edges, gamma: float) -> Numbers:
    """The partition `labels` after the moves that the nodes in `free` begin.

    `labels` gives the community of each node, and -1 for a node of none. Such a node must be in
    `free`; it begins alone. The edges are in the order of their starts. `gamma` is the resolution
    of modularity. The communities of the result have numbers of their own.
    """
    moving = _Moving(labels, edges, gamma)
    moving.begin(sorted(free))
    for _ in range(ROUNDS):
        if not moving.move_communities():
            break
    return moving.label


class _Neighbours:
    """The neighbours of each node, with the weights of the edges to them."""

    def __init__(self, edges: Edges) -> None:
        nodes = np.arange(len(edges.names) + 1)
        self._edges = edges
        self._by_end = np.argsort(edges.ends, kind="stable")
        self._first_from = np.searchsorted(edges.starts, nodes)
        self._first_to = np.searchsorted(edges.ends, nodes, sorter=self._by_end)

    def around(self, nodes: set[int]) -> tuple[Numbers, Weights]:
        """The ends of the edges that lead out of a set of nodes, and the weights of these edges."""
        others, weights = zip(*map(self._of, sorted(nodes)), strict=True)
        found = np.concatenate(others)
        outside = ~np.isin(found, list(nodes))
        return found[outside], np.concatenate(weights)[outside]

    def _of(self, node: int) -> tuple[Numbers, Weights]:
        edges = self._edges
        out = slice(self._first_from[node], self._first_from[node + 1])
        into = self._by_end[self._first_to[node] : self._first_to[node + 1]]
        others = np.concatenate((edges.ends[out], edges.starts[into]))
        return others, np.concatenate((edges.weights[out], edges.weights[into]))


class _Moving:
    """The state of a partition while nodes move.

    `weight` and `sums` are the weighted degrees of nodes and communities. `new` holds the members
    of each community that began with a new node; its number is `first_new` plus that of the node.
    """

    def __init__(self, labels: Numbers, edges: Edges, gamma: float) -> None:
        known = labels >= 0
        former, numbers = np.unique(labels[known], return_inverse=True)
        self.label = np.full(len(labels), -1, np.int32)
        self.label[known] = numbers
        self.first_new = len(former)
        self.near = _Neighbours(edges)
        self.weight = edges.degrees()
        total = self.weight.sum()
        self.factor = gamma / total if total else 0.0
        possible = self.first_new + len(labels)
        self.sums = np.bincount(numbers, self.weight[known], possible).astype(np.float64)
        self.new: dict[int, set[int]] = {}

    def begin(self, free: list[int]) -> None:
        """Moves the nodes in `free`, and the nodes that these free."""
        for node in free:
            if self.label[node] < 0:
                alone = self.first_new + node
                self.label[node] = alone
                self.sums[alone] = self.weight[node]
                self.new[alone] = {node}
        self._move(deque(free))

    def _move(self, waiting: deque[int]) -> None:
        queued = set(waiting)
        while waiting:
            node = waiting.popleft()
            queued.discard(node)
            home = self._best({node})
            if home != self.label[node]:
                self._put({node}, home)
                others, _ = self.near.around({node})
                freed = np.unique(others[self.label[others] != home]).tolist()
                waiting.extend(n for n in freed if n not in queued)
                queued.update(freed)

    def move_communities(self) -> bool:
        """Moves each community of new nodes as a whole; returns whether one has moved."""
        moved: list[int] = []
        for number in sorted(self.new):
            members = self.new[number]
            if members and (home := self._best(members)) != number:
                moved += members
                self._put(set(members), home)
        self._move(deque(sorted(moved)))
        return bool(moved)

    def _best(self, nodes: set[int]) -> int:
        """The community in which nodes of one community add most to modularity."""
        home = self.label[next(iter(nodes))]
        others, weights = self.near.around(nodes)
        at = np.append(self.label[others], home)
        linked, place = np.unique(at, return_inverse=True)
        links = np.bincount(place, np.append(weights, 0.0))
        own = self.weight[list(nodes)].sum()
        gains = links - self.factor * own * (self.sums[linked] - own * (linked == home))
        best = gains.argmax()  # of equal ones the first
        return int(linked[best] if gains[best] > gains[place[-1]] + LITTLE else home)

    def _put(self, nodes: set[int], home: int) -> None:
        for node in nodes:
            former = int(self.label[node])
            self.label[node] = home
            self.sums[former] -= self.weight[node]
            self.sums[home] += self.weight[node]
            if former in self.new:
                self.new[former].discard(node)
            if home in self.new:
                self.new[home].add(node)
