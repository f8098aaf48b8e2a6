"""The rows of the statements in `cypher/map/` and `cypher/lookup/`, column by column."""

from typing import TypedDict

__all__ = [
    "ExampleRow",
    "MapChunkRow",
    "MapClaimRow",
    "MapCommunityRow",
    "MapEntityRow",
    "MapRelationshipRow",
]


class ExampleRow(TypedDict):
    """The refs of two related communities, and the name of an entity of the first one."""

    community: int | None
    other: int | None
    entity: str | None


class MapChunkRow(TypedDict):
    """A chunk; `document` is the title of its document, `start` its place there."""

    ref: int
    document: str
    source: str
    start: int
    text: str


class MapEntityRow(TypedDict):
    """An entity; `community` is the ref of its leaf, `chunks` holds refs."""

    ref: int
    name: str
    type: str
    description: str
    degree: int
    community: int | None
    chunks: list[int]


class MapRelationshipRow(TypedDict):
    """A relationship; its ends and its chunks are refs."""

    ref: int
    source: int
    target: int
    weight: float
    description: str
    chunks: list[int]


class MapClaimRow(TypedDict):
    """A claim; `start` and `end` are the place of its quotation in the chunk with this ref."""

    ref: int
    description: str
    status: str | None
    since: str | None
    until: str | None
    chunk: int
    start: int | None
    end: int | None
    entities: list[int]


class MapCommunityRow(TypedDict):
    """A community with its report; each finding is its summary and its explanation."""

    ref: int
    parent: int | None
    level: int
    size: int
    title: str | None
    summary: str | None
    rating: float | None
    why: str | None
    origin: str | None
    findings: list[tuple[str, str]]
