"""Lends the Leiden algorithm of Neo4j Graph Data Science (GDS), wherever GDS is."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.clustering.leiden import Leiden
from graphrag_neo4j.settings import SESSION, Settings

if TYPE_CHECKING:
    from graphrag_neo4j.indexing.clustering.edges import Edges, Numbers
    from graphrag_neo4j.indexing.clustering.hierarchy import Detect

__all__ = ["leiden_in_gds"]


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
            # The client brings pandas with it, so it is imported late.
            if settings and settings.gds == SESSION:
                from graphrag_neo4j.indexing.clustering.gds_session import (  # noqa: PLC0415
                    detector_in_session,
                )

                return opened.enter_context(detector_in_session(settings, leiden, listen))
            from graphrag_neo4j.indexing.clustering import gds_plugin, gds_servers  # noqa: PLC0415

            gds = opened.enter_context(gds_servers.lend_gds(graph, settings, listen))
            return gds_plugin.detector(gds, leiden, gds_plugin.projections_of(graph))

        def detect(edges: "Edges", gamma: float) -> "Numbers":
            return opened_gds()(edges, gamma)

        yield detect
