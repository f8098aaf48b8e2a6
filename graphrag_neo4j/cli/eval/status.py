"""`kg-build eval status` shows what the folder of an evaluation holds and what is missing."""

from collections import Counter
from pathlib import Path

import click

from graphrag_neo4j.cli.eval.options import folder_argument
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.evaluation import print_costs
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.folder import EvaluationFolder

__all__ = ["status"]


@click.command()
@folder_argument
def status(folder: Path) -> None:
    """Show what the evaluation in FOLDER holds, what is missing, and what the answers cost.

    It asks no model and needs no Neo4j.
    """
    found = EvaluationFolder(folder)
    if not found.exists:
        raise InputError(
            f"{folder} holds no evaluation. `kg-build eval questions {folder}` begins one."
        )
    _tell_questions(found)
    print_costs(found.current_answers().values())
    _tell_missing(found)
    _tell_verdicts(found)


def _tell_questions(folder: EvaluationFolder) -> None:
    n, personas = len(folder.questions), {one.persona for one in folder.questions if one.persona}
    made = f", asked by {counted(len(personas), 'persona')}" if personas else ""
    terminal.line(f"{counted(n, 'question')}{made}.")
    if folder.plan.description:
        terminal.line(f"Documents: {folder.plan.description}", style="dim")


def _tell_missing(folder: EvaluationFolder) -> None:
    """Names the conditions of the plan, and of other systems, that have not answered everything."""
    answered = Counter(
        one.condition for one in folder.current_answers().values() if one.failure is None
    )
    n = len(folder.questions)
    for one in folder.chosen():
        if one.name not in answered:
            terminal.line(f"{one.name}: there are no answers.", style="yellow")
    for name in answered:
        if answered[name] < n:
            terminal.line(f"{name}: {n - answered[name]:,} answers are missing.", style="yellow")


def _tell_verdicts(folder: EvaluationFolder) -> None:
    judges = Counter(one.judge for one in folder.verdicts if one.failure is None)
    for judge, n in judges.items():
        terminal.line(f"{counted(n, 'verdict')} by {judge}.")
