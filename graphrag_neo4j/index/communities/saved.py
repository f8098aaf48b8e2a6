"""Reads the tree of communities in the graph, and saves what differs from it in another tree.

A small change is one transaction. A large one is several, because Neo4j holds in memory all that a
transaction changes: 2.8 GB were not enough for the first tree of a million entities. Before the
first of several, the graph is marked, so a run after a killed one makes the whole tree again.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan, nan
from operator import itemgetter
from typing import Final, TypedDict

from graphrag_neo4j.graph.connection import Graph, Row, Transaction
from graphrag_neo4j.graph.rows import pages
from graphrag_neo4j.index.communities.hierarchy import entity_pages
from graphrag_neo4j.index.communities.tree import ROOT, TreeCommunity
from graphrag_neo4j.index.communities.update import UpdatedTree
from graphrag_neo4j.index.evidence import with_refs

UNFINISHED: Final = "unfinished"  # the signature of a tree of which a part is saved
ROW_PAGE = 10_000  # rows that a statement writes
TOGETHER = 200_000  # rows that a transaction writes
SAVE: Final = "communities/save"
Path = tuple[str, ...]
Page = tuple[str, list[Row]]
"""A statement, and the rows that it writes together."""


class KnownCommunityRow(TypedDict):
    """A community in its place in the tree.

    `unchecked` is the weight inside it that has changed since its split was last compared with a
    fresh one.
    """

    id: str
    level: int
    size: int
    parent: str | None
    unchecked: float


@dataclass(frozen=True, slots=True)
class SavedTree:
    """The tree in the graph, or a part of it, before the change.

    `paths` holds for each entity of the tree the ids of its communities from level 0 down.
    `unchecked` is that of `FormerTree`.
    """

    communities: Mapping[str, KnownCommunityRow]
    paths: Mapping[str, Path]
    unchecked: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Places:
    """All entities of the graph, and how they are placed in the tree.

    `ids` are in their order. `degrees` holds for each entity its weighted degree when it was placed
    in the tree, NaN if it was not. `marks` holds 1 for each that has a mark.
    """

    ids: Sequence[str]
    degrees: Sequence[float]
    marks: Sequence[int]

    def are_known(self, tree: SavedTree) -> bool:
        """Whether it is known what has changed since the tree was made."""
        known = zip(self.ids, self.degrees, strict=True)
        return bool(tree.paths) and not any(isnan(was) and one in tree.paths for one, was in known)

    def changes(self, degrees: Sequence[float]) -> Iterator[tuple[str, float, float]]:
        """The entities with another weighted degree now, each with the former one and this one."""
        for id_, was, now in zip(self.ids, self.degrees, degrees, strict=True):
            if was != now:
                yield id_, 0.0 if isnan(was) else was, now

    def rows(self, degrees: Sequence[float]) -> Iterator[Row]:
        """The rows of `communities/placed`; `degrees` holds the weighted degrees now."""
        every = zip(self.ids, self.degrees, degrees, self.marks, strict=True)
        return ({"id": id_, "weight": now} for id_, was, now, mark in every if mark or was != now)


async def read_tree(graph: Graph, unchecked: float) -> tuple[SavedTree, Places]:
    """The tree in the graph; `unchecked` is the weight in the graph that is not checked."""
    rows = await graph.read_bulk("communities/known", KnownCommunityRow)
    down = paths_down(rows)
    paths: dict[str, Path] = {}
    entities: list[str] = []
    placed, marks = array("d"), array("b")
    async for members in entity_pages(graph):
        members.sort(key=itemgetter("id"))
        paths |= {one["id"]: down[one["leaf"]] for one in members if one["leaf"]}
        entities += [one["id"] for one in members]
        placed.extend(nan if one["placed"] is None else one["placed"] for one in members)
        marks.extend(one["unplaced"] is not None for one in members)
    weights = {ROOT: unchecked, **{row["id"]: row["unchecked"] for row in rows}}
    tree = SavedTree({row["id"]: row for row in rows}, paths, weights)
    return tree, Places(entities, placed, marks)


def paths_down(communities: Iterable[KnownCommunityRow]) -> dict[str | None, Path]:
    """For each community the ids from level 0 down to its own."""
    down: dict[str | None, Path] = {None: ()}
    for row in sorted(communities, key=itemgetter("level")):  # parents before children
        down[row["id"]] = (*down[row["parent"]], row["id"])
    return down


async def save_tree(
    graph: Graph,
    tree: UpdatedTree,
    former: SavedTree,
    placed: Callable[[], Iterable[Row]],
    degree: float,
    *,
    signature: str,
    updated: bool = True,
) -> None:
    """Saves a tree or a part of it, and that it was made with `signature`.

    `placed` gives the rows of `communities/placed`, and `degree` is the weighted degree of the
    graph. `updated` says that the tree is the former one with changes, not a fresh one.
    """
    change = _Change(tree, former, placed)
    done = {
        "signature": signature,
        "updated": updated or None,
        "unchecked": tree.unchecked.get(ROOT) or None,
        "degree": degree,
    }

    async def at_once(tx: Transaction) -> None:
        for page in change.pages():
            await _write(page, tx)
        await tx.run("communities/done", **done)

    if sum(len(rows) for _, rows in change.pages()) <= TOGETHER:
        await graph.transact(at_once)
        return
    await graph.write("communities/unfinished", signature=UNFINISHED)
    for page in change.pages():
        await graph.transact(partial(_write, page))
    await graph.write("communities/done", **done)


async def _write(page: Page, tx: Transaction) -> None:
    statement, rows = page
    if statement == SAVE:
        rows = await with_refs(tx, "community", rows)
    await tx.run(statement, rows=rows)


class _Change:
    """What differs between a tree and the former one.

    `changed` holds the communities with other members, or with other communities above them; `left`
    holds the entities that have left each community, by its id.
    """

    def __init__(
        self, tree: UpdatedTree, former: SavedTree, placed: Callable[[], Iterable[Row]]
    ) -> None:
        self._tree, self._former, self._placed = tree, former, placed
        self.changed: set[str] = set()
        self.left: defaultdict[str, list[str]] = defaultdict(list)
        for leaf, now in self._leaves():
            for entity in leaf.members:
                before = former.paths.get(entity, ())
                if before != now:
                    self.changed.update(before, now)
                    for id_ in set(before).difference(now):
                        self.left[id_].append(entity)
        sizes = {id_: row["size"] for id_, row in former.communities.items()}
        self.changed.update(c.id for c in tree.communities if sizes.get(c.id) != len(c.members))

    def _leaves(self) -> Iterator[tuple[TreeCommunity, Path]]:
        """The communities without sub-communities, each with the ids from the coarsest to its own.

        A dict of all entities with their paths would take much memory.
        """
        parents = {community.parent for community in self._tree.communities}
        down: dict[str | None, Path] = {None: ()}
        for community in self._tree.communities:  # parents before children
            path = (*down[community.parent], community.id)
            if community.id in parents:
                down[community.id] = path
            else:
                yield community, path

    def pages(self) -> Iterator[Page]:
        """The statements in their order, with the rows that each writes."""
        former = self._former
        gone = former.communities.keys() - {one.id for one in self._tree.communities}
        yield from _paged("communities/delete", ({"id": id_} for id_ in sorted(gone)))
        yield from _paged(SAVE, self._rows(moved=False))
        yield from _paged("communities/part", self._rows(moved=True))
        joins: Iterator[Row] = (
            {"id": entity, "leaf": leaf.id}
            for leaf, _ in self._leaves()
            for entity in leaf.members
            if former.paths.get(entity, ())[-1:] != (leaf.id,)
        )
        yield from _paged("communities/join", joins)
        yield from _paged("communities/placed", self._placed())

    def _rows(self, *, moved: bool) -> Iterator[Row]:
        """The communities that differ from the former ones; `moved`: only those in another one."""
        for community in self._tree.communities:
            row: KnownCommunityRow = {
                "id": community.id,
                "level": community.level,
                "size": len(community.members),
                "parent": community.parent,
                "unchecked": self._tree.unchecked.get(community.id, 0.0),
            }
            id_, known = community.id, self._former.communities.get(community.id)
            if id_ not in self.changed and row == known:
                continue
            if not moved or (known["parent"] if known else None) != row["parent"]:
                left = {"changed": id_ in self.changed, "left": self.left.get(id_, [])}
                yield {**row} if moved else {**row, **left}


def _paged(statement: str, rows: Iterable[Row]) -> Iterator[Page]:
    return ((statement, page) for page in pages(rows, ROW_PAGE))
