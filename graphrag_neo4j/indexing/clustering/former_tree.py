"""The tree of communities before a change, and the same tree with numbers in the place of ids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from graphrag_neo4j.indexing.clustering.edges import Numbers

__all__ = ["NONE", "ROOT", "FormerTree", "NumberedTree"]

ROOT: Final = ""  # the id of the whole graph, whose parts are the communities of level 0
NONE: Final = -1  # the number of no community


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


class NumberedTree:
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
        self.sizes = self._sizes()
        self.touched = np.array([entity in tree.touched for entity in entities], np.bool_)
        self.change = np.zeros(len(entities))
        places = np.flatnonzero(self.touched).tolist()
        self.change[places] = [tree.touched[entities[place]] for place in places]

    def _sizes(self) -> Numbers:
        times = np.bincount(self._path_of, minlength=self._levels.shape[1])
        sizes = np.zeros(len(self.ids), np.int32)
        for level in self._levels:
            np.add.at(sizes, level[level != NONE], times[level != NONE])
        return sizes

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
