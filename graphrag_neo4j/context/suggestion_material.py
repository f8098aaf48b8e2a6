"""What questions are suggested from: reports, entities and the passages that mention them."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["DraftQuestion", "ReportTopic", "SuggestionMaterial", "Topic"]


@dataclass(frozen=True, slots=True)
class ReportTopic:
    """A report of the coarsest level. `findings` are the summaries of its first findings."""

    title: str
    summary: str
    findings: Sequence[str]


@dataclass(frozen=True, slots=True)
class Topic:
    """An entity that a question may be about.

    `documents` is the number of documents that mention it. `passages` holds (source of the
    document, text of the chunk) pairs; it is empty for a backend that reads none.
    """

    id: str
    name: str
    type: str
    description: str
    documents: int
    passages: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, slots=True)
class SuggestionMaterial:
    """What questions are suggested from.

    `pairs` holds the names of related entities. `documents` is the number of all documents. For a
    question that follows on an answer, `asked` holds the questions so far, the last one at the end,
    and `answer` the last answer.
    """

    reports: Sequence[ReportTopic]
    topics: Sequence[Topic]
    pairs: Sequence[tuple[str, str]]
    documents: int
    asked: Sequence[str] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """A question that is not checked yet. `whole` tells whether it is about the whole corpus.

    `about` holds the ids of the entities that it was made for; it is empty where only the text
    tells them.
    """

    text: str
    whole: bool
    about: tuple[str, ...] = ()
