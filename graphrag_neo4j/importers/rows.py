"""The rows of the tables as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass

from graphrag_neo4j.model import Scalar, WrittenReport

__all__ = [
    "ClaimRow",
    "CommunityRow",
    "DocumentRow",
    "EntityRow",
    "RelationshipRow",
    "ReportRow",
    "Tables",
    "UnitRow",
]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document. Its text may be empty."""

    id: str
    title: str
    text: str
    metadata: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class UnitRow:
    """A text unit. `document` is the id of the first document that it belongs to, or empty."""

    id: str
    number: int | None
    text: str
    document: str


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity, and the ids of the text units that mention it."""

    id: str
    number: int | None
    name: str
    type: str
    description: str
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationshipRow:
    """A relationship, and the ids of the text units that state it."""

    number: int | None
    source: str
    target: str
    description: str
    weight: float | None
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim: the fields of `claim_record`, and the id of the text unit that makes it."""

    number: int | None
    fields: tuple[str, ...]
    unit: str


@dataclass(frozen=True, slots=True)
class CommunityRow:
    """A community with its number; its members are ids of entity rows."""

    number: int | None
    parent: int | None
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportRow:
    """The report of the community with this number."""

    community: int | None
    report: WrittenReport


@dataclass(frozen=True, slots=True)
class Tables:
    """All rows of all tables. There may be no claims, communities and reports.

    `fingerprint` is a hash of the files. `replaced` is the number of characters that can't be
    stored and were replaced.
    """

    documents: list[DocumentRow]
    units: list[UnitRow]
    entities: list[EntityRow]
    relationships: list[RelationshipRow]
    claims: list[ClaimRow]
    communities: list[CommunityRow]
    reports: list[ReportRow]
    fingerprint: str
    replaced: int
