"""Prints the tables of an evaluation."""

from collections.abc import Iterable, Sequence

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import money
from graphrag_neo4j.evaluation.costs import ConditionCosts, condition_costs
from graphrag_neo4j.evaluation.model import AnswerRecord

__all__ = ["print_costs"]

UNKNOWN = "–"
HEAD = (
    "condition",
    "answers",
    "failed",
    "units",
    "context tokens",
    "% of most",
    "calls",
    "tokens in",
    "tokens out",
    "cost",
    "seconds",
    "total cost",
)


def print_costs(answers: Iterable[AnswerRecord]) -> None:
    """Prints what an answer of each condition takes in the mean; nothing without answers."""
    rows = [_row(one) for one in condition_costs(answers)]
    if rows:
        terminal.table(HEAD, rows)
        terminal.line(
            "Units are the reports, passages and other records of the contexts. All numbers from "
            "there to the seconds are means for one answer.",
            style="dim",
        )


def _row(one: ConditionCosts) -> Sequence[str]:
    return (
        one.condition,
        f"{one.answers:,}",
        f"{one.missing:,}",
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
