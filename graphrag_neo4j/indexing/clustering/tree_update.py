"""Brings a tree of communities up to date where the graph has changed.

The tree stays as it is where nothing has changed. Level by level from the top, the members of each
community that a change touched move between its sub-communities (`local_moving`). So the tree
depends on its history. How far it may drift from a fresh tree is bounded: where a share CHECKED_AT
of the weight inside a community has changed since its split was last compared with a fresh one,
both are due to be compared again, and the old split stays only if its modularity is at most the
share TOLERANCE below that of the fresh one.

A fresh split needs a run of Leiden, which takes longer than all moves of a small change. So the
comparisons of a level wait until the communities that are due hold the share POSTPONED of the
weight of the graph, or until a new split needs a run, which then serves them all. Only communities
that the change at hand touched count, so one that is due and is never touched again stays as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from graphrag_neo4j.indexing.clustering.edges import (
    Edges,
    Numbers,
    connected,
    grouped,
    homes,
    parted,
)
from graphrag_neo4j.indexing.clustering.former_tree import (
    NONE,
    ROOT,
    FormerTree,
    NumberedTree,
)
from graphrag_neo4j.indexing.clustering.hierarchy import Detect, fresh_parts
from graphrag_neo4j.indexing.clustering.local_moving import modularity, move_locally
from graphrag_neo4j.indexing.clustering.tree import HierarchyLimits, TreeCommunity

__all__ = ["UpdatedTree", "updated_tree"]

CHECKED_AT = 0.05
TOLERANCE = 0.01
POSTPONED = 0.005

Parts = list[Numbers]
"""A split of a set of entities: the places of the entities of each part."""


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
    edges: Edges, detect: Detect, limits: HierarchyLimits, former: FormerTree
) -> UpdatedTree:
    """Returns the tree of communities of the changed graph, of the same form as a fresh one.

    The nodes of `edges` are all entities, and the edges are in the order of their starts. The ids
    of the communities depend on their members alone; `lasting_ids` gives a community that lives on
    the id that it had.
    """
    return _Update(edges, detect, limits, former).run()


class _Update:
    """One update of a tree."""

    def __init__(
        self, edges: Edges, detect: Detect, limits: HierarchyLimits, former: FormerTree
    ) -> None:
        self.edges, self.detect, self.limits = edges, detect, limits
        self.former, self.unchecked = NumberedTree(former, edges.names), former.unchecked
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
        if not (due := self._due(level)):
            return
        members = [branch.members for branch in due]
        fresh = fresh_parts(members, self.edges, self.detect, self.limits.gamma)
        for branch, wholes in zip(due, fresh, strict=True):
            parts = [np.searchsorted(branch.members, whole).astype(np.int32) for whole in wholes]
            self.tree.unchecked[branch.id] = 0.0
            if branch.parts is None or self._falls_behind(branch, parts):
                branch.parts = parts

    def _due(self, level: Sequence[_Branch]) -> list[_Branch]:
        """The branches whose fresh split is found now, to be taken or to be compared with."""
        due = [branch for branch in level if self._is_due(branch)]
        needed = any(branch.parts is None for branch in due)
        held = sum(map(_weight, due))
        return due if needed or held > POSTPONED * float(self.edges.weights.sum()) else []

    def _former_parts(self, branch: _Branch, number: int) -> Parts | None:
        """The parts of a branch by its former split; None where it had none that could live on."""
        former = self.former.at(number, branch.members)
        if branch.id != ROOT:
            former[self.former.at(number - 1, branch.members) != branch.former] = NONE
        if branch.edges is None:
            return grouped(former)
        if self._is_small(branch):
            return [np.arange(len(branch.members), dtype=np.int32)]
        if (former == NONE).all():
            return None
        free = np.flatnonzero(self.former.touched[branch.members] | (former == NONE)).tolist()
        moved = move_locally(former, free, branch.edges, self.limits.gamma)
        return grouped(connected(branch.edges, moved))

    def _is_small(self, branch: _Branch) -> bool:
        return branch.id != ROOT and len(branch.members) <= max(self.limits.max_size, 1)

    def _is_due(self, branch: _Branch) -> bool:
        """Whether a branch has no split, or much has changed since it was compared; counts this."""
        unchecked = self._unchecked(branch)
        self.tree.unchecked[branch.id] = unchecked
        if branch.edges is None or self._is_small(branch):
            return False
        unchecked += float(self.former.change[branch.members].sum()) / 2
        self.tree.unchecked[branch.id] = unchecked
        return branch.parts is None or unchecked > CHECKED_AT * _weight(branch)

    def _unchecked(self, branch: _Branch) -> float:
        if branch.id == ROOT:
            return self.unchecked.get(ROOT, 0.0)
        known = branch.former != NONE
        return self.unchecked.get(self.former.ids[branch.former], 0.0) if known else 0.0

    def _falls_behind(self, branch: _Branch, fresh: Parts) -> bool:
        now, best = (self._modularity(branch, parts) for parts in (branch.parts or [], fresh))
        return now < best - TOLERANCE * abs(best)

    def _modularity(self, branch: _Branch, parts: Parts) -> float:
        labels = homes(parts, len(branch.members))
        return modularity(labels, branch.edges, self.limits.gamma) if branch.edges else 0.0

    def _children(self, branch: _Branch, number: int) -> list[_Branch]:
        """Adds the parts of a branch to the tree, if it is split; they are the next branches."""
        parts = branch.parts or []
        if branch.id != ROOT and len(parts) < 2:
            return []
        children = [self._child(branch, branch.members[part], number) for part in parts]
        if branch.edges is not None:
            changed = [i for i, child in enumerate(children) if not self._is_same(child, number)]
            inner = parted(branch.edges, [parts[i] for i in changed])
            for i, edges in zip(changed, inner, strict=True):
                children[i].edges = edges
        return children

    def _child(self, branch: _Branch, members: Numbers, number: int) -> _Branch:
        """A community of the tree as a branch, as if nothing in it had changed."""
        parent = None if branch.id == ROOT else branch.id
        names = [self.edges.names[member] for member in members.tolist()]
        community = TreeCommunity.of(number, names, parent)
        self.tree.communities.append(community)
        return _Branch(community.id, self.former.successor_of(number, members), members, None)

    def _is_same(self, child: _Branch, number: int) -> bool:
        """Whether a community has the members of the former one, and none of them is touched."""
        return (
            child.former != NONE
            and self.former.sizes[child.former] == len(child.members)
            and not self.former.touched[child.members].any()
            and bool((self.former.at(number, child.members) == child.former).all())
        )


def _weight(branch: _Branch) -> float:
    """The total weight of the edges inside a branch."""
    return float(branch.edges.weights.sum()) if branch.edges is not None else 0.0
