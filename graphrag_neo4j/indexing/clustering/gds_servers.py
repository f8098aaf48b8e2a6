"""Opens the Graph Data Science (GDS) that computes: that of the database, or of another server."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from graphdatascience import GraphDataScience
from graphdatascience.error.gds_not_installed import GdsNotFound
from graphdatascience.error.unable_to_connect import UnableToConnectError

from graphrag_neo4j import embedded
from graphrag_neo4j.errors import EmbeddedError, GraphError
from graphrag_neo4j.events import Listener, Notice
from graphrag_neo4j.graph import Graph, lend_driver
from graphrag_neo4j.indexing.clustering.gds_access import lend_other_driver
from graphrag_neo4j.indexing.clustering.gds_plugin import drop_projections, projections_of
from graphrag_neo4j.settings import AUTO, EMBEDDED, Settings

if TYPE_CHECKING:
    from neo4j import Driver

__all__ = ["lend_gds"]

NO_GDS: Final = (
    "Neo4j has no Graph Data Science: add the plugin `graph-data-science` to it (the embedded "
    "server and docker-compose.yml have it), or set KG_GDS=embedded or the address of a server "
    "that has it in KG_GDS."
)
NO_GDS_THERE: Final = (
    "Neo4j at {} has no Graph Data Science: set KG_GDS to a server that has the plugin "
    "`graph-data-science`, or to auto."
)
COMPUTES: Final = (
    "The communities are computed by the embedded server, which is started for this step and "
    "stopped after it."
)


@contextmanager
def lend_gds(
    graph: Graph, settings: Settings | None, listen: Listener
) -> Iterator[GraphDataScience]:
    """Lends the GDS that KG_GDS chooses; without settings that of the graph's server.

    Projections that killed runs have left there are dropped. Raises GraphError where there is no
    GDS or where it does not answer, and InputError where KG_GDS is not an address.
    """
    with ExitStack() as opened:
        gds = _opened(opened, graph, settings, listen)
        drop_projections(gds, projections_of(graph))
        yield gds


def _opened(
    opened: ExitStack, graph: Graph, settings: Settings | None, listen: Listener
) -> GraphDataScience:
    if settings and settings.gds not in {AUTO, EMBEDDED}:
        return _elsewhere(opened, settings)
    # The embedded server has GDS itself: a second one would give nothing.
    if settings is None or settings.gds == AUTO or not settings.neo4j_uri:
        driver = opened.enter_context(graph.lend_driver())
        if gds := _client(driver, graph.database):
            return gds
    if settings is None or (settings.gds == AUTO and not settings.embedded):
        raise GraphError(NO_GDS)
    return _calculator(opened, settings, listen)


def _elsewhere(opened: ExitStack, settings: Settings) -> GraphDataScience:
    """The GDS at the address in KG_GDS."""
    driver = opened.enter_context(lend_other_driver(settings))
    if gds := _client(driver, settings.gds_database):
        return gds
    raise GraphError(NO_GDS_THERE.format(settings.gds))


def _calculator(opened: ExitStack, settings: Settings, listen: Listener) -> GraphDataScience:
    """The GDS of an embedded server that is started now and stopped at the end."""
    listen(Notice(COMPUTES))
    try:
        server = opened.enter_context(embedded.calculator(settings, listen))
    except EmbeddedError as error:
        raise EmbeddedError(
            "The database has no Graph Data Science that is to be used, and the embedded server "
            f"can't compute the communities: {error}"
        ) from error
    driver = opened.enter_context(lend_driver(server.uri, server.username, server.password, server))
    if gds := _client(driver, None):
        return gds
    raise GraphError(NO_GDS_THERE.format(server.uri))


def _client(driver: "Driver", database: str | None) -> GraphDataScience | None:
    """The client of GDS on a server; None if this has no GDS."""
    try:
        return GraphDataScience(driver, database=database, arrow=False, show_progress=False)
    except GdsNotFound:
        return None
    except UnableToConnectError as error:
        raise GraphError(f"Graph Data Science does not answer: {error}.") from error
