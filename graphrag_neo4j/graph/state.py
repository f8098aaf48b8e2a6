"""The state of a graph: a node of its own, which tells in which layout the graph is.

Version 1 is the layout of the release 0.1. Its Counter held the state of the graph as well as
the last refs, and the signatures of what was made without a model began with "offline". In
version 2 a RELATED relationship did not have the direction of most of its statements. In version 3
an entity could lack the keys by which names that may be one thing are found.
"""

from typing import Final

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.rows import VersionRow

__all__ = ["SCHEMA_VERSION", "migrate", "refuse_newer", "schema_version"]

SCHEMA_VERSION: Final = 4


async def schema_version(graph: Graph) -> int | None:
    """The version of the graph's layout; None for a database that holds no graph yet."""
    version: int | None = (await graph.read("state/version", VersionRow))[0]["version"]
    return version


def refuse_newer(version: int | None) -> None:
    """Raises GraphError for a version that this program does not know."""
    if version is not None and version > SCHEMA_VERSION:
        raise GraphError(
            f"The graph has schema version {version}, and this program knows versions up to "
            f"{SCHEMA_VERSION}: install a newer release of graphrag-neo4j."
        )


async def migrate(tx: Transaction) -> None:
    """Brings a graph of an older version to SCHEMA_VERSION, all in the transaction `tx`.

    Nothing is written to a graph that has this version. Raises GraphError for a newer one.
    """
    version = (await tx.run("state/version", VersionRow))[0]["version"]
    refuse_newer(version)
    if version == SCHEMA_VERSION:
        return
    await tx.run("state/migrate_extraction")
    await tx.run("state/migrate_claims")
    await tx.run("state/migrate_entities")
    await tx.run("state/migrate_pairs")
    await tx.run("state/migrate_reports")
    await tx.run("state/migrate_directions")
    await tx.run("state/migrate_names")
    await tx.run("state/migrate_state", version=SCHEMA_VERSION)
