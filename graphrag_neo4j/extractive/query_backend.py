"""The extractive query backend: it answers with sentences of the context, quoted and cited.

Sentences are ranked by their similarity to the question: by static vectors, by shared words, and by
the sentence encoder where the graph's vectors are its own. The best ones are selected by maximal
marginal relevance (Carbonell and Goldstein 1998). Sentences from reports stand under the titles of
the reports. A question about the whole names no subject, so the communities that come in the most
documents answer it.
"""

import re
from collections.abc import Sequence

from graphrag_neo4j.context.citations import cited
from graphrag_neo4j.context.context_table import ContextRecord, ContextTable
from graphrag_neo4j.context.material import DraftQuestion, SuggestionMaterial
from graphrag_neo4j.extractive.answers import ScoredQuotes, best_quotes
from graphrag_neo4j.extractive.composition import (
    draft_of_context,
    draft_of_points,
    point_text,
    shows_phrase,
)
from graphrag_neo4j.extractive.follow_up import with_subject
from graphrag_neo4j.extractive.layout import ITEM
from graphrag_neo4j.extractive.quotes import Quote, title_of
from graphrag_neo4j.extractive.suggestions import rule_questions
from graphrag_neo4j.model import ComposedTask, LLMTask, Message, Point, Primer
from graphrag_neo4j.nlp.question_forms import compares_names

__all__ = ["ExtractiveQueryBackend"]

PRIMED = 4  # sentences in the first answer of drift search
EACH = 4  # sentences from one report, from which the answer selects
EACH_OF_ALL = 8  # the same for a question about the whole
WHOLE = re.compile(
    r"\b(themes?|topics?|overall|overview|summar\w+|trends?|main|across|in general|compare\w*|"
    r"most (?:common|important|discussed)|patterns?|corpus|collection|dataset)\b",
    re.IGNORECASE,
)


class ExtractiveQueryBackend:
    """Answers with lists of quotations."""

    @property
    def quotes(self) -> bool:
        """Always True."""
        return True

    def answer(
        self, question: str, context: ContextTable, _history: Sequence[Message]
    ) -> ComposedTask:
        """Answers with the best sentences of a context, each as one list item."""
        return ComposedTask(lambda: draft_of_context(question, context.records.values()))

    def reduce(
        self, question: str, points: Sequence[Point], _history: Sequence[Message]
    ) -> ComposedTask:
        """Answers with the best sentences of the points, under the titles of their reports."""
        return ComposedTask(lambda: draft_of_points(question, points))

    def points(self, question: str, context: ContextTable) -> LLMTask[Sequence[Point]]:
        """Returns one point for each record, with the sentences that answer the question best."""
        yield from ()
        scored = ScoredQuotes.of(question, context.records.values())
        points = [_point(scored, record) for record in context.records.values()]
        return [point for point in points if point]

    def rate(self, question: str, context: ContextTable) -> LLMTask[Sequence[int]]:
        """Returns the refs of the reports with a sentence that is relevant to the question."""
        yield from ()
        scored = ScoredQuotes.of(question, context.records.values())
        near = {one.record.id for one in scored.quotes if scored.answers(one)}
        return [r.ref for r in context.records.values() if scored.whole or r.id in near]

    def prime(self, question: str, context: ContextTable) -> LLMTask[Primer]:
        """Returns the best sentences, and follow-up questions about the names in the context.

        If no sentence is relevant, the only follow-up is the question itself. Follow-ups with the
        names would then only find texts about these names.
        """
        yield from ()
        quotes = best_quotes(ScoredQuotes.of(question, context.records.values()), PRIMED)
        names = [r.text.split(" | ")[0] for r in context.by_kind().get("Entities", [])]
        names += [title_of(record) for record in context.by_kind().get("Reports", [])]
        score = max((_helpfulness(quote.score) for quote in quotes), default=0)
        more = [f"{question} {name}" for name in names[:3]] if quotes else [question]
        return Primer(_listed(quotes), score, more)

    def self_contained(self, question: str, history: Sequence[Message]) -> LLMTask[str | None]:
        """Returns the question with the subject of an earlier one, or None if it needs none."""
        yield from ()
        return with_subject(question, history)

    def questions(self, material: SuggestionMaterial, _n: int) -> LLMTask[Sequence[DraftQuestion]]:
        """Returns questions that were made by rules, in forms that quotations answer."""
        yield from ()
        return rule_questions(material)

    def chooses_global(self, question: str) -> LLMTask[bool]:
        """Tells whether the question has words such as "themes" or "overall".

        A comparison of two names is about these, and not about the whole.
        """
        yield from ()
        if compares_names(question):
            return False
        return WHOLE.search(question) is not None


def _point(scored: ScoredQuotes, record: ContextRecord) -> Point | None:
    """Makes a point from a report or another record, or returns None if it does not answer."""
    quotes = _of_whole(scored, record) if scored.whole else best_quotes(scored, EACH, record)
    if not quotes:
        return None
    # For a question about the whole, a report that covers more, and so cites more, ranks higher.
    best = len(cited(record.text)) / 100 if scored.whole else max(one.score for one in quotes)
    score = _helpfulness(best)
    order = {one.text: number for number, one in enumerate(scored.quotes)}
    quotes.sort(key=lambda one: order[one.text])
    return Point(point_text(record, quotes), score)


def _of_whole(scored: ScoredQuotes, record: ContextRecord) -> list[Quote]:
    """Returns the first sentences of a report, before all those that show what it is about."""
    quotes = [one for one in scored.quotes if one.record is record]
    title = title_of(record)
    return sorted(quotes, key=lambda one: not shows_phrase(title, one.text))[:EACH_OF_ALL]


def _listed(quotes: Sequence[Quote]) -> str:
    return "\n".join(ITEM + quote.line for quote in quotes)


def _helpfulness(score: float) -> int:
    return max(1, min(100, round(100 * score)))
