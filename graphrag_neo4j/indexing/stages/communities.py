"""Finds communities with GDS Leiden and writes them as a tree.

The tree depends on the graph and the settings alone. It is made again when the graph or a setting
has changed, and a community whose members stay the same keeps its node with all its properties.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.events import Advanced, Listener, Notice, Started
from graphrag_neo4j.graph import Graph, Transaction, give_refs
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.hierarchy import (
    HierarchyLimits,
    TreeCommunity,
    community_row,
    community_tree,
)
from graphrag_neo4j.indexing.npmi import weight_of
from graphrag_neo4j.indexing.rows import (
    CommunitiesDueRow,
    EdgeRow,
    KnownCommunityRow,
    MemberRow,
    NamedByRow,
    TotalsRow,
)
from graphrag_neo4j.model import WeightedEdge

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience

__all__ = ["PROJECT", "Leiden", "detector", "find_communities"]

# Numbers stand for entities; a row is an edge. Plain RETURN: with an alias the client fails after
# projecting, and leaves the projection behind.
PROJECT = """
UNWIND $rows AS row
RETURN gds.graph.project(
  $name, row[0], row[1], {relationshipProperties: {weight: row[2]}},
  {undirectedRelationshipTypes: ['*']}
)
"""
IMPORTED = "import"  # the signature of an imported tree
PROJECTION = "kg_"
SEVERAL = 5  # documents from which on "more than half of the documents" means anything
SHOWN = 8  # names in a notice
NO_GDS = (
    "Neo4j has no Graph Data Science: add the plugin `graph-data-science` to it (the embedded "
    "server and docker-compose.yml have it), or set NEO4J_URI to a server that has it."
)


@dataclass(frozen=True, slots=True)
class Leiden:
    """The settings of the Leiden algorithm: limits of the tree, and the randomness `theta`, `seed`.

    With `by_npmi` True, the weight of a pair is its number of statements times its NPMI (`npmi`),
    which suits a graph of co-occurrences. An entity that more than half of the documents mention,
    such as the host of a series, then has no edges. Otherwise the weight is the number of
    statements.
    """

    limits: HierarchyLimits = field(default_factory=HierarchyLimits)
    theta: float = 0.01
    seed: int = 42
    by_npmi: bool = False

    @property
    def signature(self) -> str:
        """A hash of these settings."""
        parts = [str(part) for part in (*astuple(self.limits), self.theta, self.seed)]
        return identify(
            "leiden", *parts, *["association without what is everywhere"] * self.by_npmi
        )


async def find_communities(
    graph: Graph, leiden: Leiden, listen: Listener, *, anew: bool = False
) -> None:
    """Makes the tree of communities if it is out of date, or in any case with `anew`.

    It is out of date when the graph or the settings have changed; an imported tree does not depend
    on the settings. Raises GraphError where GDS is missing.
    """
    found = (await graph.read("communities/due", CommunitiesDueRow))[0]
    made = found["made_with"] in (None, IMPORTED, leiden.signature)
    if made and not (found["due"] or anew):
        return
    if anew:
        await graph.write("communities/imported")
    listen(Started("communities"))
    entities = {
        row["id"]: row["leaf"] for row in await graph.read("communities/entities", MemberRow)
    }
    edges = await _edges(graph, leiden, listen)
    tree = await anyio.to_thread.run_sync(_tree, graph, leiden, list(entities), edges)
    await _save(graph, leiden, tree, entities)
    listen(Advanced(len(tree)))


async def _edges(graph: Graph, leiden: Leiden, listen: Listener) -> list[WeightedEdge]:
    rows = await graph.read("communities/edges", EdgeRow)
    if not leiden.by_npmi:
        return [(row["start"], row["end"], float(row["weight"])) for row in rows]
    total = (await graph.read("communities/chunks", TotalsRow))[0]
    named = await graph.read("communities/counts", NamedByRow)
    everywhere = {row["id"]: row["name"] for row in named if _is_everywhere(row, total)}
    if everywhere:
        listen(Notice(_left_out(sorted(everywhere.values()))))
    n = {row["id"]: row["n"] for row in named}
    return [
        (a, b, weight_of(row["weight"], n[a], n[b], total["n"]))
        for row in rows
        for a, b in [(row["start"], row["end"])]
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
    graph: Graph, leiden: Leiden, entities: Sequence[str], edges: Sequence[WeightedEdge]
) -> list[TreeCommunity]:
    if not edges:
        return community_tree(entities, edges, lambda _edges, _gamma: {}, leiden.limits)
    from graphdatascience import GraphDataScience  # noqa: PLC0415 - pandas comes with it

    with graph.lend_driver() as driver:
        with _gds_errors():
            gds = GraphDataScience(
                driver, database=graph.database, arrow=False, show_progress=False
            )
        _drop_projections(gds)
        return community_tree(entities, edges, detector(gds, leiden), leiden.limits)


@contextmanager
def _gds_errors() -> Iterator[None]:
    """Raises the errors of the GDS client as GraphError."""
    from graphdatascience.error.gds_not_installed import GdsNotFound  # noqa: PLC0415
    from graphdatascience.error.unable_to_connect import UnableToConnectError  # noqa: PLC0415

    try:
        yield
    except GdsNotFound as error:
        raise GraphError(NO_GDS) from error
    except UnableToConnectError as error:
        raise GraphError(f"Graph Data Science does not answer: {error}.") from error


def _drop_projections(gds: "GraphDataScience") -> None:
    """Drops the projections of builds that were killed: the lease allows no other live build."""
    # gds.graph.list() would compute the degrees of every projected graph on the server.
    names = gds.run_cypher("CALL gds.graph.list() YIELD graphName RETURN graphName")["graphName"]
    for name in names:
        if name.startswith(PROJECTION):
            gds.graph.drop(name, fail_if_missing=False)


def detector(
    gds: "GraphDataScience", leiden: Leiden
) -> Callable[[Sequence[WeightedEdge], float], Mapping[str, int]]:
    """A function that runs Leiden in GDS on edges with a gamma, and gives a label for each end."""

    def detect(edges: Sequence[WeightedEdge], gamma: float) -> Mapping[str, int]:
        nodes = sorted({end for edge in edges for end in edge[:2]})
        number = {node: i for i, node in enumerate(nodes)}
        rows = [(number[a], number[b], weight) for a, b, weight in edges]
        name = f"{PROJECTION}{uuid.uuid4()}"
        with gds.graph.project.cypher(PROJECT, name=name, rows=rows).graph as projected:
            labels: Any = gds.leiden.stream(
                projected,
                relationship_weight_property="weight",
                random_seed=leiden.seed,
                concurrency=1,  # with more threads the result is not repeatable
                gamma=gamma,
                theta=leiden.theta,
            )
        return {
            nodes[node]: label
            for node, label in zip(labels["nodeId"], labels["communityId"], strict=True)
        }

    return detect


async def _save(
    graph: Graph, leiden: Leiden, tree: Sequence[TreeCommunity], leaf_of: Mapping[str, str | None]
) -> None:
    known = {row["id"]: row for row in await graph.read("communities/known", KnownCommunityRow)}
    now = {community.id: community for community in tree}
    leaves = {member: c.id for c in tree for member in c.members}  # the deepest one remains

    async def work(tx: Transaction) -> None:
        await tx.run("communities/delete", ids=sorted(known.keys() - now.keys()))
        refs = await give_refs(tx, "community", list(now))
        new = [community_row(c, refs.get(c.id)) for c in tree if _differs(c, known.get(c.id))]
        await tx.run("communities/save", rows=new)
        await tx.run("communities/part", rows=new)
        moved = [{"id": e, "leaf": leaf} for e, leaf in leaves.items() if leaf_of[e] != leaf]
        await tx.run("communities/join", rows=moved)
        await tx.run("communities/done", signature=leiden.signature)

    await graph.transact(work)


def _differs(community: TreeCommunity, known: KnownCommunityRow | None) -> bool:
    return known is None or (known["level"], known["parent"]) != (community.level, community.parent)
