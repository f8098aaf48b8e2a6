"""What there is to write a report from: a community's elements, its parts' reports, its sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.tables import Record

__all__ = ["Claim", "Edge", "Entity", "Material", "Part", "Source"]


@dataclass(frozen=True, slots=True)
class Entity:
    """`description`: a line for each statement. `part`: the sub-community that it belongs to, None
    where it belongs to none; `mentions`: the number of chunks that name it."""

    record: Record
    name: str
    description: str
    degree: int
    part: str | None = None
    mentions: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship between two entities of the community, given by their ids; `description`: a
    line for each statement; `weight`: the number of all statements."""

    record: Record
    source: str
    target: str
    description: str
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about entities (by their ids), of which one at least is of the community;
    `source`: the chunk that makes it."""

    record: Record
    about: tuple[str, ...]
    description: str
    source: Record | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-community's report: in full, shortened to title and summary, and to its title."""

    id: str
    full: Record
    summary: Record
    title: Record
    rating: float | None


@dataclass(frozen=True, slots=True)
class Source:
    """What a chunk says of entities of the community (by their ids), as it says it."""

    record: Record
    about: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Material:
    """All that there is to write of one community; `sources` only for a thinker that quotes."""

    entities: Mapping[str, Entity]
    edges: Sequence[Edge]
    claims: Sequence[Claim]
    parts: Sequence[Part] = ()
    sources: Sequence[Source] = ()
