"""Leiden in a session of Aura Graph Analytics, which is made for this step and deleted after it.

The session is a standalone one: it gets the edges from us, so it needs no access to the database.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

import numpy as np
from graphdatascience.session import (
    AuraAPICredentials,
    AuraApiError,
    AuraGraphDataScience,
    CloudLocation,
    GdsSessions,
    SessionStatusError,
)
from pandas import DataFrame
from pyarrow import ArrowException  # type: ignore[import-untyped]

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.events import Listener, Notice
from graphrag_neo4j.indexing.clustering.edges import Edges, Numbers
from graphrag_neo4j.indexing.clustering.gds_access import SessionAccess
from graphrag_neo4j.indexing.clustering.gds_plugin import PROJECTION, first_seen
from graphrag_neo4j.indexing.clustering.hierarchy import Detect
from graphrag_neo4j.indexing.clustering.leiden import Leiden
from graphrag_neo4j.settings import Settings

__all__ = ["detector_in_session"]

RELATED: Final = "RELATED"
IDLE: Final = timedelta(hours=1)  # after which Aura deletes a session that a killed run has left


@contextmanager
def detector_in_session(settings: Settings, leiden: Leiden, listen: Listener) -> Iterator[Detect]:
    """Lends a function that runs Leiden in a session, which begins with its first call.

    That call is about the largest graph, so the session gets the memory that this graph needs.
    Raises InputError where a setting is missing, and GraphError where Aura refuses or fails.
    """
    begun: list[AuraGraphDataScience] = []

    def detect(edges: Edges, gamma: float) -> Numbers:
        with _plain_errors():
            if not begun:
                listen(Notice("The communities are computed by a session of Aura Graph Analytics."))
                begun.append(_session(settings, edges))
            return _labels(begun[0], leiden, edges, gamma)

    try:
        yield detect
    finally:
        with _plain_errors():
            for session in begun:
                session.delete()


def _session(settings: Settings, edges: Edges) -> AuraGraphDataScience:
    """A session that is large enough for a graph."""
    access = SessionAccess.of(settings)
    credentials = AuraAPICredentials(
        access.client_id, access.client_secret, settings.aura_project_id
    )
    sessions = GdsSessions(api_credentials=credentials)
    memory = sessions.estimate(
        node_count=len(first_seen(edges)),
        relationship_count=len(edges),
        relationship_property_count=1,
        algorithms=["leiden"],
    )
    return sessions.get_or_create(
        session_name=f"graphrag-neo4j-{uuid.uuid4()}",
        memory=memory,
        ttl=IDLE,
        cloud_location=CloudLocation(access.provider, access.region),
        show_progress=False,
    )


def _labels(gds: AuraGraphDataScience, leiden: Leiden, edges: Edges, gamma: float) -> Numbers:
    nodes = first_seen(edges)
    number = np.zeros(len(edges.names), np.int64)
    number[nodes] = np.arange(len(nodes))
    columns = {
        "sourceNodeId": number[edges.starts],
        "targetNodeId": number[edges.ends],
        "relationshipType": RELATED,
        "weight": edges.weights,
    }
    projected = gds.graph.construct(
        f"{PROJECTION}{uuid.uuid4()}",
        DataFrame({"nodeId": np.arange(len(nodes))}),
        DataFrame(columns),
        undirected_relationship_types=[RELATED],
    )
    found = gds.leiden.stream(
        projected,
        relationship_weight_property="weight",
        random_seed=leiden.seed,
        concurrency=1,  # with more threads the result is not repeatable
        gamma=gamma,
        theta=leiden.theta,
    )
    gds.graph.drop(projected)
    labels = np.full(len(edges.names), -1, np.int32)
    labels[nodes[found["nodeId"].to_numpy()]] = found["communityId"].to_numpy()
    return labels


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Raises the errors of the client as GraphError."""
    try:
        yield
    except (
        AuraApiError,
        SessionStatusError,
        ArrowException,
        OSError,  # of the network
        RuntimeError,
        ValueError,
    ) as error:
        raise GraphError(
            f"Aura Graph Analytics failed: {error}. Check KG_AURA_CLIENT_ID, KG_AURA_CLIENT_SECRET,"
            " KG_AURA_PROJECT_ID and KG_AURA_LOCATION, or set KG_GDS to auto."
        ) from error
