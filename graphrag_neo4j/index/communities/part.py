"""Reads the part of the graph, and of the tree, that a small change may touch.

This part is the communities of level 0 with an entity whose relationships have changed, or that has
been deleted. All edges of their entities are read, also those that lead out of the part. They take
more memory than where the whole graph is read, so a part has at most MOST_ENTITIES.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypedDict

from graphrag_neo4j.graph.connection import Graph, Row
from graphrag_neo4j.graph.rows import IdRow, pages
from graphrag_neo4j.index.communities.hierarchy import Edges
from graphrag_neo4j.index.communities.saved import KnownCommunityRow, Path, SavedTree, paths_down
from graphrag_neo4j.index.communities.tree import ROOT
from graphrag_neo4j.index.communities.update import Around, BeyondError, FormerTree

ID_PAGE = 10_000
MOST_ENTITIES = 50_000


class UnplacedRow(TypedDict):
    """A marked entity with its weighted degree, before (`placed`) and now.

    `top` is its community of level 0. What was not placed yet has neither.
    """

    id: str
    placed: float | None
    top: str | None
    degree: float


class LostRow(TypedDict):
    """The weighted degree of the members that a community of level 0 has lost."""

    top: str
    lost: float


class LeafRow(TypedDict):
    """An entity and its leaf community."""

    id: str
    leaf: str


class EdgeRow(TypedDict):
    """A weighted edge between two entities."""

    start: str
    end: str
    weight: int


class AroundRow(TypedDict):
    """A community of level 0 with its weighted degree; `ids` are some of its members."""

    top: str
    ids: list[str]
    degree: float


@dataclass(frozen=True, slots=True)
class GraphChange:
    """What has changed in the graph since its entities were placed in communities.

    `tops` are the communities of level 0 that the change touches, and `degree` is the weighted
    degree of the graph after it.
    """

    unplaced: Sequence[UnplacedRow]
    tops: frozenset[str]
    degree: float

    @property
    def touched(self) -> dict[str, float]:
        """The new entities and those of another weighted degree, each with the difference."""
        return {
            one["id"]: abs(one["degree"] - (one["placed"] or 0.0))
            for one in self.unplaced
            if one["degree"] != one["placed"]
        }

    @property
    def placed(self) -> list[Row]:
        """The rows of `communities/placed`."""
        return [{"id": one["id"], "weight": one["degree"]} for one in self.unplaced]


@dataclass(frozen=True, slots=True)
class TouchedPart:
    """A part of the graph, its former tree, and what surrounds it."""

    edges: Edges
    saved: SavedTree
    former: FormerTree
    around: Around


async def read_change(graph: Graph, degree: float) -> GraphChange:
    """What has changed; `degree` is the weighted degree that the graph had.

    Raises BeyondError for too large a change.
    """
    limit = MOST_ENTITIES + 1
    unplaced = await graph.read_bulk("communities/unplaced", UnplacedRow, limit=limit)
    if len(unplaced) == limit:
        raise BeyondError
    lost = await graph.read("communities/lost", LostRow)
    touched = [one for one in unplaced if one["degree"] != one["placed"]]
    tops = {one["top"] for one in touched if one["top"]} | {row["top"] for row in lost}
    degree += sum(one["degree"] - (one["placed"] or 0.0) for one in touched)
    return GraphChange(unplaced, frozenset(tops), degree - sum(row["lost"] for row in lost))


async def read_part(
    graph: Graph, change: GraphChange, tops: Collection[str], unchecked: float
) -> TouchedPart:
    """Reads the communities `tops` of level 0, the new entities, and what surrounds them.

    `unchecked` is the weight in the graph that is not checked. Raises BeyondError for too large a
    part.
    """
    known = await graph.read_bulk("communities/within", KnownCommunityRow, tops=sorted(tops))
    if sum(row["size"] for row in known if row["level"] == 0) > MOST_ENTITIES:
        raise BeyondError
    down = paths_down(known)
    members: list[LeafRow] = []
    for leaves in pages(sorted(row["id"] for row in known), ID_PAGE):
        members += await graph.read_bulk("communities/members", LeafRow, leaves=leaves)
    paths = {one["id"]: down[one["leaf"]] for one in members}
    new = [one["id"] for one in change.unplaced if one["top"] is None]
    read = sorted({*paths, *new})
    found: dict[tuple[str, str], float] = {}
    for ids in pages(read, ID_PAGE):
        rows = await graph.read_bulk("communities/edges_around", EdgeRow, ids=ids)
        found |= {(row["start"], row["end"]): row["weight"] for row in rows}
    nodes = {*read, *(end for ends in found for end in ends)}
    others = sorted(nodes.difference(read))
    around = await graph.read("communities/around", AroundRow, ids=others)
    edges = Edges.of(((*ends, weight) for ends, weight in sorted(found.items())), nodes)
    outside: dict[str, Path] = {id_: (row["top"],) for row in around for id_ in row["ids"]}
    weights = {ROOT: unchecked, **{row["id"]: row["unchecked"] for row in known}}
    return TouchedPart(
        edges,
        SavedTree({row["id"]: row for row in known}, paths, weights),
        FormerTree(paths | outside, change.touched, weights),
        Around({row["top"]: row["degree"] for row in around}, change.degree),
    )


async def taken_ids(graph: Graph, ids: Collection[str]) -> set[str]:
    """Those of `ids` that communities of the graph have."""
    return {row["id"] for row in await graph.read("communities/taken", IdRow, ids=sorted(ids))}
