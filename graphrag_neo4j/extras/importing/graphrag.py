"""Imports an index of microsoft/graphrag. Read this file of the package first.

    tables ─align─▶ documents, chunks ─extract─▶ evidence, entities, pairs ─▶ refs, tree, reports

The stages are those of a build, with an index backend that reads the rows of the tables.
"""

import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, cast

import anyio.to_thread

from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.importing.evidence import (
    Counted,
    IdMap,
    ImportedEvidence,
    Placed,
    UnitCuts,
    place,
)
from graphrag_neo4j.extras.importing.tables import CommunityRow, Tables, UnitRow
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.indexes import await_indexes, ensure_fulltext_indexes
from graphrag_neo4j.graph.lease import HeldRow, hold_lease
from graphrag_neo4j.graph.rows import pages
from graphrag_neo4j.index.communities.tree import TreeCommunity, community_row
from graphrag_neo4j.index.describe.summarize import SummaryLimits, summarize
from graphrag_neo4j.index.entities.joining import tell_names_uncompared
from graphrag_neo4j.index.entities.label import label_entities
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.evidence import RefKind, give_refs
from graphrag_neo4j.index.read.documents import DocumentChunksRow
from graphrag_neo4j.index.read.extract import extract, extract_claims
from graphrag_neo4j.index.read.ingest import ingest
from graphrag_neo4j.index.reports.saving import ReportToSave, save_reports
from graphrag_neo4j.index.reports.stage import report_row
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.citations import CitationKind, rewrite
from graphrag_neo4j.model.context import report_tokens
from graphrag_neo4j.model.contracts import IndexBackend
from graphrag_neo4j.model.events import Advanced, Listener, Share, Started
from graphrag_neo4j.model.types import Document, FindingText, LLMTask, WrittenReport
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import identify

Cited = Mapping[CitationKind, IdMap]


@dataclass(frozen=True, slots=True)
class Tree:
    """Communities, parents before their children, and the leaf of each entity.

    A tree whose communities are not nested is kept as it is.
    """

    communities: Sequence[TreeCommunity]
    leaves: Mapping[str, str]
    id_map: IdMap


def tree_of(rows: Iterable[CommunityRow], entity_of: Mapping[str, str]) -> Tree:
    """The tree of the communities with members; `entity_of` maps row ids to entity ids.

    Rows with the same members are one community: that of the uppermost row. A community that is its
    own ancestor has none.
    """
    members: dict[int, tuple[str, ...]] = {}
    parents: dict[int | None, int | None] = {}
    for row in rows:
        if row.number is not None and row.number not in parents:
            parents[row.number] = row.parent
            if known := {entity_of[id_] for id_ in row.members if id_ in entity_of}:
                members[row.number] = tuple(sorted(known))
    id_map = IdMap()
    above: dict[int, list[int]] = {}  # the ancestors with members, the parent first
    for number, entities in members.items():
        id_map.enter(number, identify("community", *entities))
        chain, at = [number], parents[number]
        while at in parents and at is not None and at not in chain:
            chain.append(at)
            at = parents[at]
        above[number] = [] if at in chain else [n for n in chain[1:] if n in members]
    made: dict[str, TreeCommunity] = {}
    for number in sorted(members, key=lambda n: (len(above[n]), n)):  # parents come before children
        id_ = id_map.ids[number]
        if id_ not in made:
            parent = next((id_map.ids[n] for n in above[number] if id_map.ids[n] != id_), None)
            level = made[parent].level + 1 if parent else 0
            made[id_] = TreeCommunity.of(level, members[number], parent)
    communities = sorted(made.values(), key=lambda community: (community.level, community.id))
    # The deepest community of each entity; of several, the one with the smallest ref.
    ranked = sorted(communities, key=lambda c: (c.level, -id_map.refs[c.id]))
    leaves = {member: community.id for community in ranked for member in community.members}
    return Tree(communities, leaves, id_map)


def report_rows(
    reports: Iterable[tuple[int | None, WrittenReport]], cited: Cited, count: Callable[[str], int]
) -> dict[str, ReportToSave]:
    """A row for each community that has a report; of several, the report of the smallest number.

    Citations of rows that the tables do not hold are removed. Where several rows became one node,
    the citations of all of them lead to it. `count` gives the number of tokens of a text.
    """
    known = {kind: {ref: node for node, ref in m.refs.items()} for kind, m in cited.items()}
    rows: dict[str, ReportToSave] = {}
    removed = 0

    def ref(kind: CitationKind | None, number: int) -> int | None:
        nonlocal removed
        if kind is None:
            removed += 1
            return None
        node = cited[kind].ids.get(number)
        return number if node is None else cited[kind].refs[node]

    numbered = [(number, report) for number, report in reports if number is not None]
    for number, report in sorted(numbered, key=lambda one: one[0]):
        id_ = cited["Reports"].ids.get(number)
        if id_ is None or id_ in rows:
            continue
        removed = 0
        cites = replace(
            report,
            summary=rewrite(report.summary, ref),
            findings=[
                FindingText(rewrite(one.summary, ref), rewrite(one.explanation, ref))
                for one in report.findings
            ],
            rating_explanation=rewrite(report.rating_explanation, ref),
        )
        row = report_row(id_, cites, known)
        properties = row["properties"]
        properties |= {
            "invented": (properties["invented"] or 0) + removed or None,
            "n_tokens": report_tokens(properties["report"], count),
            "origin": "import",
        }
        rows[id_] = row
    return rows


AS_THEY_ARE = SummaryLimits(sys.maxsize, sys.maxsize, len)
WORKERS = 4
ROW_PAGE = 2000
REPORTS = 200  # with their findings and citations
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The result of an import.

    `tables` holds the counts of each table by name. `invented` is the number of citations in
    reports that were removed because their record does not exist. `rebuilt` is the number of
    documents whose text was joined from their text units. `replaced` is the number of characters
    that can't be stored and were replaced.
    """

    tables: Mapping[str, Counted]
    invented: int
    rebuilt: int
    replaced: int


async def import_graphrag(
    graph: Graph, tables: Tables, settings: Settings, listen: Listener
) -> ImportSummary:
    """Imports the tables of microsoft/graphrag 2 or 3 into an empty graph, without a model.

    The same call continues an import that was interrupted. Raises InputError where the graph is not
    empty, GraphBusyError while another run writes to it, and GraphError where Neo4j fails.
    """
    async with hold_lease(graph, {"command": "import"}, dict, listen):
        await ensure_fulltext_indexes(graph, settings.fulltext_analyzer)
        await graph.transact(lambda tx: _begin(tx, tables))
        imported = await _import(graph, tables, listen)
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
    numbers: Mapping[RefKind, list[int | None]] = {
        "chunk": [row.number for row in tables.units],
        "entity": [row.number for row in tables.entities],
        "relationship": [row.number for row in tables.relationships],
        "claim": [row.number for row in tables.claims],
        "community": [row.number for row in tables.communities],
    }
    given = found["given"] or {}
    above = {k: max([given.get(k) or 0, *(n or 0 for n in of)]) for k, of in numbers.items()}
    await tx.run("import/begin", above=above, tables=tables.fingerprint)


async def _import(graph: Graph, tables: Tables, listen: Listener) -> ImportSummary:
    count = tokens.count
    placed = await anyio.to_thread.run_sync(place, tables)
    chunks = await _write_chunks(graph, placed, UnitCuts(placed, count), listen)
    evidence = await anyio.to_thread.run_sync(ImportedEvidence, tables, chunks)
    # An import asks the backend for no comparison, no summary and no report.
    stage = StageContext(graph, cast("IndexBackend", evidence), _run, WORKERS, listen)
    await extract(stage)
    await extract_claims(stage)
    await merge(graph, listen)
    await label_entities(graph, listen)
    await summarize(stage, AS_THEY_ARE)
    tree = tree_of(tables.communities, evidence.entity_of)
    cited: Cited = {
        "Entities": evidence.entities,
        "Relationships": evidence.pairs,
        "Claims": evidence.claimed,
        "Reports": tree.id_map,
        "Sources": evidence.units,
    }
    reports = await anyio.to_thread.run_sync(report_rows, tables.reports, cited, count)
    # Nodes and pairs get the numbers of their rows. Our own refs start above all of these.
    refs = {
        "import/refs_chunk": evidence.units.refs,
        "import/refs_entity": evidence.entities.refs,
        "import/refs_relationship": evidence.pairs.refs,
        "import/refs_claim": evidence.claimed.refs,
    }
    listen(Started("refs", sum(map(len, refs.values()))))
    for statement, given in refs.items():
        for numbered in pages([{"id": id_, "ref": ref} for id_, ref in given.items()], ROW_PAGE):
            await graph.write(statement, rows=numbered)
            listen(Advanced(len(numbered)))
    apart: list[str] = []
    if tree.communities:  # both stay until the graph changes; otherwise the next build makes them
        apart = await _write_tree(graph, tree)
        listen(Started("reports", len(reports)))
        for page in pages(reports.values(), REPORTS):  # all that they cite is in the graph
            await graph.transact(partial(save_reports, rows=page))
            listen(Advanced(len(page)))
        await graph.write("import/keep")
    return _summary(tables, placed, evidence, tree, reports=reports, apart=apart)


async def _run(task: LLMTask[T]) -> T:
    return result_without_requests(task)


async def _write_chunks(
    graph: Graph, placed: Sequence[Placed], cuts: UnitCuts, listen: Listener
) -> list[tuple[UnitRow, str]]:
    """Writes documents and chunks; returns the chunk id of each text unit."""

    async def documents() -> AsyncIterator[tuple[Document, Share]]:
        listen(Started("ingest", len(placed)))
        for one in placed:
            yield one.document, Share(1, listen)

    await ingest(graph, documents(), cuts, copies=False)
    rows = await graph.read(
        "import/chunks", DocumentChunksRow, sources=[one.document.source for one in placed]
    )
    chunks = {row["source"]: row["chunks"] for row in rows}
    return [
        pair
        for one in placed
        for pair in zip(one.units, chunks.get(one.document.source, ()), strict=True)
    ]


async def _write_tree(graph: Graph, tree: Tree) -> list[str]:
    """Writes the communities of the tables, and communities of level 0 for all other entities.

    Each connected component of these entities is a community. Returns the ids of these communities.
    """
    # They use numpy, which takes a moment to import.
    from graphrag_neo4j.index.communities.hierarchy import (  # noqa: PLC0415
        all_entity_ids,
        components,
        read_edges,
    )

    ids = await all_entity_ids(graph)
    parts = components(await read_edges(graph, ids), tree.leaves)
    apart = [TreeCommunity.of(0, part, None) for part in parts]
    communities = [*tree.communities, *apart]
    leaves = {**tree.leaves, **{member: c.id for c in apart for member in c.members}}

    async def work(tx: Transaction) -> None:
        refs = {**await give_refs(tx, "community", [c.id for c in apart]), **tree.id_map.refs}
        rows = [community_row(community, refs.get(community.id)) for community in communities]
        await tx.run("communities/save", rows=rows)
        await tx.run("communities/part", rows=rows)

    await graph.transact(work)
    joined = [{"id": entity, "leaf": leaf} for entity, leaf in sorted(leaves.items())]
    for page in pages(joined, ROW_PAGE):
        await graph.write("communities/join", rows=page)
    return [community.id for community in apart]


def _summary(
    tables: Tables,
    placed: Sequence[Placed],
    evidence: ImportedEvidence,
    tree: Tree,
    *,
    reports: Mapping[str, ReportToSave],
    apart: Sequence[str],
) -> ImportSummary:
    """The summary of all tables; `apart` are the communities without a row."""
    n, listed = len(tables.documents), sum(one.listed for one in placed)
    unlisted = [one.document.source for one in placed if not one.listed]
    by_ends, by_claims = evidence.implied
    mapped = sum(number in tree.id_map.ids for number, _ in tables.reports)
    unmapped = len(tables.reports) - mapped
    return ImportSummary(
        tables={
            "documents": Counted(n, listed, n - listed, 0, 0),
            "text_units": evidence.units.counted(len(tables.units), unlisted),
            "entities": evidence.entities.counted(len(tables.entities)),
            "relationships": evidence.pairs.counted(len(tables.relationships), by_ends),
            "covariates": evidence.claimed.counted(len(tables.claims), by_claims),
            "communities": tree.id_map.counted(len(tables.communities), apart),
            "community_reports": Counted(
                len(tables.reports), len(reports), mapped - len(reports), 0, unmapped
            ),
        },
        invented=sum(row["properties"]["invented"] or 0 for row in reports.values()),
        rebuilt=sum(not one.found for one in placed),
        replaced=tables.replaced,
    )
