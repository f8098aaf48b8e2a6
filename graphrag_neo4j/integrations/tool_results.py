"""What the tools of the MCP server reply; the SDK makes schemas of these classes.

(It takes what a class holds by a field's name for the default, so the classes have no slots.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_neo4j.context.citations import neutralised
from graphrag_neo4j.query.answer import Answer, Citation, Source
from graphrag_neo4j.query.lookup import CommunityReport, FoundEntity
from graphrag_neo4j.text import flat, shortened

__all__ = [
    "Entities",
    "ReportText",
    "ToolAnswer",
    "ToolCitation",
    "ToolPassage",
    "ToolSource",
    "passage",
    "report_text",
    "told",
    "told_context",
]

QUOTED = 300  # characters of a place
MEMBERS = 50  # entities of a report that are named


@dataclass(frozen=True)
class ToolSource:
    """Characters [start, end) of a document, within a chunk; `quote` is how they begin.

    The quote is empty where no sentence of the chunk says what it is cited for.
    """

    document: str
    title: str
    chunk: int
    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class ToolCitation:
    """What a citation such as `Entities (5)` stands for, and the places that say so.

    `supported`: it was in what the answer was made from.
    """

    citation: str
    title: str | None
    supported: bool
    places: list[ToolSource]


@dataclass(frozen=True)
class ToolAnswer:
    """An answer with its sources; under `context_only` the text is what one can be made from."""

    text: str
    context_only: bool
    note: str
    sources: list[ToolCitation]


@dataclass(frozen=True)
class Entities:
    """Entities by name, the best first."""

    entities: list[FoundEntity]


@dataclass(frozen=True)
class ReportText:
    """A community's report in Markdown; `size` is the number of its entities, the best connected
    of which are named."""

    ref: int
    level: int
    title: str | None
    rating: float | None
    text: str
    size: int
    entities: list[str]


@dataclass(frozen=True)
class ToolPassage:
    """The whole text of a chunk: characters [start, end) of a document."""

    chunk: int
    document: str
    title: str
    start: int
    end: int
    text: str


def told(answer: Answer) -> ToolAnswer:
    """An answer with what its sources say of it."""
    return ToolAnswer(answer.text, False, "", [_cited(citation) for citation in answer.citations])


def told_context(answer: Answer) -> ToolAnswer:
    """What an answer can be made from; of several parts, each as large as one call takes, one."""
    note = "No model is set, so this is the material: answer from it, and cite it by its ids."
    if len(answer.context) > 1:
        note += f" It is the first of {len(answer.context)} parts; a coarser level takes fewer."
    return ToolAnswer("".join(shown.text for shown in answer.context[:1]), True, note, [])


def report_text(report: CommunityReport) -> ReportText:
    """A report without what its text says again."""
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
    """A chunk, in which what looks like a citation is neutralised."""
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
