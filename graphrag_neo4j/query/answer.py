"""The answer to a question: its text, its citations, its context tables and its cost."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model import Usage
from graphrag_neo4j.model.citations import CitationKind, cited, footnoted, neutralised, statements
from graphrag_neo4j.model.citations import CitationRef as Cited
from graphrag_neo4j.model.context_table import ContextTable
from graphrag_neo4j.query.rows import ResolvedRow
from graphrag_neo4j.text import flat

__all__ = ["METHODS", "Answer", "Citation", "Method", "Source", "resolve_citations"]

SHOWN: Final = 60  # characters of a text in a `repr`
Method = Literal["global", "local", "drift", "basic", "text"]
METHODS: Final[tuple[Method, ...]] = ("global", "local", "drift", "basic", "text")


@dataclass(frozen=True, slots=True)
class Source:
    """A passage of a document, which supports a citation.

    `document` is the document's source (a path or a URL), `title` its title, and `chunk` the ref of
    the chunk. The passage is the characters [start, end) of the document; `text` is exactly this
    part. `quote` is the range [start, end) of characters in the document of the sentence that
    supports the statement. It is None where no sentence supports it well enough; then only the
    place is known.
    """

    document: str
    title: str
    chunk: int
    start: int
    end: int
    text: str
    quote: tuple[int, int] | None = None

    def __repr__(self) -> str:
        start, end = self.place
        return f"<Source {self.document}, characters {start:,}–{end:,}: {_short(self.quoted)}>"

    @property
    def place(self) -> tuple[int, int]:
        """The characters [start, end) of the quote in the document; without a quote, of `text`."""
        return self.quote or (self.start, self.end)

    @property
    def quoted(self) -> str:
        """The text at `place`. Text that looks like a citation is neutralised."""
        start, end = self.place
        return neutralised(self.text)[start - self.start : end - self.start]


@dataclass(frozen=True, slots=True)
class Citation:
    """The meaning of `[Data: <kind> (<ref>)]` in an answer, with the sources that support it.

    `title` is the title or name of the cited element, or None if the graph no longer holds it.
    `supported` tells whether the cited element was in the context of the answer.
    """

    kind: CitationKind
    ref: int
    title: str | None
    supported: bool
    sources: Sequence[Source] = ()

    def __repr__(self) -> str:
        flaw = "" if self.supported else ", unsupported"
        return f"<Citation {_short(str(self))}, {len(self.sources)} sources{flaw}>"

    def __str__(self) -> str:
        return f"{self.kind} ({self.ref}): {self.title or 'no longer in the graph'}"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in Markdown, with all that it was made from.

    `question` is the question that was answered. Where it followed on earlier questions, it is in
    the form that a model gave it so that it can be understood alone.
    `context` holds the context tables that the answer was made from, one for each call. `origin`
    is "extractive" where the answer consists of quotations and no model wrote it. `found` tells
    whether an answer was found. `notices` holds sentences that a reader must know, such as
    which part of the data was left out. `incomplete` is a sentence that says why the end of the
    text is missing; it is None if the text is complete. `usage` holds the calls, tokens and US
    dollars of each step. `elapsed` is the time in seconds.
    """

    text: str
    method: Method
    citations: Sequence[Citation] = ()
    context: Sequence[ContextTable] = field(default=(), repr=False)
    usage: Mapping[str, Usage] = field(default_factory=dict, repr=False)
    elapsed: float = 0.0
    origin: Literal["model", "extractive"] = "model"
    found: bool = True
    question: str = ""
    notices: Sequence[str] = ()
    incomplete: str | None = None

    def __repr__(self) -> str:
        cited = f"{len(self.text):,} characters, {len(self.citations)} citations"
        return f"<Answer by {self.method} search, {cited}: {_short(self.text)}>"

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text

    def footnoted(self, numbers: Mapping[Cited, int]) -> str:
        """Returns the text as Markdown with the footnote mark `[^n]` instead of each citation.

        Links, images and HTML in it, which may come from a document, are escaped. `numbers` gives
        the number n of each citation.
        """
        return footnoted(self.text, numbers, quotes=self.origin == "extractive")

    @property
    def cited(self) -> Sequence[Cited]:
        """The citations in the text as (kind, ref) pairs, in their order."""
        return cited(self.text)


def _short(text: str) -> str:
    """The beginning of a text on one line, as a `repr` shows it."""
    line = flat(text[: 2 * SHOWN])
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


PLACES = 10  # passages that are read from the graph for each citation
NAMED: Final = ("Entities", "Relationships")  # the kinds whose titles are names
MOST_SOURCES = 3  # passages that are kept for each citation: those most similar to the statement


async def resolve_citations(
    graph: Graph, text: str, known: Collection[tuple[CitationKind, int]]
) -> list[Citation]:
    """Returns the citations of an answer's text in their order, with their sources.

    `known` holds the (kind, ref) pairs that were in the context of the answer.
    """
    wanted = statements(text)
    if not wanted:
        return []
    rows = await graph.read(
        "search/resolve",
        ResolvedRow,
        citations=[
            {"kind": kind, "ref": ref, "said": [text for text in stated if text]}
            for (kind, ref), stated in wanted.items()
        ],
        places=PLACES,
    )
    by_ref: dict[tuple[CitationKind, int], list[ResolvedRow]] = {}
    for row in rows:
        by_ref.setdefault((row["kind"], row["ref"]), []).append(row)
    return [
        _citation(one, by_ref.get(one, []), stated, supported=one in known)
        for one, stated in wanted.items()
    ]


def _citation(
    one: tuple[CitationKind, int],
    rows: Sequence[ResolvedRow],
    stated: Sequence[str],
    *,
    supported: bool,
) -> Citation:
    # This import reads word lists, which takes a moment.
    from graphrag_neo4j.query.quote_match import nearest_sources  # noqa: PLC0415

    found = rows[0]["title"] if rows else None
    title = None if found is None else neutralised(found)
    name = title if title and one[0] in NAMED else ""
    sources = nearest_sources(_sources(rows), stated, MOST_SOURCES, name)
    return Citation(*one, title, supported, sources)


def _sources(rows: Iterable[Mapping[str, object]]) -> Iterable[Source]:
    for row in rows:
        if row["chunk"] is not None:
            start, end = int(str(row["start"])), int(str(row["end"]))
            yield Source(
                str(row["source"]),
                neutralised(str(row["document"])),
                int(str(row["chunk"])),
                start,
                end,
                str(row["text"]),
                (start, end) if row["placed"] else None,
            )
