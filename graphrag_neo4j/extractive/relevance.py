"""Rates how well an attributed quotation answers a question.

A sentence answers if it is near the question: by words that they share, or by its vector. The words
of its speaker's name and of its document's title count as its own, because "What does Kevin Scott
say of his childhood?" is answered by sentences that do not name him. Where a question describes a
speaker ("the founder of Shopify"), so do the words with which others introduce this speaker.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

from graphrag_neo4j.context.quotation import Similar, Verified
from graphrag_neo4j.extractive.answers import WELL_SAID, ScoredQuotes
from graphrag_neo4j.extractive.attribution import Attributed, refers_back
from graphrag_neo4j.extractive.quotes import words_of
from graphrag_neo4j.extractive.speakers import Speakers, holds_name
from graphrag_neo4j.nlp.formulas import introduces
from graphrag_neo4j.nlp.question_forms import asks_which_guests, names_in
from graphrag_neo4j.nlp.sentence_ranking import base_words, quality

__all__ = ["Relevance", "mentions"]

LITTLE = 6  # content words; a quotation with fewer says little
# What a quotation loses: one that says little, that only introduces a guest, that needs the
# sentence before it, and that others say of a speaker whom the question names.
SAYS_LITTLE = 0.4
INTRODUCES = 0.3
DANGLES = 0.15
BY_OTHERS = 0.4
REPLY = 0.1  # what the reply to a question near the user's gains
# With a sentence encoder: what its cosine and the words of the question count beside the cosine of
# static vectors, and the smallest one of a quotation that answers without the question's words.
# With them 12 answers of 13 hold an accepted passage, instead of 8; but they were chosen by these
# questions. Of eight questions that the transcripts do not answer, the highest cosine was 0.699.
MEANING = 2.0
SAID = 1.5
MEANT = 0.7
WHO = re.compile(r"\bwho(?:m|se|[’']s)?\b|\b(?:which|what) (?:guests?|speakers?)\b", re.IGNORECASE)
Words = frozenset[str]


@dataclass(frozen=True)
class Relevance:
    """The relevance of quotations for a question.

    `meant` holds the cosine of each quotation to the question, by its text, as a sentence encoder
    gives it. It is empty where there is none; then static vectors count. `naming` holds the
    documents that hold a name in the question near a quotation.
    """

    question: str
    scored: ScoredQuotes
    speakers: Speakers
    naming: frozenset[str] = frozenset()
    meant: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, question: str, scored: ScoredQuotes, quotes: Sequence[Attributed], found: Verified
    ) -> Self:
        """Returns the relevance for a question, with the cosines that a sentence encoder gives."""
        speakers = Speakers.of(question, scored, quotes, found.everywhere)
        naming = _naming([name for name, _ in names_in(question)], quotes)
        return cls(question, scored, speakers, naming, _meant(quotes, found.similar))

    def answers(self, one: Attributed) -> bool:
        """Tells whether a quotation is near enough to the question to answer it."""
        if not (self.speakers.may_answer(one) and self._is_about_names(one)):
            return False
        near = self.scored.is_near(one.quote, self._words(one), _words_around(one))
        return near or self.meant.get(one.text, 0.0) >= MEANT

    def score(self, one: Attributed) -> float:
        """Returns how well a quotation answers: by vector, by words, and by how it reads."""
        said = self.scored.covered(one.quote, self._words(one), _words_around(one))
        meant = MEANING * self.meant.get(one.text, 0.0)
        relevance = one.quote.similarity + (SAID if self.meant else 1.0) * said + meant
        return relevance + self.scored.of_form(one.text) + self._reads(one)

    def _reads(self, one: Attributed) -> float:
        """Returns what a quotation gains or loses by who says it, and by how it reads."""
        found = WELL_SAID * quality(one.text) + REPLY * bool(one.asked)
        found -= SAYS_LITTLE * (len(base_words(one.text)) < LITTLE)
        found -= DANGLES * (not one.asked and refers_back(one.text))
        found -= BY_OTHERS * self.speakers.is_by_others(one)
        if introduces(one.text) or self.speakers.is_introduction(one):
            found += INTRODUCES if asks_which_guests(self.question) else 0.0
            found -= 0.0 if WHO.search(self.question) else INTRODUCES
        return found

    def _is_about_names(self, one: Attributed) -> bool:
        """Tells whether a quotation, or its document, holds one of the names in the question."""
        names = [name for name, _ in names_in(self.question)]
        if not names or self.speakers.asked or any(mentions(one, name) for name in names):
            return True
        return one.provenance is not None and one.provenance.document in self.naming

    def _words(self, one: Attributed) -> Words:
        """Returns the words of a quotation, and those that count as its own."""
        title = one.provenance.title if one.provenance else ""
        said = self.scored.words_in(one.text) | words_of(one.asked)
        return said | _parts(f"{one.speaker or ''} {title}") | self.speakers.known_words(one)


def _meant(quotes: Sequence[Attributed], similar: Similar | None) -> Mapping[str, float]:
    if similar is None or not quotes:
        return {}
    said = {one.text: _as_said(one) for one in quotes}
    return dict(zip(said, similar([*said.values()]), strict=True))


def _naming(names: Sequence[str], quotes: Iterable[Attributed]) -> frozenset[str]:
    """Returns the documents of which a passage with a quotation holds one of the names."""
    places = {one.provenance.ref: one.provenance for one in quotes if one.provenance}
    return frozenset(
        at.document for at in places.values() if any(holds_name(at.text, name) for name in names)
    )


def _words_around(one: Attributed) -> Words:
    """Returns the words of the text before and after a quotation in its chunk."""
    return words_of(one.around) if one.around else frozenset()


@lru_cache(10_000)
def _parts(text: str) -> Words:
    """Returns the base words of a title or a name, also those between hyphens and underscores."""
    parts = re.sub(r"[-_./]+", " ", text).lower()
    return base_words(parts) | base_words(text.lower()) | frozenset(parts.split())


def mentions(one: Attributed, name: str) -> bool:
    """Tells whether a quotation, its speaker or its document's title holds a name."""
    title = one.provenance.title if one.provenance else ""
    return holds_name(f"{one.text} {one.asked} {one.speaker or ''} {title}", name)


def _as_said(one: Attributed) -> str:
    """Returns a quotation as the encoder reads it: with its speaker and the question before it."""
    asked = f"{one.asked} {one.text}" if one.asked else one.text
    return f"{one.speaker}: {asked}" if one.speaker else asked
