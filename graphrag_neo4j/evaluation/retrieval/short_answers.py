"""Short answers to the questions of a data set, with their exact match and F1.

The answers of a search are long and cite their sources. For these scores the search is asked for
nothing but the short answer, and its citations are removed.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.evaluation.answers.answering import whole
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.retrieval.answer_scores import score_answer
from graphrag_neo4j.evaluation.retrieval.datasets import Dataset
from graphrag_neo4j.evaluation.retrieval.ranking import WAYS, Search, by_way, made_of
from graphrag_neo4j.evaluation.steps import Step, StepResult, make_missing
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.preparation import metered
from graphrag_neo4j.llm import Endpoint, Meter
from graphrag_neo4j.llm.evaluation import plain_answer
from graphrag_neo4j.model import Usage
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.engine import answer_question
from graphrag_neo4j.query.question import asked_of
from graphrag_neo4j.query.stream import AsyncStream
from graphrag_neo4j.settings import Settings

__all__ = [
    "SHORT_ANSWERS",
    "AnswerQuality",
    "ShortAnswer",
    "answer_shortly",
    "missing_answers",
    "qualities_of",
]

SHORT_ANSWERS: Final = "short_answers.jsonl"
SHORT: Final = (
    "Only the short answer: a name, a date, a number, a few words, or yes or no. No sentence, no "
    "explanation and no heading."
)
WORKERS: Final = 4


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """The short answer of a way of searching to a question, with its scores from 0 to 1."""

    key: str
    question: str
    way: str
    text: str
    exact: float = 0.0
    f1: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerQuality:
    """The mean exact match and F1 of the answers of a way of searching.

    `missing` counts the questions without an answer; they do not count in the means.
    """

    way: str
    answers: int
    missing: int
    exact: float
    f1: float


async def answer_shortly(
    rag: AsyncGraphRAG,
    dataset: Dataset,
    folder: Path,
    listen: Listener = silent,
    *,
    spent: float = 0.0,
) -> StepResult:
    """Asks each question in each of our ways for a short answer, and saves the answers.

    The graph of the client must hold the passages. `spent` is what the run has cost before, in US
    dollars: it counts against the cost limit. Raises BudgetSpentError if that is reached, and
    ModelError if the model can't be used at all; what was answered before is saved.
    """
    settings, most = rag.settings, rag.settings.max_cost
    meter = Meter(limit=None if most is None else most - spent)
    backends = Backends(settings, Endpoint(settings, meter) if settings.has_model else None)

    async def make(item: Search) -> ShortAnswer:
        question, own = asked_of(
            item.question.text, {**WAYS[item.way], "response_type": SHORT}, settings
        )
        answering = answer_question(rag.graph, backends, own, question, silent)
        return _record(item, await whole(AsyncStream(answering)))

    def missing(item: Search, failure: str) -> ShortAnswer:
        return ShortAnswer(item.key, item.question.id, item.way, "", failure=failure)

    step = Step("short answers", _file(folder), make, missing)
    items = _items(dataset, settings)
    workers = WORKERS if settings.has_model else 1
    try:
        return await make_missing(step, items, workers=workers, listen=metered(listen, meter))
    finally:
        await backends.aclose()


def missing_answers(dataset: Dataset, settings: Settings, folder: Path) -> int:
    """Returns the number of short answers that are not there yet."""
    file = _file(folder)
    return sum(one.key not in file for one in _items(dataset, settings))


def qualities_of(dataset: Dataset, settings: Settings, folder: Path) -> list[AnswerQuality]:
    """Returns the scores of each way, from the saved answers."""
    there = by_way(_items(dataset, settings), _file(folder))
    return [_mean(way, found) for way, found in there.items()]


def _mean(way: str, found: Sequence[ShortAnswer | None]) -> AnswerQuality:
    known = [one for one in found if one is not None]
    exact = statistics.fmean([one.exact for one in known] or [0.0])
    f1 = statistics.fmean([one.f1 for one in known] or [0.0])
    return AnswerQuality(way, len(known), len(found) - len(known), exact, f1)


def _items(dataset: Dataset, settings: Settings) -> list[Search]:
    made = made_of(dataset, settings)
    return [
        Search(
            identify("short answer", made, way, one.id, one.text, one.rule, *one.answers),
            one,
            way,
        )
        for way in WAYS
        for one in dataset.questions
    ]


def _file(folder: Path) -> RecordFile[ShortAnswer]:
    return RecordFile(folder / SHORT_ANSWERS, ShortAnswer)


def _record(item: Search, answer: Answer) -> ShortAnswer:
    text = plain_answer(answer.text) if answer.found else ""
    score = score_answer(text, item.question.answers, item.question.rule)
    used = Usage.total(answer.usage.values())
    return ShortAnswer(
        item.key,
        item.question.id,
        item.way,
        text,
        score.exact,
        score.f1,
        used.calls,
        used.input_tokens,
        used.output_tokens,
        None if used.unpriced else used.cost,
    )
