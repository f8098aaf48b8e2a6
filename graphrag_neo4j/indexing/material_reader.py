"""Reads the report material of communities from the graph: what their reports are written from."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter

from graphrag_neo4j.context.citations import neutralised
from graphrag_neo4j.context.context_table import (
    ContextRecord,
    record_of_row,
    relationship_record,
    report_line,
)
from graphrag_neo4j.context.material import (
    ClaimMaterial,
    EntityMaterial,
    PartMaterial,
    RelationshipMaterial,
    ReportMaterial,
    SourceMaterial,
)
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.report_drift import SAMPLE
from graphrag_neo4j.indexing.rows import (
    ReportClaimRow,
    ReportEdgeRow,
    ReportEntityRow,
    ReportPartRow,
    ReportSourcesRow,
)
from graphrag_neo4j.text import flat

__all__ = ["read_materials"]

QUOTED = 5  # largest number of chunks that are quoted for an entity or a pair
STANDING_IN = 5  # largest number of members that represent a sub-community without a report


async def read_materials(
    graph: Graph, ids: Sequence[str], *, sources: bool = False
) -> dict[str, ReportMaterial]:
    """Reads the report material of each of these communities; with `sources` also its sources."""
    entities: defaultdict[str, dict[str, EntityMaterial]] = defaultdict(dict)
    members = await graph.read_bulk("reports/entities", ReportEntityRow, ids=ids)
    for row in sorted(members, key=itemgetter("id")):
        entities[row["community"]][row["id"]] = _entity(row)
    edges: defaultdict[str, list[RelationshipMaterial]] = defaultdict(list)
    inside = await graph.read_bulk("reports/edges", ReportEdgeRow, ids=ids)
    for edge in sorted(inside, key=itemgetter("id")):
        edges[edge["community"]].append(_edge(edge))
    claims: defaultdict[str, list[ClaimMaterial]] = defaultdict(list)
    for claim in await graph.read("reports/claims", ReportClaimRow, ids=ids):
        claims[claim["community"]].append(_claim(claim))
    parts: defaultdict[str, list[PartMaterial]] = defaultdict(list)
    for part in await graph.read("reports/parts", ReportPartRow, ids=ids, sample=SAMPLE):
        parts[part["community"]].append(_part(part, entities[part["community"]].values()))
    rows = (
        await graph.read("reports/sources", ReportSourcesRow, ids=ids, most=QUOTED)
        if sources
        else ()
    )
    quoted = {found["community"]: [_source(*one) for one in found["said"]] for found in rows}
    for ordered in parts.values():  # ids of communities depend on the history of the graph
        ordered.sort(key=lambda part: (part.full.text, part.id))
    return {
        id_: ReportMaterial(entities[id_], edges[id_], claims[id_], parts[id_], quoted.get(id_, ()))
        for id_ in ids
    }


def _lines(record: ContextRecord) -> str:
    """The description of a record, each statement on a line of its own."""
    return "\n".join(flat(piece) for piece in record.pieces)


def _entity(row: ReportEntityRow) -> EntityMaterial:
    record = record_of_row("Entities", row, "name", "type", "description")
    name, degree = neutralised(row["name"]), row["degree"] or 0
    type_ = row["type"] or ""
    return EntityMaterial(
        record,
        name,
        _lines(record),
        degree,
        row["part"],
        row["mentions"],
        type_,
        row["sample"] or (),
    )


def _edge(row: ReportEdgeRow) -> RelationshipMaterial:
    record = relationship_record(row, "source_name", "target_name")
    return RelationshipMaterial(
        record,
        row["source"],
        row["target"],
        _lines(record),
        row["weight"] or 0,
        row["sample"] or (),
    )


def _claim(row: ReportClaimRow) -> ClaimMaterial:
    fields = ("subject", "object", "type", "status", "start", "end", "description")
    source = ContextRecord("Sources", row["chunk_ref"], row["chunk"], "")
    record = record_of_row("Claims", row, *fields)
    description = flat(neutralised(row["description"] or ""))
    alike = (row["subject"], row["object"] or "", row["type"] or "")
    return ClaimMaterial(record, tuple(row["about"]), description, source, alike)


def _source(ref: int, chunk: str, about: Sequence[str], text: str) -> SourceMaterial:
    return SourceMaterial(ContextRecord("Sources", ref, chunk, ""), tuple(about), neutralised(text))


def _part(row: ReportPartRow, entities: Iterable[EntityMaterial]) -> PartMaterial:
    if row["report"] is None:
        members = sorted(
            (e for e in entities if e.part == row["id"]), key=lambda e: (-e.degree, e.record.id)
        )[:STANDING_IN]
        title = ", ".join(entity.name for entity in members)
        lines = (f"{entity.name}: {flat(entity.description)}" for entity in members)
        full = summary = "; ".join(lines)
    else:
        title, full = flat(row["title"]), report_line(row["report"])
        summary = flat(f"{row['title']}: {row['summary']}")

    def record(text: str) -> ContextRecord:
        return ContextRecord("Reports", row["ref"], row["id"], text)

    return PartMaterial(
        row["id"],
        record(full),
        record(summary),
        record(title),
        row["rating"],
        row["sample"] or (),
    )
