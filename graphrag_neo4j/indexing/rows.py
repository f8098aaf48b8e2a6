"""The rows of the statements that the status and the stages read, column by column."""

from typing import TypedDict

__all__ = [
    "BuildRow",
    "CutChunkRow",
    "FailedChunkRow",
    "FailedRow",
    "LevelCoverRow",
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
    """The cover of a level; tokens are those of its reports."""

    level: int
    communities: int
    largest: int
    reports: int
    from_elements: int
    tokens: int
    tokens_from_elements: int


class BuildRow(TypedDict):
    """A build: when it ran, how it ended, what it used; `cost` in US dollars.

    `unpriced`: calls whose price is not known. `started` and `finished` are ISO 8601 texts.
    """

    id: str
    started: str
    finished: str | None
    outcome: str
    origin: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float
    unpriced: int
