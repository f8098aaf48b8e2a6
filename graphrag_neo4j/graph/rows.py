"""The rows of statements, column by column: those of this package, and those that many have."""

from typing import TypedDict

__all__ = [
    "AnalyzerRow",
    "CostRow",
    "CountRow",
    "DumpedNodeRow",
    "DumpedRelationshipRow",
    "IdRow",
    "IdsRow",
    "IndexRow",
    "MadeWithRow",
    "NamesRow",
    "NewRefsRow",
    "OpenBuildRow",
    "ScoredPairRow",
    "ScoredRow",
    "SearchIndexRow",
    "SourceRow",
    "SpellingRow",
    "VersionRow",
]


class CostRow(TypedDict):
    """What something cost, in US dollars."""

    cost: float


class CountRow(TypedDict):
    """How many there are."""

    n: int


class IdRow(TypedDict):
    """The id of a node."""

    id: str


class IdsRow(TypedDict):
    """The ids of several nodes or relationships, in one row."""

    ids: list[str]


class SourceRow(TypedDict):
    """The source of a document."""

    source: str


class ScoredRow(TypedDict):
    """A node that an index has found."""

    id: str
    score: float


class SpellingRow(TypedDict):
    """A spelling that was looked for by `key`.

    `n` counts its evidence. `decided` is True where decisions are about it: then it is a Spelling
    node, and `entity` holds its evidence.
    """

    key: str
    id: str
    name: str
    type: str | None
    n: int
    entity: str | None
    decided: bool


class ScoredPairRow(TypedDict):
    """A relationship that the full-text index has found, with the ids of its ends."""

    id: str
    source: str
    target: str
    score: float


class VersionRow(TypedDict):
    """The schema version of a graph."""

    version: int | None


class MadeWithRow(TypedDict):
    """The model and the dimensions of a graph's vectors; None where there are none."""

    model: str | None
    dimensions: int | None


class NewRefsRow(TypedDict):
    """The ids that have no ref yet, and the last ref that was given before theirs."""

    missing: list[str]
    before: int


class OpenBuildRow(TypedDict):
    """A build without an outcome; `age`: seconds since its lease was renewed."""

    id: str
    host: str
    process: int
    born: float
    command: str
    age: float


class NamesRow(TypedDict):
    """All names of properties and relationship types in a database."""

    names: list[str]


class IndexRow(TypedDict):
    """A range index; `unique`: no constraint owns it."""

    label: str
    properties: list[str]
    unique: bool


class AnalyzerRow(TypedDict):
    """An analyser of full-text indexes."""

    analyzer: str


class SearchIndexRow(TypedDict):
    """An index of any type, and how it is configured."""

    name: str
    type: str
    of: str
    labels: list[str] | None
    properties: list[str] | None
    config: dict[str, object]


class DumpedNodeRow(TypedDict):
    """A node with all its properties; `ref` is None where it has none."""

    labels: list[str]
    id: str
    ref: int | None
    properties: dict[str, object]


class DumpedRelationshipRow(TypedDict):
    """A relationship with the ids of its ends and all its properties.

    `id` and `ref` are None where the relationship has none.
    """

    type: str
    start: str
    end: str
    id: str | None
    ref: int | None
    properties: dict[str, object]
