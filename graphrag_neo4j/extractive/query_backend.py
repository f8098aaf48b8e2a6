"""Answers without a model: the sentences of the material that answer best, quoted and cited.

What is near the question (static vectors, and its rarer words) and unlike what has been chosen
(maximal marginal relevance, Carbonell and Goldstein 1998) is said again; from reports under their
titles. A question about the whole names nothing to be near to: the widest reports answer it.
"""

import re
from collections.abc import Sequence

from graphrag_neo4j.context.citations import bracket, cited
from graphrag_neo4j.context.context_table import ContextRecord, ContextTable
from graphrag_neo4j.extractive.answers import Asked, Quote, chosen, title_of
from graphrag_neo4j.model import ComposedTask, LLMTask, Message, Point, Primer

__all__ = ["ExtractiveQueryBackend"]

SENTENCES = 8  # of an answer from one context
REPORTS = 6  # of a global answer
ITEM = "- "
EACH = 2  # sentences of a report
WHOLE = re.compile(
    r"\b(themes?|topics?|overall|overview|summar\w+|trends?|main|across|in general|compare\w*|"
    r"most (?:common|important|discussed)|patterns?|corpus|collection|dataset)\b",
    re.IGNORECASE,
)


class ExtractiveQueryBackend:
    """Chooses sentences; an answer is a list of quotations."""

    def answer(
        self, question: str, context: ContextTable, _history: Sequence[Message]
    ) -> ComposedTask:
        """The best sentences of a context, a list item each."""
        records = context.records.values()
        return ComposedTask(lambda: _listed(chosen(Asked.of(question, records), SENTENCES)))

    def reduce(
        self, _question: str, points: Sequence[Point], _history: Sequence[Message]
    ) -> ComposedTask:
        """The best points; what has been said is left out."""
        return ComposedTask(lambda: _joined(points[:REPORTS]))

    def points(self, question: str, context: ContextTable) -> LLMTask[Sequence[Point]]:
        """Of each report the best sentences, by how near they are to the question."""
        yield from ()
        asked = Asked.of(question, context.records.values())
        points = [_point(asked, record) for record in context.records.values()]
        return [point for point in points if point]

    def rate(self, question: str, context: ContextTable) -> LLMTask[Sequence[int]]:
        """The reports that hold a sentence near the question."""
        yield from ()
        asked = Asked.of(question, context.records.values())
        near = {one.record.id for one in asked.quotes if asked.answers(one)}
        return [r.ref for r in context.records.values() if asked.whole or r.id in near]

    def prime(self, question: str, context: ContextTable) -> LLMTask[Primer]:
        """The best sentences; what a context names is asked about next.

        Where nothing is near, the names are not asked about, since they would find themselves;
        the question alone is asked again of what surrounds it.
        """
        yield from ()
        quotes = chosen(Asked.of(question, context.records.values()), SENTENCES // 2)
        names = [r.text.split(" | ")[0] for r in context.by_kind().get("Entities", [])]
        names += [title_of(record) for record in context.by_kind().get("Reports", [])]
        score = max((_helpfulness(quote.score) for quote in quotes), default=0)
        more = [f"{question} {name}" for name in names[:3]] if quotes else [question]
        return Primer(_listed(quotes), score, more)

    def chooses_global(self, question: str) -> LLMTask[bool]:
        """By words that ask for the whole."""
        yield from ()
        return WHOLE.search(question) is not None


def _point(asked: Asked, record: ContextRecord) -> Point | None:
    """What a report, or another record, has to say to a question; None: nothing."""
    quotes = chosen(asked, EACH, record)
    if not quotes:
        return None
    # The wider a report, the more it cites.
    best = len(cited(record.text)) / 100 if asked.whole else max(one.score for one in quotes)
    score = _helpfulness(best)
    if record.kind != "Reports":
        return Point(_listed(quotes), score)
    title = f"**{title_of(record)}** {bracket([(record.kind, record.ref)])}"
    return Point(f"{title}\n{_listed(quotes)}", score)


def _joined(points: Sequence[Point]) -> str:
    said: dict[str, None] = {}
    parts = []
    for point in points:
        new = [line for line in point.description.splitlines() if line not in said]
        said |= dict.fromkeys(new)
        if any(line.startswith(ITEM) for line in new):
            parts.append("\n".join(new))
    return "\n\n".join(parts)


def _listed(quotes: Sequence[Quote]) -> str:
    return "\n".join(ITEM + quote.line for quote in quotes)


def _helpfulness(score: float) -> int:
    return max(1, min(100, round(100 * score)))
