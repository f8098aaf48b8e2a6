"""The rows of the statements that searches and answers read, column by column."""

from typing import NotRequired, TypedDict

from graphrag_neo4j.model.citations import CitationKind

__all__ = [
    "ChunkRow",
    "ClaimRow",
    "CoverRow",
    "CoveredRow",
    "DocumentOfRow",
    "LevelRow",
    "LocalRow",
    "MentionColumns",
    "MentionedInRow",
    "NamedRow",
    "NearNameRow",
    "NeighbourhoodRow",
    "OneHopRow",
    "PartRow",
    "ProvenanceRow",
    "ReachRow",
    "RelatedColumns",
    "RelationshipRow",
    "RepeatedRow",
    "ReportRow",
    "ResolvedRow",
    "SeedColumns",
    "ShownEntityRow",
    "StateRow",
    "StatementRow",
    "SurroundingsRow",
    "WordRow",
]


class StateRow(TypedDict):
    """What an answer can be made from."""

    chunks: int
    entities: int
    communities: int
    reports: bool
    embedding_model: str | None
    schema_version: int | None


class ChunkRow(TypedDict):
    """A chunk."""

    id: str
    ref: int
    text: str


class ReportRow(TypedDict):
    """A community that has a report; `n_tokens`: of the report."""

    id: str
    ref: int
    title: str
    summary: str
    report: str
    n_tokens: int | None


class ShownEntityRow(TypedDict):
    """An entity that a model is shown."""

    id: str
    ref: int
    name: str
    type: str
    description: str


class RelationshipRow(TypedDict):
    """A relationship with the names of its ends in the direction of most of its statements.

    `weight` is the number of its statements; `opposite` of them go the other way.
    """

    id: str
    ref: int
    source: str
    target: str
    description: str
    weight: float
    opposite: int | None


class ClaimRow(TypedDict):
    """A claim with the names of its subject and object."""

    id: str
    ref: int
    subject: str
    object: str | None
    type: str
    status: str | None
    start: str | None
    end: str | None
    description: str


class NeighbourhoodRow(TypedDict):
    """Entities, the claims about them, and the communities with a report that they are in."""

    entities: list[ShownEntityRow]
    claims: list[ClaimRow]
    communities: list[ReportRow]


class OneHopRow(TypedDict):
    """The relationships between entities and to others, and the chunks that support them."""

    inner: list[RelationshipRow]
    outward: list[RelationshipRow]
    chunks: list[ChunkRow]


class LocalRow(NeighbourhoodRow, OneHopRow):
    """All that a local context is made from."""


class StatementRow(TypedDict):
    """The text of a statement, and the ids of the entities between which it stands."""

    text: str
    ends: list[str]


class SeedColumns(TypedDict):
    """The ids of entities, and how many chunks mention each."""

    entity: list[str]
    chunks: list[int]


class RelatedColumns(TypedDict):
    """The ids of relationships and of their ends; `weight` is the number of their statements."""

    id: list[str]
    source: list[str]
    target: list[str]
    weight: list[float]


class MentionColumns(TypedDict):
    """The ids of chunks and of the entities that they mention.

    `titled` tells whether the title of the chunk's document is the name of the entity.
    """

    chunk: list[str]
    entity: list[str]
    titled: list[bool]


class SurroundingsRow(TypedDict):
    """The graph around entities and chunks, in columns: lists of the same length by name."""

    seeds: SeedColumns
    related: RelatedColumns
    mentions: MentionColumns


class CoveredRow(ReportRow):
    """A community that a global question is answered from.

    `plain`: its report was made of its elements, without a model. `connected`: the sum of its
    members' degrees, for a plain one where this was asked for.
    """

    plain: bool
    level: int
    connected: NotRequired[int | None]


class PartRow(CoveredRow):
    """A part of the community `parent`."""

    parent: str


class CoverRow(CoveredRow):
    """A community of the cover of a level.

    `nearness`: to the vector that was given, 0 to 1; None without one.
    """

    nearness: float | None


class LevelRow(TypedDict):
    """A level with the tokens of the reports of its cover.

    `tokens` counts the reports that a model wrote, and `plain` those made without a model.
    """

    level: int
    tokens: int
    plain: int


class NamedRow(TypedDict):
    """An entity that the full-text index has found."""

    id: str
    name: str
    score: float


class WordRow(TypedDict):
    """A word."""

    word: str


class NearNameRow(TypedDict):
    """An entity whose name holds a word that is like `word`."""

    word: str
    name: str
    degree: int | None


class ResolvedRow(TypedDict):
    """A place that a citation stands for; all but `kind` and `ref` may be None."""

    kind: CitationKind
    ref: int
    title: str | None
    source: str | None
    document: str | None
    chunk: int | None
    start: int | None
    end: int | None
    placed: bool
    text: str | None


class ProvenanceRow(TypedDict):
    """A chunk that a quotation may stand in; `number` is the number of the quotation.

    `earlier` holds the texts of the chunks before it, the nearest first.
    """

    number: int
    ref: int
    text: str
    start: int
    document: str
    title: str | None
    earlier: list[str]


class RepeatedRow(TypedDict):
    """The number of documents that hold a phrase; `number` is the number of the phrase."""

    number: int
    documents: int


class ReachRow(TypedDict):
    """The numbers of the members of a community, and of the documents that mention them."""

    ref: int
    members: int
    documents: int


class DocumentOfRow(TypedDict):
    """A document, and how many of some chunks it has."""

    document: str
    n: int


class MentionedInRow(TypedDict):
    """The number of chunks of a document that mention the entity `id`."""

    id: str
    document: str
    title: str | None
    n: int
