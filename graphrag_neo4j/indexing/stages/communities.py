"""Finds communities with GDS Leiden, writes them as a tree, and keeps the tree up to date.

The first tree is that of Leiden. Where the graph changes later, only the part of the tree that the
change touches is changed (`clustering.tree_update`), and a community that lives on keeps its node
with its id, its ref and its report, though members come and go. A run with `fresh` makes the tree
that a first run would make; communities that live on in it keep their nodes, too.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan, nan
from operator import itemgetter

import anyio.to_thread
import numpy as np

from graphrag_neo4j.events import Advanced, Listener, Notice, Started
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.clustering.edges import Edges
from graphrag_neo4j.indexing.clustering.former_tree import ROOT, FormerTree
from graphrag_neo4j.indexing.clustering.gds import leiden_in_gds
from graphrag_neo4j.indexing.clustering.graph_reader import (
    entity_pages,
    id_ranges,
    read_edges,
)
from graphrag_neo4j.indexing.clustering.hierarchy import Detect, community_tree
from graphrag_neo4j.indexing.clustering.lasting_ids import lasting_ids, with_ids
from graphrag_neo4j.indexing.clustering.leiden import Leiden
from graphrag_neo4j.indexing.clustering.npmi import weight_of
from graphrag_neo4j.indexing.clustering.tree import HierarchyLimits
from graphrag_neo4j.indexing.clustering.tree_saving import SavedTree, save_tree
from graphrag_neo4j.indexing.clustering.tree_update import UpdatedTree, updated_tree
from graphrag_neo4j.indexing.rows import (
    CommunitiesDueRow,
    KnownCommunityRow,
    NamedByRow,
    TotalsRow,
)
from graphrag_neo4j.settings import Settings

__all__ = ["find_communities"]

IMPORTED = "import"  # the signature of an imported tree
SEVERAL = 5  # documents from which on "more than half of the documents" means anything
SHOWN = 8  # names in a notice


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
    former = await _former(graph, found)
    # The weights by NPMI of all edges change with each chunk, so no part of the graph is untouched.
    follow = made and former.is_followed and not (anew or fresh or leiden.by_npmi)
    make: Callable[[Detect], UpdatedTree]
    edges = await read_edges(graph, former.entities)
    degrees = array("d", edges.degrees())
    if follow:
        make = partial(_updated, edges, leiden.limits, former, _touched(degrees, former))
    else:
        if leiden.by_npmi:
            edges = await _by_npmi(graph, edges, listen)
        make = partial(_whole, [edges], leiden.limits)
    del edges  # `make` holds what it needs of them, until it uses it

    def in_gds() -> UpdatedTree:
        with leiden_in_gds(graph, leiden, settings, listen) as detect:
            return _with_lasting_ids(make(detect), former.paths)

    tree = await anyio.to_thread.run_sync(in_gds)
    await save_tree(graph, tree, former, degrees, leiden.signature, updated=follow)
    listen(Advanced(len(tree.communities)))


async def _former(graph: Graph, due: CommunitiesDueRow) -> SavedTree:
    rows = await graph.read_bulk("communities/known", KnownCommunityRow)
    down: dict[str | None, tuple[str, ...]] = {None: ()}
    for row in sorted(rows, key=itemgetter("level")):  # parents before children
        down[row["id"]] = (*down[row["parent"]], row["id"])
    paths: dict[str, tuple[str, ...]] = {}
    entities: list[str] = []
    placed = array("d")
    async for members in entity_pages(graph):
        members.sort(key=itemgetter("id"))
        paths |= {one["id"]: down[one["leaf"]] for one in members if one["leaf"]}
        entities += [one["id"] for one in members]
        placed.extend(nan if one["placed"] is None else one["placed"] for one in members)
    return SavedTree(
        {row["id"]: row for row in rows},
        paths,
        entities,
        placed,
        {ROOT: due["unchecked"], **{row["id"]: row["unchecked"] for row in rows}},
    )


def _touched(degrees: Sequence[float], former: SavedTree) -> dict[str, float]:
    """The entities that are new or whose weighted degree has changed, each with the change."""
    return {
        entity: abs(degree - (0.0 if isnan(placed) else placed))
        for entity, degree, placed in zip(former.entities, degrees, former.placed, strict=True)
        if degree != placed
    }


async def _by_npmi(graph: Graph, stated: Edges, listen: Listener) -> Edges:
    """The edges with weights by NPMI, without those of entities that are everywhere."""
    total = (await graph.read("communities/chunks", TotalsRow))[0]
    everywhere: dict[str, str] = {}
    counts: dict[str, int] = {}
    for after, last in id_ranges(stated.names):
        named = await graph.read_bulk("communities/counts", NamedByRow, after=after, last=last)
        everywhere |= {row["id"]: row["name"] for row in named if _is_everywhere(row, total)}
        counts |= {row["id"]: row["n"] for row in named}
    if everywhere:
        listen(Notice(_left_out(sorted(everywhere.values()))))
    n = [counts[name] for name in stated.names]
    alone = np.array([name in everywhere for name in stated.names], np.bool_)
    kept = stated.kept(~(alone[stated.starts] | alone[stated.ends]))
    weights = (weight_of(round(w), n[a], n[b], total["n"]) for a, b, w in kept.rows())
    return kept.weighing(np.fromiter(weights, np.float64, len(kept)))


def _is_everywhere(named: NamedByRow, total: TotalsRow) -> bool:
    """Tells whether more than half of the documents mention an entity, if there are several."""
    return total["documents"] >= SEVERAL and named["documents"] > total["documents"] / 2


def _left_out(names: Sequence[str]) -> str:
    listed = ", ".join(names[:SHOWN]) + (" and others" if len(names) > SHOWN else "")
    return (
        "What more than half of the documents mention stays alone in the communities, because it "
        f"would join what does not belong together: {listed}."
    )


def _whole(held: list[Edges], limits: HierarchyLimits, detect: Detect) -> UpdatedTree:
    """The tree that Leiden makes of the whole graph, whose edges leave the list `held`.

    So those edges that no further level needs go while the tree is made.
    """
    return UpdatedTree(community_tree(held.pop(), detect, limits))


def _updated(
    edges: Edges,
    limits: HierarchyLimits,
    former: SavedTree,
    touched: Mapping[str, float],
    detect: Detect,
) -> UpdatedTree:
    """The former tree, changed where the graph has changed."""
    known = FormerTree(former.paths, touched, former.unchecked)
    return updated_tree(edges, detect, limits, known)


def _with_lasting_ids(tree: UpdatedTree, paths: Mapping[str, Sequence[str]]) -> UpdatedTree:
    """The tree, in which communities that live on have the ids that they had."""
    if not paths:
        return tree
    ids = {ROOT: ROOT, **lasting_ids(tree.communities, paths)}
    unchecked = {ids[id_]: weight for id_, weight in tree.unchecked.items()}
    return UpdatedTree(with_ids(tree.communities, ids), unchecked)
