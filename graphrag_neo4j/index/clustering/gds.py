"""Lends the Leiden algorithm of Neo4j Graph Data Science (GDS), wherever KG_GDS says that GDS is.

The client of GDS brings pandas with it, so it is imported only where GDS is used. What it needs is
checked without it, before a model is paid, although GDS is used long after that.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.graph import Graph, lend_driver
from graphrag_neo4j.index.clustering.tree import Leiden
from graphrag_neo4j.model.events import Listener, Notice, silent
from graphrag_neo4j.settings import AUTO, EMBEDDED, SESSION, Settings

if TYPE_CHECKING:
    from neo4j import Driver

    from graphrag_neo4j.index.clustering.hierarchy import Detect, Edges, Numbers


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
            from graphrag_neo4j.index.clustering import gds_client  # noqa: PLC0415

            if settings and settings.gds == SESSION:
                in_session = gds_client.detector_in_session(settings, leiden, listen)
                return opened.enter_context(in_session)
            gds = opened.enter_context(gds_client.lend_gds(graph, settings, listen))
            return gds_client.detector(gds, leiden, gds_client.projections_of(graph))

        def detect(edges: "Edges", gamma: float) -> "Numbers":
            return opened_gds()(edges, gamma)

        yield detect


def session_access(settings: Settings) -> tuple[str, str, str, str]:
    """What a session of Aura Graph Analytics needs: client id, secret, provider and region.

    Raises InputError where one of them is missing.
    """
    provider, _, region = (settings.aura_location or "").partition("/")
    id_, secret = settings.aura_client_id, settings.aura_client_secret
    if not (id_ and secret and provider and region):
        raise InputError(
            "KG_GDS=session needs KG_AURA_CLIENT_ID and KG_AURA_CLIENT_SECRET, an API key of "
            "the Neo4j Aura console, and KG_AURA_LOCATION, such as gcp/europe-west1."
        )
    return id_, secret.get_secret_value(), provider, region


def check_gds_access(settings: Settings, listen: Listener) -> None:
    """Checks that the GDS in KG_GDS can be reached; other places of GDS are not looked at.

    If a server does not answer, the listener is told, because a small change may not need GDS.
    Raises InputError where a setting is missing or no address.
    """
    if settings.gds == SESSION:
        session_access(settings)
    elif settings.gds not in {AUTO, EMBEDDED}:
        try:
            with lend_other_driver(settings):
                pass
        except GraphError as error:
            later = "The run goes on, but it may need this server to compute communities."
            listen(Notice(f"{error} {later}", warning=True))


@contextmanager
def lend_other_driver(settings: Settings) -> Iterator["Driver"]:
    """Lends a driver of the Neo4j at the address in KG_GDS, which answers.

    Raises InputError where that is no address, and GraphError where the server does not answer or
    refuses the login. The errors name the settings of this server, not those of the database.
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
