"""The rows of the statements in `cypher/suggest/`, column by column."""

from typing import TypedDict

__all__ = ["MembersRow", "PairRow", "TopReportRow", "TopicRow"]


class MembersRow(TypedDict):
    """The ids of the foremost members of a community."""

    members: list[str]


class TopReportRow(MembersRow):
    """A report of the coarsest level, with the summaries of its first findings."""

    title: str
    summary: str
    findings: list[str]


class TopicRow(TypedDict):
    """An entity; `passages` holds (source of the document, text) of some chunks that mention it."""

    id: str
    name: str
    type: str
    description: str
    documents: int
    passages: list[list[str]]


class PairRow(TypedDict):
    """The names of two related entities, and the number of statements on both."""

    source: str
    target: str
    weight: float
