"""Lookups for Python users: communities, reports, entities and sources, with their display."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypedDict

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.query.answer import Source
from graphrag_neo4j.query.misspelt import names_like
from graphrag_neo4j.text import entity_ids

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Communities",
    "Community",
    "CommunityReport",
    "CommunityReportRow",
    "CommunityRow",
    "Entity",
    "EntityRow",
    "FoundEntity",
    "FoundEntityRow",
    "PlaceRow",
    "find_entities",
    "read_communities",
    "read_entity",
    "read_report",
    "read_sources",
]


class CommunityRow(TypedDict):
    """A community in a list; `parent`: the ref of the one that it is part of."""

    ref: int
    level: int
    size: int
    title: str | None
    summary: str | None
    rating: float | None
    origin: str | None
    parent: int | None


class CommunityReportRow(TypedDict):
    """A community's report with its findings, as (summary, explanation), and its members."""

    ref: int
    level: int
    title: str | None
    summary: str | None
    rating: float | None
    rating_explanation: str | None
    origin: str | None
    text: str
    findings: list[list[str]]
    entities: list[str]


class FoundEntityRow(TypedDict):
    """An entity in a list."""

    ref: int
    name: str
    type: str | None
    description: str
    degree: int


class EntityRow(FoundEntityRow):
    """An entity; `related` holds (name, description, "to" or "from") of its neighbours."""

    related: list[list[str]]
    claims: list[str]
    communities: list[int]


class PlaceRow(TypedDict):
    """A chunk and its place in its document."""

    document: str
    title: str
    chunk: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Community:
    """A community in a list.

    `level` is 0 for the coarsest communities. `size` is the number of entities. `rating` is the
    report's rating from 0 to 10. `origin` is "model", "extractive", or "elements" for a report that
    lists the members of a small community; it is None without a report. `parent` is the ref of the
    community that contains this one; it is None on level 0.
    """

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
    """A sequence of communities, which a notebook shows as a table."""

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
        """Returns a data frame with one row for each community and its fields as columns.

        Raises ModuleNotFoundError if pandas is not installed.
        """
        import pandas  # noqa: PLC0415 - only who calls this needs pandas

        return pandas.DataFrame([asdict(community) for community in self])


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """The report of a community.

    `text` is the whole report in Markdown. `rating` is from 0 to 10. `findings` holds (summary,
    explanation) pairs. `entities` holds the names of the members; those with the most
    relationships come first.
    """

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
    """An entity.

    `degree` is the number of its relationships. `related` holds (name, description, direction) of
    each neighbour: most statements go "to" the neighbour, or come "from" it. `claims` holds the
    texts of its claims, and `communities` the refs of its communities from level 0 to the finest.
    """

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
        lines += [f"- {way} **{name}**: {description}" for name, description, way in self.related]
        return "\n\n".join(lines)


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity in a list. `degree` is the number of its relationships."""

    ref: int
    name: str
    type: str | None
    description: str
    degree: int

    def __repr__(self) -> str:
        return f"<FoundEntity {self.ref} {self.name} ({self.type}), {self.degree} relationships>"


async def read_communities(graph: Graph, level: int | None) -> Communities:
    """Returns the communities of a level, or of all levels if `level` is None."""
    rows = await graph.read("lookup/communities", CommunityRow, level=level)
    return Communities([Community(**row) for row in rows])


async def read_report(graph: Graph, ref: int) -> CommunityReport:
    """Returns the report of a community. Raises InputError if no community has this ref."""
    rows = await graph.read("lookup/report", CommunityReportRow, ref=ref)
    if not rows:
        raise InputError(f"Community {ref} is no longer in the graph, or it never was.")
    return CommunityReport(**rows[0])


async def read_entity(graph: Graph, name: str) -> Entity:
    """Returns the entity with this name, or else the one that differs in upper and lower case.

    Raises InputError, which suggests similar names, if there is no such entity.
    """
    for id_ in entity_ids(name):
        if rows := await graph.read("lookup/entity", EntityRow, id=id_):
            break
    else:
        like = await names_like(graph, name)
        hint = f" Did you mean {' or '.join(like)}?" if like else ""
        raise InputError(f"There is no entity {name!r} in the graph.{hint}")
    row = rows[0]
    row["related"] = [[neutralised(text) for text in one] for one in row["related"]]
    row["claims"] = [neutralised(text) for text in row["claims"]]
    _neutralise(row)
    return Entity(**row)


async def find_entities(graph: Graph, words: str, limit: int) -> list[FoundEntity]:
    """Returns at most `limit` entities that match a full-text query, the best match first."""
    rows = (
        await graph.read("lookup/entities", FoundEntityRow, words=words, limit=limit)
        if words
        else []
    )
    for row in rows:
        _neutralise(row)
    return [FoundEntity(**row) for row in rows]


def _neutralise(row: FoundEntityRow) -> None:
    """Returns the name and description of an entity with text like a citation neutralised."""
    row["name"] = neutralised(row["name"])
    row["description"] = neutralised(row["description"])


async def read_sources(graph: Graph, refs: Sequence[int]) -> list[Source]:
    """Returns the chunks with these refs, in the same order. Refs without a chunk are left out."""
    rows = await graph.read("lookup/sources", PlaceRow, refs=list(refs))
    by_ref = {row["chunk"]: Source(**row) for row in rows}
    return [by_ref[ref] for ref in refs if ref in by_ref]
