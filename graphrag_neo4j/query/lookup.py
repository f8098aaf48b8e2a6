"""What Python users look up: communities, a report, an entity, shown well where they are shown."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from graphrag_neo4j.context.citations import neutralised
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.ids import entity_id
from graphrag_neo4j.query.answer import Source
from graphrag_neo4j.query.misspelt import names_like
from graphrag_neo4j.query.rows import (
    CommunityReportRow,
    CommunityRow,
    EntityRow,
    FoundEntityRow,
    PlaceRow,
)

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Communities",
    "Community",
    "CommunityReport",
    "Entity",
    "FoundEntity",
    "find_entities",
    "read_communities",
    "read_entity",
    "read_report",
    "read_sources",
]


@dataclass(frozen=True, slots=True)
class Community:
    """A community in a list; `parent`: the ref of the one it is part of."""

    ref: int
    level: int
    size: int
    title: str | None
    summary: str | None
    rating: float | None
    origin: str | None
    parent: int | None

    def __repr__(self) -> str:
        return f"<Community {self.ref}, level {self.level}, {self.size} entities: {self.title}>"


class Communities(Sequence[Community]):
    """Communities as a sequence, as a table in a notebook, and for pandas."""

    def __init__(self, found: Sequence[Community]) -> None:
        self._found = tuple(found)

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, i: int) -> Community:  # type: ignore[override] # no slices
        return self._found[i]

    def __iter__(self) -> Iterator[Community]:
        return iter(self._found)

    def __repr__(self) -> str:
        levels = sorted({community.level for community in self})
        return f"<Communities: {len(self)} on levels {', '.join(map(str, levels)) or 'none'}>"

    def __str__(self) -> str:
        return "\n".join(map(repr, self._found)) or repr(self)

    def _repr_markdown_(self) -> str:
        rows = [f"| {c.ref} | {c.level} | {c.size} | {c.rating} | {c.title} |" for c in self]
        head = ["| ref | level | entities | rating | title |", "|---|---|---|---|---|"]
        return "\n".join([*head, *rows])

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each community."""
        import pandas  # noqa: PLC0415 - where it is wanted, it is there

        return pandas.DataFrame([asdict(community) for community in self])


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """A community's report; `text` is the whole in Markdown, `findings` are (summary, explanation)
    pairs, `entities` its members' names, the best connected first."""

    ref: int
    level: int
    title: str | None
    summary: str | None
    rating: float | None
    rating_explanation: str | None
    origin: str | None
    text: str
    findings: Sequence[Sequence[str]]
    entities: Sequence[str]

    def __repr__(self) -> str:
        return f"<Report {self.ref}, level {self.level}: {self.title}>"

    def _repr_markdown_(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity; `related` are (name, description) pairs, `communities` refs from level 0 down."""

    ref: int
    name: str
    type: str | None
    description: str
    degree: int
    related: Sequence[Sequence[str]]
    claims: Sequence[str]
    communities: Sequence[int]

    def __repr__(self) -> str:
        return f"<Entity {self.ref} {self.name} ({self.type}), {self.degree} relationships>"

    def _repr_markdown_(self) -> str:
        lines = [f"## {self.name}", f"*{self.type or 'entity'}*", self.description]
        lines += [f"- **{name}**: {description}" for name, description in self.related]
        return "\n\n".join(lines)


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity in a list; `degree`: how many others it is related to."""

    ref: int
    name: str
    type: str | None
    description: str
    degree: int

    def __repr__(self) -> str:
        return f"<FoundEntity {self.ref} {self.name} ({self.type}), {self.degree} relationships>"


async def read_communities(graph: Graph, level: int | None) -> Communities:
    """The communities of a level, or all."""
    rows = await graph.read("look/communities", CommunityRow, level=level)
    return Communities([Community(**row) for row in rows])


async def read_report(graph: Graph, ref: int) -> CommunityReport:
    """Raises InputError where no community has that ref."""
    rows = await graph.read("look/report", CommunityReportRow, ref=ref)
    if not rows:
        raise InputError(f"Community {ref} is no longer in the graph, or never was.")
    return CommunityReport(**rows[0])


async def read_entity(graph: Graph, name: str) -> Entity:
    """By its name, in capitals or not; raises InputError, with the nearest names, for another."""
    rows = await graph.read("look/entity", EntityRow, id=entity_id(name))
    if not rows:
        like = await names_like(graph, name)
        hint = f" Did you mean {' or '.join(like)}?" if like else ""
        raise InputError(f"There is no entity {name!r} in the graph.{hint}")
    row = rows[0]
    row["related"] = [[neutralised(text) for text in pair] for pair in row["related"]]
    row["claims"] = [neutralised(text) for text in row["claims"]]
    _neutralise(row)
    return Entity(**row)


async def find_entities(graph: Graph, words: str, limit: int) -> list[FoundEntity]:
    """The entities that a full-text query finds, the best first."""
    rows = (
        await graph.read("look/entities", FoundEntityRow, words=words, limit=limit) if words else []
    )
    for row in rows:
        _neutralise(row)
    return [FoundEntity(**row) for row in rows]


def _neutralise(row: FoundEntityRow) -> None:
    """Takes all that looks like a citation out of the name and the description of an entity."""
    row["name"] = neutralised(row["name"])
    row["description"] = neutralised(row["description"])


async def read_sources(graph: Graph, refs: Sequence[int]) -> list[Source]:
    """The chunks with these refs, in their order; those that are gone are left out."""
    rows = await graph.read("look/sources", PlaceRow, refs=list(refs))
    by_ref = {row["chunk"]: Source(**row) for row in rows}
    return [by_ref[ref] for ref in refs if ref in by_ref]
