"""Brings a tree of communities up to date where the graph has changed.

The tree stays as it is where nothing has changed. Level by level from the top, the members of each
community that a change touched move between its sub-communities by local moving. So the tree
depends on its history. How far it may drift from a fresh tree is bounded: where a share CHECKED_AT
of the weight inside a community has changed since its split was last compared with a fresh one,
both are due to be compared again, and the old split stays only if its modularity is at most the
share TOLERANCE below that of the fresh one.

A fresh split needs a run of Leiden, which takes longer than all moves of a small change. So the
comparisons of a level wait until the communities that are due hold the share POSTPONED of the
weight of the graph, or until a new split needs a run, which then serves them all. Only communities
that the change at hand touched count, so one that is due and is never touched again stays as it is.

Only the communities of level 0 that a change touches need be read, with all edges of their members.
Where moves reach a community that is not read, or where the whole graph is due to be compared,
`BeyondError` says so.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from graphrag_neo4j.index.communities.hierarchy import (
    Detect,
    Edges,
    Numbers,
    connected_components,
    fresh_parts,
    grouped,
    homes,
    parted,
)
from graphrag_neo4j.index.communities.tree import ROOT, HierarchyLimits, TreeCommunity

CHECKED_AT = 0.05
TOLERANCE = 0.01
POSTPONED = 0.005
NONE: Final = -1  # the number of no community

Parts = list[Numbers]
"""A split of a set of entities: the places of the entities of each part."""


@dataclass(frozen=True, slots=True)
class FormerTree:
    """The tree before a change, as far as its entities still exist.

    `paths` holds for each entity the ids of its communities from level 0 down. `touched` holds the
    new entities and those whose relationships have changed, each with the weight that has changed.
    `unchecked` is the weight inside each community (ROOT: inside the graph) that has changed since
    its split was last compared with a fresh one.
    """

    paths: Mapping[str, Sequence[str]]
    touched: Mapping[str, float]
    unchecked: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Around:
    """What surrounds the part of a graph that is read.

    `degrees` holds the weighted degree of each community of level 0 beside this part, by its id.
    `total` is the weighted degree of the graph.
    """

    degrees: Mapping[str, float]
    total: float


class BeyondError(Exception):
    """Moves reach these communities of level 0, which are not read; none: all must be read."""

    def __init__(self, communities: Iterable[str] = ()) -> None:
        super().__init__()
        self.communities = frozenset(communities)


@dataclass(slots=True)
class UpdatedTree:
    """The tree after a change, one level after the other.

    `unchecked` is that of `FormerTree` after the change, by the ids of `communities`.
    """

    communities: list[TreeCommunity] = field(default_factory=list)
    unchecked: dict[str, float] = field(default_factory=dict)


class _NumberedTree:
    """A former tree for a graph with these entities.

    The number of an entity is its place among all entities, that of a community its place in `ids`.
    `sizes` holds the number of entities of each community. `touched` says of each entity whether a
    change touched it, and `change` holds the weight that has changed.
    """

    def __init__(self, tree: FormerTree, entities: Sequence[str]) -> None:
        # Many entities share a path, so each path is held once: entity e has the path `path_of[e]`.
        paths: dict[tuple[str, ...], int] = {}
        found = (tuple(tree.paths.get(entity, ())) for entity in entities)
        self._path_of = np.fromiter((paths.setdefault(p, len(paths)) for p in found), np.int32)
        self.ids = sorted({id_ for path in paths for id_ in path})
        number = {id_: i for i, id_ in enumerate(self.ids)}
        deepest = max(map(len, paths), default=0)
        self._levels = np.full((deepest, len(paths)), NONE, np.int32)
        for path, i in paths.items():
            self._levels[: len(path), i] = [number[id_] for id_ in path]
        times = np.bincount(self._path_of, minlength=len(paths))
        self.sizes = np.zeros(len(self.ids), np.int32)
        for level in self._levels:
            np.add.at(self.sizes, level[level != NONE], times[level != NONE])
        self.touched = np.array([entity in tree.touched for entity in entities], np.bool_)
        self.change = np.zeros(len(entities))
        places = np.flatnonzero(self.touched).tolist()
        self.change[places] = [tree.touched[entities[place]] for place in places]

    def at(self, level: int, entities: Numbers) -> Numbers:
        """The community of each of these entities on a level; NONE where it was in none."""
        if level >= len(self._levels):
            return np.full(len(entities), NONE, np.int32)
        found: Numbers = self._levels[level][self._path_of[entities]]
        return found

    def successor_of(self, level: int, members: Numbers) -> int:
        """The community on this level that lives on in these members; NONE if there is none.

        Of all entities of either that both graphs have, more than half must be in both.
        """
        at = self.at(level, members)
        found, shared = np.unique(at[at != NONE], return_counts=True)
        if not len(found):
            return NONE
        most = shared.argmax()  # of equal ones the first
        known = np.count_nonzero(self.at(0, members) != NONE)
        union = self.sizes[found[most]] + known - shared[most]
        return int(found[most]) if 2 * shared[most] > union else NONE


@dataclass(slots=True)
class _Branch:
    """A set of entities to split: the graph, or the members of a community.

    `id` is that of the community, `former` the number of the community that it was before the
    change. `edges` are those inside it, in which the nodes are places in `members`; None where
    nothing has changed. `parts` is the split, also by places in `members`.
    """

    id: str
    former: int
    members: Numbers
    edges: Edges | None
    parts: Parts | None = None


def updated_tree(
    edges: Edges,
    detect: Detect,
    limits: HierarchyLimits,
    former: FormerTree,
    around: Around | None = None,
) -> UpdatedTree:
    """Returns the tree of communities of the changed graph, of the same form as a fresh one.

    The nodes of `edges` are all entities, and the edges are in the order of their starts. The ids
    of the communities depend on their members alone; `lasting_ids` gives a community that lives on
    the id that it had.

    With `around`, the nodes are the entities of a part of the graph and the other ends of their
    edges; of the latter, `former` knows the community of level 0. Then the tree is that of this
    part, and equal to what the whole graph would give. Raises BeyondError where the part is not
    enough.
    """
    return _Update(edges, detect, limits, former, around).run()


class _Update:
    """One update of a tree."""

    def __init__(
        self,
        edges: Edges,
        detect: Detect,
        limits: HierarchyLimits,
        former: FormerTree,
        around: Around | None,
    ) -> None:
        self.edges, self.detect, self.limits = edges, detect, limits
        self.former, self.unchecked = _NumberedTree(former, edges.names), former.unchecked
        self.around = around
        self.total = around.total if around else 2 * float(edges.weights.sum())
        self.tree = UpdatedTree()

    def run(self) -> UpdatedTree:
        entities = np.arange(len(self.edges.names), dtype=np.int32)
        level = [_Branch(ROOT, NONE, entities, self.edges)]
        for number in range(self.limits.max_levels):
            self._split(level, number)
            level = [child for branch in level for child in self._children(branch, number)]
            if not level:
                break
        return self.tree

    def _split(self, level: Sequence[_Branch], number: int) -> None:
        """Finds the parts of the branches of one level; one run of the detector serves them all."""
        for branch in level:
            branch.parts = self._former_parts(branch, number)
        due = [branch for branch in level if self._is_due(branch)]
        needed = any(branch.parts is None for branch in due)
        held = sum(self._weight(branch) for branch in due)
        if not needed and held <= POSTPONED * self.total / 2:
            return
        if self.around and number == 0:
            raise BeyondError
        members = [branch.members for branch in due]
        fresh = fresh_parts(members, self.edges, self.detect, self.limits.gamma)
        for branch, wholes in zip(due, fresh, strict=True):
            parts = [np.searchsorted(branch.members, whole).astype(np.int32) for whole in wholes]
            self.tree.unchecked[branch.id] = 0.0
            if branch.parts is None or self._falls_behind(branch, parts):
                branch.parts = parts

    def _former_parts(self, branch: _Branch, number: int) -> Parts | None:
        """The parts of a branch by its former split; None where it had none that could live on."""
        former = self.former.at(number, branch.members)
        if branch.id != ROOT:
            former[self.former.at(number - 1, branch.members) != branch.former] = NONE
        if branch.edges is None:
            return grouped(former)
        if self._is_small(branch):
            return [np.arange(len(branch.members), dtype=np.int32)]
        if (former == NONE).all() and not (self.around and branch.id == ROOT):
            return None
        free = np.flatnonzero(self.former.touched[branch.members] | (former == NONE)).tolist()
        beside = self._beside() if branch.id == ROOT else {}
        gamma, total = self.limits.gamma, 2 * self._weight(branch)
        moves = LocalMoves(former, branch.edges, gamma, beside, total)
        moved = moves.run(free)
        if moves.reached:
            raise BeyondError(self.former.ids[community] for community in moves.reached)
        found = grouped(connected_components(branch.edges, moved))
        return [part for part in found if former[part[0]] not in beside]

    def _beside(self) -> Mapping[int, float]:
        """The weighted degrees of the communities of level 0 that are not read, by their number."""
        known = self.around.degrees if self.around else {}
        return {i: known[id_] for i, id_ in enumerate(self.former.ids) if id_ in known}

    def _is_small(self, branch: _Branch) -> bool:
        return branch.id != ROOT and len(branch.members) <= max(self.limits.max_size, 1)

    def _is_due(self, branch: _Branch) -> bool:
        """Whether a branch has no split, or much has changed since it was compared; counts this."""
        former = self.former.ids[branch.former] if branch.former != NONE else None
        id_ = ROOT if branch.id == ROOT else former
        unchecked = 0.0 if id_ is None else self.unchecked.get(id_, 0.0)
        self.tree.unchecked[branch.id] = unchecked
        if branch.edges is None or self._is_small(branch):
            return False
        unchecked += float(self.former.change[branch.members].sum()) / 2
        self.tree.unchecked[branch.id] = unchecked
        return branch.parts is None or unchecked > CHECKED_AT * self._weight(branch)

    def _weight(self, branch: _Branch) -> float:
        """The total weight of the edges inside a branch."""
        if branch.id == ROOT:
            return self.total / 2
        return float(branch.edges.weights.sum()) if branch.edges is not None else 0.0

    def _falls_behind(self, branch: _Branch, fresh: Parts) -> bool:
        def modularity_of(parts: Parts) -> float:
            labels = homes(parts, len(branch.members))
            return modularity(labels, branch.edges, self.limits.gamma) if branch.edges else 0.0

        now, best = modularity_of(branch.parts or []), modularity_of(fresh)
        return now < best - TOLERANCE * abs(best)

    def _children(self, branch: _Branch, number: int) -> list[_Branch]:
        """Adds the parts of a branch to the tree, if it is split; they are the next branches."""
        parts = branch.parts or []
        if branch.id != ROOT and len(parts) < 2:
            return []
        children = []
        for part in parts:  # each as if nothing in it had changed
            members = branch.members[part]
            names = [self.edges.names[member] for member in members.tolist()]
            parent = None if branch.id == ROOT else branch.id
            community = TreeCommunity.of(number, names, parent)
            self.tree.communities.append(community)
            former = self.former.successor_of(number, members)
            children.append(_Branch(community.id, former, members, None))
        if branch.edges is not None:
            changed = [i for i, child in enumerate(children) if not self._is_same(child, number)]
            inner = parted(branch.edges, [parts[i] for i in changed])
            for i, edges in zip(changed, inner, strict=True):
                children[i].edges = edges
        return children

    def _is_same(self, child: _Branch, number: int) -> bool:
        """Whether a community has the members of the former one, and none of them is touched."""
        return (
            child.former != NONE
            and self.former.sizes[child.former] == len(child.members)
            and not self.former.touched[child.members].any()
            and bool((self.former.at(number, child.members) == child.former).all())
        )


LEAST_GAIN = 1e-9  # gains of a move that are smaller are errors of rounding
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


class LocalMoves:
    """The state of a partition while nodes move.

    `labels` gives the community of each node, and -1 for a node of none. The edges are in the order
    of their starts. `gamma` is the resolution of modularity, and `total` the weighted degree of the
    graph (None: that of the edges). `beside` holds the weighted degrees of the communities, by
    label, of whose nodes not all edges are given. `reached` are the labels of those into which a
    node would move, or in which one could move: then the result is not that of the whole graph.

    `label` holds the communities by new numbers. `weight` and `sums` are the weighted degrees of
    nodes and communities. `new` holds the members of each community that began with a new node; its
    number is `first_new` plus that of the node.
    """

    def __init__(
        self,
        labels: Numbers,
        edges: Edges,
        gamma: float,
        beside: Mapping[int, float] | None = None,
        total: float | None = None,
    ) -> None:
        known = labels >= 0
        former, numbers = np.unique(labels[known], return_inverse=True)
        self.label = np.full(len(labels), -1, np.int32)
        self.label[known] = numbers
        self.first_new = len(former)
        self.near = _Neighbours(edges)
        self.weight = edges.degrees()
        total = float(self.weight.sum()) if total is None else total
        self.factor = gamma / total if total else 0.0
        possible = self.first_new + len(labels)
        self.sums = np.bincount(numbers, self.weight[known], possible).astype(np.float64)
        self.new: dict[int, set[int]] = {}
        self.beside: dict[int, int] = {}  # the labels of such communities, by their new numbers
        for label, degree in (beside or {}).items():
            number = int(np.searchsorted(former, label))
            self.sums[number], self.beside[number] = degree, label
        self.reached: set[int] = set()

    def run(self, free: Iterable[int]) -> Numbers:
        """Returns the partition after the moves that the nodes in `free` begin.

        A node of no community must be in `free`; it begins alone.
        """
        self.begin(sorted(free))
        for _ in range(ROUNDS):
            if not self.move_communities():
                break
        return self.label

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
            if (at := int(self.label[node])) in self.beside:
                self.reached.add(self.beside[at])
                continue
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
        return int(linked[best] if gains[best] > gains[place[-1]] + LEAST_GAIN else home)

    def _put(self, nodes: set[int], home: int) -> None:
        if home in self.beside:
            self.reached.add(self.beside[home])
        for node in nodes:
            former = int(self.label[node])
            self.label[node] = home
            self.sums[former] -= self.weight[node]
            self.sums[home] += self.weight[node]
            if former in self.new:
                self.new[former].discard(node)
            if home in self.new:
                self.new[home].add(node)
