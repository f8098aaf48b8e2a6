"""The rows of the statements in `cypher/lookup/`, column by column."""

from typing import TypedDict

__all__ = [
    "CommunityReportRow",
    "CommunityRow",
    "EntityRow",
    "FoundEntityRow",
    "PlaceRow",
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
