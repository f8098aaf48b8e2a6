"""What a question gets: a text, what it cites, what it was made from, what it took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from graphrag_neo4j.context.citations import CitationKind, cited, footnoted, neutralised
from graphrag_neo4j.context.citations import CitationRef as Cited
from graphrag_neo4j.context.context_table import ContextTable
from graphrag_neo4j.model import Usage
from graphrag_neo4j.text import flat

__all__ = ["METHODS", "Answer", "Citation", "Method", "Source"]

SHOWN: Final = 60  # characters of a text in a `repr`
Method = Literal["global", "local", "drift", "basic", "text"]
METHODS: Final[tuple[Method, ...]] = ("global", "local", "drift", "basic", "text")


@dataclass(frozen=True, slots=True)
class Source:
    """A place in a document: characters [start, end) of it, which read `text`.

    `text` is exactly what the document says. `quote`: the characters of the document among them
    that say what the source is cited for; None where no sentence does, then only the place is
    given.
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
        """Characters [start, end) of the document: the quote's, of a source as a whole all."""
        return self.quote or (self.start, self.end)

    @property
    def quoted(self) -> str:
        """What stands there; what looks like a citation in it is neutralised."""
        start, end = self.place
        return neutralised(self.text)[start - self.start : end - self.start]


@dataclass(frozen=True, slots=True)
class Citation:
    """What `[Data: <kind> (<ref>)]` in an answer stands for, and the places that say so.

    `title`: None where nothing in the graph has this ref any more. `supported`: it was in what
    the answer was made from.
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
    """An answer in Markdown; `context`: the texts that it was made from, one a call.

    `origin`: "extractive" where it is made of quotations, without a model. `found`: whether the
    data holds an answer. `usage`: calls, tokens and US dollars per step. `elapsed`: seconds.
    """

    text: str
    method: Method
    citations: Sequence[Citation] = ()
    context: Sequence[ContextTable] = field(default=(), repr=False)
    usage: Mapping[str, Usage] = field(default_factory=dict, repr=False)
    elapsed: float = 0.0
    origin: Literal["model", "extractive"] = "model"
    found: bool = True

    def __repr__(self) -> str:
        cited = f"{len(self.text):,} characters, {len(self.citations)} citations"
        return f"<Answer by {self.method} search, {cited}: {_short(self.text)}>"

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text

    def footnoted(self, numbers: Mapping[Cited, int]) -> str:
        """The text with `[^n]` in place of each citation; `numbers` are theirs."""
        return footnoted(self.text, numbers)

    @property
    def cited(self) -> Sequence[Cited]:
        """The citations in the text as (kind, ref), in their order."""
        return cited(self.text)


def _short(text: str) -> str:
    """The beginning of a text on one line, as a `repr` shows it."""
    line = flat(text[: 2 * SHOWN])
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
