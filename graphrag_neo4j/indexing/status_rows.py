"""The rows of the statements in `cypher/status/`, column by column."""

from typing import TypedDict

__all__ = [
    "BehindRow",
    "BuildRow",
    "ClaimsWantedRow",
    "CountsRow",
    "CutChunkRow",
    "FailedChunkRow",
    "FailedRow",
    "LevelCoverRow",
    "PendingRow",
    "ReportCitationsRow",
    "UnusableRow",
]


class UnusableRow(TypedDict):
    """A reason why records of replies were left out, and how often that was so."""

    reason: str
    n: int


class CutChunkRow(TypedDict):
    """A list of a chunk that was cut off: "entities" or "claims"."""

    source: str
    index: int
    list: str


class FailedChunkRow(TypedDict):
    """A chunk that could not be read; `extraction`, `claims`: why."""

    source: str
    index: int
    ref: int
    extraction: str | None
    claims: str | None


class FailedRow(TypedDict):
    """Something that could not be described, reported on or embedded, and why."""

    name: str
    reason: str


class LevelCoverRow(TypedDict):
    """The communities that cover all entities at a level: those of it, and unsplit ones above it.

    `largest` is the number of entities in the largest community. `tokens` counts the tokens of all
    reports. `from_elements` and `tokens_from_elements` count only the reports of small communities,
    which list their members.
    """

    level: int
    communities: int
    largest: int
    reports: int
    from_elements: int
    tokens: int
    tokens_from_elements: int


class BuildRow(TypedDict):
    """A build: when it ran, how it ended, and what it used. `cost` is in US dollars.

    `cached_tokens` are part of `input_tokens`. `unpriced`: calls whose price is not known.
    `started` and `finished` are ISO 8601 texts.
    """

    id: str
    started: str
    finished: str | None
    outcome: str
    origin: str | None
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float
    unpriced: int


class ClaimsWantedRow(TypedDict):
    """Whether the last index extracted claims."""

    claims: bool


class CountsRow(TypedDict):
    """How many nodes and relationships of each kind a graph has."""

    documents: int
    chunks: int
    entities: int
    relationships: int
    claims: int
    mentions: int
    statements: int
    communities: int


class PendingRow(TypedDict):
    """The number of pending items of each stage, failed items included."""

    extract: int
    claims: int
    merge: int
    resolve: int
    summarize: int
    reports: int
    embed: int


class BehindRow(TypedDict):
    """The number of reports that are behind their material.

    `largest` is the largest share (0 to 1) of the material of one of them that has changed since it
    was written.
    """

    reports: int
    largest: float


class ReportCitationsRow(TypedDict):
    """The citations in reports, the removed ones, and the shortened reports of sub-communities."""

    citations: int
    invented: int
    shortened: int
