"""`kg-build eval verdict` lets a person compare answers without seeing who gave them."""

from getpass import getuser
from pathlib import Path
from typing import Final, get_args

import click

from graphrag_neo4j.cli.eval.course import INTERRUPTED_CODE
from graphrag_neo4j.cli.eval.options import condition_option, folder_argument, metric_option
from graphrag_neo4j.cli.options import Number
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judge.verdicts import (
    BlindComparison,
    Choice,
    comparisons_of,
    save_choice,
)
from graphrag_neo4j.evaluation.model import Metric
from graphrag_neo4j.llm.evaluation import plain_answer
from graphrag_neo4j.llm.evaluation.judge import DEFINITIONS

__all__ = ["verdict"]

ASK: Final = "Which answer is better? 1, 2, t (tie), s (skip), q (quit): "
AGAIN: Final = "Type 1, 2, t, s or q."
SKIP, QUIT = "s", "q"


@click.command()
@folder_argument
@click.option(
    "--name",
    metavar="NAME",
    help="Your name in the records. The default is your user name on this computer.",
)
@metric_option
@condition_option
@click.option("--most", type=Number(least=1), metavar="N", help="Stop after this many verdicts.")
def verdict(
    folder: Path,
    *,
    name: str | None,
    metrics: tuple[Metric, ...],
    conditions: tuple[str, ...],
    most: float | None,
) -> None:
    """Compare answers of the evaluation in FOLDER yourself, two at a time.

    You see the question and two answers in random order, without their citations and without the
    names of their conditions. Each verdict is saved at once. Stop by q or Ctrl-C, and run the same
    command again to go on. The verdicts tell how far a judging model agrees with you.
    """
    if not terminal.can_ask():
        raise InputError("A person must type the verdicts: run the command in a terminal.")
    found = EvaluationFolder(folder)
    todo = comparisons_of(found, name or getuser(), metrics or found.plan.metrics, conditions)
    given = 0
    try:
        for number, comparison in enumerate(todo[: int(most) if most else None], start=1):
            _show(comparison, f"{number:,} of {len(todo):,}")
            choice = _choice()
            if choice == QUIT:
                break
            if choice in get_args(Choice):
                save_choice(found, comparison, choice)  # type: ignore[arg-type] # it is one
                given += 1
    except (KeyboardInterrupt, click.Abort):
        _tell(given, len(todo))
        raise click.exceptions.Exit(INTERRUPTED_CODE) from None
    _tell(given, len(todo))


def _show(comparison: BlindComparison, place: str) -> None:
    terminal.line()
    terminal.line((f"Comparison {place}: {comparison.metric}", "bold"))
    terminal.line(DEFINITIONS[comparison.metric])
    terminal.line()
    terminal.line((f"Question: {comparison.question.text}", "bold"))
    for number, answer in enumerate((comparison.first, comparison.second), start=1):
        terminal.line()
        terminal.line((f"Answer {number}", "bold"))
        for line in plain_answer(answer.text).splitlines():
            terminal.line(line)
    terminal.line()


def _choice() -> str:
    while True:
        typed = terminal.prompt(ASK).strip().casefold()
        if typed in {*get_args(Choice), SKIP, QUIT}:
            return typed
        terminal.line(AGAIN)


def _tell(given: int, todo: int) -> None:
    left = todo - given
    terminal.line(f"{counted(given, 'verdict')} saved, {counted(left, 'comparison')} left.")
