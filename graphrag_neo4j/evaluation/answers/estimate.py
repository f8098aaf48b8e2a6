"""Estimates what the missing answers take, before a model is asked. It makes no call.

The sizes of contexts are read from the graph; the lengths of replies are assumptions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from graphrag_neo4j.evaluation.answers.answering import AnswerItem, Asked
from graphrag_neo4j.evaluation.answers.conditions import Condition
from graphrag_neo4j.evaluation.rows import SizesRow
from graphrag_neo4j.indexing.estimate import StepEstimate, priced
from graphrag_neo4j.query.question import Question, asked_of
from graphrag_neo4j.query.rows import LevelRow
from graphrag_neo4j.settings import Settings

__all__ = ["AnswersEstimate", "estimate_answers"]

# Tokens: of a prompt without its context, of the reply of a map call and of an answer.
PROMPT: Final = 1_500
MAPPED: Final = 400
ANSWER: Final = 700
LINES: Final = 1.05  # tokens of a context for each token of its records: ids and separators
FILLED: Final = 0.9  # share of a context that is used where records are not divided


@dataclass(frozen=True, slots=True)
class AnswersEstimate:
    """What the missing answers take: `there` are there already, `missing` are not.

    `steps` has an estimate for each condition with missing answers, under its name. It is empty
    where no model is asked.
    """

    there: int
    missing: int
    steps: Sequence[StepEstimate]


async def estimate_answers(
    items: Sequence[AnswerItem], missing: Sequence[AnswerItem]
) -> AnswersEstimate:
    """Estimates the missing ones of the answers that are to be there.

    Raises InputError if a cost limit is set and the price of a model is not known.
    """
    numbers: dict[str, list[AnswerItem]] = {}
    for item in missing:
        numbers.setdefault(item.condition.name, []).append(item)
    steps = [
        await _estimate(found[0].condition, found[0].asked, len(found))
        for found in numbers.values()
        if found[0].asked.endpoint is not None
    ]
    return AnswersEstimate(len(items) - len(missing), len(missing), steps)


async def _estimate(condition: Condition, asked: Asked, n: int) -> StepEstimate:
    question, settings = asked_of("?", condition.options, asked.settings)
    calls, sent, replied = await _of_one(question, settings, asked)
    found = priced("answer", n * calls, n * sent, n * replied, settings)
    return StepEstimate(
        condition.name, found.calls, found.input_tokens, found.output_tokens, found.cost
    )


async def _of_one(question: Question, settings: Settings, asked: Asked) -> tuple[int, float, float]:
    """Returns the calls, the input tokens and the output tokens of one answer."""
    match question.method:
        case "global":
            return _map_reduce(await _report_tokens(question, settings, asked), settings)
        case "text":
            [sizes] = await asked.graph.read("evaluation/sizes", SizesRow)
            return _map_reduce(sizes["tokens"], settings)
        case "drift":
            calls = 2 + settings.drift_calls
            return calls, calls * (PROMPT + settings.max_context_tokens), calls * MAPPED
        case _:
            return 1, PROMPT + settings.max_context_tokens, ANSWER


def _map_reduce(tokens: float, settings: Settings) -> tuple[int, float, float]:
    contexts = max(1, ceil(tokens * LINES / (FILLED * settings.map_context_tokens)))
    points = min(settings.data_max_tokens, contexts * MAPPED)
    sent = tokens * LINES + (contexts + 1) * PROMPT + points
    return contexts + 1, sent, contexts * MAPPED + ANSWER


async def _report_tokens(question: Question, settings: Settings, asked: Asked) -> float:
    """Returns the tokens of the reports that a global search reads, at most."""
    levels = await asked.graph.read("search/levels", LevelRow)
    sizes = {row["level"]: row["tokens"] + row["plain"] for row in levels}
    if question.dynamic:
        return 2 * sum(sizes.values())  # rated and read, if all are relevant
    if question.level is not None:
        return sizes.get(question.level, 0)
    room = settings.map_calls * settings.map_context_tokens
    fitting = [size for size in sizes.values() if size <= room]
    return max(fitting, default=min(sizes.values(), default=0))
