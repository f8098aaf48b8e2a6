"""`kg-build eval import` takes the answers of another system from a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from graphrag_neo4j.cli.eval.options import folder_argument
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.answers.importing import import_answers
from graphrag_neo4j.evaluation.folder import EvaluationFolder

__all__ = ["import_"]

NAMED: Final = 10  # questions that are listed one by one


@click.command("import")
@folder_argument
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "--condition",
    required=True,
    metavar="NAME",
    help="The name of the other system in all tables, such as lightrag.",
)
def import_(folder: Path, file: Path, condition: str) -> None:
    """Take the answers of another system from FILE, to judge them beside the others in FOLDER.

    FILE has one JSON object on each line, with the fields question and answer, and if they are
    known: sources (a list of source and text), calls, input_tokens, output_tokens, context_tokens,
    units, cost and seconds. A question is matched by its text. The exit code is 1 if a line could
    not be used.
    """
    done = import_answers(EvaluationFolder(folder), file, condition)
    terminal.line(
        f"{counted(done.new, 'new answer')} of {condition}, {done.there:,} were there already."
    )
    _name("The evaluation has no such question", done.unmatched)
    _name("The answer is empty", done.empty)
    if n := len(done.unanswered):
        terminal.line(
            f"{condition} has no answer to {counted(n, 'question')} of the evaluation.",
            style="yellow",
        )
    if done.unmatched or done.empty:
        raise click.exceptions.Exit(1)


def _name(problem: str, questions: Sequence[str]) -> None:
    for text in questions[:NAMED]:
        terminal.line(f"{problem}: {text}", style="red", error=True)
    if len(questions) > NAMED:
        more = f"{problem}: … and {len(questions) - NAMED:,} more."
        terminal.line(more, style="red", error=True)
