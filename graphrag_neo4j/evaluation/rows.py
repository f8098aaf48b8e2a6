"""The rows of the statements in `cypher/evaluation/`, column by column."""

from typing import TypedDict

__all__ = ["ContentRow", "SizesRow"]


class ContentRow(TypedDict):
    """A node or relationship, with all of it that an answer may depend on."""

    id: str
    content: list[str]


class SizesRow(TypedDict):
    """The number of chunks, and the number of their tokens."""

    chunks: int
    tokens: int
