"""The results of the tools of the MCP server. The SDK makes JSON schemas from these classes.

The classes have no slots, because the SDK would take a slot for the default of its field.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_neo4j.context.citations import neutralised
from graphrag_neo4j.query.answer import Answer, Citation, Source
from graphrag_neo4j.query.lookup import CommunityReport, FoundEntity
from graphrag_neo4j.text import flat, shortened

__all__ = [
    "Entities",
    "Questions",
    "ReportText",
    "SuggestedQuestion",
    "ToolAnswer",
    "ToolCitation",
    "ToolPassage",
    "ToolSource",
    "passage",
    "report_text",
    "tool_answer",
    "tool_context",
]

QUOTED = 300  # characters of a quote
MEMBERS = 50  # entities of a community that a report names


@dataclass(frozen=True)
class ToolSource:
    """A passage: the characters [start, end) of a document, which lie in a chunk.

    `quote` is the beginning of the passage. It is empty if no sentence of the chunk supports the
    statement.
    """

    document: str
    title: str
    chunk: int
    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class ToolCitation:
    """The meaning of a citation such as `Entities (5)`, with the places that support it.

    `supported` tells whether the cited element was in the context of the answer.
    """

    citation: str
    title: str | None
    supported: bool
    places: list[ToolSource]


@dataclass(frozen=True)
class ToolAnswer:
    """An answer with its sources. With `context_only` the text is a context for an answer."""

    text: str
    context_only: bool
    note: str
    sources: list[ToolCitation]


@dataclass(frozen=True)
class Entities:
    """Entities that a name matches, the best match first."""

    entities: list[FoundEntity]


@dataclass(frozen=True)
class SuggestedQuestion:
    """A question, and the name of the tool that suits it."""

    tool: str
    question: str


@dataclass(frozen=True)
class Questions:
    """Suggested questions, those on the whole first."""

    questions: list[SuggestedQuestion]


@dataclass(frozen=True)
class ReportText:
    """The report on a community in Markdown.

    `size` is the number of entities in the community. `entities` names those with the most
    relationships.
    """

    ref: int
    level: int
    title: str | None
    rating: float | None
    text: str
    size: int
    entities: list[str]


@dataclass(frozen=True)
class ToolPassage:
    """The whole text of a chunk, which is the characters [start, end) of a document."""

    chunk: int
    document: str
    title: str
    start: int
    end: int
    text: str


def tool_answer(answer: Answer) -> ToolAnswer:
    """Returns an answer with its sources. The note says what was left out or is missing."""
    sources = [_cited(citation) for citation in answer.citations]
    missing = [answer.incomplete] if answer.incomplete else []
    return ToolAnswer(answer.text, False, " ".join([*answer.notices, *missing]), sources)


def tool_context(answer: Answer) -> ToolAnswer:
    """Returns the context for an answer. If there are several context tables, it is the first."""
    note = "No model is set, so this is a context: answer from it, and cite its ids."
    if len(answer.context) > 1:
        note += f" It is the first of {len(answer.context)} parts; a coarser level has fewer."
    return ToolAnswer("".join(table.text for table in answer.context[:1]), True, note, [])


def report_text(report: CommunityReport) -> ReportText:
    """Returns a report without the fields that its text repeats."""
    return ReportText(
        report.ref,
        report.level,
        report.title,
        report.rating,
        report.text,
        len(report.entities),
        list(report.entities[:MEMBERS]),
    )


def passage(source: Source) -> ToolPassage:
    """Returns a chunk. Text that looks like a citation is neutralised."""
    return ToolPassage(
        source.chunk,
        source.document,
        neutralised(source.title),
        source.start,
        source.end,
        neutralised(source.text),
    )


def _cited(citation: Citation) -> ToolCitation:
    name = f"{citation.kind} ({citation.ref})"
    return ToolCitation(name, citation.title, citation.supported, _places(citation.sources))


def _places(sources: Sequence[Source]) -> list[ToolSource]:
    return [
        ToolSource(
            source.document,
            source.title,
            source.chunk,
            *source.place,
            shortened(flat(source.quoted), QUOTED, len) if source.quote else "",
        )
        for source in sources
    ]
