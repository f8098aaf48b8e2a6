"""Prints the tables of an evaluation."""

from collections.abc import Iterable, Sequence

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import money
from graphrag_neo4j.evaluation.answers.costs import ConditionCosts, condition_costs
from graphrag_neo4j.evaluation.model import AnswerRecord

__all__ = ["print_costs"]

UNKNOWN = "–"
HEAD = (
    "condition",
    "answers",
    "units",
    "context",
    "%",
    "calls",
    "in",
    "out",
    "cost",
    "seconds",
    "total",
)
LEGEND = (
    "From units to seconds, each number is the mean of an answer: the reports, passages and other "
    "records of its contexts, their tokens, these in percent of the largest condition, calls, "
    "input and output tokens, cost, seconds. total is the cost of all answers of the condition."
)


def print_costs(answers: Iterable[AnswerRecord]) -> None:
    """Prints what an answer of each condition takes in the mean; nothing without answers."""
    rows = [_row(one) for one in condition_costs(answers)]
    if rows:
        terminal.table(HEAD, rows)
        terminal.line(LEGEND, style="dim")


def _row(one: ConditionCosts) -> Sequence[str]:
    return (
        one.condition,
        f"{one.answers:,}",
        _number(one.units),
        _number(one.context_tokens),
        UNKNOWN if one.percent is None else f"{one.percent:.1f}",
        UNKNOWN if one.calls is None else f"{one.calls:,.1f}",
        _number(one.input_tokens),
        _number(one.output_tokens),
        UNKNOWN if one.cost is None else money(one.cost),
        UNKNOWN if one.seconds is None else f"{one.seconds:,.1f}",
        UNKNOWN if one.total_cost is None else money(one.total_cost),
    )


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.0f}"
