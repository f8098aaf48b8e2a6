"""Checks Neo4j: its version, writing, Leiden, and both kinds of index.

Leiden runs in Graph Data Science (GDS), which need not be that of the database (KG_GDS).
"""

import re
from contextlib import suppress
from typing import TypedDict
from uuid import uuid4

import anyio
import anyio.to_thread

from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.doctor.check import Check, not_made, tried
from graphrag_neo4j.errors import GraphError, GraphRAGError, InputError
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.graph import (
    Graph,
    Transaction,
    refuse_foreign,
    refuse_other_version,
    schema_version,
)
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.indexing.clustering.gds import SessionAccess, leiden_in_gds
from graphrag_neo4j.indexing.clustering.tree import Leiden
from graphrag_neo4j.settings import AUTO, EMBEDDED, MOST_DIMENSIONS, SESSION, Settings

__all__ = [
    "check_fulltext_index",
    "check_gds",
    "check_leiden",
    "check_neo4j",
    "check_other_gds",
    "check_schema",
    "check_vector_index",
    "check_version",
    "check_writing",
    "place_of_gds",
]

OLDEST = (5, 26)
ANALYZER = "standard-no-stop-words"  # Neo4j's default
NEED_NEO4J = (
    "Neo4j version",
    "Writing",
    "GDS",
    "Leiden",
    "Vector index",
    "Full-text index",
    "Schema",
)

GET_GDS = (
    'Add the plugin "graph-data-science" to that server (on Aura, switch on Graph Analytics where '
    "the plan has it), or use the embedded server or docker-compose.yml, which have it, or set "
    "KG_GDS=embedded."
)
EMBEDDED_COMPUTES = (
    "Communities are computed by an embedded server, which is started for this step and stopped "
    "after it"
)
OTHER_GDS = (
    "Set KG_GDS to auto, embedded, session or the address of a server that has the plugin "
    '"graph-data-science".'
)
EDGES = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0), ("x", "y", 1.0)]
ALLOW_GDS = (
    "Let neo4j.conf say dbms.security.procedures.unrestricted=gds.* and let no allowlist there "
    "leave gds.* out, then start Neo4j again."
)
WRITABLE = (
    "Set NEO4J_DATABASE to a database that is not read-only, and NEO4J_USERNAME to a user who may "
    "write there."
)
INDEXABLE = "Use Neo4j 5.26 or newer, as a user who may create indexes."


class ServerRow(TypedDict):
    """A component of the server: its versions, the newest first, and its edition."""

    versions: list[str]
    edition: str


class GdsRow(TypedDict):
    """The version of Graph Data Science."""

    version: str


async def check_neo4j(settings: Settings, listen: Listener) -> list[Check]:
    """Runs all checks of Neo4j. Starts the embedded server if NEO4J_URI is not set."""
    try:
        async with AsyncGraphRAG(settings, listen) as rag:
            return await _look_at(rag.graph, settings, listen)
    except GraphRAGError as error:
        return [
            Check("Neo4j", False, str(error), _other_way(settings)),
            *not_made("Neo4j can't be used", *NEED_NEO4J),
        ]


def check_version(version: str, edition: str) -> Check:
    """Checks whether the version of Neo4j is supported. Both editions are."""
    says = f"Neo4j {version}, {edition.capitalize()} Edition."
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None:
        return Check("Neo4j version", None, f"{says[:-1]}: this version number is unknown.")
    if (int(found[1]), int(found[2])) >= OLDEST:
        return Check("Neo4j version", True, says)
    return Check(
        "Neo4j version", False, says, "Use Neo4j 5.26 (LTS) or a release of 2025 or later."
    )


async def check_writing(graph: Graph) -> Check:
    """Checks whether the user can write to the database."""

    async def write() -> str:
        await _try_and_undo(graph, "doctor/write", id=str(uuid4()))
        return "The database can be written."

    return await tried("Writing", write(), WRITABLE)


async def check_gds(graph: Graph) -> Check:
    """Checks whether Graph Data Science is installed."""

    async def ask() -> str:
        if not (await graph.read("doctor/gds", CountRow))[0]["n"]:
            raise GraphError("Graph Data Science (GDS) is not installed in this Neo4j.")
        rows = await graph.read("doctor/gds_version", GdsRow)
        return f"Graph Data Science {rows[0]['version']}."

    return await tried("GDS", ask(), GET_GDS)


async def check_leiden(graph: Graph) -> Check:
    """Checks whether a graph can be projected and Leiden can run on it."""
    name = f"kg_doctor_{uuid4()}"

    async def run() -> str:
        # In a cluster, writing calls always go to the same server, and only this server has the
        # projection.
        try:
            await graph.write("doctor/project", graph=name)
            await graph.write("doctor/leiden", graph=name)
        finally:
            with anyio.CancelScope(shield=True):
                await graph.write("doctor/drop", graph=name)
        return "Leiden runs on a projected graph."

    return await tried("Leiden", run(), ALLOW_GDS)


def place_of_gds(settings: Settings, *, in_database: bool) -> str | None:
    """Where communities are computed, as a sentence; None if GDS of the database does it.

    `in_database` says whether the database has GDS.
    """
    embedded = f"{EMBEDDED_COMPUTES} (KG_GDS={settings.gds})."
    if settings.gds == SESSION:
        return "Communities are computed by a session of Aura Graph Analytics (KG_GDS=session)."
    if settings.gds == EMBEDDED:
        return embedded if settings.neo4j_uri else None
    if settings.gds != AUTO:
        return f"Communities are computed by the Neo4j at {settings.gds} (KG_GDS)."
    if in_database or not settings.embedded:
        return None
    return f"The database has no Graph Data Science. {embedded}"


async def check_other_gds(graph: Graph, settings: Settings, listen: Listener = silent) -> Check:
    """Checks whether Leiden runs in the GDS of KG_GDS, which is started and stopped if need be.

    A session of Aura Graph Analytics costs money, so it is not tried.
    """
    if settings.gds == SESSION:
        try:
            SessionAccess.of(settings)
        except InputError as error:
            return Check("Leiden", False, str(error))
        return Check("Leiden", None, "Not checked, since a session costs money.")

    def find() -> str:
        from graphrag_neo4j.indexing.clustering.edges import Edges  # noqa: PLC0415 - numpy

        with leiden_in_gds(graph, Leiden(), settings, listen) as detect:
            detect(Edges.of(EDGES, "abcxy"), 1.0)
        return "Leiden runs there."

    return await tried("Leiden", anyio.to_thread.run_sync(find), OTHER_GDS)


async def check_vector_index(graph: Graph, dimensions: int = MOST_DIMENSIONS) -> Check:
    """Checks whether vectors with this number of dimensions can be indexed."""

    async def create() -> str:
        await _try_and_undo(graph, "doctor/vector_index", dimensions=dimensions)
        return f"Vectors of up to {dimensions} dimensions can be indexed."

    return await tried("Vector index", create(), INDEXABLE)


async def check_fulltext_index(graph: Graph, analyzer: str = ANALYZER) -> Check:
    """Checks whether a full-text index can be created."""

    async def create() -> str:
        await _try_and_undo(graph, "doctor/fulltext_index", analyzer=analyzer)
        return "Words can be indexed."

    return await tried("Full-text index", create(), INDEXABLE)


async def check_schema(graph: Graph) -> Check:
    """Whether this program knows the version of the graph's schema."""

    async def ask() -> str:
        version = await schema_version(graph)
        refuse_other_version(version)
        if version is None:
            await refuse_foreign(graph)
            return "There is no graph yet."
        return f"The graph has schema version {version}."

    return await tried("Schema", ask())


async def _check_communities(graph: Graph, settings: Settings, listen: Listener) -> list[Check]:
    """Checks the GDS of the database, or the other one that KG_GDS chooses."""
    gds = await check_gds(graph)
    if place := place_of_gds(settings, in_database=bool(gds.ok)):
        return [Check("GDS", True, place), await check_other_gds(graph, settings, listen)]
    if gds.ok:
        return [gds, await check_leiden(graph)]
    return [gds, *not_made("GDS can't be used", "Leiden")]


async def _look_at(graph: Graph, settings: Settings, listen: Listener) -> list[Check]:
    # The kernel is the first component.
    kernel = (await graph.read("doctor/components", ServerRow))[0]
    writing = await check_writing(graph)
    checks = [
        Check("Neo4j", True, f"Neo4j answers at {graph.address}."),
        check_version(kernel["versions"][0], kernel["edition"]),
        writing,
        *await _check_communities(graph, settings, listen),
    ]
    if writing.ok:
        checks += [await check_vector_index(graph), await check_fulltext_index(graph)]
        checks.append(await check_schema(graph))
    else:
        checks += not_made("nothing can be written", "Vector index", "Full-text index", "Schema")
    return checks


class _Undone(Exception):  # noqa: N818 - not an error: the transaction has shown that it works
    """Rolls a transaction back."""


async def _try_and_undo(graph: Graph, statement: str, **parameters: object) -> None:
    """Runs a writing statement and rolls it back. Raises GraphError if Neo4j refuses it."""

    async def work(tx: Transaction) -> None:
        await tx.run(statement, **parameters)
        raise _Undone

    with suppress(_Undone):
        await graph.transact(work)


def _other_way(settings: Settings) -> str:
    if settings.neo4j_uri:
        return "Without NEO4J_URI the embedded server is used."
    return "Or set NEO4J_URI to a server of your own."
