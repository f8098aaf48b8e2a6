"""Ranks the sentences of a context by how well they answer a question.

The best sentences are selected by maximal marginal relevance (Carbonell and Goldstein 1998), which
weighs relevance against similarity to the sentences that are already selected.
"""

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

__all__ = ["Quote", "ScoredQuotes", "best_quotes", "title_of"]

CONSIDERED = 40  # best sentences from which the selection is made
RELEVANCE = 0.7  # lambda of maximal marginal relevance: 1 is only relevance, 0 only diversity
COVERED = 0.6  # score of a sentence with all words of the question; rare words count more
WELL_SAID = 0.05  # score for each point of a sentence's quality
NEAR = 0.3  # the smallest relevance of a sentence that answers the question
# The smallest relevance if no sentence shares a word with the question. It is higher, because
# a string that is not a word (xyzzy) has a vector, too: the most similar of 23,530 sentences had a
# cosine of 0.42 to it. "They bought fast cars." has 0.46 to "vehicle".
NEAR_BY_VECTOR = 0.45
CITED = 3  # records that are cited for one sentence
TITLE = 80  # characters
CLOSED = re.compile(r"(?<!\S)(#{1,6}) (.*?) \1(?: |$)")  # a heading in a report on one line


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence with its record, the citations for it, and how well it answers the question.

    `relevance` is the similarity to the question; `score` also counts the quality of the sentence.
    """

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
class ScoredQuotes:
    """The sentences for a question with their scores.

    `whole` tells whether the question is about the whole corpus and names no subject. `near` is the
    smallest relevance of a sentence that answers the question.
    """

    quotes: Sequence[Quote]
    whole: bool
    near: float = NEAR

    @classmethod
    def of(cls, question: str, records: Iterable[ContextRecord]) -> Self:
        """Scores the sentences of the records. Equal sentences are joined with their citations."""
        quotes = _joined(one for record in records for one in _quotes_of(record))
        words = base_words(question) - ABOUT
        if not words or not quotes:
            return cls(quotes, whole=not words and _asks_about_all(question))
        shared = any(words & base_words(one.text) for one in quotes)
        return cls(_scored(words, quotes), whole=False, near=NEAR if shared else NEAR_BY_VECTOR)

    def answers(self, quote: Quote) -> bool:
        """Tells whether a sentence is relevant enough to answer the question."""
        return quote.relevance >= self.near


def best_quotes(
    scored: ScoredQuotes, most: int, within: ContextRecord | None = None
) -> list[Quote]:
    """Selects at most `most` sentences by maximal marginal relevance.

    For a question about the whole these are the first sentences. `within` limits the selection to
    one record.
    """
    quotes = [one for one in scored.quotes if within is None or one.record is within]
    if scored.whole:
        return quotes[:most]
    left = [one for one in quotes if scored.answers(one)]
    left.sort(key=lambda one: (-one.score, one.text))
    del left[CONSIDERED:]
    found: list[Quote] = []
    while left and len(found) < most:
        best = max(left, key=lambda one: _marginal(one, found))
        left.remove(best)
        found.append(best)
    return found


def _asks_about_all(question: str) -> bool:
    """Tells whether a question without a subject is about the whole; "Why?" and "???" are not."""
    words = {found[0].lower() for found in WORD.finditer(question)}
    return bool(ABOUT & (words | base_words(question)))


def _quotes_of(record: ContextRecord) -> list[Quote]:
    """Returns the sentences of a record with their citations, or with a citation of the record."""
    own: tuple[CitationRef, ...] = ((record.kind, record.ref),)
    if record.kind != "Reports":
        texts = record.pieces or (record.text.rpartition(" | ")[2],)
        return [Quote(one, record, own) for text in texts for one in _sentences(text)]
    # A report that lists the members of a community has the form "name: description".
    names = tuple(f"{name}: " for name in title_of(record).split(", "))
    return [
        Quote(one, record, cites or own)
        for piece in record.pieces or (record.text,)
        for text, cites in _statements(piece)
        for one in _sentences(_without(names, text))
    ]


def title_of(record: ContextRecord) -> str:
    """Returns the title of a report, or the name or the beginning of another record."""
    if found := CLOSED.match(record.text):
        return found[2]
    name = record.text.split(" | ")[0].partition(":")[0]
    return shortened(name, TITLE, len)


def _without(beginnings: tuple[str, ...], text: str) -> str:
    if not text.startswith(beginnings):
        return text
    return next((text.removeprefix(one) for one in beginnings if text.startswith(one)), text)


def _scored(words: frozenset[str], quotes: Sequence[Quote]) -> list[Quote]:
    """Scores sentences by their cosine to the question, and by the words that they share with it.

    A word that few sentences hold counts more (inverse document frequency).
    """
    known = [words & base_words(one.text) for one in quotes]
    often = Counter(word for shared in known for word in shared)
    rare = {word: math.log(1 + len(quotes) / (1 + often[word])) for word in words}
    target, *vectors = vectors_of([" ".join(sorted(words)), *(one.text for one in quotes)])
    scored = []
    for one, shared, vector in zip(quotes, known, vectors, strict=True):
        covered = sum(rare[word] for word in sorted(shared)) / sum(rare.values())
        relevance = _cosine(target, vector) + COVERED * covered
        score = relevance + WELL_SAID * quality(one.text)
        scored.append(replace(one, score=score, relevance=relevance, vector=vector))
    return scored


def _joined(quotes: Iterable[Quote]) -> list[Quote]:
    found: dict[str, Quote] = {}
    for one in quotes:
        first = found.setdefault(one.text, one)
        # All citations of the first record are kept, because its chunk is the last of them.
        room = max(CITED, len(first.citations))
        citations = tuple(dict.fromkeys([*first.citations, *one.citations]))[:room]
        found[one.text] = replace(first, citations=citations)
    return list(found.values())


def _marginal(quote: Quote, selected: Sequence[Quote]) -> float:
    """Returns the maximal marginal relevance of a sentence beside the selected ones."""
    similarity = max((_cosine(quote.vector, one.vector) for one in selected), default=0.0)
    return RELEVANCE * quote.score - (1 - RELEVANCE) * similarity


def _statements(text: str) -> Iterator[tuple[str, tuple[CitationRef, ...]]]:
    """Divides a report into statements, and yields each with its citations."""
    for part in re.split(r"(?<=\])\s*", CLOSED.sub("\n\n", text)):
        yield rewrite(part, lambda *_: None).strip(), tuple(cited(part))


@lru_cache(20_000)
def _sentences(text: str) -> tuple[str, ...]:
    """Returns the sentences of a text, each on one line."""
    return tuple(flat(one.text) for one in read_passage(text).sentences if one.text)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
