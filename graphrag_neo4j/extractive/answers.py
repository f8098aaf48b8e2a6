"""Ranks the sentences of a context by how well they answer a question.

The best sentences are selected by maximal marginal relevance (Carbonell and Goldstein 1998), which
weighs relevance against similarity to the sentences that are already selected.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.extractive.quotes import Quote, joined, quotes_of
from graphrag_neo4j.extractive.static_vectors import vectors_of
from graphrag_neo4j.nlp.sentence_ranking import base_words, quality
from graphrag_neo4j.nlp.sentences import WORD
from graphrag_neo4j.nlp.word_lists import ABOUT

__all__ = ["RELEVANCE", "WELL_SAID", "ScoredQuotes", "best_quotes", "cosine"]

CONSIDERED = 40  # best sentences from which the selection is made
RELEVANCE = 0.7  # lambda of maximal marginal relevance: 1 is only relevance, 0 only diversity
COVERED = 0.6  # score of a sentence with all words of the question; rare words count more
WELL_SAID = 0.05  # score for each point of a sentence's quality
NEAR = 0.3  # the smallest relevance of a sentence that answers the question
SHARED = 2  # words that such a sentence shares with a question that has as many
# The smallest similarity of a sentence that shares one of at least three words, and of one that
# shares fewer. The latter is higher, because a string that is not a word (xyzzy) has a vector, too:
# the most similar of 23,530 sentences had a cosine of 0.42 to it. "They bought fast cars." has 0.46
# to "vehicle".
NEAR_BY_BOTH = 0.35
NEAR_BY_VECTOR = 0.45


@dataclass(frozen=True)
class ScoredQuotes:
    """The sentences for a question with their scores.

    `words` are the content words of the question, and `rare` how much each of them counts. `whole`
    tells whether the question is about the whole corpus and names no subject.
    """

    quotes: Sequence[Quote]
    whole: bool
    words: frozenset[str] = frozenset()
    rare: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(cls, question: str, records: Iterable[ContextRecord]) -> Self:
        """Scores the sentences of the records."""
        return cls.over(question, (one for record in records for one in quotes_of(record)))

    @classmethod
    def over(cls, question: str, sentences: Iterable[Quote]) -> Self:
        """Scores sentences. Equal sentences are joined with their citations."""
        quotes = joined(sentences)
        words = base_words(question) - ABOUT
        if not words or not quotes:
            return cls(quotes, whole=not words and _asks_about_all(question), words=words)
        shared = [words & base_words(one.text) for one in quotes]
        often = Counter(word for some in shared for word in some)
        rare = {word: math.log(1 + len(quotes) / (1 + often[word])) for word in sorted(words)}
        scored = _scored(words, rare, quotes, shared)
        return cls(scored, whole=False, words=words, rare=tuple(rare.items()))

    def answers(self, quote: Quote) -> bool:
        """Tells whether a sentence is near enough to the question to answer it."""
        return self.is_near(quote.relevance - self.covered(quote.shared), quote.shared)

    def is_near(self, similarity: float, shared: frozenset[str]) -> bool:
        """Tells whether a sentence answers that shares these words with the question.

        `similarity` is the cosine of its vector and that of the question.
        """
        if len(shared) >= min(SHARED, len(self.words)):
            return similarity + self.covered(shared) >= NEAR
        both = bool(shared) and len(self.words) > SHARED
        return similarity >= (NEAR_BY_BOTH if both else NEAR_BY_VECTOR)

    def covered(self, shared: frozenset[str]) -> float:
        """Returns the score for the words that a sentence shares with the question."""
        total = sum(weight for _, weight in self.rare)
        return COVERED * sum(weight for word, weight in self.rare if word in shared) / (total or 1)


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


def _scored(
    words: frozenset[str],
    rare: dict[str, float],
    quotes: Sequence[Quote],
    shared: Sequence[frozenset[str]],
) -> list[Quote]:
    """Scores sentences by their cosine to the question, and by the words that they share with it.

    A word that few sentences hold counts more (inverse document frequency).
    """
    total = sum(rare.values())
    target, *vectors = vectors_of([" ".join(sorted(words)), *(one.text for one in quotes)])
    scored = []
    for one, some, vector in zip(quotes, shared, vectors, strict=True):
        covered = sum(rare[word] for word in sorted(some)) / total
        relevance = cosine(target, vector) + COVERED * covered
        score = relevance + WELL_SAID * quality(one.text)
        scored.append(
            replace(one, score=score, relevance=relevance, shared=some, vector=tuple(vector))
        )
    return scored


def _marginal(quote: Quote, selected: Sequence[Quote]) -> float:
    """Returns the maximal marginal relevance of a sentence beside the selected ones."""
    similarity = max((cosine(quote.vector, one.vector) for one in selected), default=0.0)
    return RELEVANCE * quote.score - (1 - RELEVANCE) * similarity


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Returns the cosine of two vectors of length 1."""
    return sum(a * b for a, b in zip(one, other, strict=True))
