"""Finds communities with GDS Leiden, writes them as a tree, and keeps the tree up to date.

The first tree is that of Leiden. Where the graph changes later, only the part of the tree that the
change touches is changed (`communities.update`), and a community that lives on keeps its node
with its id, its ref and its report, though members come and go. A run with `fresh` makes the tree
that a first run would make; communities that live on in it also keep their nodes.
"""

import math
from array import array
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypedDict

import anyio.to_thread
import numpy as np

from graphrag_neo4j.graph.connection import Graph, Row
from graphrag_neo4j.index.communities.gds import leiden_in_gds
from graphrag_neo4j.index.communities.hierarchy import (
    Detect,
    Edges,
    community_tree,
    id_ranges,
    read_edges,
)
from graphrag_neo4j.index.communities.part import read_change, read_part, taken_ids
from graphrag_neo4j.index.communities.saved import SavedTree, read_tree, save_tree
from graphrag_neo4j.index.communities.tree import ROOT, Leiden, lasting_ids, with_ids
from graphrag_neo4j.index.communities.update import (
    BeyondError,
    FormerTree,
    UpdatedTree,
    updated_tree,
)
from graphrag_neo4j.model.events import Advanced, Listener, Started
from graphrag_neo4j.settings import Settings

IMPORTED = "import"  # the signature of an imported tree
LEAST = 0.05  # the smallest NPMI in a weight: for pairs that meet no more often than by chance
FEW = 2  # chunks that name a thing of one place: where chunks overlap, two have the same sentence


class CommunitiesDueRow(TypedDict):
    """What the communities were made with (None without communities), and whether they are due.

    `updated` says whether they have been changed since they were made, and `unchecked` is the
    weight in the graph that has changed since level 0 was last compared with a fresh one. `degree`
    is the weighted degree that the graph had when its entities were placed; None if not all were.
    """

    made_with: str | None
    due: bool
    updated: bool
    unchecked: float
    degree: float | None


class NamedByRow(TypedDict):
    """An entity, the ids of the chunks that name it, and the number of documents that do."""

    id: str
    chunks: list[str]
    documents: int


class TotalsRow(TypedDict):
    """The number of chunks that name an entity (`n`), and of all documents."""

    n: int
    documents: int


async def find_communities(
    graph: Graph,
    leiden: Leiden,
    listen: Listener,
    *,
    anew: bool = False,
    fresh: bool = False,
    settings: Settings | None = None,
) -> None:
    """Brings the tree of communities up to date with the graph and the settings.

    An imported tree does not depend on the settings. With `fresh`, a tree that has been changed
    since Leiden made it is made by Leiden again, and with `anew` any tree is, imported ones
    included. `settings` say where GDS is; without them it is that of the graph's server. Raises
    GraphError where GDS is needed and missing.
    """
    found = (await graph.read("communities/due", CommunitiesDueRow))[0]
    made = found["made_with"] in (None, IMPORTED, leiden.signature)
    if made and not (found["due"] or anew or (fresh and found["updated"])):
        return
    if anew:
        await graph.write("communities/imported")
    listen(Started("communities"))
    update = _Update(graph, leiden, settings, listen, found["unchecked"])
    # The weights by NPMI of all edges change with each chunk, so no part of the graph is untouched.
    follow = made and not (anew or fresh or leiden.by_npmi)
    if not (follow and found["degree"] is not None and await update.part(found["degree"])):
        await update.whole(follow=follow)


class _Update:
    """A run of the stage: where a part of the graph is not enough, the whole graph is read."""

    def __init__(
        self,
        graph: Graph,
        leiden: Leiden,
        settings: Settings | None,
        listen: Listener,
        unchecked: float,
    ) -> None:
        self._graph, self._leiden, self._listen = graph, leiden, listen
        self._gds = partial(leiden_in_gds, graph, leiden, settings, listen)
        self._unchecked = unchecked

    async def part(self, degree: float) -> bool:
        """Follows a change where it touches the tree; returns whether that was possible.

        `degree` is the weighted degree that the graph had before the change.
        """
        change = await read_change(self._graph, degree)
        tops = change.tops
        while True:
            part = await read_part(self._graph, change, tops, self._unchecked)
            make = partial(
                updated_tree,
                part.edges,
                limits=self._leiden.limits,
                former=part.former,
                around=part.around,
            )
            try:
                tree = await self._made(make)
            except BeyondError as error:
                if not error.communities:
                    return False
                tops |= error.communities
            else:
                break
        ids = {community.id for community in tree.communities} - part.saved.communities.keys()
        tree = _lasting(tree, part.saved, await taken_ids(self._graph, ids))
        await self._save(tree, part.saved, lambda: change.placed, change.degree, updated=True)
        return True

    async def whole(self, *, follow: bool) -> None:
        """Makes the tree anew, or follows any change of the graph."""
        former, places = await read_tree(self._graph, self._unchecked)
        follow = follow and places.are_known(former)
        make: Callable[[Detect], UpdatedTree]
        edges = await read_edges(self._graph, places.ids)
        degrees = array("d", edges.degrees())
        if follow:
            touched = {id_: abs(now - was) for id_, was, now in places.changes(degrees)}
            known = FormerTree(former.paths, touched, former.unchecked)
            make = partial(updated_tree, edges, limits=self._leiden.limits, former=known)
        else:
            if self._leiden.by_npmi:
                edges = await _by_npmi(self._graph, edges)
            held = [edges]

            def make(detect: Detect) -> UpdatedTree:
                # The edges leave the list, so those that no further level needs go on the way.
                return UpdatedTree(community_tree(held.pop(), detect, self._leiden.limits))

        del edges  # `make` holds what it needs of them, until it uses it
        tree = await self._made(make)
        tree = _lasting(tree, former) if former.paths else tree
        rows = partial(places.rows, degrees)
        await self._save(tree, former, rows, sum(degrees), updated=follow)

    async def _made(self, make: Callable[[Detect], UpdatedTree]) -> UpdatedTree:
        def in_gds() -> UpdatedTree:
            with self._gds() as detect:
                return make(detect)

        return await anyio.to_thread.run_sync(in_gds)

    async def _save(
        self,
        tree: UpdatedTree,
        former: SavedTree,
        placed: Callable[[], Iterable[Row]],
        degree: float,
        *,
        updated: bool,
    ) -> None:
        await save_tree(
            self._graph,
            tree,
            former,
            placed,
            signature=self._leiden.signature,
            degree=degree,
            updated=updated,
        )
        self._listen(Advanced(len(tree.communities)))


def _lasting(tree: UpdatedTree, former: SavedTree, taken: Iterable[str] = ()) -> UpdatedTree:
    """The tree with the ids of what lives on in it; communities elsewhere have those in `taken`."""
    ids = {ROOT: ROOT, **lasting_ids(tree.communities, former.paths, taken)}
    unchecked = {ids[id_]: weight for id_, weight in tree.unchecked.items()}
    return UpdatedTree(with_ids(tree.communities, ids), unchecked)


async def _by_npmi(graph: Graph, stated: Edges) -> Edges:
    """The edges with weights by NPMI, which fall with the share of documents that name an end.

    What nearly all documents name, such as the host of a series, joins hardly anything. An entity
    of one place also has a light edge to what its chunk is about: the entity there that most chunks
    name. Else what few sentences say would be hundreds of communities of two or three.
    """
    [total] = await graph.read("communities/chunks", TotalsRow)
    counts: dict[str, int] = {}
    rare: dict[str, float] = {}
    topics: dict[str, tuple[float, str]] = {}  # of each chunk
    places: list[tuple[str, str]] = []
    for after, last in id_ranges(stated.names):
        for row in await graph.read_bulk("communities/counts", NamedByRow, after=after, last=last):
            entity, chunks = row["id"], row["chunks"]
            counts[entity] = len(chunks)
            rare[entity] = 1 - (row["documents"] - 1) / total["documents"]
            known = (len(chunks) * rare[entity], entity)
            topics |= {chunk: max(known, topics.get(chunk, known)) for chunk in chunks}
            places += [(entity, chunk) for chunk in chunks if len(chunks) <= FEW]
    n = [counts[name] for name in stated.names]
    share = np.array([rare[name] for name in stated.names], np.float64)
    weights = (weight_of(round(w), n[a], n[b], total["n"]) for a, b, w in stated.rows())
    npmis = np.fromiter(weights, np.float64, len(stated))
    weighed = stated.weighing(npmis * share[stated.starts] * share[stated.ends])
    ties = ((entity, topics[chunk][1], LEAST) for entity, chunk in places)
    return Edges.of([*weighed.named(), *(tie for tie in ties if tie[0] != tie[1])], stated.names)


def npmi(together: int, one: int, other: int, total: int) -> float:
    """The normalised pointwise mutual information (NPMI) of two entities, from -1 to 1.

    Bouma, Normalized (Pointwise) Mutual Information in Collocation Extraction (2009).

    It is -1 if they are never together, 0 if they are together as often as by chance, and 1 if
    they are always together. `together` is the number of chunks that mention both; `one` and
    `other` are the numbers of chunks that mention each; `total` is the number of all chunks.

    >>> npmi(2, 2, 2, 100)
    1.0
    """
    if together <= 0 or total <= 0:
        return -1.0
    if together >= total:
        return 1.0
    chance = together * total / (max(one, together) * max(other, together))
    return round(math.log(chance) / -math.log(together / total), 9)


def weight_of(together: int, one: int, other: int, total: int) -> float:
    """The weight of a pair: the number of chunks that mention both, times their NPMI.

    The arguments are those of `npmi`. An NPMI below LEAST counts as LEAST.

    >>> weight_of(4, 4, 4, 100), weight_of(4, 40, 40, 100)
    (4.0, 0.2)
    """
    return round(together * max(LEAST, npmi(together, one, other, total)), 9)
