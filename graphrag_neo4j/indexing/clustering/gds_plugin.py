"""Leiden in the GDS plugin of a server: edges go there in pages, and labels come back in pages.

Where there are several pages, each becomes a projected graph of its own, which needs no place in
the database. Then one statement makes the graph for Leiden of all of them.
"""

import gc
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import numpy as np

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.clustering.edges import Edges, Numbers
from graphrag_neo4j.indexing.clustering.hierarchy import Detect
from graphrag_neo4j.indexing.clustering.leiden import Leiden

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience

__all__ = ["PROJECTION", "detector", "drop_projections", "first_seen", "projections_of"]

PROJECTION: Final = "kg_"
PAGE: Final = 100_000  # edges in a statement, and labels in its result
UNDIRECTED: Final = {"undirectedRelationshipTypes": ["*"]}
# With more threads, most projections of a small graph wait a tenth of a second for a thread, and
# the graph of each page takes 28 MB more on the server.
ONE_THREAD: Final = {"readConcurrency": 1}
# Plain RETURN: with an alias the client fails after projecting, and leaves the projection behind.
SEND: Final = """
UNWIND range(0, size($starts) - 1) AS i
RETURN gds.graph.project(
  $name, $starts[i], $ends[i], {relationshipProperties: {weight: $weights[i]}}, $configuration
)
"""
# The nodes come first, because what Leiden finds depends on their order.
JOIN: Final = """
CALL () {
  UNWIND range(0, $nodes - 1) AS start
  RETURN start, null AS end, {} AS data
  UNION ALL
  UNWIND $pages AS page
  CALL gds.graph.relationshipProperty.stream(page, 'weight')
  YIELD sourceNodeId, targetNodeId, propertyValue
  RETURN sourceNodeId AS start, targetNodeId AS end,
         {relationshipProperties: {weight: propertyValue}} AS data
}
RETURN gds.graph.project($name, start, end, data, $configuration)
"""
LABELS: Final = """
CALL gds.leiden.stream($name, {
  relationshipWeightProperty: 'weight', randomSeed: $seed, gamma: $gamma, theta: $theta,
  concurrency: 1 // with more threads the result is not repeatable
}) YIELD nodeId, communityId
WITH nodeId, communityId ORDER BY nodeId
WITH collect(communityId) AS labels
UNWIND range(0, size(labels) - 1, $size) AS first
RETURN labels[first..first + $size] AS labels
"""


def projections_of(graph: Graph) -> str:
    """The beginning of the names of the projected graphs that belong to a database.

    Several databases may have their communities computed by one server.
    """
    return f"{PROJECTION}{identify('graph', graph.address, graph.database or '')[:12]}_"


def detector(
    gds: "GraphDataScience", leiden: Leiden, prefix: str = PROJECTION, page: int = PAGE
) -> Detect:
    """A function that runs Leiden on edges, of which at most `page` travel in a statement.

    The names of projected graphs begin with `prefix`.
    """

    def detect(edges: Edges, gamma: float) -> Numbers:
        nodes = first_seen(edges)
        with _projected(gds, f"{prefix}{uuid.uuid4()}", edges, nodes, page) as name:
            given = {"name": name, "gamma": gamma, "theta": leiden.theta, "seed": leiden.seed}
            found = gds.run_cypher(LABELS, params={**given, "size": page})
        labels = np.full(len(edges.names), -1, np.int32)
        labels[nodes] = np.concatenate([np.array(one, np.int32) for one in found["labels"]])
        return labels

    return detect


def first_seen(edges: Edges) -> Numbers:
    """The nodes that have edges, in the order in which the edges name them first."""
    first = np.full(len(edges.names), -1, np.int64)
    for begin in reversed(range(0, len(edges), PAGE)):
        part = slice(begin, begin + PAGE)
        ends = np.column_stack((edges.starts[part], edges.ends[part])).ravel()
        places = np.arange(2 * begin, 2 * begin + len(ends))
        first[ends[::-1]] = places[::-1]  # of several places the last one stays
    nodes = np.flatnonzero(first >= 0)
    return nodes[np.argsort(first[nodes])].astype(np.int32)


@contextmanager
def _projected(
    gds: "GraphDataScience", name: str, edges: Edges, nodes: Numbers, page: int
) -> Iterator[str]:
    """Projects the graph for Leiden, in which the nodes have the numbers of their order."""
    number = np.zeros(len(edges.names), np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    try:
        if len(edges) <= page:
            _send(gds, name, edges, number, {**UNDIRECTED, **ONE_THREAD})
        else:
            _send_in_pages(gds, name, edges, number, page)
        yield name
    finally:
        _drop(gds, name)


def _send_in_pages(
    gds: "GraphDataScience", name: str, edges: Edges, number: Numbers, page: int
) -> None:
    pages: list[str] = []
    try:
        for first in range(0, len(edges), page):
            pages.append(f"{name}_{len(pages)}")
            _send(gds, pages[-1], edges.kept(slice(first, first + page)), number, ONE_THREAD)
            gc.collect(1)  # the client leaves what it has sent in cycles: 40 MB after some pages
        nodes = int(number.max()) + 1
        given = {"name": name, "nodes": nodes, "pages": pages, "configuration": UNDIRECTED}
        gds.run_cypher(JOIN, params=given)
    finally:
        _drop(gds, *pages)


def _send(
    gds: "GraphDataScience",
    name: str,
    edges: Edges,
    number: Numbers,
    configuration: Mapping[str, object],
) -> None:
    """Projects edges in one statement; `number` holds the number of each node on the server."""
    columns = {
        "starts": number[edges.starts].tolist(),
        "ends": number[edges.ends].tolist(),
        "weights": edges.weights.tolist(),
    }
    params = {"name": name, "configuration": configuration, **columns}
    gds.run_cypher(SEND, params=params)


def drop_projections(gds: "GraphDataScience", prefix: str) -> None:
    """Drops the projections that killed builds of a database have left.

    The lease of the database allows no other live build, so none of these is in use.
    """
    # gds.graph.list() would compute the degrees of every projected graph on the server.
    names = gds.run_cypher("CALL gds.graph.list() YIELD graphName RETURN graphName")["graphName"]
    _drop(gds, *(name for name in names if name.startswith(prefix)))


def _drop(gds: "GraphDataScience", *names: str) -> None:
    for name in names:
        gds.graph.drop(name, fail_if_missing=False)
