"""Reads what reports are written from, and measures how much of it has changed since.

The context of a report is cut into pieces: the name of an entity, a line of a description, a claim.
A piece has a hash and a number of tokens. Two contexts are compared piece by piece, so a new line
in a description counts as one line, and not as a new description.

A model may write a wholly new text although hardly anything of its material is new. So a text of a
model is not compared by its words. It counts by a sample of the texts that the model has read: if
a tenth of these change, about a tenth of the sample changes. The sample of a report is taken of the
pieces of its own context. So a parent is as far behind as the material of its sub-communities is.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TypedDict

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.model.context import (
    ContextRecord,
    ContextTable,
    record_of_row,
    relationship_record,
    report_line,
)
from graphrag_neo4j.model.material import (
    ClaimMaterial,
    EntityMaterial,
    PartMaterial,
    RelationshipMaterial,
    ReportMaterial,
    SourceMaterial,
)
from graphrag_neo4j.text.strings import flat

QUOTED = 5  # largest number of chunks that are quoted for an entity or a pair
STANDING_IN = 5  # largest number of members that represent a sub-community without a report
SAMPLE = 16  # pieces that stand for all texts that a model has read
HASHES = 2**64  # number of different hashes
REMEMBERED = 50_000  # hashes: each piece is in a context of every level, and in those of later runs

Pieces = Mapping[int, int]
"""The number of tokens of each piece of a context, by the hash of the piece."""


class ReportEntityRow(TypedDict):
    """A member of a community; `part`: the id of the sub-community that it is in."""

    community: str
    part: str | None
    id: str
    ref: int
    name: str
    type: str | None
    description: str | None
    degree: int | None
    sample: list[int] | None
    mentions: int


class ReportEdgeRow(TypedDict):
    """A relationship inside a community, with the ids and the names of its ends.

    `opposite`: the statements that go from target to source.
    """

    community: str
    id: str
    ref: int
    source: str
    target: str
    source_name: str
    target_name: str
    predicate: str | None
    description: str | None
    weight: int | None
    opposite: int | None
    sample: list[int] | None


class ReportClaimRow(TypedDict):
    """A claim about members of a community; `about`: their ids."""

    community: str
    about: list[str]
    id: str
    ref: int
    subject: str
    object: str | None
    type: str | None
    status: str | None
    start: str | None
    end: str | None
    description: str | None
    chunk: str
    chunk_ref: int


class ReportPartRow(TypedDict):
    """A sub-community. Title, summary, report and rating are None without a report."""

    community: str
    id: str
    ref: int
    title: str | None
    summary: str | None
    report: str | None
    rating: float | None
    sample: list[int] | None


class ReportSourcesRow(TypedDict):
    """What chunks say of a community: (ref of the chunk, its id, ids of entities, text)."""

    community: str
    said: list[tuple[int, str, list[str], str]]


async def read_materials(
    graph: Graph, ids: Sequence[str], *, sources: bool = False
) -> dict[str, ReportMaterial]:
    """Reads the report material of each of these communities; with `sources` also its sources."""
    entities: defaultdict[str, dict[str, EntityMaterial]] = defaultdict(dict)
    members = await graph.read_bulk("reports/entities", ReportEntityRow, ids=ids)
    for row in sorted(members, key=itemgetter("id")):
        record = record_of_row("Entities", row, "name", "type", "description")
        entities[row["community"]][row["id"]] = EntityMaterial(
            record,
            neutralised(row["name"]),
            _lines(record),
            row["degree"] or 0,
            row["part"],
            row["mentions"],
            row["type"] or "",
            row["sample"] or (),
        )
    edges: defaultdict[str, list[RelationshipMaterial]] = defaultdict(list)
    inside = await graph.read_bulk("reports/edges", ReportEdgeRow, ids=ids)
    with_predicates = {edge["community"] for edge in inside if edge["predicate"]}
    for edge in sorted(inside, key=itemgetter("id")):
        predicates = edge["community"] in with_predicates
        record = relationship_record(edge, "source_name", "target_name", predicates=predicates)
        ends, weight, sample = (edge["source"], edge["target"]), edge["weight"], edge["sample"]
        edges[edge["community"]].append(
            RelationshipMaterial(record, *ends, _lines(record), weight or 0, sample or ())
        )
    claims: defaultdict[str, list[ClaimMaterial]] = defaultdict(list)
    for claim in await graph.read("reports/claims", ReportClaimRow, ids=ids):
        claims[claim["community"]].append(_claim(claim))
    parts: defaultdict[str, list[PartMaterial]] = defaultdict(list)
    for part in await graph.read_bulk("reports/parts", ReportPartRow, ids=ids, sample=SAMPLE):
        parts[part["community"]].append(_part(part, entities[part["community"]].values()))
    for ordered in parts.values():  # ids of communities depend on the history of the graph
        ordered.sort(key=lambda part: (part.full.text, part.id))
    said: dict[str, list[SourceMaterial]] = {}
    if sources:
        for found in await graph.read("reports/sources", ReportSourcesRow, ids=ids, most=QUOTED):
            said[found["community"]] = [
                SourceMaterial(
                    ContextRecord("Sources", ref, chunk, ""), tuple(about), neutralised(text)
                )
                for ref, chunk, about, text in found["said"]
            ]
    return {
        id_: ReportMaterial(entities[id_], edges[id_], claims[id_], parts[id_], said.get(id_, ()))
        for id_ in ids
    }


def _lines(record: ContextRecord) -> str:
    """The description of a record, each statement on a separate line."""
    return "\n".join(flat(piece) for piece in record.pieces)


def _claim(row: ReportClaimRow) -> ClaimMaterial:
    fields = ("subject", "object", "type", "status", "start", "end", "description")
    return ClaimMaterial(
        record_of_row("Claims", row, *fields),
        tuple(row["about"]),
        flat(neutralised(row["description"] or "")),
        ContextRecord("Sources", row["chunk_ref"], row["chunk"], ""),
        (row["subject"], row["object"] or "", row["type"] or ""),
    )


def _part(row: ReportPartRow, entities: Iterable[EntityMaterial]) -> PartMaterial:
    """A sub-community by its report or, without one, by its members of the highest degree."""
    if row["report"] is None:
        members = [entity for entity in entities if entity.part == row["id"]]
        members = sorted(members, key=lambda e: (-e.degree, e.record.id))[:STANDING_IN]
        title = ", ".join(entity.name for entity in members)
        full = summary = "; ".join(f"{one.name}: {flat(one.description)}" for one in members)
    else:
        title, full = flat(row["title"]), report_line(row["report"])
        summary = flat(f"{row['title']}: {row['summary']}")

    def record(text: str) -> ContextRecord:
        return ContextRecord("Reports", row["ref"], row["id"], text)

    forms = record(full), record(summary), record(title)
    return PartMaterial(row["id"], *forms, row["rating"], row["sample"] or ())


def changed_share(before: Pieces, now: Pieces) -> float:
    """The share of the material that has changed, from 0 (nothing) to 1 (everything).

    It is the share of the larger context that the other one lacks, counted in tokens.
    """
    larger = max(sum(before.values()), sum(now.values()))
    if not larger:
        return 0.0
    common = sum(min(tokens, now.get(piece, 0)) for piece, tokens in before.items())
    return (larger - common) / larger


def pieces_of(table: ContextTable, material: ReportMaterial) -> dict[int, int]:
    """The pieces of a context that was packed from the report material.

    They depend on ids and texts, and never on refs. The tokens of a record are divided among its
    pieces by their lengths.
    """
    kinds = _pieces_by_record(material)
    found: dict[int, int] = {}
    for key, record in table.records.items():
        pieces = kinds.get(key) or {_hash(*key): 1}
        whole = sum(pieces.values())
        for piece, length in pieces.items():
            tokens = max(1, round((record.tokens or 0) * length / whole))
            found[piece] = found.get(piece, 0) + tokens
    return found


def in_sample_order(pieces: Pieces) -> list[int]:
    """The hashes of the pieces, those first that a sample takes first.

    The order is random, but the same in each context; a longer piece tends to come earlier.
    """
    return sorted(pieces, key=lambda piece: ((piece % HASHES + 1) / pieces[piece], piece))


def sample_of_texts(texts: Iterable[str]) -> list[int]:
    """The sample of the texts that a model makes a description of."""
    return in_sample_order({_hash(text): len(text) for text in texts if text})[:SAMPLE]


def _pieces_by_record(material: ReportMaterial) -> dict[tuple[str, str], dict[int, int]]:
    """The lengths of the pieces of each record, by the kind and the id of the record."""
    found: dict[tuple[str, str], dict[int, int]] = {}
    for entity in material.entities.values():
        name = f"{entity.name} | {entity.type}"
        found["Entities", entity.record.id] = _described(entity.record, name, entity.sample)
    for edge in material.edges:
        ends = f"{edge.source} | {edge.target}"
        found["Relationships", edge.record.id] = _described(edge.record, ends, edge.sample)
    for part in material.parts:
        pieces = dict.fromkeys(part.sample, 1)
        found["Reports", part.id] = pieces or {_hash(part.full.text): 1}
    return found


def _described(record: ContextRecord, name: str, sample: Sequence[int]) -> dict[int, int]:
    """The pieces of an entity or a relationship: its name, and its description line by line."""
    lines = {_hash(line): len(line) for line in record.pieces}
    if sample:
        lines = dict.fromkeys(sample, max(1, sum(lines.values()) // len(sample)))
    pieces = {_hash(record.id, line): length for line, length in lines.items()}
    return {_hash(record.id, name): len(name), **pieces}


@lru_cache(REMEMBERED)
def _hash(*parts: str | int) -> int:
    """A hash that Neo4j can store: a signed integer of 64 bits."""
    text = json.dumps(parts, ensure_ascii=False)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
