"""Writes the reports of marked communities, the deepest level first.

marked communities ──▶ report material ──▶ LLM task ──▶ report, findings, citations
                                                 (the same transaction marks the parent)

A community whose report was written from the same context loses its mark without a call. So does
one whose context has changed by no more than `ReportLimits.drift`: its report stays, and its
community is marked as so much `behind`. The present context is always compared with the one that
the report was written from, so small changes add up. A sub-community whose own report failed is
represented by the descriptions of its elements.

A report never stays if it cites what is gone, or if a document was deleted that it may tell about.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf

from graphrag_neo4j.concurrency import Outcome, run_tasks
from graphrag_neo4j.context.citations import CitationKind, CitationRef, cited, rewrite
from graphrag_neo4j.context.context_table import (
    ContextRecord,
    ContextTable,
    report_tokens,
)
from graphrag_neo4j.context.material import (
    ReportMaterial,
)
from graphrag_neo4j.events import Advanced, Started
from graphrag_neo4j.graph import (
    Graph,
    PieceProperties,
    ReportToSave,
    Transaction,
    save_reports,
)
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.grounding import report_row
from graphrag_neo4j.indexing.material_reader import read_materials
from graphrag_neo4j.indexing.report_context import pack, report_of_elements, whole
from graphrag_neo4j.indexing.report_drift import Pieces, drift, in_sample_order, pieces_of
from graphrag_neo4j.indexing.rows import (
    CitedRow,
    PendingReportRow,
    WaitingReportsRow,
)
from graphrag_neo4j.indexing.stage_context import StageContext
from graphrag_neo4j.model import LLMTask, WrittenReport
from graphrag_neo4j.protocols import IndexBackend
from graphrag_neo4j.tokens import CountTokens

__all__ = ["ReportLimits", "mark_reported_otherwise", "write_reports"]

PAGE = 50
BATCH = 32
ELEMENTS = "elements"


@dataclass(frozen=True, slots=True)
class ReportLimits:
    """The limits of the stage reports.

    `budget` is the largest number of tokens of a context. Communities with at most `smallest`
    members get a report without a model. `count` counts the tokens of a text. `drift` is the
    largest share (0 to 1) of a report's material that may change before the report is written
    again.
    """

    budget: int
    smallest: int
    count: CountTokens
    drift: float = 0.0


@dataclass(frozen=True, slots=True)
class _Task:
    """A community whose report is to be written.

    `material` and `table` are its report material and its context; `known` holds the records that
    the report may cite. `report` is already made, of elements, for a small community. `pieces` are
    those of the context, by which its changes are measured; {} if the report is always up to date.
    """

    id: str
    material: ReportMaterial
    table: ContextTable
    known: dict[CitationKind, dict[int, str]]
    hash: str
    report: WrittenReport | None
    pieces: Pieces


async def write_reports(stage: StageContext, limits: ReportLimits) -> None:
    """Brings all reports up to date, level by level from the deepest.

    A report stays as it is if less of its material has changed than the limits allow.
    """
    await stage.graph.write("reports/overdue", drift=limits.drift)
    found = (await stage.graph.read("reports/count", WaitingReportsRow))[0]
    stage.listen(Started("reports", int(found["n"])))
    if found["n"] and found["deepest"] is not None:
        for level in range(found["deepest"], -1, -1):
            await _Level(stage, limits, level).write()
            if stage.waits():  # the level above is written from these reports
                return


async def mark_reported_otherwise(
    graph: Graph, backend: IndexBackend, limits: ReportLimits
) -> None:
    """Marks the communities whose report was made with another prompt, model or limit."""
    await graph.write(
        "reports/otherwise", signature=backend.signature("report"), smallest=limits.smallest
    )


class _Level:
    """Writes the reports of one level."""

    def __init__(self, stage: StageContext, limits: ReportLimits, level: int) -> None:
        self.stage, self.limits, self.level = stage, limits, level
        self.graph = stage.graph
        self.signature = stage.backend.signature("report")
        self.quoting = stage.backend.quotes

    async def write(self) -> None:
        workers, keep = self.stage.workers, self.stage.keep
        await run_tasks(
            self._tasks(), self._answer, self._save, workers=workers, batch=BATCH, keep=keep
        )

    async def _tasks(self) -> AsyncIterator[_Task]:
        """The tasks of this level, without reports that were written from the same context."""
        after = ""
        while rows := await self.graph.read(
            "reports/pending", PendingReportRow, level=self.level, after=after, limit=PAGE
        ):
            tasks = await self._read(rows)
            stay = await self._that_stay(rows, tasks)
            same = [
                {"id": task.id, "pieces": _piece_properties(task)}
                for task in tasks
                if stay.get(task.id) == 0
            ]
            behind = [{"id": id_, "behind": share} for id_, share in stay.items() if share]
            await self.graph.write("reports/same", rows=same)
            await self.graph.write("reports/behind", rows=behind)
            self.stage.listen(Advanced(len(stay)))
            for task in tasks:
                if task.id not in stay:
                    yield task
            after = rows[-1]["id"]

    async def _that_stay(
        self, rows: Sequence[PendingReportRow], tasks: Sequence[_Task]
    ) -> dict[str, float]:
        """How far behind those reports of a page are that stay; 0 for those that are up to date.

        What they cite must be there: an edit may remove an entity and bring it back, with a new
        ref.
        """
        known = {row["id"]: row for row in rows}
        found = {
            task.id: share
            for task in tasks
            for share in [self._share_behind(known[task.id], task)]
            if share <= self.limits.drift
        }
        cites = {id_: cited(known[id_]["report"] or "") for id_ in found}
        there = await _resolve(self.graph, {one for refs in cites.values() for one in refs})
        return {id_: share for id_, share in found.items() if there.keys() >= set(cites[id_])}

    def _share_behind(self, row: PendingReportRow, task: _Task) -> float:
        """The share of the material that the report lacks; infinite if the report can't stay."""
        if task.hash == row["hash"]:
            return 0.0
        made_alike = row["report"] is not None and row["made_with"] == self.signature
        if not made_alike or task.report is not None or row["forgetting"]:
            return inf
        return _drift(row, task)

    async def _read(self, rows: Sequence[PendingReportRow]) -> list[_Task]:
        """The tasks of a page of communities."""
        small = {row["id"] for row in rows if row["size"] <= self.limits.smallest}
        made: dict[str, tuple[ReportMaterial, ContextTable, WrittenReport | None]] = {}
        materials = await read_materials(self.graph, list(_ids(rows)), sources=self.quoting)
        for id_, material in materials.items():
            if id_ in small:
                report, table = report_of_elements(material, self.limits.budget, self.limits.count)
                made[id_] = material, table, report
            elif self.quoting:
                made[id_] = material, whole(material), None
            else:
                table = pack(material, self.limits.budget, self.limits.count)
                made[id_] = material, table, None
        records = [record for _, table, _ in made.values() for record in table.records.values()]
        cited_rows = await _resolve(
            self.graph, {one for record in records for one in _cited(record)}
        )
        return [self._task(id_, *one, cited_rows) for id_, one in made.items()]

    def _task(
        self,
        id_: str,
        material: ReportMaterial,
        table: ContextTable,
        report: WrittenReport | None,
        cited_rows: Mapping[CitationRef, CitedRow],
    ) -> _Task:
        known: defaultdict[CitationKind, dict[int, str]] = defaultdict(dict)
        for record in table.records.values():
            known[record.kind][record.ref] = record.id
            for kind, ref in _cited(record):
                if (kind, ref) in cited_rows:
                    known[kind][ref] = cited_rows[kind, ref]["id"]
        signature = ELEMENTS if report else self.signature
        lines = [_without_refs(record, cited_rows) for record in table.records.values()]
        if self.quoting and not report:
            lines += _counted(material)
        hash_ = identify("report", signature, *lines)
        pieces = {} if self.quoting else pieces_of(table, material)
        return _Task(id_, material, table, known, hash_, report, pieces)

    async def _answer(self, task: _Task) -> WrittenReport:
        if task.report:
            return task.report
        return await self.stage.run(self._llm_task(task))

    def _llm_task(self, task: _Task) -> LLMTask[WrittenReport]:
        return self.stage.backend.report(task.table.text, task.material)

    async def _save(self, outcomes: Sequence[Outcome[_Task, WrittenReport]]) -> None:
        rows = [self._row(t.item, t.result) for t in outcomes if t.result]
        failed = [{"id": t.item.id, "reason": t.failure} for t in outcomes if t.failure]

        async def write(tx: Transaction) -> None:
            await save_reports(tx, rows)
            await tx.run("reports/failed", rows=failed)

        await self.graph.transact(write)
        self.stage.listen(Advanced(len(rows), len(failed)))

    def _row(self, task: _Task, report: WrittenReport) -> ReportToSave:
        read = None if task.report or self.quoting else task.table.text
        row, pieces = report_row(task.id, report, task.known, read), _piece_properties(task)
        row["properties"] |= {
            "n_tokens": report_tokens(row["properties"]["report"], self.limits.count),
            "report_hash": task.hash,
            "report_with": ELEMENTS if task.report else self.signature,
            "origin": ELEMENTS if task.report else self.stage.backend.origin,
            "shortened": task.table.shortened or None,
            "material_hashes": pieces["material_hashes"],
            "material_tokens": pieces["material_tokens"],
        }
        return row


def _ids(rows: Sequence[PendingReportRow]) -> Sequence[str]:
    return [row["id"] for row in rows]


def _cited(record: ContextRecord) -> list[tuple[CitationKind, int]]:
    return cited(record.text) if record.kind == "Reports" else []


def _without_refs(record: ContextRecord, cited_rows: Mapping[CitationRef, CitedRow]) -> str:
    """A record as it is in any graph of these documents.

    Refs depend on the order in which a graph was built, and so do the ids of communities. A cited
    record is named by its id, a cited community by the hash of what its report was written from.
    """
    if record.kind != "Reports":
        return f"{record.kind} {record.id} {record.text}"

    def name(kind: CitationKind | None, ref: int) -> str | None:
        row = cited_rows.get((kind, ref)) if kind else None
        return row["content"] if row else None

    return f"{record.kind} {rewrite(record.text, name)}"


def _piece_properties(task: _Task) -> PieceProperties:
    hashes = in_sample_order(task.pieces)
    return {
        "material_hashes": hashes or None,
        "material_tokens": [task.pieces[one] for one in hashes] or None,
    }


def _drift(row: PendingReportRow, task: _Task) -> float:
    """The share of the material that has changed; at least a token, since the contexts differ."""
    before = dict(zip(row["pieces"] or (), row["tokens"] or (), strict=True))
    return drift(before, task.pieces) or 1 / max(1, sum(task.pieces.values()))


async def _resolve(graph: Graph, wanted: Set[CitationRef]) -> dict[CitationRef, CitedRow]:
    """The cited records by kind and ref, without those that no longer exist."""
    rows = await graph.read_bulk(
        "reports/cited",
        CitedRow,
        citations=[{"kind": kind, "ref": ref} for kind, ref in sorted(wanted)],
    )
    return {(row["kind"], row["ref"]): row for row in rows}


def _counted(material: ReportMaterial) -> list[str]:
    """The texts and numbers, besides the records, that the choice of quotations depends on."""
    sources = [f"{s.record.id} {' '.join(s.about)} {s.text}" for s in material.sources]
    counts = [f"{e.record.id} {e.degree} {e.mentions}" for e in material.entities.values()]
    return [*sources, *counts, *(f"{edge.record.id} {edge.weight}" for edge in material.edges)]
