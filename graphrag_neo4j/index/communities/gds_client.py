"""Runs Leiden in the GDS of a server: that of the database, the embedded one, or another.

Edges go to a server in pages, and labels come back in pages. Where there are several pages, each
becomes a separate projected graph, which needs no place in the database. Then one statement makes
the graph for Leiden of all of them.
"""

import gc
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString

import numpy as np

from graphrag_neo4j import embedded
from graphrag_neo4j.errors import EmbeddedError, GraphError, InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.driver import lend_driver
from graphrag_neo4j.index.communities.hierarchy import Detect, Edges, Numbers
from graphrag_neo4j.index.communities.tree import Leiden
from graphrag_neo4j.model.events import Listener, Notice
from graphrag_neo4j.settings import AUTO, EMBEDDED, Settings
from graphrag_neo4j.text.strings import identify

if TYPE_CHECKING:
    from neo4j import Driver

NO_GDS: Final = (
    "Neo4j has no Graph Data Science: add the plugin `graph-data-science` to it (the embedded "
    "server and docker-compose.yml have it), or set KG_GDS=embedded or the address of a server "
    "that has it in KG_GDS."
)
NO_GDS_THERE: Final = (
    "Neo4j at {} has no Graph Data Science: set KG_GDS to a server that has the plugin "
    "`graph-data-science`, or to auto."
)
PROJECTION: Final = "kg_"
PAGE_OF_EDGES: Final = 100_000  # edges in a statement, and labels in its result
UNDIRECTED: Final = {"undirectedRelationshipTypes": ["*"]}
# With more threads, most projections of a small graph wait a tenth of a second for a thread, and
# the graph of each page takes 28 MB more on the server.
ONE_THREAD: Final = {"readConcurrency": 1}
# The server says which functions it has; calling one that is missing would be an error.
VERSION: Final = "SHOW FUNCTIONS YIELD name WHERE name = 'gds.version' RETURN name"
LIST: Final = "CALL gds.graph.list() YIELD graphName RETURN graphName"
DROP: Final = "CALL gds.graph.drop($name, false) YIELD graphName RETURN graphName"
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


@dataclass(frozen=True)
class Gds:
    """A server with GDS, and the database whose statements call it (None: the default one)."""

    driver: "Driver"
    database: str | None = None

    def run(self, statement: LiteralString, **parameters: object) -> list[dict[str, Any]]:
        """Runs a statement, auto-committed and never again; returns its rows."""
        with self.driver.session(database=self.database) as session:
            return session.run(statement, parameters).data()

    def drop(self, *names: str) -> None:
        """Drops projected graphs, where they exist."""
        for name in names:
            self.run(DROP, name=name)


@contextmanager
def lend_gds(graph: Graph, settings: Settings | None, listen: Listener) -> Iterator[Gds]:
    """Lends the GDS that KG_GDS chooses; without settings that of the graph's server.

    Projections that killed runs have left there are dropped. Raises GraphError where there is no
    GDS or where it does not answer, and InputError where KG_GDS is not an address.
    """
    with ExitStack() as opened:
        gds = _gds(opened, graph, settings, listen)
        # The lease of the database allows no other live build, so none of these is in use.
        # gds.graph.list() would compute the degrees of every projected graph on the server.
        left = [row["graphName"] for row in gds.run(LIST)]
        gds.drop(*(name for name in left if name.startswith(projections_of(graph))))
        yield gds


def _gds(opened: ExitStack, graph: Graph, settings: Settings | None, listen: Listener) -> Gds:
    if settings and settings.gds not in {AUTO, EMBEDDED}:
        driver = opened.enter_context(lend_other_driver(settings))
        if gds := _found(driver, None):
            return gds
        raise GraphError(NO_GDS_THERE.format(settings.gds))
    # The embedded server has GDS itself: a second one would give nothing.
    if settings is None or settings.gds == AUTO or not settings.neo4j_uri:
        driver = opened.enter_context(graph.lend_driver())
        if gds := _found(driver, graph.database):
            return gds
    if settings is None or (settings.gds == AUTO and not settings.embedded):
        raise GraphError(NO_GDS)
    listen(
        Notice(
            "The communities are computed by the embedded server, which is started for this step "
            "and stopped after it."
        )
    )
    try:
        server = opened.enter_context(embedded.calculator(settings, listen))
    except EmbeddedError as error:
        raise EmbeddedError(
            "The database has no Graph Data Science that is to be used, and the embedded server "
            f"can't compute the communities: {error}"
        ) from error
    driver = opened.enter_context(lend_driver(server.uri, server.username, server.password, server))
    if gds := _found(driver, None):
        return gds
    raise GraphError(NO_GDS_THERE.format(server.uri))


@contextmanager
def lend_other_driver(settings: Settings) -> Iterator["Driver"]:
    """Lends a driver of the Neo4j at the address in KG_GDS, which answers.

    Raises InputError where that isn't an address, and GraphError where the server does not answer
    or refuses the login. The errors name the settings of this server, not those of the database.
    """
    secret = settings.gds_password or settings.neo4j_password
    password = secret.get_secret_value() if secret else ""
    user = settings.gds_username or settings.neo4j_username
    try:
        with lend_driver(settings.gds, user, password) as driver:
            driver.verify_connectivity()
            yield driver
    except (GraphError, InputError) as error:
        text = str(error).replace("NEO4J_URI", "KG_GDS").replace("NEO4J_", "KG_GDS_")
        raise type(error)(text) from error


def _found(driver: "Driver", database: str | None) -> Gds | None:
    """The GDS of a server; None if it has none."""
    gds = Gds(driver, database)
    return gds if gds.run(VERSION) else None


def projections_of(graph: Graph) -> str:
    """The beginning of the names of the projected graphs that belong to a database.

    Several databases may have their communities computed by one server.
    """
    return f"{PROJECTION}{identify('graph', graph.address, graph.database or '')[:12]}_"


def detector(
    gds: Gds, leiden: Leiden, prefix: str = PROJECTION, page: int = PAGE_OF_EDGES
) -> Detect:
    """A function that runs Leiden on edges, of which at most `page` travel in a statement.

    The names of projected graphs begin with `prefix`.
    """

    def detect(edges: Edges, gamma: float) -> Numbers:
        nodes, number = _numbered(edges)
        name = f"{prefix}{uuid.uuid4()}"
        try:
            if len(edges) <= page:
                _send(gds, name, edges, number, {**UNDIRECTED, **ONE_THREAD})
            else:
                _send_in_pages(gds, name, edges, number, page)
            given = {"name": name, "gamma": gamma, "theta": leiden.theta, "seed": leiden.seed}
            found = gds.run(LABELS, **given, size=page)
        finally:
            gds.drop(name)
        labels = np.full(len(edges.names), -1, np.int32)
        labels[nodes] = np.concatenate([np.array(one["labels"], np.int32) for one in found])
        return labels

    return detect


def first_seen(edges: Edges) -> Numbers:
    """The nodes that have edges, in the order in which the edges name them first."""
    first = np.full(len(edges.names), -1, np.int64)
    for begin in reversed(range(0, len(edges), PAGE_OF_EDGES)):
        part = slice(begin, begin + PAGE_OF_EDGES)
        ends = np.column_stack((edges.starts[part], edges.ends[part])).ravel()
        places = np.arange(2 * begin, 2 * begin + len(ends))
        first[ends[::-1]] = places[::-1]  # of several places the last one stays
    nodes = np.flatnonzero(first >= 0)
    return nodes[np.argsort(first[nodes])].astype(np.int32)


def _numbered(edges: Edges) -> tuple[Numbers, Numbers]:
    """The nodes in the order of `first_seen`, and the place of each node in this order."""
    nodes = first_seen(edges)
    number = np.zeros(len(edges.names), np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    return nodes, number


def _send_in_pages(gds: Gds, name: str, edges: Edges, number: Numbers, page: int) -> None:
    pages: list[str] = []
    try:
        for first in range(0, len(edges), page):
            pages.append(f"{name}_{len(pages)}")
            _send(gds, pages[-1], edges.kept(slice(first, first + page)), number, ONE_THREAD)
            gc.collect(1)  # the driver leaves what it has sent in cycles: 80 MB after some pages
        nodes = int(number.max()) + 1
        gds.run(JOIN, name=name, nodes=nodes, pages=pages, configuration=UNDIRECTED)
    finally:
        gds.drop(*pages)


def _send(
    gds: Gds, name: str, edges: Edges, number: Numbers, configuration: Mapping[str, object]
) -> None:
    """Projects edges in one statement; `number` holds the number of each node on the server."""
    columns = {
        "starts": number[edges.starts].tolist(),
        "ends": number[edges.ends].tolist(),
        "weights": edges.weights.tolist(),
    }
    gds.run(SEND, name=name, configuration=configuration, **columns)
