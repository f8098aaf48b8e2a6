"""Lends the Leiden algorithm of Neo4j Graph Data Science (GDS), wherever KG_GDS says that GDS is.

numpy takes a moment to import, so what needs it is imported only where GDS is used. The address of
another server is tried before a model is paid, although GDS is used long after that.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.tree import Leiden
from graphrag_neo4j.model.events import Listener, Notice, silent
from graphrag_neo4j.settings import AUTO, EMBEDDED, Settings

if TYPE_CHECKING:
    from graphrag_neo4j.index.communities.hierarchy import Detect, Edges, Numbers


@contextmanager
def leiden_in_gds(
    graph: Graph, leiden: Leiden, settings: Settings | None = None, listen: Listener = silent
) -> Iterator["Detect"]:
    """Lends a function that runs Leiden in the GDS that the settings choose (KG_GDS).

    Without settings it is the GDS of the graph's server. GDS is reached when the function is called
    first, because a small change may not need it. The function raises GraphError where GDS is
    missing or does not answer.
    """
    with ExitStack() as opened:

        @cache
        def opened_gds() -> "Detect":
            from graphrag_neo4j.index.communities import gds_client  # noqa: PLC0415

            gds = opened.enter_context(gds_client.lend_gds(graph, settings, listen))
            return gds_client.detector(gds, leiden, gds_client.projections_of(graph))

        def detect(edges: "Edges", gamma: float) -> "Numbers":
            return opened_gds()(edges, gamma)

        yield detect


def check_gds_access(settings: Settings, listen: Listener) -> None:
    """Checks that the GDS in KG_GDS can be reached; other places of GDS are not looked at.

    If a server does not answer, the listener is told, because a small change may not need GDS.
    Raises InputError where KG_GDS isn't an address.
    """
    if settings.gds in {AUTO, EMBEDDED}:
        return
    from graphrag_neo4j.index.communities.gds_client import lend_other_driver  # noqa: PLC0415

    try:
        with lend_other_driver(settings):
            pass
    except GraphError as error:
        later = "The run goes on, but it may need this server to compute communities."
        listen(Notice(f"{error} {later}", warning=True))
