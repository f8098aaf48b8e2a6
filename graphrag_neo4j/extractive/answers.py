"""The sentences of a context, and how well each answers a question."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Self

from graphrag_neo4j.context.citations import CitationRef, bracket, cited, rewrite
from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.extractive.static_vectors import vectors_of
from graphrag_neo4j.nlp.sentence_ranking import base_words, quality
from graphrag_neo4j.nlp.sentences import WORD, read_passage
from graphrag_neo4j.nlp.word_lists import ABOUT
from graphrag_neo4j.text import flat, shortened

__all__ = ["Asked", "Quote", "chosen", "title_of"]

CONSIDERED = 40  # sentences, of which the chosen ones are to differ
RELEVANCE = 0.7  # against diversity
COVERED = 0.6  # for a sentence with all words of the question; the rare ones count for more
WELL_SAID = 0.05  # for each point of a sentence's quality
NEAR = 0.3  # of nearness and words together, from which a sentence has something to say
# The same where no word of the question stands in any sentence. What is no word (xyzzy) has a
# vector, too: of 23,530 sentences the nearest to such a one had a cosine of 0.42. "They bought fast
# cars." has 0.46 to "vehicle".
NEAR_BY_VECTOR = 0.45
CITED = 3  # records that are cited for one sentence
TITLE = 80  # characters
CLOSED = re.compile(r"(?<!\S)(#{1,6}) (.*?) \1(?: |$)")  # a heading in a report of one line


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence, the record it stands in, what is cited for it, and how well it answers."""

    text: str
    record: ContextRecord
    citations: tuple[CitationRef, ...]
    score: float = 0.0
    relevance: float = 0.0
    vector: Sequence[float] = field(default=(), repr=False)

    @property
    def line(self) -> str:
        """The sentence with its citations."""
        return f"{self.text} {bracket(self.citations)}"


@dataclass(frozen=True)
class Asked:
    """A question's sentences, scored; `whole`: it asks about all there is and names nothing.

    `near`: the relevance from which a sentence has something to say.
    """

    quotes: Sequence[Quote]
    whole: bool
    near: float = NEAR

    @classmethod
    def of(cls, question: str, records: Iterable[ContextRecord]) -> Self:
        """A question put to records; a sentence in several of them is one, with all citations."""
        quotes = _joined(one for record in records for one in _quotes_of(record))
        words = base_words(question) - ABOUT
        if not words or not quotes:
            return cls(quotes, whole=not words and _asks_about_all(question))
        shared = any(words & base_words(one.text) for one in quotes)
        return cls(_scored(words, quotes), whole=False, near=NEAR if shared else NEAR_BY_VECTOR)

    def answers(self, quote: Quote) -> bool:
        """Whether a sentence has something to say to the question."""
        return quote.relevance >= self.near


def chosen(asked: Asked, most: int, within: ContextRecord | None = None) -> list[Quote]:
    """The sentences that answer best and are unlike each other, to a question about the whole the
    first ones; `within`: of one record."""
    there = [one for one in asked.quotes if within is None or one.record is within]
    if asked.whole:
        return there[:most]
    left = [one for one in there if asked.answers(one)]
    left.sort(key=lambda one: (-one.score, one.text))
    del left[CONSIDERED:]
    found: list[Quote] = []
    while left and len(found) < most:
        best = max(left, key=lambda one: _marginal(one, found))
        left.remove(best)
        found.append(best)
    return found


def _asks_about_all(question: str) -> bool:
    """Whether a question without a subject asks about the whole, as "???" and "Why?" do not."""
    words = {found[0].lower() for found in WORD.finditer(question)}
    return bool(ABOUT & (words | base_words(question)))


def _quotes_of(record: ContextRecord) -> list[Quote]:
    """The sentences of a record, each with what it cites, else with the record itself."""
    own: tuple[CitationRef, ...] = ((record.kind, record.ref),)
    if record.kind != "Reports":
        texts = record.pieces or (record.text.rpartition(" | ")[2],)
        return [Quote(one, record, own) for text in texts for one in _sentences(text)]
    # A report made of elements says what each is: "name: description".
    names = tuple(f"{name}: " for name in title_of(record).split(", "))
    return [
        Quote(one, record, cites or own)
        for piece in record.pieces or (record.text,)
        for text, cites in _statements(piece)
        for one in _sentences(_without(names, text))
    ]


def title_of(record: ContextRecord) -> str:
    """A report's title; of another record its name, else its beginning."""
    if found := CLOSED.match(record.text):
        return found[2]
    name = record.text.split(" | ")[0].partition(":")[0]
    return shortened(name, TITLE, len)


def _without(beginnings: tuple[str, ...], text: str) -> str:
    if not text.startswith(beginnings):
        return text
    return next((text.removeprefix(one) for one in beginnings if text.startswith(one)), text)


def _scored(words: frozenset[str], quotes: Sequence[Quote]) -> list[Quote]:
    known = [words & base_words(one.text) for one in quotes]
    often = Counter(word for shared in known for word in shared)
    rare = {word: math.log(1 + len(quotes) / (1 + often[word])) for word in words}
    asked, *vectors = vectors_of([" ".join(sorted(words)), *(one.text for one in quotes)])
    scored = []
    for one, shared, vector in zip(quotes, known, vectors, strict=True):
        covered = sum(rare[word] for word in sorted(shared)) / sum(rare.values())
        relevance = _cosine(asked, vector) + COVERED * covered
        score = relevance + WELL_SAID * quality(one.text)
        scored.append(replace(one, score=score, relevance=relevance, vector=vector))
    return scored


def _joined(quotes: Iterable[Quote]) -> list[Quote]:
    found: dict[str, Quote] = {}
    for one in quotes:
        first = found.setdefault(one.text, one)
        # What the first record cites stays whole: its chunk comes last.
        room = max(CITED, len(first.citations))
        citations = tuple(dict.fromkeys([*first.citations, *one.citations]))[:room]
        found[one.text] = replace(first, citations=citations)
    return list(found.values())


def _marginal(quote: Quote, chosen: Sequence[Quote]) -> float:
    like = max((_cosine(quote.vector, one.vector) for one in chosen), default=0.0)
    return RELEVANCE * quote.score - (1 - RELEVANCE) * like


def _statements(text: str) -> Iterator[tuple[str, tuple[CitationRef, ...]]]:
    """What a report says, in parts that end with what they cite."""
    for part in re.split(r"(?<=\])\s*", CLOSED.sub("\n\n", text)):
        yield rewrite(part, lambda *_: None).strip(), tuple(cited(part))


@lru_cache(20_000)
def _sentences(text: str) -> tuple[str, ...]:
    """The sentences of one piece of text, each on one line."""
    return tuple(flat(one.text) for one in read_passage(text).sentences if one.text)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
