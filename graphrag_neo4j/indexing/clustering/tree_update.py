"""Brings a tree of communities up to date where the graph has changed.

The tree stays as it is where nothing has changed. Level by level from the top, the members of each
community that a change touched move between its sub-communities (`local_moving`). So the tree
depends on its history. How far it may drift from a fresh tree is bounded: where a share CHECKED_AT
of the weight inside a community has changed since its split was last compared with a fresh one,
both are due to be compared again, and the old split stays only if its modularity is at most the
share TOLERANCE below that of the fresh one.

A fresh split needs a run of Leiden, which takes longer than all moves of a small change. So the
comparisons of a level wait until the communities that are due hold the share POSTPONED of the
weight of the graph, or until a new split needs a run, which then serves them all. Until then they
can lower the modularity of their level by no more than this share.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.indexing.clustering.hierarchy import Detect, connected_parts, fresh_parts
from graphrag_neo4j.indexing.clustering.local_moving import modularity, move_locally, neighbours
from graphrag_neo4j.indexing.clustering.tree import HierarchyLimits, TreeCommunity
from graphrag_neo4j.model import WeightedEdge

__all__ = ["ROOT", "FormerTree", "UpdatedTree", "updated_tree"]

ROOT = ""  # the id of the whole graph, whose parts are the communities of level 0
CHECKED_AT = 0.05
TOLERANCE = 0.01
POSTPONED = 0.005

Parts = list[list[str]]


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


@dataclass(slots=True)
class UpdatedTree:
    """The tree after a change, one level after the other.

    `unchecked` is that of `FormerTree` after the change, by the ids of `communities`.
    """

    communities: list[TreeCommunity] = field(default_factory=list)
    unchecked: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class _Branch:
    """A set of entities to split: the graph, or the members of a community.

    `id` is that of the community, `former` that of the community that it was before the change,
    None if it was none. `edges` are those inside it; None where nothing has changed. `parts` is
    the split.
    """

    id: str
    former: str | None
    members: Sequence[str]
    edges: Sequence[WeightedEdge] | None
    parts: Parts | None = None


def updated_tree(
    entities: Iterable[str],
    edges: Sequence[WeightedEdge],
    detect: Detect,
    limits: HierarchyLimits,
    former: FormerTree,
) -> UpdatedTree:
    """Returns the tree of communities of the changed graph, of the same form as a fresh one.

    The ids of its communities depend on their members alone; `lasting_ids` gives a community that
    lives on the id that it had.
    """
    return _Update(detect, limits, former).run(sorted(set(entities)), sorted(edges))


class _Update:
    """One update of a tree."""

    def __init__(self, detect: Detect, limits: HierarchyLimits, former: FormerTree) -> None:
        self.detect, self.limits = detect, limits
        self.paths, self.touched, self.unchecked = former.paths, former.touched, former.unchecked
        self.sizes = Counter(id_ for path in self.paths.values() for id_ in path)
        self.tree = UpdatedTree()
        self.weight = 0.0

    def run(self, entities: Sequence[str], edges: Sequence[WeightedEdge]) -> UpdatedTree:
        self.weight = _weight(edges)
        level = [_Branch(ROOT, ROOT, entities, edges)]
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
        due = self._due(level)
        edges = [edge for branch in due for edge in branch.edges or ()]
        fresh = fresh_parts([b.members for b in due], edges, self.detect, self.limits.gamma)
        for branch, parts in zip(due, fresh, strict=True):
            self.tree.unchecked[branch.id] = 0.0
            if branch.parts is None or self._falls_behind(branch, parts):
                branch.parts = parts

    def _due(self, level: Sequence[_Branch]) -> list[_Branch]:
        """The branches whose fresh split is found now, to be taken or to be compared with."""
        due = [branch for branch in level if self._is_due(branch)]
        needed = any(branch.parts is None for branch in due)
        held = sum(_weight(branch.edges or ()) for branch in due)
        return due if needed or held > POSTPONED * self.weight else []

    def _former_parts(self, branch: _Branch, number: int) -> Parts | None:
        """The parts of a branch by its former split; None where it had none that could live on."""
        label = {
            member: path[number]
            for member in branch.members
            for path in [self.paths.get(member, ())]
            if len(path) > number and branch.former in (ROOT, *path[number - 1 : number])
        }
        if branch.edges is None:
            return _grouped(label) or [list(branch.members)]
        if self._is_small(branch):
            return [list(branch.members)]
        if not label:
            return None
        free = [m for m in branch.members if m in self.touched or m not in label]
        moved = move_locally(label, free, neighbours(branch.edges), self.limits.gamma)
        return connected_parts(moved, branch.edges)

    def _is_small(self, branch: _Branch) -> bool:
        return branch.id != ROOT and len(branch.members) <= max(self.limits.max_size, 1)

    def _is_due(self, branch: _Branch) -> bool:
        """Whether a branch has no split, or much has changed since it was compared; counts this."""
        unchecked = self.unchecked.get(branch.former or "", 0.0)
        self.tree.unchecked[branch.id] = unchecked
        if branch.edges is None or self._is_small(branch):
            return False
        changed = sum(self.touched.get(member, 0.0) for member in branch.members) / 2
        self.tree.unchecked[branch.id] = unchecked + changed
        return branch.parts is None or unchecked + changed > CHECKED_AT * _weight(branch.edges)

    def _falls_behind(self, branch: _Branch, fresh: Parts) -> bool:
        edges, gamma = branch.edges or (), self.limits.gamma
        now = modularity(_labels(branch.parts or []), edges, gamma)
        best = modularity(_labels(fresh), edges, gamma)
        return now < best - TOLERANCE * abs(best)

    def _children(self, branch: _Branch, number: int) -> list[_Branch]:
        """Adds the parts of a branch to the tree, if it is split; they are the next branches."""
        parts = sorted(sorted(part) for part in branch.parts or [])
        if branch.id != ROOT and len(parts) < 2:
            return []
        parent = None if branch.id == ROOT else branch.id
        found = [TreeCommunity.of(number, part, parent) for part in parts]
        self.tree.communities += found
        edges = _edges_of_parts(parts, branch.edges) if branch.edges is not None else None
        children = []
        for i, community in enumerate(found):
            former = self._former(community, number)
            same = edges is None or self._is_same(community, former)
            own = None if same or edges is None else edges[i]
            children.append(_Branch(community.id, former, community.members, own))
        return children

    def _former(self, community: TreeCommunity, number: int) -> str | None:
        """The community of the old tree on this level that most members were in, if most were."""
        paths = [self.paths.get(member, ()) for member in community.members]
        votes = Counter(path[number] for path in paths if len(path) > number)
        if not votes:
            return None
        best = min(votes, key=lambda id_: (-votes[id_], id_))
        known = sum(1 for path in paths if path)
        return best if 2 * votes[best] > self.sizes[best] + known - votes[best] else None

    def _is_same(self, community: TreeCommunity, former: str | None) -> bool:
        """Whether a community has the members of the former one, and none of them is touched."""
        return (
            former is not None
            and self.sizes[former] == len(community.members)
            and self.touched.keys().isdisjoint(community.members)
        )


def _grouped(label: Mapping[str, str]) -> Parts:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for member, name in label.items():
        groups[name].append(member)
    return list(groups.values())


def _labels(parts: Parts) -> dict[str, int]:
    return {member: i for i, part in enumerate(parts) for member in part}


def _weight(edges: Iterable[WeightedEdge]) -> float:
    return sum(weight for _, _, weight in edges)


def _edges_of_parts(parts: Parts, edges: Sequence[WeightedEdge]) -> list[list[WeightedEdge]]:
    """The edges inside each part."""
    label = _labels(parts)
    found: list[list[WeightedEdge]] = [[] for _ in parts]
    for edge in edges:
        if label[edge[0]] == label[edge[1]]:
            found[label[edge[0]]].append(edge)
    return found
