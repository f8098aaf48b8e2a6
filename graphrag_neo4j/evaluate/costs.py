"""What the answers of each condition take: Table 2 of the paper, with calls, money and seconds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from graphrag_neo4j.evaluate.records import AnswerRecord

__all__ = ["ConditionCosts", "condition_costs"]


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
    seconds: float | None
    total_cost: float | None


def condition_costs(answers: Iterable[AnswerRecord]) -> list[ConditionCosts]:
    """Returns the costs of each condition that has answers, in the order of the first one.

    `answers` are those that count (`EvaluationFolder.current_answers`).
    """
    asked: dict[str, list[AnswerRecord]] = {}
    for one in answers:
        asked.setdefault(one.condition, []).append(one)
    there = {name: [one for one in found if not one.failure] for name, found in asked.items()}
    tokens = {name: _mean(found, "context_tokens") for name, found in there.items()}
    most = max((size for size in tokens.values() if size is not None), default=0)
    costs = []
    for name, found in there.items():
        size, cost = tokens[name], _mean(found, "cost")
        costs.append(
            ConditionCosts(
                condition=name,
                answers=len(found),
                missing=len(asked[name]) - len(found),
                units=_mean(found, "units"),
                context_tokens=size,
                percent=100 * size / most if size is not None and most else None,
                calls=_mean(found, "calls"),
                input_tokens=_mean(found, "input_tokens"),
                output_tokens=_mean(found, "output_tokens"),
                cost=cost,
                seconds=_mean(found, "seconds"),
                total_cost=None if cost is None else cost * len(found),
            )
        )
    return costs


def _mean(answers: Sequence[AnswerRecord], name: str) -> float | None:
    """Returns the mean of a value. None without answers, and where one of them does not have it."""
    known = [value for one in answers if (value := getattr(one, name)) is not None]
    return fmean(known) if known and len(known) == len(answers) else None
