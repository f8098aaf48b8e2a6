"""Brings a partition of a graph up to date where the graph has changed, by local moving.

The method is that of Dynamic Frontier Leiden (arXiv 2405.11658): the nodes that a change touched
are free to move to a neighbouring community where that increases modularity, and a node that moves
frees its neighbours. All other nodes stay where they are. Nodes that were in no community begin
alone; the communities that they form among themselves then move as a whole, as in the aggregation
phase of the Louvain algorithm.
"""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence

from graphrag_neo4j.model import WeightedEdge

__all__ = ["modularity", "move_locally", "neighbours"]

Near = Mapping[str, Mapping[str, float]]
LITTLE = 1e-9  # gains of a move that are smaller are errors of rounding
ROUNDS = 10


def neighbours(edges: Iterable[WeightedEdge]) -> dict[str, dict[str, float]]:
    """For each end of an edge, its neighbours with the weight of the edge between them."""
    near: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for a, b, weight in edges:
        near[a][b] = near[a].get(b, 0.0) + weight
        near[b][a] = near[b].get(a, 0.0) + weight
    return dict(near)


def modularity(
    label: Mapping[str, Hashable], edges: Sequence[WeightedEdge], gamma: float = 1.0
) -> float:
    """The modularity of a partition of a graph, from -gamma to 1; 0 for a graph without edges.

    `label` gives the community of each end of the edges.
    """
    total = sum(weight for _, _, weight in edges)
    inside = sum(weight for a, b, weight in edges if label[a] == label[b])
    degree: defaultdict[Hashable, float] = defaultdict(float)
    for a, b, weight in edges:
        degree[label[a]] += weight
        degree[label[b]] += weight
    expected = sum(one * one for one in degree.values()) / (4 * total * total) if total else 0.0
    return inside / total - gamma * expected if total else 0.0


def move_locally(
    label: Mapping[str, str], free: Iterable[str], near: Near, gamma: float
) -> dict[str, str]:
    """The partition `label` after the moves that the nodes in `free` begin.

    `label` gives the community of each node. A node in `free` without a label begins alone, in a
    community that has the name of the node. `near` holds the neighbours of each node, and `gamma`
    is the resolution of modularity.
    """
    moving = _Moving(label, near, gamma)
    moving.begin(sorted(free))
    for _ in range(ROUNDS):
        if not moving.move_communities():
            break
    return moving.label


class _Moving:
    """The state of a partition while nodes move. A weight is that of `near`."""

    def __init__(self, label: Mapping[str, str], near: Near, gamma: float) -> None:
        self.label, self.near = dict(label), near
        self.weight = {node: sum(near.get(node, {}).values()) for node in {*near, *label}}
        total = sum(self.weight.values())
        self.factor = gamma / total if total else 0.0
        self.sums: defaultdict[str, float] = defaultdict(float)
        for node, home in self.label.items():
            self.sums[home] += self.weight[node]
        self.new: defaultdict[str, set[str]] = defaultdict(set)

    def begin(self, free: Sequence[str]) -> None:
        """Moves the nodes in `free`, and the nodes that these free."""
        for node in free:
            if node not in self.label:
                self.label[node] = node
                self.sums[node] += self.weight.get(node, 0.0)
                self.new[node].add(node)
        self._move(deque(free))

    def _move(self, waiting: deque[str]) -> None:
        queued = set(waiting)
        while waiting:
            node = waiting.popleft()
            queued.discard(node)
            home = self._best({node})
            if home != self.label[node]:
                self._put({node}, home)
                freed = [n for n in sorted(self.near[node]) if self.label[n] != home]
                waiting.extend(n for n in freed if n not in queued)
                queued.update(freed)

    def move_communities(self) -> bool:
        """Moves each community of new nodes as a whole; returns whether one has moved."""
        moved: list[str] = []
        for name in sorted(self.new):
            members = self.new[name]
            if members and (home := self._best(members)) != name:
                moved += members
                self._put(set(members), home)
        self._move(deque(sorted(moved)))
        return bool(moved)

    def _best(self, nodes: set[str]) -> str:
        """The community in which nodes of one community add most to modularity."""
        home = self.label[next(iter(nodes))]
        links: defaultdict[str, float] = defaultdict(float, {home: 0.0})
        for node in sorted(nodes):
            for other, weight in self.near.get(node, {}).items():
                if other not in nodes:
                    links[self.label[other]] += weight
        own = sum(self.weight.get(node, 0.0) for node in nodes)
        gains = {
            name: link - self.factor * own * (self.sums[name] - own * (name == home))
            for name, link in links.items()
        }
        best = min(gains, key=lambda name: (-gains[name], name))
        return best if gains[best] > gains[home] + LITTLE else home

    def _put(self, nodes: set[str], home: str) -> None:
        for node in nodes:
            former = self.label[node]
            self.label[node] = home
            self.sums[former] -= self.weight.get(node, 0.0)
            self.sums[home] += self.weight.get(node, 0.0)
            self.new[former].discard(node)
            if home in self.new:
                self.new[home].add(node)
