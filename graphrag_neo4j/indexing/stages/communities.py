"""Finds communities with GDS Leiden, writes them as a tree, and keeps the tree up to date.

The first tree is that of Leiden. Where the graph changes later, only the part of the tree that the
change touches is changed (`clustering.tree_update`), and a community that lives on keeps its node
with its id, its ref and its report, though members come and go. A run with `fresh` makes the tree
that a first run would make; communities that live on in it keep their nodes, too.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import anyio.to_thread

from graphrag_neo4j.events import Advanced, Listener, Notice, Started
from graphrag_neo4j.graph import Graph, Transaction, give_refs
from graphrag_neo4j.indexing.clustering.graph_reader import read_edges
from graphrag_neo4j.indexing.clustering.hierarchy import (
    TreeCommunity,
    community_tree,
)
from graphrag_neo4j.indexing.clustering.lasting_ids import lasting_ids, with_ids
from graphrag_neo4j.indexing.clustering.leiden import Leiden, leiden_in_gds
from graphrag_neo4j.indexing.clustering.npmi import weight_of
from graphrag_neo4j.indexing.clustering.tree_update import (
    ROOT,
    FormerTree,
    UpdatedTree,
    updated_tree,
)
from graphrag_neo4j.indexing.rows import (
    CommunitiesDueRow,
    KnownCommunityRow,
    MemberRow,
    NamedByRow,
    TotalsRow,
)
from graphrag_neo4j.model import WeightedEdge

__all__ = ["find_communities"]

IMPORTED = "import"  # the signature of an imported tree
SEVERAL = 5  # documents from which on "more than half of the documents" means anything
SHOWN = 8  # names in a notice


@dataclass(frozen=True, slots=True)
class _Former:
    """The tree in the graph, before the change.

    `paths` holds for each entity of the tree the ids of its communities from level 0 down; `placed`
    holds for each entity of the graph its weighted degree when it was placed there, None if it was
    not. `unchecked` is that of `FormerTree`.
    """

    communities: Mapping[str, KnownCommunityRow]
    paths: Mapping[str, Sequence[str]]
    placed: Mapping[str, float | None]
    unchecked: Mapping[str, float]

    @property
    def is_followed(self) -> bool:
        """Whether it is known what has changed since the tree was made."""
        return bool(self.paths) and all(self.placed[entity] is not None for entity in self.paths)


async def find_communities(
    graph: Graph,
    leiden: Leiden,
    listen: Listener,
    *,
    anew: bool = False,
    fresh: bool = False,
) -> None:
    """Brings the tree of communities up to date with the graph and the settings.

    An imported tree does not depend on the settings. With `fresh`, a tree that has been changed
    since Leiden made it is made by Leiden again, and with `anew` any tree is, imported ones
    included. Raises GraphError where GDS is needed and missing.
    """
    found = (await graph.read("communities/due", CommunitiesDueRow))[0]
    made = found["made_with"] in (None, IMPORTED, leiden.signature)
    if made and not (found["due"] or anew or (fresh and found["updated"])):
        return
    if anew:
        await graph.write("communities/imported")
    listen(Started("communities"))
    former = await _former(graph, found)
    stated = await read_edges(graph)
    weights = _weights(stated, former.placed)
    edges = await _by_npmi(graph, stated, listen) if leiden.by_npmi else stated
    # The weights by NPMI of all edges change with each chunk, so no part of the graph is untouched.
    follow = made and former.is_followed and not (anew or fresh or leiden.by_npmi)
    touched = _touched(weights, former.placed) if follow else None
    tree = await anyio.to_thread.run_sync(_tree, graph, leiden, edges, former, touched)
    await _save(graph, leiden, tree, former, weights, updated=follow)
    listen(Advanced(len(tree.communities)))


async def _former(graph: Graph, due: CommunitiesDueRow) -> _Former:
    rows = await graph.read_bulk("communities/known", KnownCommunityRow)
    down: dict[str | None, list[str]] = {None: []}
    for row in sorted(rows, key=itemgetter("level")):  # parents before children
        down[row["id"]] = [*down[row["parent"]], row["id"]]
    members = await graph.read_bulk("communities/entities", MemberRow)
    return _Former(
        {row["id"]: row for row in rows},
        {one["id"]: down[one["leaf"]] for one in members if one["leaf"]},
        {one["id"]: one["placed"] for one in members},
        {ROOT: due["unchecked"], **{row["id"]: row["unchecked"] for row in rows}},
    )


def _weights(edges: Sequence[WeightedEdge], entities: Mapping[str, object]) -> dict[str, float]:
    """The weighted degree of each entity: the number of statements about it and another one."""
    degrees = dict.fromkeys(entities, 0.0)
    for start, end, weight in edges:
        degrees[start] += weight
        degrees[end] += weight
    return degrees


def _touched(weights: Mapping[str, float], placed: Mapping[str, float | None]) -> dict[str, float]:
    """The entities that are new or whose weighted degree has changed, each with the change."""
    return {
        entity: abs(weight - (placed[entity] or 0.0))
        for entity, weight in weights.items()
        if weight != placed[entity]
    }


async def _by_npmi(
    graph: Graph, stated: Sequence[WeightedEdge], listen: Listener
) -> list[WeightedEdge]:
    """The edges with weights by NPMI, without those of entities that are everywhere."""
    total = (await graph.read("communities/chunks", TotalsRow))[0]
    named = await graph.read_bulk("communities/counts", NamedByRow)
    everywhere = {row["id"]: row["name"] for row in named if _is_everywhere(row, total)}
    if everywhere:
        listen(Notice(_left_out(sorted(everywhere.values()))))
    n = {row["id"]: row["n"] for row in named}
    return [
        (a, b, weight_of(round(weight), n[a], n[b], total["n"]))
        for a, b, weight in stated
        if a not in everywhere and b not in everywhere
    ]


def _is_everywhere(named: NamedByRow, total: TotalsRow) -> bool:
    """Tells whether more than half of the documents mention an entity, if there are several."""
    return total["documents"] >= SEVERAL and named["documents"] > total["documents"] / 2


def _left_out(names: Sequence[str]) -> str:
    listed = ", ".join(names[:SHOWN]) + (" and others" if len(names) > SHOWN else "")
    return (
        "What more than half of the documents mention stays alone in the communities, because it "
        f"would join what does not belong together: {listed}."
    )


def _tree(
    graph: Graph,
    leiden: Leiden,
    edges: Sequence[WeightedEdge],
    former: _Former,
    touched: Mapping[str, float] | None,
) -> UpdatedTree:
    """The new tree with lasting ids: a fresh one if `touched` is None."""
    entities, paths = list(former.placed), former.paths
    with leiden_in_gds(graph, leiden) as detect:
        if touched is None:
            tree = UpdatedTree(community_tree(entities, edges, detect, leiden.limits))
        else:
            known = FormerTree(paths, touched, former.unchecked)
            tree = updated_tree(entities, edges, detect, leiden.limits, known)
    ids = {ROOT: ROOT, **lasting_ids(tree.communities, paths)}
    unchecked = {ids[id_]: weight for id_, weight in tree.unchecked.items()}
    return UpdatedTree(with_ids(tree.communities, ids), unchecked)


async def _save(
    graph: Graph,
    leiden: Leiden,
    tree: UpdatedTree,
    former: _Former,
    weights: Mapping[str, float],
    *,
    updated: bool,
) -> None:
    gone = former.communities.keys() - {community.id for community in tree.communities}
    paths = _paths(tree.communities)
    changed, left = _changed(tree.communities, paths, former), _left(paths, former)
    rows = [
        row
        for community in tree.communities
        for row in [_row(community, tree.unchecked.get(community.id, 0.0))]
        if community.id in changed or row != former.communities.get(community.id)
    ]
    joins = [{"id": e, "leaf": p[-1]} for e, p in paths.items() if _leaf(former, e) != p[-1]]
    placed = [{"id": e, "weight": w} for e, w in weights.items() if w != former.placed[e]]

    async def work(tx: Transaction) -> None:
        await tx.run("communities/delete", ids=sorted(gone))
        refs = await give_refs(tx, "community", [row["id"] for row in rows])
        saved = [
            {
                **row,
                "ref": refs.get(row["id"]),
                "changed": row["id"] in changed,
                "left": left.get(row["id"], []),
            }
            for row in rows
        ]
        await tx.run("communities/save", rows=saved)
        parts = [row for row in rows if _parent(former, row["id"]) != row["parent"]]
        await tx.run("communities/part", rows=parts)
        await tx.run("communities/join", rows=joins)
        await tx.run("communities/placed", rows=placed)
        await tx.run(
            "communities/done",
            signature=leiden.signature,
            updated=updated or None,
            unchecked=tree.unchecked.get(ROOT) or None,
        )

    await graph.transact(work)


def _row(community: TreeCommunity, unchecked: float) -> KnownCommunityRow:
    return {
        "id": community.id,
        "level": community.level,
        "size": len(community.members),
        "parent": community.parent,
        "unchecked": unchecked,
    }


def _changed(
    communities: Sequence[TreeCommunity], paths: Mapping[str, Sequence[str]], former: _Former
) -> set[str]:
    """The ids of the communities with other members, or with other communities in between."""
    others = [e for e, path in paths.items() if former.paths.get(e) != path]
    ids = {id_ for e in others for path in (paths[e], former.paths.get(e, ())) for id_ in path}
    sizes = {id_: row["size"] for id_, row in former.communities.items()}
    return ids | {c.id for c in communities if sizes.get(c.id) != len(c.members)}


def _left(paths: Mapping[str, Sequence[str]], former: _Former) -> Mapping[str, list[str]]:
    """The entities that have left each community, by the id of the community."""
    left: defaultdict[str, list[str]] = defaultdict(list)
    for entity, path in former.paths.items():
        for id_ in path:
            if id_ not in paths[entity]:
                left[id_].append(entity)
    return left


def _paths(communities: Sequence[TreeCommunity]) -> defaultdict[str, list[str]]:
    """The ids of the communities of each entity, from the coarsest to the leaf."""
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for community in communities:
        for member in community.members:
            paths[member].append(community.id)
    return paths


def _leaf(former: _Former, entity: str) -> str | None:
    path = former.paths.get(entity)
    return path[-1] if path else None


def _parent(former: _Former, id_: str) -> str | None:
    known = former.communities.get(id_)
    return known["parent"] if known else None
