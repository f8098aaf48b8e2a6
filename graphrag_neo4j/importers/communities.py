"""Writes the refs, communities and reports of an import.

Every step can be repeated, so that an interrupted import can continue.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from graphrag_neo4j.events import Advanced, Listener
from graphrag_neo4j.graph import Graph, ReportToSave, Transaction, give_refs, save_reports
from graphrag_neo4j.importers.tree import Tree
from graphrag_neo4j.indexing.clustering.tree import TreeCommunity, community_row

__all__ = ["write_refs", "write_reports", "write_tree"]

T = TypeVar("T")
PAGE = 2000
REPORTS = 200  # with their findings and citations


async def write_refs(graph: Graph, refs: Mapping[str, Mapping[str, int]], listen: Listener) -> None:
    """Gives nodes and pairs the numbers of their rows as refs, by kind and id.

    Our own refs start above all of these numbers, so no ref is used twice.
    """
    for kind, given in refs.items():
        rows = [{"id": id_, "ref": ref} for id_, ref in given.items()]
        for page in _pages(rows, PAGE):
            await graph.write(f"import/refs_{kind}", rows=page)
            listen(Advanced(len(page)))


async def write_tree(graph: Graph, tree: Tree) -> list[str]:
    """Writes the communities of the tables, and communities of level 0 for all other entities.

    Each connected component of these entities is a community. Returns the ids of these communities.
    """
    apart = await _apart(graph, tree)
    communities = [*tree.communities, *apart]
    leaves = {**tree.leaves, **{member: c.id for c in apart for member in c.members}}

    async def work(tx: Transaction) -> None:
        refs = {**await give_refs(tx, "community", [c.id for c in apart]), **tree.id_map.refs}
        rows = [community_row(community, refs.get(community.id)) for community in communities]
        await tx.run("communities/save", rows=rows)
        await tx.run("communities/part", rows=rows)

    await graph.transact(work)
    joined = [{"id": entity, "leaf": leaf} for entity, leaf in sorted(leaves.items())]
    for page in _pages(joined, PAGE):
        await graph.write("communities/join", rows=page)
    return [community.id for community in apart]


async def write_reports(graph: Graph, rows: Sequence[ReportToSave], listen: Listener) -> None:
    """Writes reports. Their communities and all that they cite must already be in the graph."""
    for page in _pages(rows, REPORTS):

        async def work(tx: Transaction, page: Sequence[ReportToSave] = page) -> None:
            await save_reports(tx, page)

        await graph.transact(work)
        listen(Advanced(len(page)))


async def _apart(graph: Graph, tree: Tree) -> list[TreeCommunity]:
    """A community for each connected component of the entities that are in no community."""
    # They use numpy, which takes a moment to import.
    from graphrag_neo4j.indexing.clustering.edges import (  # noqa: PLC0415
        entity_ids,
        read_edges,
    )
    from graphrag_neo4j.indexing.clustering.hierarchy import components  # noqa: PLC0415

    ids = await entity_ids(graph)
    parts = components(await read_edges(graph, ids), tree.leaves)
    return [TreeCommunity.of(0, part, None) for part in parts]


def _pages(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (rows[at : at + size] for at in range(0, len(rows), size))
