"""The answer to a question: its text, its citations, its context tables and its cost.

Citations are resolved by Cypher. Of the chunks of a cited element, those that best support the
statement become its sources. A sentence in them is quoted only if it shares enough words with the
statement: a sentence that only names the same thing proves nothing.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from typing import Any, Final, Literal, TypedDict

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.citations import CitationKind, cited, footnoted, neutralised, statements
from graphrag_neo4j.model.citations import CitationRef as Cited
from graphrag_neo4j.model.context import ContextRecord, ContextTable
from graphrag_neo4j.model.passage import Passage
from graphrag_neo4j.model.types import MetadataValue, Usage
from graphrag_neo4j.query.quotations import misquoted
from graphrag_neo4j.rules.ranking import content_words
from graphrag_neo4j.text.strings import find_quote, flat, without_possessive

SHOWN: Final = 60  # characters of a text in a `repr`
Method = Literal["global", "local", "drift", "basic", "text"]
METHODS: Final[tuple[Method, ...]] = ("global", "local", "drift", "basic", "text")
PLACES = 10  # passages that are read from the graph for each citation
NAMED: Final = ("Entities", "Relationships")  # the kinds whose titles are names
MOST_SOURCES = 3  # passages that are kept for each citation: those most similar to the statement
NO_TITLES: Final[Mapping[Cited, str]] = {}
Words = frozenset[str]
# A sentence supports a statement if both share this many words (or, if the statement has fewer,
# all of its words), and this part of the words of the shorter one.
ENOUGH = 3
SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Source(Passage):
    """A passage that supports a citation.

    `quote` is the range [start, end) of characters in the document of the sentence that supports
    the statement. It is None where no sentence supports it well enough; then only the place is
    known. `metadata` is that of the document, by name.
    """

    quote: tuple[int, int] | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        return f"<Source {self.place}: {_short(self.quoted)}>"

    @property
    def span(self) -> tuple[int, int]:
        """The characters [start, end) of the quote in the document; without a quote, of `text`."""
        return self.quote or (self.start, self.end)

    @property
    def place(self) -> str:
        """Where a person finds the quote, such as "report.pdf, page 3"."""
        return self.place_of(*self.span)

    @property
    def quoted(self) -> str:
        """The text at `span`. Text that looks like a citation is neutralised."""
        start, end = self.span
        return neutralised(self.text)[start - self.start : end - self.start]


@dataclass(frozen=True, slots=True)
class Citation:
    """The meaning of `[Data: <kind> (<ref>)]` in an answer, with the sources that support it.

    `title` is the title or name of the cited element, or None if the graph does not hold it. That
    of a claim tells its subject, object, type, status, dates and description. `supported` says
    whether the cited element was in the context of the answer. `misquoted` holds the quotations
    beside it in the answer that no record cited there has word for word.
    """

    kind: CitationKind
    ref: int
    title: str | None
    supported: bool
    sources: Sequence[Source] = ()
    misquoted: Sequence[str] = ()

    def __repr__(self) -> str:
        flaw = "" if self.supported else ", unsupported"
        flaw += ", misquoted" if self.misquoted else ""
        return f"<Citation {_short(str(self))}, {len(self.sources)} sources{flaw}>"

    @property
    def flaws(self) -> list[str]:
        """What is wrong with it, each as the end of a sentence."""
        flaws = [
            f"the quotation “{flat(one)}” is not there word for word" for one in self.misquoted
        ]
        return flaws if self.supported else ["not in the context of this answer", *flaws]

    def __str__(self) -> str:
        unknown = "no longer in the graph" if self.supported else "invented by the model"
        return f"{self.kind} ({self.ref}): {self.title or unknown}"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in Markdown, with all that it was made from.

    `question` is the question that was answered. Where it followed on earlier questions, it is in
    the form that a model gave it so that it can be understood alone.
    `context` holds the context tables that the answer was made from, one for each call. `origin`
    is "extractive" where the answer consists of quotations and no model wrote it. `found` tells
    whether an answer was found. `notices` holds sentences that a reader must know, such as
    which part of the data was left out. `more` is the number of quotations that are not in it
    and would answer as well: the option `all_passages` shows them. `incomplete` is a sentence that
    says why the end of the text is missing; it is None if the text is complete. `usage` holds the
    calls, tokens and US dollars of each step. `elapsed` is the time in seconds.
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
    more: int = 0
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

    def to_dict(self) -> dict[str, Any]:
        """Returns the whole answer as values that JSON knows, as `--json` prints it.

        docs/json/query.json describes the form.
        """
        context = [_context(table) for table in self.context]
        found = asdict(replace(self, context=())) | {"context": context}
        for citation, plain in zip(self.citations, found["citations"], strict=True):
            plain["sources"] = [source_dict(one) for one in citation.sources]
        return found

    def to_json(self) -> str:
        """Returns `to_dict` as a JSON text, which `kg-build query --json` prints."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    @property
    def passages(self) -> list[str]:
        """The passages of documents in the context, each once; of a global search the reports.

        Evaluation libraries compare them with the answer.
        """
        records = [one for table in self.context for one in table.records.values()]
        sources = [one for one in records if one.kind == "Sources"]
        return list(dict.fromkeys(one.text for one in sources or records))

    @property
    def cited(self) -> Sequence[Cited]:
        """The citations in the text as (kind, ref) pairs, in their order."""
        return cited(self.text)


def source_dict(source: Source) -> dict[str, Any]:
    """Returns a source as values that JSON knows: where it is, and what it says."""
    left_out = ("parts", "part_starts")
    found = {name: value for name, value in asdict(source).items() if name not in left_out}
    return found | {"place": source.place}


def _short(text: str) -> str:
    """The beginning of a text on one line, as a `repr` shows it."""
    line = flat(text[: 2 * SHOWN])
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


class ResolvedRow(TypedDict):
    """A place that a citation stands for; all but `kind` and `ref` may be None."""

    kind: CitationKind
    ref: int
    title: str | None
    passage: dict[str, Any] | None
    quote: list[int] | None


async def resolve_citations(
    graph: Graph,
    text: str,
    known: Collection[Cited],
    *,
    documents: Sequence[str] | None = None,
    titles: Mapping[Cited, str] = NO_TITLES,
    read: Mapping[Cited, Sequence[str]] | None = None,
    question: str = "",
) -> list[Citation]:
    """Returns the citations of an answer's text in their order, with their sources.

    `known` holds the citations of all that was in the context of the answer. With `documents` (ids)
    the sources are in these documents, and what is not known has neither title nor sources.
    `titles` replaces titles in the graph. With `read`, what a model has read under each citation,
    its quotations are checked, except those from the `question`.
    """
    wanted = statements(text)
    if not wanted:
        return []
    citations = [
        {"kind": kind, "ref": ref, "said": [text for text in stated if text]}
        for (kind, ref), stated in wanted.items()
        if documents is None or (kind, ref) in known
    ]
    by_ref: defaultdict[Cited, list[ResolvedRow]] = defaultdict(list)
    given = {"citations": citations, "places": PLACES, "documents": documents}
    for row in await graph.read("search/resolve", ResolvedRow, **given):
        by_ref[row["kind"], row["ref"]].append(row)
    found, held = list[Citation](), dict[Cited, list[str]]()
    for one, stated in wanted.items():
        rows = by_ref[one]
        known_as = titles.get(one) or (rows[0]["title"] if rows else None)
        title = None if known_as is None else neutralised(known_as)
        name = title if title and one[0] in NAMED else ""
        places = [source_from(row["passage"], row["quote"]) for row in rows if row["passage"]]
        sources = nearest_sources(places, stated, MOST_SOURCES, name)
        found.append(Citation(*one, title, one in known, sources))
        shown = read.get(one, ()) if read else ()
        held[one] = [*shown, *filter(None, [known_as]), *(place.text for place in places)]
    wrong = {} if read is None else misquoted(text, held, question)
    return [replace(one, misquoted=wrong.get((one.kind, one.ref), ())) for one in found]


def source_from(passage: Mapping[str, Any], quote: Sequence[int] | None = None) -> Source:
    """Returns a source as the graph holds it; `quote` are characters of its text."""
    at = passage["start"]
    metadata = json.loads(passage["metadata"] or "{}", parse_constant=str)
    placed = (at + quote[0], at + quote[1]) if quote else None
    return Source.of(passage, metadata=metadata, quote=placed)


def own_titles(contexts: Iterable[ContextTable]) -> dict[Cited, str]:
    """Returns the names of entities and relationships as the records of contexts give them."""
    records = [record for table in contexts for record in table.records.values()]
    return {
        (record.kind, record.ref): " – ".join(_names(record))
        for record in records
        if record.kind in NAMED
    }


def _names(record: ContextRecord) -> list[str]:
    """Returns the name of an entity, or those of both ends of a relationship."""
    fields = record.text.split(" | ")
    return (
        fields[:1] if record.kind == "Entities" else [fields[0], fields[1 + record.has_predicate]]
    )


def nearest_sources(
    sources: Iterable[Source], stated: Sequence[str], most: int, name: str = ""
) -> list[Source]:
    """Returns at most `most` sources that share the most words with the statements in `stated`.

    Each source gets the sentence that supports a statement as its `quote`; a source without such a
    sentence keeps the `quote` that it has. `name` is the name of the cited element. A sentence
    that shares only words of this name with a statement does not support it.

    If sources hold statements word for word, only these sources are returned: first one for each
    statement, then the others. They may be as many as there are statements, even if these are more
    than `most`.
    """
    sources = list(sources)
    if quoted := _verbatim(sources, stated):
        return quoted[: max(most, len(stated))]
    statements, named = [_words(text) for text in stated], _words(name)
    words = frozenset[str]().union(*statements)
    found = [_supporting(one, statements, named) for one in sources]
    near = sorted(
        zip(sources, found, strict=True),
        key=lambda one: (-one[1][0], -len(words & _words(one[0].text))),
    )
    return [replace(one, quote=place or one.quote) for one, (_, place) in near[:most]]


def quoting(source: Source, text: str) -> Source | None:
    """Returns a source with a text as its `quote`, None if it does not hold it word for word."""
    place = find_quote(text, source.text)
    return (
        replace(source, quote=(source.start + place[0], source.start + place[1])) if place else None
    )


def _verbatim(sources: Sequence[Source], stated: Sequence[str]) -> list[Source]:
    """Returns the sources that hold one of these texts. Overlapping chunks give a place once."""
    first, others = [], []
    for text in dict.fromkeys(stated):
        quoted = [holding for one in sources if (holding := quoting(one, text))]
        first += quoted[:1]
        others += quoted[1:]
    found: dict[tuple[str, tuple[int, int]], Source] = {}
    for one in (*first, *others):
        found.setdefault((one.document, one.span), one)
    return list(found.values())


def _supporting(
    source: Source, statements: Sequence[Words], named: Words
) -> tuple[int, tuple[int, int] | None]:
    """Finds the first sentence of a source that shares the most words with a statement.

    Returns the number of these words and the place of the sentence, or (0, None) if no sentence
    shares enough words.
    """
    best, place = 0, None
    first, last = (place - source.start for place in source.span)
    for sentence in source.sentences.sentences:
        if sentence.end <= first or last <= sentence.start:  # beside what is cited
            continue
        said, end = source.sentences.said(sentence), source.start + sentence.end
        shared = max((_shared(said, words, named) for words in statements), default=0)
        if shared > best:
            best, place = shared, (end - len(said), end)
    return best, place


def _shared(sentence: str, statement: Words, named: Words) -> int:
    """Returns the number of words that a sentence shares with a statement, or 0 if too few."""
    if sentence.isupper():  # a heading
        return 0
    own = _words(sentence)
    shared = own & statement
    needed = max(min(ENOUGH, len(statement)), SHARE * min(len(own), len(statement)))
    about_name_alone = shared <= named and not statement <= named
    return 0 if about_name_alone or len(shared) < needed else len(shared)


def _words(text: str) -> Words:
    return frozenset(without_possessive(word) for word in content_words(text))


def _context(table: ContextTable) -> dict[str, Any]:
    """Returns one context table as plain values. A budget without a limit is None."""
    records = (record for some in table.by_kind().values() for record in some)
    return {
        "text": table.text,
        "tokens": table.tokens,
        "budget": table.budget if isfinite(table.budget) else None,
        "records": [{"kind": r.kind, "ref": r.ref, "id": r.id, "text": r.text} for r in records],
    }
