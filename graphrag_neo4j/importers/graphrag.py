"""Imports an index of microsoft/graphrag. Read this file of the package first.

    tables ─align─▶ documents, chunks ─extract─▶ evidence, entities, pairs ─▶ refs, tree, reports

The stages are those of a build, with an index backend that reads the rows of the tables.
"""

import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import partial

import anyio.to_thread

from graphrag_neo4j import tokens
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, Started
from graphrag_neo4j.graph import (
    Graph,
    RefKind,
    ReportToSave,
    Transaction,
    await_indexes,
    ensure_fulltext_indexes,
    ensure_schema,
    hold_lease,
)
from graphrag_neo4j.importers.communities import write_refs, write_reports, write_tree
from graphrag_neo4j.importers.evidence import EvidenceRows, ImportedEvidence, run
from graphrag_neo4j.importers.reports import Cited, report_rows
from graphrag_neo4j.importers.rows import Tables, UnitRow
from graphrag_neo4j.importers.summary import ImportSummary, closing
from graphrag_neo4j.importers.tree import Tree, tree_of
from graphrag_neo4j.importers.unit_alignment import Placed, UnitCuts, place
from graphrag_neo4j.indexing.documents import DocumentChunksRow
from graphrag_neo4j.indexing.preparation import HeldRow, tell_names_uncompared
from graphrag_neo4j.indexing.stage_context import StageContext
from graphrag_neo4j.indexing.stages.extract import extract, extract_claims
from graphrag_neo4j.indexing.stages.ingest import ingest
from graphrag_neo4j.indexing.stages.merge import merge
from graphrag_neo4j.indexing.stages.summarize import SummaryBudget, SummaryLimits, summarize
from graphrag_neo4j.model import Document
from graphrag_neo4j.settings import Settings

__all__ = ["ImportSummary", "import_graphrag"]

AS_THEY_ARE = SummaryLimits(SummaryBudget(sys.maxsize, sys.maxsize, len), sys.maxsize)
WORKERS = 4


async def import_graphrag(
    graph: Graph, tables: Tables, settings: Settings, listen: Listener
) -> ImportSummary:
    """Imports the tables of microsoft/graphrag 2 or 3 into an empty graph, without a model.

    The same call continues an import that was interrupted. Raises InputError where the graph is not
    empty, GraphBusyError while another run writes to it, and GraphError where Neo4j fails.
    """
    await ensure_schema(graph)
    await ensure_fulltext_indexes(graph, settings.fulltext_analyzer)
    async with hold_lease(graph, {"command": "import"}, dict):
        await graph.transact(lambda tx: _begin(tx, tables))
        imported = await _import(graph, tables, settings.encoding, listen)
        await await_indexes(graph)
        await graph.write("import/done")
    if settings.resolve != "off":
        await tell_names_uncompared(graph, listen)
    return imported


async def _begin(tx: Transaction, tables: Tables) -> None:
    """Refuses a graph that is not empty; lets our refs start above all numbers of the tables."""
    found = (await tx.run("import/held", HeldRow))[0]
    if found["importing"] == tables.fingerprint:
        return
    if found["held"]:
        begun = " that another import has begun" if found["importing"] else ""
        raise InputError(
            f"An import needs an empty graph, and this one holds something{begun}: empty it "
            "(`kg-build neo4j wipe` for the embedded server), or take another server or --home."
        )
    given = found["given"]
    above = {
        kind: max(top, given.get(kind, 0) if given else 0) for kind, top in _tops(tables).items()
    }
    await tx.run("import/begin", above=above, tables=tables.fingerprint)


def _tops(tables: Tables) -> dict[RefKind, int]:
    """The greatest number in the tables by kind of ref."""

    def top(numbers: Iterable[int | None]) -> int:
        return max((number for number in numbers if number is not None), default=0)

    return {
        "chunk": top(row.number for row in tables.units),
        "entity": top(row.number for row in tables.entities),
        "relationship": top(row.number for row in tables.relationships),
        "claim": top(row.number for row in tables.claims),
        "community": top(row.number for row in tables.communities),
    }


async def _import(graph: Graph, tables: Tables, encoding: str, listen: Listener) -> ImportSummary:
    count = partial(tokens.count, encoding_name=encoding)
    placed = await anyio.to_thread.run_sync(place, tables)
    chunks = await _write_chunks(graph, placed, UnitCuts(placed, count), listen)
    evidence = await anyio.to_thread.run_sync(ImportedEvidence, tables, chunks)
    await _run_stages(graph, evidence, listen)
    tree = tree_of(tables.communities, evidence.entity_of)
    cited: Cited = {
        "Entities": evidence.entities,
        "Relationships": evidence.pairs,
        "Claims": evidence.claims,
        "Reports": tree.id_map,
        "Sources": evidence.units,
    }
    reports = await anyio.to_thread.run_sync(report_rows, tables.reports, cited, count)
    await _write_refs(graph, evidence, listen)
    apart = await _write_tree(graph, tree, reports, listen) if tree.communities else []
    return closing(tables, placed, evidence, tree, reports=reports, apart=apart)


async def _write_chunks(
    graph: Graph, placed: Sequence[Placed], cuts: UnitCuts, listen: Listener
) -> list[tuple[UnitRow, str]]:
    """Writes documents and chunks; returns the chunk id of each text unit."""

    async def documents() -> AsyncIterator[Document]:
        for one in placed:
            yield one.document

    started = Started("ingest", len(placed))
    await ingest(graph, documents(), cuts, listen, started=started)
    rows = await graph.read(
        "import/chunks", DocumentChunksRow, sources=[one.document.source for one in placed]
    )
    chunks = {row["source"]: row["chunks"] for row in rows}
    return [
        pair
        for one in placed
        for pair in zip(one.units, chunks.get(one.document.source, ()), strict=True)
    ]


async def _run_stages(graph: Graph, evidence: ImportedEvidence, listen: Listener) -> None:
    """Runs the stages of a build up to the descriptions, with the rows as evidence."""
    stage = StageContext(graph, EvidenceRows(evidence), run, WORKERS, listen)
    await extract(stage)
    await extract_claims(stage)
    await merge(graph, listen)
    await summarize(stage, AS_THEY_ARE)


async def _write_refs(graph: Graph, evidence: ImportedEvidence, listen: Listener) -> None:
    refs = {
        "chunk": evidence.units.refs,
        "entity": evidence.entities.refs,
        "relationship": evidence.pairs.refs,
        "claim": evidence.claims.refs,
    }
    listen(Started("refs", sum(map(len, refs.values()))))
    await write_refs(graph, refs, listen)


async def _write_tree(
    graph: Graph, tree: Tree, reports: Mapping[str, ReportToSave], listen: Listener
) -> list[str]:
    """Writes communities and reports; returns the ids of communities without a row of their own.

    Both stay until the graph changes. If the tables have no communities, the next build makes them.
    """
    apart = await write_tree(graph, tree)
    listen(Started("reports", len(reports)))
    await write_reports(graph, list(reports.values()), listen)
    await graph.write("import/keep")
    return apart
