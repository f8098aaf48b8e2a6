"""What the answers of each condition take: Table 2 of the paper, with calls, money and seconds."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from graphrag_neo4j.evaluation.model import AnswerRecord

__all__ = ["ConditionCosts", "condition_costs", "percent_of_most"]


@dataclass(frozen=True, slots=True)
class ConditionCosts:
    """What an answer of a condition takes in the mean, over its `answers` that are there.

    `units` counts the reports, passages and other records of the contexts, and `context_tokens`
    their tokens; `percent` is the share of these tokens in those of the condition that has the most
    (Table 2). `cost` is in US dollars. A value is None where it is not known of all answers.
    `total_cost` is the cost of all answers. `missing` counts the answers that failed.
    """

    condition: str
    answers: int
    missing: int
    units: float | None
    context_tokens: float | None
    percent: float | None
    calls: float | None
    input_tokens: float | None
    output_tokens: float | None
    cost: float | None
    total_cost: float | None
    seconds: float | None


def condition_costs(answers: Iterable[AnswerRecord]) -> list[ConditionCosts]:
    """Returns the costs of each condition that has answers, in the order of the first one.

    `answers` are those that count (`EvaluationFolder.current_answers`).
    """
    by_condition: dict[str, list[AnswerRecord]] = {}
    for one in answers:
        by_condition.setdefault(one.condition, []).append(one)
    there = {
        name: [one for one in found if one.failure is None] for name, found in by_condition.items()
    }
    tokens = {name: _mean(found, lambda one: one.context_tokens) for name, found in there.items()}
    shares = percent_of_most(list(tokens.values()))
    return [
        _costs(name, there[name], len(found), tokens[name], share)
        for (name, found), share in zip(by_condition.items(), shares, strict=True)
    ]


def percent_of_most(tokens: Sequence[float | None]) -> list[float | None]:
    """Returns each number in percent of the largest one; None where it is not known.

    >>> percent_of_most([5, None, 20])
    [25.0, None, 100.0]
    """
    most = max((one for one in tokens if one is not None), default=0)
    return [100 * one / most if one is not None and most else None for one in tokens]


def _costs(
    name: str,
    there: Sequence[AnswerRecord],
    asked: int,
    tokens: float | None,
    percent: float | None,
) -> ConditionCosts:
    cost = _mean(there, lambda one: one.cost)
    return ConditionCosts(
        condition=name,
        answers=len(there),
        missing=asked - len(there),
        units=_mean(there, lambda one: one.units),
        context_tokens=tokens,
        percent=percent,
        calls=_mean(there, lambda one: one.calls),
        input_tokens=_mean(there, lambda one: one.input_tokens),
        output_tokens=_mean(there, lambda one: one.output_tokens),
        cost=cost,
        total_cost=None if cost is None else cost * len(there),
        seconds=_mean(there, lambda one: one.seconds),
    )


def _mean(
    answers: Sequence[AnswerRecord], value: Callable[[AnswerRecord], float | None]
) -> float | None:
    """Returns the mean of a value. None without answers, and where one of them does not have it."""
    values = [value(one) for one in answers]
    known = [one for one in values if one is not None]
    return fmean(known) if known and len(known) == len(values) else None
