"""The rows of statements that several modules read, column by column, and pages of rows."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypedDict, TypeVar

T = TypeVar("T")


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

    `n` counts its chunks, and `documents` their documents. `decided` is True where decisions are
    about it: then it is a Spelling node, and `entity` holds its evidence.
    """

    key: str
    id: str
    name: str
    type: str | None
    n: int
    documents: int
    entity: str | None
    decided: bool


class ScoredPairRow(TypedDict):
    """A relationship that the full-text index has found, with the ids of its ends."""

    id: str
    source: str
    target: str
    score: float


class MadeWithRow(TypedDict):
    """The model and the dimensions of a graph's vectors; None where there are none."""

    model: str | None
    dimensions: int | None


def pages(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """The rows in lists of at most `size`."""
    left = iter(rows)
    while page := list(islice(left, size)):
        yield page
