"""The Leiden algorithm of Neo4j Graph Data Science (GDS), and its settings."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.clustering.hierarchy import Detect, HierarchyLimits
from graphrag_neo4j.model import WeightedEdge

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience

__all__ = ["PROJECT", "Leiden", "detector", "leiden_in_gds"]

# Numbers stand for entities; a row is an edge. Plain RETURN: with an alias the client fails after
# projecting, and leaves the projection behind.
PROJECT = """
UNWIND $rows AS row
RETURN gds.graph.project(
  $name, row[0], row[1], {relationshipProperties: {weight: row[2]}},
  {undirectedRelationshipTypes: ['*']}
)
"""
PROJECTION = "kg_"
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


@contextmanager
def leiden_in_gds(graph: Graph, leiden: Leiden) -> Iterator[Detect]:
    """Lends a function that runs Leiden in the GDS of the graph's server.

    GDS is reached when the function is called first, because a small change may not need it. The
    function raises GraphError where GDS is missing or does not answer.
    """
    with ExitStack() as opened:

        @cache
        def opened_gds() -> Detect:
            return detector(opened.enter_context(_gds(graph)), leiden)

        def detect(edges: Sequence[WeightedEdge], gamma: float) -> Mapping[str, int]:
            return opened_gds()(edges, gamma)

        yield detect


@contextmanager
def _gds(graph: Graph) -> Iterator["GraphDataScience"]:
    from graphdatascience import GraphDataScience  # noqa: PLC0415 - pandas comes with it

    with graph.lend_driver() as driver:
        with _gds_errors():
            gds = GraphDataScience(
                driver, database=graph.database, arrow=False, show_progress=False
            )
        _drop_projections(gds)
        yield gds


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


def detector(gds: "GraphDataScience", leiden: Leiden) -> Detect:
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
