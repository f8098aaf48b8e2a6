"""What there is to write a report from: a community's elements, its parts' reports, its sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.context.context_table import ContextRecord

__all__ = [
    "ClaimMaterial",
    "EntityMaterial",
    "PartMaterial",
    "RelationshipMaterial",
    "ReportMaterial",
    "SourceMaterial",
]


@dataclass(frozen=True, slots=True)
class EntityMaterial:
    """`description`: a line for each statement. `part`: the sub-community that it belongs to, None
    where it belongs to none; `mentions`: the number of chunks that name it."""

    record: ContextRecord
    name: str
    description: str
    degree: int
    part: str | None = None
    mentions: int = 0


@dataclass(frozen=True, slots=True)
class RelationshipMaterial:
    """A relationship between two entities of the community, given by their ids; `description`: a
    line for each statement; `weight`: the number of all statements."""

    record: ContextRecord
    source: str
    target: str
    description: str
    weight: int = 0


@dataclass(frozen=True, slots=True)
class ClaimMaterial:
    """A claim about entities (by their ids), of which one at least is of the community;
    `source`: the chunk that makes it."""

    record: ContextRecord
    about: tuple[str, ...]
    description: str
    source: ContextRecord | None = None


@dataclass(frozen=True, slots=True)
class PartMaterial:
    """A sub-community's report: in full, shortened to title and summary, and to its title."""

    id: str
    full: ContextRecord
    summary: ContextRecord
    title: ContextRecord
    rating: float | None


@dataclass(frozen=True, slots=True)
class SourceMaterial:
    """What a chunk says of entities of the community (by their ids), as it says it."""

    record: ContextRecord
    about: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """All that there is to write of one community; `sources` only for a thinker that quotes."""

    entities: Mapping[str, EntityMaterial]
    edges: Sequence[RelationshipMaterial]
    claims: Sequence[ClaimMaterial]
    parts: Sequence[PartMaterial] = ()
    sources: Sequence[SourceMaterial] = ()
