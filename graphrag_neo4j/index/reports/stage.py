"""Writes the reports of marked communities, the deepest level first.

marked communities ──▶ report material ──▶ LLM task ──▶ report, findings, citations
                                                 (the same transaction marks the parent)

Small communities of one level share a request.

A community whose report was written from the same context loses its mark without a call. So does
one whose context has changed by no more than `ReportLimits.tolerance`: its report stays, and its
community is marked as so much `behind`. The present context is always compared with the one that
the report was written from, so small changes add up. A sub-community whose own report failed is
represented by the descriptions of its elements.

A report never stays if it cites what is gone, or if a document was deleted that it may tell about.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf
from operator import attrgetter, itemgetter
from typing import TypedDict

from graphrag_neo4j.concurrency import Outcome
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.index.reports.context import pack, report_of_elements, whole
from graphrag_neo4j.index.reports.inputs import (
    Pieces,
    changed_share,
    in_sample_order,
    pieces_of,
    read_materials,
)
from graphrag_neo4j.index.reports.saving import (
    FindingToSave,
    PieceProperties,
    ReportToSave,
    save_reports,
)
from graphrag_neo4j.index.stage import StageContext, in_batches, of_each
from graphrag_neo4j.model.citations import CitationKind, CitationRef, cited, keep_known, rewrite
from graphrag_neo4j.model.context import ContextRecord, ContextTable, report_tokens
from graphrag_neo4j.model.contracts import IndexBackend
from graphrag_neo4j.model.events import Advanced, Listener, Started
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import WrittenReport
from graphrag_neo4j.text.strings import identify
from graphrag_neo4j.text.tokens import CountTokens

PAGE = 50
MEMBERS = 1000  # of communities whose material is in memory at the same time, or of a larger one
TOGETHER = 32  # requests whose reports are saved at once
AT_ONCE = 5  # reports in one request: a small model may confuse more
ELEMENTS = "elements"

Known = Mapping[CitationKind, Mapping[int, str]]
"""The records that may be cited: by kind, the id of each ref."""


class WaitingReportsRow(TypedDict):
    """How many communities wait for a report; the deepest level, None without a community."""

    n: int
    deepest: int | None


class PendingReportRow(TypedDict):
    """A community that waits for a report; `hash`: of what its report was written from.

    `pieces` and `tokens` are the pieces of that (`report_inputs`). `made_with` is the signature of
    the report. `forgetting`: documents were deleted that its report may tell about.
    """

    id: str
    size: int
    hash: str | None
    report: str | None
    made_with: str | None
    forgetting: bool
    pieces: list[int] | None
    tokens: list[int] | None


class CitedRow(TypedDict):
    """What a citation stands for; `content` is the same in each graph of the same documents."""

    kind: CitationKind
    ref: int
    id: str
    content: str


@dataclass(frozen=True, slots=True)
class ReportLimits:
    """The limits of the stage reports.

    `budget` is the largest number of tokens of a context. Communities with at most `smallest`
    members get a report without a model. `count` counts the tokens of a text. `tolerance` is the
    largest share (0 to 1) of a report's material that may change before the report is written
    again.
    """

    budget: int
    smallest: int
    count: CountTokens
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class _Task:
    """A community whose report is to be written.

    `material` is its report material, empty if the backend does not read it, and `table` its
    context. `known` holds the records that the report may cite. `report` is already made, of
    elements, for a small community. `pieces` are those of the context, by which its changes are
    measured; {} if the report is always up to date.
    """

    id: str
    material: ReportMaterial
    table: ContextTable
    known: dict[CitationKind, dict[int, str]]
    hash: str
    report: WrittenReport | None
    pieces: Pieces

    @property
    def piece_properties(self) -> PieceProperties:
        hashes = in_sample_order(self.pieces)
        return {
            "material_hashes": hashes or None,
            "material_tokens": [self.pieces[one] for one in hashes] or None,
        }


_Batch = tuple[_Task, ...]


async def write_reports(stage: StageContext, limits: ReportLimits) -> None:
    """Brings all reports up to date, level by level from the deepest.

    A report stays as it is if less of its material has changed than the limits allow.
    """
    await stage.graph.write("reports/overdue", tolerance=limits.tolerance)
    found = (await stage.graph.read("reports/count", WaitingReportsRow))[0]
    stage.listen(Started("reports", int(found["n"])))
    if found["n"] and found["deepest"] is not None:
        for level in range(found["deepest"], -1, -1):
            # The level above is written from these reports.
            if not await _Level(stage, limits, level).write():
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

    async def write(self) -> bool:
        """Writes the reports; returns whether all replies have come."""
        if self.stage.batched:
            # A report that stays changes which ones are asked for together.
            async for _ in self.batches(self.stage.listen):
                pass
        # So does a report that is saved.
        return await self.stage.run_tasks(
            self.batches, self.answer, self.save, together=TOGETHER, save_at_end=True
        )

    async def batches(self, listen: Listener) -> AsyncIterator[_Batch]:
        """The tasks of this level that share a request.

        Reports that were written from the same context are left out.
        """
        after = ""
        while rows := await self.graph.read_bulk(
            "reports/pending", PendingReportRow, level=self.level, after=after, limit=PAGE
        ):
            rows.sort(key=itemgetter("id"))
            tasks = [task for some in _parts(rows) for task in await self._read(some)]
            stay = await self._that_stay(rows, tasks)
            same = [
                {"id": task.id, "pieces": task.piece_properties}
                for task in tasks
                if stay.get(task.id) == 0
            ]
            behind = [{"id": id_, "behind": share} for id_, share in stay.items() if share]
            await self.graph.write("reports/same", rows=same)
            await self.graph.write("reports/behind", rows=behind)
            listen(Advanced(len(stay)))
            new = [task for task in tasks if task.id not in stay]
            for task in new:
                if task.report:
                    yield (task,)
            asked = [task for task in new if not task.report]
            room = self.stage.backend.shared_tokens
            for batch in in_batches(asked, _tokens_of, attrgetter("id"), room, AT_ONCE):
                yield batch
            after = rows[-1]["id"]

    async def _that_stay(
        self, rows: Sequence[PendingReportRow], tasks: Sequence[_Task]
    ) -> dict[str, float]:
        """How far behind those reports of a page are that stay; 0 for those that are up to date.

        What they cite must be there: an edit may remove an entity and bring it back, with a new
        ref.
        """
        known = {row["id"]: row for row in rows}
        shares = {task.id: self._share_behind(known[task.id], task) for task in tasks}
        found = {id_: share for id_, share in shares.items() if share <= self.limits.tolerance}
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
        before = dict(zip(row["pieces"] or (), row["tokens"] or (), strict=True))
        # At least a token, since the contexts differ.
        return changed_share(before, task.pieces) or 1 / max(1, sum(task.pieces.values()))

    async def _read(self, rows: Sequence[PendingReportRow]) -> list[_Task]:
        """The tasks of some communities of a page."""
        small = {row["id"] for row in rows if row["size"] <= self.limits.smallest}
        made: dict[str, tuple[ReportMaterial, ContextTable, WrittenReport | None]] = {}
        materials = await read_materials(
            self.graph, [row["id"] for row in rows], sources=self.quoting
        )
        for id_, material in materials.items():
            report = None
            if id_ in small:
                report, table = report_of_elements(material, self.limits.budget, self.limits.count)
            elif self.quoting:
                table = whole(material)
            else:
                table = pack(material, self.limits.budget, self.limits.count)
            made[id_] = material, table, report
        records = [record for _, table, _ in made.values() for record in table.records.values()]
        refs = await _resolve(self.graph, {one for record in records for one in _cited(record)})
        return [self._task(id_, *one, refs) for id_, one in made.items()]

    def _task(
        self,
        id_: str,
        material: ReportMaterial,
        table: ContextTable,
        report: WrittenReport | None,
        refs: Mapping[CitationRef, CitedRow],
    ) -> _Task:
        known: defaultdict[CitationKind, dict[int, str]] = defaultdict(dict)
        for record in table.records.values():
            known[record.kind][record.ref] = record.id
            for kind, ref in _cited(record):
                if (kind, ref) in refs:
                    known[kind][ref] = refs[kind, ref]["id"]
        signature = ELEMENTS if report else self.signature
        lines = [_without_refs(record, refs) for record in table.records.values()]
        if self.quoting and not report:
            # The choice of quotations also depends on these texts and numbers.
            lines += [f"{s.record.id} {' '.join(s.about)} {s.text}" for s in material.sources]
            members = material.entities.values()
            of_parts = {part.id: part.title.text for part in material.parts}
            lines += [
                f"{e.record.id} {e.degree} {e.mentions} {of_parts.get(e.part or '')}"
                for e in members
            ]
            lines += [f"{edge.record.id} {edge.weight}" for edge in material.edges]
        hash_ = identify("report", signature, *lines)
        pieces = {} if self.quoting else pieces_of(table, material)
        kept = material if self.stage.backend.reads_material else ReportMaterial({}, (), ())
        return _Task(id_, kept, table, known, hash_, report, pieces)

    async def answer(self, batch: _Batch) -> Sequence[WrittenReport | ReplyError]:
        """The reports of a batch."""
        if report := batch[0].report:
            return [report]
        contexts = [(task.table, task.material) for task in batch]
        return await self.stage.run(self.stage.backend.reports(contexts))

    async def save(
        self, outcomes: Sequence[Outcome[_Batch, Sequence[WrittenReport | ReplyError]]]
    ) -> None:
        """Saves reports, and the reasons why there is none."""
        found = of_each(outcomes)
        rows = [self._row(t.item, t.result) for t in found if t.result]
        failed = [{"id": t.item.id, "reason": t.failure} for t in found if t.failure is not None]

        async def write(tx: Transaction) -> None:
            await save_reports(tx, rows)
            await tx.run("reports/failed", rows=failed)

        await self.graph.transact(write)
        self.stage.listen(Advanced(len(rows), len(failed)))

    def _row(self, task: _Task, report: WrittenReport) -> ReportToSave:
        read = None if task.report or self.quoting else task.table.text
        row, pieces = report_row(task.id, report, task.known, read), task.piece_properties
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


def _parts(rows: Sequence[PendingReportRow]) -> Iterator[Sequence[PendingReportRow]]:
    """The communities of a page in parts, each with at most MEMBERS members or one community."""
    first, members = 0, 0
    for n, row in enumerate(rows):
        members += row["size"]
        if members > MEMBERS and n > first:
            yield rows[first:n]
            first, members = n, row["size"]
    yield rows[first:]


def _tokens_of(task: _Task) -> int:
    return task.table.tokens


def _cited(record: ContextRecord) -> list[tuple[CitationKind, int]]:
    return cited(record.text) if record.kind == "Reports" else []


async def _resolve(graph: Graph, wanted: Set[CitationRef]) -> dict[CitationRef, CitedRow]:
    """The cited records by kind and ref, without those that no longer exist."""
    citations = [{"kind": kind, "ref": ref} for kind, ref in sorted(wanted)]
    rows = await graph.read_bulk("reports/cited", CitedRow, citations=citations)
    return {(row["kind"], row["ref"]): row for row in rows}


def _without_refs(record: ContextRecord, refs: Mapping[CitationRef, CitedRow]) -> str:
    """A record as it is in any graph of these documents.

    Refs depend on the order in which a graph was built, and so do the ids of communities. A cited
    record is named by its id, a cited community by the hash of what its report was written from.
    """
    if record.kind != "Reports":
        return f"{record.kind} {record.id} {record.text}"

    def name(kind: CitationKind | None, ref: int) -> str | None:
        row = refs.get((kind, ref)) if kind else None
        return row["content"] if row else None

    return f"{record.kind} {rewrite(record.text, name)}"


def report_row(
    community: str, report: WrittenReport, known: Known, material: str | None = None
) -> ReportToSave:
    """The row of a report for `graph.save_reports`, without citations of records not in `known`.

    `material` is the context that a model has read. `properties.invented` is the number of
    citations that were removed.
    """
    title, summary = keep_known(report.title, {}), keep_known(report.summary, known, material)
    rating = keep_known(report.rating_explanation, known, material)
    invented = title.removed + summary.removed + rating.removed
    markdown, findings = [f"# {title.text}", summary.text], []
    for index, finding in enumerate(report.findings):
        headline = keep_known(finding.summary, known, material)
        explanation = keep_known(finding.explanation, known, material)
        invented += headline.removed + explanation.removed
        ids: defaultdict[CitationKind, list[str]] = defaultdict(list)
        for kind, ref in {*headline.citations, *explanation.citations}:
            ids[kind].append(known[kind][ref])
        row: FindingToSave = {
            "id": identify("finding", community, index),
            "index": index,
            "summary": headline.text,
            "explanation": explanation.text,
            "relationships": sorted(ids["Relationships"]) or None,
            "entities": sorted(ids["Entities"]),
            "claims": sorted(ids["Claims"]),
            "chunks": sorted(ids["Sources"]),
            "communities": sorted(ids["Reports"]),
        }
        findings.append(row)
        markdown += [f"## {headline.text}", explanation.text]
    return {
        "id": community,
        "properties": {
            "title": title.text,
            "summary": summary.text,
            "rating": report.rating,
            "rating_explanation": rating.text,
            "report": "\n\n".join(part for part in markdown if part),
            "invented": invented or None,
        },
        "findings": findings,
    }
