"""Answers without a model: the sentences of the material that answer best, quoted and cited.

What is near the question (static vectors) and unlike what has been chosen (maximal marginal
relevance, Carbonell and Goldstein 1998) is said again, grouped by what it stands in.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphrag_neo4j.citations import Citation, cited, rewrite
from graphrag_neo4j.model import Message, Point, Primer, Think
from graphrag_neo4j.offline.choosing import content_words, quality
from graphrag_neo4j.offline.passages import read_passage
from graphrag_neo4j.offline.vectors import vectors_of
from graphrag_neo4j.tables import Record, Shown

__all__ = ["OfflineAnswerer"]

SENTENCES = 8  # of an answer
POINTS = 4  # of a context of a global answer
CONSIDERED = 40  # sentences, of which the chosen ones are to differ
RELEVANCE = 0.7  # against diversity
NEAR = 0.25  # cosine from which a sentence has something to say
SHARED = 0.15  # for each word that a sentence shares with the question, up to two
WELL_SAID = 0.03  # for each point of a sentence's quality
WHOLE = re.compile(
    r"\b(themes?|topics?|overall|overview|summar\w+|trends?|main|across|in general|compare\w*|"
    r"most (?:common|important|discussed)|patterns?|corpus|collection|dataset)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Quote:
    """A sentence, what is cited for it, and how well it answers."""

    text: str
    citations: tuple[Citation, ...]
    score: float
    vector: Sequence[float]

    @property
    def line(self) -> str:
        cites = "; ".join(f"{kind} ({ref})" for kind, ref in self.citations)
        return f"{self.text} [Data: {cites}]"


class OfflineAnswerer:
    """Chooses sentences; an answer is a list of quotations."""

    def answer(self, question: str, context: Shown, _history: Sequence[Message]) -> Think[str]:
        """The best sentences of a context, a list item each."""
        yield from ()
        return _listed(_best(question, context, SENTENCES))

    def reduce(
        self, _question: str, points: Sequence[Point], _history: Sequence[Message]
    ) -> Think[str]:
        """The best points, none twice."""
        yield from ()
        lines = dict.fromkeys(point.description for point in points)
        return "\n".join(f"- {line}" for line in list(lines)[:SENTENCES])

    def points(self, question: str, context: Shown) -> Think[Sequence[Point]]:
        """The best sentences of a context, by how near they are to the question."""
        yield from ()
        return [_point(quote) for quote in _best(question, context, POINTS)]

    def rate(self, question: str, context: Shown) -> Think[Sequence[int]]:
        """The reports that hold a sentence near the question."""
        yield from ()
        refs = {record.id: record.ref for record in context.records.values()}
        found = []
        for record in context.records.values():
            one = Shown(float("inf"), len, {(record.kind, record.id): record})
            if _best(question, one, 1):
                found.append(refs[record.id])
        return found

    def prime(self, question: str, context: Shown) -> Think[Primer]:
        """The best sentences; the entities that a context names are asked about next."""
        yield from ()
        quotes = _best(question, context, POINTS)
        names = [r.text.split(" | ")[0] for r in context.by_kind().get("Entities", [])]
        names += [r.text.split(":")[0][:60] for r in context.by_kind().get("Reports", [])]
        score = max((_point(quote).helpfulness for quote in quotes), default=0)
        answer = "\n".join(quote.line for quote in quotes)
        return Primer(answer, score, [f"{question} {name}" for name in names[:3]])

    def chooses_global(self, question: str) -> Think[bool]:
        """By words that ask for the whole."""
        yield from ()
        return WHOLE.search(question) is not None


def _listed(quotes: Sequence[_Quote]) -> str:
    return "\n".join(f"- {quote.line}" for quote in quotes)


def _point(quote: _Quote) -> Point:
    return Point(quote.line, max(1, min(100, round(100 * quote.score))))


def _best(question: str, context: Shown, most: int) -> list[_Quote]:
    """The sentences that are near the question and unlike each other."""
    left = [quote for quote in _quotes(question, context) if quote.score >= NEAR]
    left.sort(key=lambda quote: (-quote.score, quote.text))
    del left[CONSIDERED:]
    chosen: list[_Quote] = []
    while left and len(chosen) < most:
        best = max(left, key=lambda quote: _marginal(quote, chosen))
        left.remove(best)
        if not any(best.text == one.text for one in chosen):
            chosen.append(best)
    return chosen


def _marginal(quote: _Quote, chosen: Sequence[_Quote]) -> float:
    like = max((_cosine(quote.vector, one.vector) for one in chosen), default=0.0)
    return RELEVANCE * quote.score - (1 - RELEVANCE) * like


def _quotes(question: str, context: Shown) -> list[_Quote]:
    said = list(dict.fromkeys(one for r in context.records.values() for one in _sentences(r)))
    if not said:
        return []
    asked, *vectors = vectors_of([question, *(text for text, _ in said)])
    words = content_words(question)
    return [
        _Quote(text, citations, _score(text, _cosine(asked, vector), words), vector)
        for (text, citations), vector in zip(said, vectors, strict=True)
    ]


def _score(text: str, near: float, words: frozenset[str]) -> float:
    shared = min(2, len(words & content_words(text)))
    return near + SHARED * shared + WELL_SAID * quality(text)


def _sentences(record: Record) -> list[tuple[str, tuple[Citation, ...]]]:
    """The sentences of a record, each with what it cites, else with the record itself."""
    own: tuple[Citation, ...] = ((record.kind, record.ref),)
    text = record.text if record.kind in ("Reports", "Sources") else record.text.split(" | ")[-1]
    return [(one, cites or own) for one, cites in _split(text)]


@lru_cache(20_000)
def _split(text: str) -> tuple[tuple[str, tuple[Citation, ...]], ...]:
    found = []
    for part in re.split(r"(?<=\])\s*", text):
        plain = rewrite(part, lambda *_: None).strip()
        cites = tuple(cited(part))
        found += [(one.text, cites) for one in read_passage(plain).sentences if one.text]
    return tuple(found)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
