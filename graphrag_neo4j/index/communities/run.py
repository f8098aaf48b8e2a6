"""A run of the stage: it makes the tree anew, or follows a change of the graph."""

from array import array
from collections.abc import Callable, Iterable
from functools import partial

import anyio.to_thread

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.gds import leiden_in_gds
from graphrag_neo4j.index.communities.hierarchy import Detect, community_tree, read_edges
from graphrag_neo4j.index.communities.npmi import by_npmi
from graphrag_neo4j.index.communities.part import (
    GraphChange,
    TouchedPart,
    read_change,
    read_part,
    taken_ids,
)
from graphrag_neo4j.index.communities.saved import SavedTree, read_tree, save_tree
from graphrag_neo4j.index.communities.tree import ROOT, Leiden, lasting_ids, with_ids
from graphrag_neo4j.index.communities.update import (
    BeyondError,
    FormerTree,
    UpdatedTree,
    updated_tree,
)
from graphrag_neo4j.model.events import Advanced, Listener
from graphrag_neo4j.settings import Settings


class TreeRun:
    """Reads a part of the graph or all of it, and saves the tree."""

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
        self._unchecked, self._signature = unchecked, leiden.signature

    async def part(self, degree: float) -> bool:
        """Follows a change where it touches the tree; returns whether that was possible.

        `degree` is the weighted degree that the graph had before the change.
        """
        try:
            change = await read_change(self._graph, degree)
            part, tree = await self._followed(change, change.tops)
        except BeyondError:
            return False
        ids = {community.id for community in tree.communities} - part.saved.communities.keys()
        tree = _lasting(tree, part.saved, await taken_ids(self._graph, ids))
        await save_tree(
            self._graph,
            tree,
            part.saved,
            lambda: change.placed,
            change.degree,
            signature=self._signature,
        )
        self._listen(Advanced(len(tree.communities)))
        return True

    async def _followed(
        self, change: GraphChange, tops: frozenset[str]
    ) -> tuple[TouchedPart, UpdatedTree]:
        """Reads the communities `tops` of level 0, and those that moves turn out to reach."""
        part = await read_part(self._graph, change, tops, self._unchecked)
        make = partial(
            updated_tree,
            part.edges,
            limits=self._leiden.limits,
            former=part.former,
            around=part.around,
        )
        try:
            return part, await self._made(make)
        except BeyondError as error:
            if not error.communities:
                raise
            return await self._followed(change, tops | error.communities)

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
                edges = await by_npmi(self._graph, edges)
            held = [edges]

            def make(detect: Detect) -> UpdatedTree:
                # The edges leave the list, so those that no further level needs go on the way.
                return UpdatedTree(community_tree(held.pop(), detect, self._leiden.limits))

        del edges  # `make` holds what it needs of them, until it uses it
        tree = await self._made(make)
        tree = _lasting(tree, former) if former.paths else tree
        rows = partial(places.rows, degrees)
        await save_tree(
            self._graph, tree, former, rows, sum(degrees), signature=self._signature, updated=follow
        )
        self._listen(Advanced(len(tree.communities)))

    async def _made(self, make: Callable[[Detect], UpdatedTree]) -> UpdatedTree:
        def in_gds() -> UpdatedTree:
            with self._gds() as detect:
                return make(detect)

        return await anyio.to_thread.run_sync(in_gds)


def _lasting(tree: UpdatedTree, former: SavedTree, taken: Iterable[str] = ()) -> UpdatedTree:
    """The tree with the ids of what lives on in it; communities elsewhere have those in `taken`."""
    ids = {ROOT: ROOT, **lasting_ids(tree.communities, former.paths, taken)}
    unchecked = {ids[id_]: weight for id_, weight in tree.unchecked.items()}
    return UpdatedTree(with_ids(tree.communities, ids), unchecked)
