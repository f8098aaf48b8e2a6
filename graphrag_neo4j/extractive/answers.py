"""Ranks the sentences of a context by how well they answer a question.

The best sentences are selected by maximal marginal relevance (Carbonell and Goldstein 1998), which
weighs relevance against similarity to the sentences that are already selected.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Self

from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.extractive.question_units import Unit, units_of
from graphrag_neo4j.extractive.quotes import Quote, joined, quotes_of, words_of
from graphrag_neo4j.extractive.static_vectors import vectors_of
from graphrag_neo4j.nlp.answer_cues import NAMED_BY, cue_asked_for, shows
from graphrag_neo4j.nlp.question_forms import asks_what_says, names_in
from graphrag_neo4j.nlp.sentence_ranking import base_words, quality
from graphrag_neo4j.nlp.sentences import WORD
from graphrag_neo4j.nlp.word_lists import ABOUT

__all__ = ["WELL_SAID", "ScoredQuotes", "best_quotes", "cosine", "marginal_relevance"]

CONSIDERED = 40  # best sentences from which the selection is made
RELEVANCE = 0.7  # lambda of maximal marginal relevance: 1 is only relevance, 0 only diversity
COVERED = 0.6  # score of a sentence with all units of the question; rare ones count more
IN_FORM = 0.4  # score of a sentence that holds a reason for "why", a place for "where", and so on
WELL_SAID = 0.05  # score for each point of a sentence's quality
NEAR = 0.3  # the smallest relevance of a sentence that answers the question
HELD = 2  # units that such a sentence holds of a question that has as many
# The smallest similarity of a sentence that holds one of at least three units, and of one that
# holds fewer. The latter is higher, because a string that is not a word (xyzzy) has a vector, too:
# the most similar of 23,530 sentences had a cosine of 0.42 to it. "They bought fast cars." has 0.46
# to "vehicle".
NEAR_BY_BOTH = 0.35
NEAR_BY_VECTOR = 0.45
# The smallest cosine of two words of which one may stand for the other: danger has 0.59 to risk,
# guidance 0.41 to advice, song 0.45 to music; game has 0.05, lawyer 0.16 and film -0.04 to these.
SYNONYM = 0.4
MEANT = 0.3  # the smallest cosine of a sentence and a unit that it means without naming it
FOCUS = 2.0  # what the first unit counts more, because it mostly says what is asked for
WHOLLY = 0.3  # the smallest degree of a unit that a sentence holds
AROUND = 0.5  # what a unit counts that only the text around a sentence holds
Words = frozenset[str]
Alike = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class ScoredQuotes:
    """The sentences for a question with their scores.

    `whole` tells whether the question is about the whole corpus and names no subject. `units` are
    the units of the question, each with its weight: a rare unit counts more. The first `nouns` of
    them are names and nouns. `alike` maps a word of the question to the words that may stand for
    it, with their cosines. `meanings` holds the vectors of the units. `cue` names the form of an
    answer to the question, if one is known. `speaker` holds the words of the name of whom the
    question asks to be quoted.
    """

    quotes: Sequence[Quote]
    whole: bool
    units: tuple[tuple[Unit, float], ...] = ()
    nouns: int = 0
    alike: Alike = field(default_factory=dict)
    meanings: Mapping[Unit, Sequence[float]] = field(default_factory=dict)
    cue: str | None = None
    speaker: Words = frozenset()

    @property
    def words(self) -> frozenset[str]:
        """The content words of the question."""
        return frozenset().union(*(unit for unit, _ in self.units))

    @classmethod
    def of(cls, question: str, records: Iterable[ContextRecord]) -> Self:
        """Scores the sentences of the records."""
        return cls.over(question, (one for record in records for one in quotes_of(record)))

    @classmethod
    def over(cls, question: str, sentences: Iterable[Quote]) -> Self:
        """Scores sentences. Equal sentences are joined with their citations."""
        quotes = joined(sentences)
        units, nouns = units_of(question)
        if not units or not quotes:
            whole = not units and _asks_about_all(question)
            return cls(quotes, whole, tuple((unit, 1.0) for unit in units))
        cue = cue_asked_for(question)
        known = [_words_for(cue, one.text) for one in quotes]
        often = Counter(word for words in known for word in words)
        weights = tuple(
            (unit, _weight(unit, often, len(quotes)) * (FOCUS if n == 0 else 1.0))
            for n, unit in enumerate(units)
        )
        meanings = dict(zip(units, vectors_of([" ".join(sorted(u)) for u in units]), strict=True))
        speaker = _speaker_in(question)
        scored = cls((), False, weights, nouns, _alike(units, often), meanings, cue, speaker)
        return replace(scored, quotes=scored._scored(quotes, known))

    def answers(self, quote: Quote) -> bool:
        """Tells whether a sentence is near enough to the question to answer it.

        Who says it is not known yet: it may be the speaker for whom the question asks.
        """
        return self.is_near(quote, self.words_in(quote.text), self.speaker)

    def words_in(self, text: str) -> Words:
        """Returns the words of a text. What advises holds the word "advice", and nothing else."""
        return _words_for(self.cue, text)

    def of_form(self, text: str) -> float:
        """Returns what a text gains if it has the form of an answer to the question."""
        return IN_FORM if self.cue is not None and shows(text, self.cue) else 0.0

    def is_near(self, quote: Quote, words: Words, around: Words = frozenset()) -> bool:
        """Tells whether a sentence with these words answers the question.

        Two units of the question must be there, by a word or by the meaning: one in the sentence,
        and the other one there or in the words `around` it. A sentence that holds one of two nouns,
        however near it is to this one, says nothing about the other.
        """
        held = [self._degree(unit, words, quote.vector) >= WHOLLY for unit, _ in self.units]
        pairs = zip(held, self.units, strict=True)
        near = [here or self._said(unit, around) == 1 for here, (unit, _) in pairs]
        if any(held) and sum(near) >= min(HELD, len(held)):
            return quote.similarity + self.covered(quote, words, around) >= NEAR
        if any(held) and len(held) > HELD:
            return quote.similarity >= NEAR_BY_BOTH
        nouns = held[: self.nouns]
        return (all(nouns) or not any(held)) and quote.similarity >= NEAR_BY_VECTOR

    def covered(self, quote: Quote, words: Words, around: Words = frozenset()) -> float:
        """Returns the score for the units of the question that a sentence holds.

        A unit in the words `around` it counts half, but not the first one, which is asked for.
        """
        total = math.fsum(weight for _, weight in self.units) or 1
        held = math.fsum(
            weight * max(self._degree(unit, words, quote.vector), share * self._said(unit, around))
            for (unit, weight), share in zip(self.units, chain([0.0], repeat(AROUND)), strict=False)
        )
        return COVERED * held / total

    def _said(self, unit: Unit, words: Words) -> float:
        """Returns how much of a unit is among words, from 0 to 1. Half a phrase counts half."""
        if not words or _acronym(unit, words):
            return 1.0 if words else 0.0
        found = [self._nearness(word, words) for word in sorted(unit)]
        return math.fsum(found) / len(found) * (1.0 if all(found) else 0.5)

    def _degree(self, unit: Unit, words: Words, vector: Sequence[float]) -> float:
        """Returns how much of a unit a sentence holds, from 0 to 1, by its words or its meaning."""
        said = self._said(unit, words)
        meant = cosine(self.meanings[unit], vector) if vector and unit in self.meanings else 0.0
        return max(said, meant if meant >= MEANT else 0.0)

    def _nearness(self, word: str, words: Words) -> float:
        """Returns 1 if a word is among the words, or the cosine of the word most like it."""
        if _has(words, word):
            return 1.0
        return max(
            (near for other, near in self.alike.get(word, {}).items() if other in words),
            default=0.0,
        )

    def _scored(self, quotes: Sequence[Quote], known: Sequence[frozenset[str]]) -> list[Quote]:
        """Scores sentences by their cosine to the question, and by the units that they hold."""
        asked = " ".join(sorted(self.words))
        target, *vectors = vectors_of([asked, *(one.text for one in quotes)])
        scored = []
        for one, words, vector in zip(quotes, known, vectors, strict=True):
            found = replace(one, similarity=cosine(target, vector), vector=tuple(vector))
            said = self.covered(found, words) + self.of_form(one.text)
            score = found.similarity + said + WELL_SAID * quality(one.text)
            scored.append(replace(found, score=score))
        return scored


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


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Returns the cosine of two vectors of length 1."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def _words_for(cue: str | None, text: str) -> Words:
    """Returns the words of a text, where its form stands for the words that name the form."""
    words = words_of(text)
    if cue is None or cue not in NAMED_BY:
        return words
    return words | NAMED_BY[cue] if shows(text, cue) else words - NAMED_BY[cue]


def _speaker_in(question: str) -> Words:
    """Returns the words of the name of whom a question asks to be quoted."""
    asked = asks_what_says(question)
    return frozenset().union(*(words for name, words in names_in(question) if name == asked))


def _asks_about_all(question: str) -> bool:
    """Tells whether a question without a subject is about the whole; "Why?" and "???" are not."""
    words = {found[0].lower() for found in WORD.finditer(question)}
    return bool(ABOUT & (words | base_words(question)))


def _weight(unit: Unit, often: Mapping[str, int], number: int) -> float:
    """Returns the inverse document frequency of the rarest word of a unit."""
    return max(math.log(1 + number / (1 + often.get(word, 0))) for word in unit)


def _alike(units: Sequence[Unit], known: Iterable[str]) -> Alike:
    """Returns for each word of the question the known words that may stand for it."""
    words = sorted({word for unit in units for word in unit if word.islower()})
    others = sorted(word for word in known if word.isalpha() and word.islower())
    vectors = vectors_of([*words, *others])
    found: dict[str, dict[str, float]] = {}
    for word, target in zip(words, vectors, strict=False):
        near = zip(others, vectors[len(words) :], strict=True)
        found[word] = {other: c for other, v in near if (c := cosine(target, v)) >= SYNONYM}
    return found


def _has(words: frozenset[str], word: str) -> bool:
    """Tells whether a word, or each part of a hyphenated word, is among the words."""
    lower = word.lower()
    return lower in words or word in words or ("-" in lower and words.issuperset(lower.split("-")))


def _acronym(unit: Unit, words: frozenset[str]) -> bool:
    """Tells whether the first letters of a unit, such as AI, are among the words."""
    letters = sorted(word[0] for word in unit)
    return len(unit) > 1 and any(len(w) == len(letters) and sorted(w) == letters for w in words)


def _marginal(quote: Quote, selected: Sequence[Quote]) -> float:
    return marginal_relevance(quote.score, (cosine(quote.vector, one.vector) for one in selected))


def marginal_relevance(score: float, similarities: Iterable[float]) -> float:
    """Returns the maximal marginal relevance of what has a score, beside what is selected already.

    `similarities` are those to each selected one.
    """
    return RELEVANCE * score - (1 - RELEVANCE) * max(similarities, default=0.0)
