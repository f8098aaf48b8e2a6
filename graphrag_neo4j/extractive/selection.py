"""Selects the quotations of an answer when it is known who says them and where.

Among the quotations that answer, maximal marginal relevance selects different sentences, documents
and speakers. What answers much worse than the best one is left out: an answer is better short.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from graphrag_neo4j.context.quotation import Verified
from graphrag_neo4j.extractive.answers import ScoredQuotes, cosine, marginal_relevance
from graphrag_neo4j.extractive.attribution import Attributed, attributed
from graphrag_neo4j.extractive.quotes import Quote
from graphrag_neo4j.extractive.relevance import Relevance, mentions
from graphrag_neo4j.extractive.speakers import holds_name
from graphrag_neo4j.nlp.sentence_ranking import base_words

__all__ = ["Selection", "alike", "content"]

BOILERPLATE = 3  # a sentence whose beginning stands in this many documents is boilerplate
ALIKE = 0.55  # share of common words of two quotations that say the same
FEW = 3  # words; a quotation with fewer counts as one with as many
SAME_DOCUMENT = 0.25  # similarity of two quotations for standing in the same document
SAME_SPEAKER = 0.15  # and for having the same speaker
MARGIN = 0.4  # a quotation whose score is lower than the best one by more is left out
MARGIN_OF_MANY = 0.7  # the same in a question for guests, of whom each is quoted once
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
    """Selects among attributed quotations by their relevance for a question."""

    relevance: Relevance
    quotes: Sequence[Attributed]

    @classmethod
    def of(
        cls, question: str, scored: ScoredQuotes, quotes: Sequence[Attributed], found: Verified
    ) -> Self:
        """Returns the selection for a question."""
        return cls(Relevance.of(question, scored, quotes, found), quotes)

    @property
    def question(self) -> str:
        """The question."""
        return self.relevance.question

    def best(self, most: int) -> list[Attributed]:
        """Returns at most `most` quotations that answer, by maximal marginal relevance."""
        scores = {id(one): self.relevance.score(one) for one in self.quotes}
        left = [one for one in self.quotes if self.relevance.answers(one)]
        many = self.relevance.speakers.many
        margin = MARGIN_OF_MANY if many else MARGIN
        least = max((scores[id(one)] for one in left), default=0.0) - margin
        left = [one for one in left if scores[id(one)] >= least]
        left.sort(key=lambda one: (-scores[id(one)], one.text))
        found: list[Attributed] = []
        while left and len(found) < most:
            best = max(left, key=lambda one: _marginal(scores[id(one)], one, found))
            left.remove(best)
            if many and best.speaker and best.speaker in {other.speaker for other in found}:
                continue
            if not any(alike(best, other, self.relevance.scored.words) for other in found):
                found.append(best)
        return found

    def about(self, name: str) -> "Selection":
        """Returns the selection among what somebody with this name says, or else what holds it."""
        said = [one for one in self.quotes if one.speaker and holds_name(one.speaker, name)]
        held = said or [one for one in self.quotes if mentions(one, name)]
        return replace(self, quotes=held)


def _marginal(score: float, one: Attributed, selected: Sequence[Attributed]) -> float:
    return marginal_relevance(score, (_likeness(one, other) for other in selected))


def _likeness(one: Attributed, other: Attributed) -> float:
    found = cosine(one.quote.vector, other.quote.vector)
    if one.provenance and other.provenance:
        found += SAME_DOCUMENT * (one.provenance.document == other.provenance.document)
    return found + SAME_SPEAKER * (one.speaker is not None and one.speaker == other.speaker)
