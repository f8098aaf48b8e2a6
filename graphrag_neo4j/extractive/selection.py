"""Selects the quotations of an answer when it is known who says them and where.

A sentence answers if it is near the question: by words that they share, or by its vector. The words
of its speaker's name and of its document's title count as its own, because "What does Kevin Scott
say of his childhood?" is answered by sentences that do not name him. Among those that answer,
maximal marginal relevance selects different sentences, documents and speakers.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Self

from graphrag_neo4j.context.quotation import Similar, Verified
from graphrag_neo4j.extractive.answers import (
    WELL_SAID,
    ScoredQuotes,
    cosine,
    marginal_relevance,
)
from graphrag_neo4j.extractive.attribution import Attributed, attributed
from graphrag_neo4j.extractive.quotes import Quote, words_of
from graphrag_neo4j.nlp.entity_types import is_given_name
from graphrag_neo4j.nlp.question_forms import names_in
from graphrag_neo4j.nlp.sentence_ranking import base_words, quality

__all__ = ["Selection", "alike", "content"]

BOILERPLATE = 3  # a sentence whose beginning stands in this many documents is boilerplate
ALIKE = 0.55  # share of common words of two quotations that say the same
FEW = 3  # words; a quotation with fewer counts as one with as many
SAME_DOCUMENT = 0.25  # similarity of two quotations for standing in the same document
SAME_SPEAKER = 0.15  # and for having the same speaker
HOST = 0.3  # what a sentence of the host loses in a question for guests
LITTLE = 6  # content words; a quotation with fewer says little
SAYS_LITTLE = 0.2  # what such a quotation loses
REPLY = 0.1  # what the reply to a question near the user's gains
# With a sentence encoder: what its cosine and the words of the question count beside the cosine of
# static vectors, and the smallest one of a quotation that answers without the question's words.
# With them 12 answers of 13 hold an accepted passage, instead of 8; but they were chosen by these
# questions. Of eight questions that the transcripts do not answer, the highest cosine was 0.699.
MEANING = 2.0
SAID = 1.5
MEANT = 0.7
SEVERAL = 3  # documents in which a speaker speaks who is the host
GUESTS = re.compile(r"\b(?:guests?|interviewees?|speakers?)\b", re.IGNORECASE)
Words = frozenset[str]


def content(quotes: Iterable[Quote], found: Verified) -> list[Attributed]:
    """Returns the quotations that are content with their attribution, in their order.

    Boilerplate and halves of sentences are left out, and what says the same as one before it.
    """
    kept: list[Attributed] = []
    for quote in quotes:
        at = found.provenance.get(quote.drafted)
        if at and at.documents >= BOILERPLATE:
            continue
        one = attributed(quote, at) if at else Attributed(quote, quote.text)
        if one:
            kept.append(one)
    return kept


def alike(one: Attributed, other: Attributed, asked: Words = frozenset()) -> bool:
    """Tells whether two quotations overlap, or say about the same.

    The words in `asked` do not count: all answers to a question share words with it.
    """
    if one.overlaps(other):
        return True
    a, b = base_words(one.text) - asked, base_words(other.text) - asked
    return len(a & b) > ALIKE * max(FEW, min(len(a), len(b)))


@dataclass(frozen=True)
class Selection:
    """Ranks attributed quotations for a question.

    `meant` holds the cosine of each quotation to the question, by its text, as a sentence encoder
    gives it. It is empty where there is none; then static vectors count.
    """

    question: str
    scored: ScoredQuotes
    quotes: Sequence[Attributed]
    meant: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        question: str,
        scored: ScoredQuotes,
        quotes: Sequence[Attributed],
        similar: Similar | None,
    ) -> Self:
        """Returns the selection with the cosines that a sentence encoder gives."""
        if similar is None or not quotes:
            return cls(question, scored, quotes)
        said = {one.text: _as_said(one) for one in quotes}
        cosines = similar([*said.values()])
        return cls(question, scored, quotes, dict(zip(said, cosines, strict=True)))

    def best(self, most: int) -> list[Attributed]:
        """Returns at most `most` quotations that answer, by maximal marginal relevance."""
        scores = {id(one): self.score(one) for one in self.quotes}
        left = [one for one in self.quotes if self.answers(one)]
        left.sort(key=lambda one: (-scores[id(one)], one.text))
        found: list[Attributed] = []
        while left and len(found) < most:
            best = max(left, key=lambda one: _marginal(scores[id(one)], one, found))
            left.remove(best)
            if not any(alike(best, other, self.scored.words) for other in found):
                found.append(best)
        return found

    def answers(self, one: Attributed) -> bool:
        """Tells whether a quotation is near enough to the question to answer it."""
        names = [name for name, _ in names_in(self.question)]
        named = not names or any(_mentions(one, name) for name in names)
        near = self.scored.is_near(one.quote, _all_words(one), _words_around(one))
        return named and (near or self.meant.get(one.text, 0.0) >= MEANT)

    def score(self, one: Attributed) -> float:
        """Returns how well a quotation answers: by vector, by words, and by how it reads."""
        lost = HOST if GUESTS.search(self.question) and one.speaker in self._hosts else 0.0
        lost += SAYS_LITTLE if len(base_words(one.text)) < LITTLE else 0.0
        said = self.scored.covered(one.quote, _all_words(one), _words_around(one))
        meant = MEANING * self.meant.get(one.text, 0.0)
        relevance = one.quote.similarity + (SAID if self.meant else 1.0) * said + meant
        return relevance + WELL_SAID * quality(one.text) + REPLY * bool(one.asked) - lost

    @cached_property
    def _hosts(self) -> set[str]:
        return _speakers_of_several(self.quotes)

    def about(self, name: str) -> "Selection":
        """Returns the selection among the quotations with a name: in text, speaker or title."""
        held = [one for one in self.quotes if _mentions(one, name)]
        return replace(self, quotes=held)


def _speakers_of_several(quotes: Iterable[Attributed]) -> set[str]:
    """Returns the speakers who speak in several documents: the hosts of a series."""
    documents: defaultdict[str, set[str]] = defaultdict(set)
    for one in quotes:
        if one.speaker and one.provenance:
            documents[one.speaker].add(one.provenance.document)
    return {name for name, held in documents.items() if len(held) >= SEVERAL}


def _marginal(score: float, one: Attributed, selected: Sequence[Attributed]) -> float:
    return marginal_relevance(score, (_likeness(one, other) for other in selected))


def _likeness(one: Attributed, other: Attributed) -> float:
    found = cosine(one.quote.vector, other.quote.vector)
    if one.provenance and other.provenance:
        found += SAME_DOCUMENT * (one.provenance.document == other.provenance.document)
    return found + SAME_SPEAKER * (one.speaker is not None and one.speaker == other.speaker)


def _all_words(one: Attributed) -> Words:
    """Returns the words of a quotation, of its speaker's name, and of its document's title."""
    title = one.provenance.title if one.provenance else ""
    said = words_of(one.text) | words_of(one.asked)
    return said | _parts(f"{one.speaker or ''} {title}")


def _words_around(one: Attributed) -> Words:
    """Returns the words of the text before and after a quotation in its chunk."""
    return words_of(one.around) if one.around else frozenset()


@lru_cache(10_000)
def _parts(text: str) -> Words:
    """Returns the base words of a title or a name, also those between hyphens and underscores."""
    parts = re.sub(r"[-_./]+", " ", text).lower()
    return base_words(parts) | base_words(text.lower()) | frozenset(parts.split())


def _mentions(one: Attributed, name: str) -> bool:
    """Tells whether a quotation, its speaker or its document's title holds a name.

    The last word of the name is enough, or another word that is no common given name.
    """
    title = one.provenance.title if one.provenance else ""
    text = re.sub(r"[_./]+", " ", f"{one.text} {one.asked} {one.speaker or ''} {title}").lower()
    *first, last = name.split()
    telling = [last, *(word for word in first if not is_given_name(word))]
    return any(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text) for word in telling)


def _as_said(one: Attributed) -> str:
    """Returns a quotation as the encoder reads it: with its speaker and the question before it."""
    asked = f"{one.asked} {one.text}" if one.asked else one.text
    return f"{one.speaker}: {asked}" if one.speaker else asked
