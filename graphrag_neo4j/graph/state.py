"""The state of a graph: a node of its own, which tells the version of the graph's layout."""

from typing import Final

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.rows import VersionRow

__all__ = ["SCHEMA_VERSION", "begin_graph", "refuse_other_version", "schema_version"]

SCHEMA_VERSION: Final = 1


async def schema_version(graph: Graph) -> int | None:
    """The version of the graph's layout; None for a database that holds no graph of ours."""
    rows = await graph.read("state/version", VersionRow)
    return rows[0]["version"] if rows else None


def refuse_other_version(version: int | None) -> None:
    """Raises GraphError for a layout that this program does not read and write."""
    if version not in (None, SCHEMA_VERSION):
        raise GraphError(
            f"The graph has schema version {version}, and this program works with version "
            f"{SCHEMA_VERSION}: install the release of graphrag-neo4j that made it, or index the "
            "documents into an empty database."
        )


async def begin_graph(tx: Transaction) -> None:
    """Makes the State of a new graph. Raises GraphError for a graph of another version."""
    [state] = await tx.run("state/begin", VersionRow, version=SCHEMA_VERSION)
    refuse_other_version(state["version"])
