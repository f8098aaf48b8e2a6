"""`kg-build eval questions` makes the questions of an evaluation, or takes a person's own."""

from pathlib import Path
from typing import Any, Final

import click

from graphrag_neo4j.cli.eval.course import confirm, refuse_failed, refuse_unasked, run_heard
from graphrag_neo4j.cli.eval.options import folder_argument, paying_options
from graphrag_neo4j.cli.options import Number, home_option, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.evaluation.async_evaluation import AsyncEvaluation
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.plan import PLAN
from graphrag_neo4j.evaluation.questions.drafting import (
    MadeQuestions,
    check_asking,
    estimate_questions,
)
from graphrag_neo4j.evaluation.questions.files import near_duplicates
from graphrag_neo4j.settings import Settings

__all__ = ["questions"]

NAMED: Final = 10  # pairs of like questions that are listed


@click.command()
@folder_argument
@click.argument(
    "file", required=False, type=click.Path(dir_okay=False, path_type=Path), metavar="[FILE]"
)
@click.option(
    "--column",
    metavar="NAME",
    help="The column of the questions in FILE. The default is question, question_text or text.",
)
@click.option(
    "--about",
    metavar="TEXT",
    help=(
        "What the documents are, in a few sentences. Without it, a model drafts a description "
        "from the reports of the graph, and you are asked whether it is right."
    ),
)
@click.option(
    "--personas", type=Number(least=1, most=50), help="How many users to imagine. [default: 5]"
)
@click.option(
    "--tasks", type=Number(least=1, most=50), help="How many tasks each user has. [default: 5]"
)
@click.option(
    "--questions",
    "number",
    type=Number(least=1, most=50),
    help="How many questions each user asks for each task. [default: 5]",
)
@home_option
@paying_options
def questions(
    folder: Path,
    file: Path | None,
    *,
    column: str | None,
    about: str | None,
    personas: float | None,
    tasks: float | None,
    number: float | None,
    yes: bool,
    quiet: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Make the questions of the evaluation in FOLDER, or take your own from FILE.

    FILE is a .txt with one question on each line, or a .csv or .jsonl with a column question.
    Without FILE a model imagines users of your documents, tasks of each user, and questions about
    the whole collection for each task (arXiv 2404.16130, Algorithm 1). It reads only a description
    of the documents. Run the same command again to continue or to add questions.
    """
    settings = settings_of(**values)
    evaluation = AsyncEvaluation(folder, settings)
    if file:
        new = evaluation.add_questions(file, column)
        if not quiet:
            _tell_added(evaluation.folder, len(new))
        return
    check_asking(settings)
    refuse_unasked(yes=yes)
    if about or not evaluation.folder.plan.description:
        about = about or _drafted(folder, settings, quiet=quiet)
    evaluation.folder.change_plan(
        description=about,
        personas=_whole(personas),
        tasks=_whole(tasks),
        questions=_whole(number),
    )
    _tell_description(evaluation.folder, quiet=quiet)
    plan = evaluation.folder.plan
    wanted = counted(plan.personas * plan.tasks * plan.questions, "question")
    confirm([estimate_questions(plan, settings)], f"Up to {wanted}", yes=yes, quiet=quiet)
    made = _made(folder, settings, quiet=quiet)
    if not quiet:
        _tell_made(evaluation.folder.path, made)
    failed = made.calls.failed
    refuse_failed(f"{counted(failed, 'call')} failed.", failed, made.reasons)


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def _drafted(folder: Path, settings: Settings, *, quiet: bool) -> str:
    try:
        return run_heard(
            lambda listen: AsyncEvaluation(folder, settings, listen).describe(),
            lambda: "Nothing was saved.",
            quiet=quiet,
            fleeting=True,
        )
    except ReplyError as error:
        reason = str(error).rstrip(".")
        terminal.line(
            f"Error: There is no description of the documents, since {reason}. Describe them "
            "yourself by --about.",
            error=True,
        )
        raise click.exceptions.Exit(1) from None


def _tell_description(folder: EvaluationFolder, *, quiet: bool) -> None:
    if quiet:
        return
    terminal.line("The questions are made from this description of the documents:")
    terminal.line(f"  {folder.plan.description}", style="bold")
    terminal.line(f"You can edit it in {folder.path / PLAN}, or give another by --about.")


def _made(folder: Path, settings: Settings, *, quiet: bool) -> MadeQuestions:
    return run_heard(
        lambda listen: AsyncEvaluation(folder, settings, listen).make_questions(),
        lambda: _saved(EvaluationFolder(folder)),
        quiet=quiet,
        fleeting=True,
    )


def _saved(folder: EvaluationFolder) -> str:
    n = len(folder.questions)
    return f"{counted(n, 'question')} {'is' if n == 1 else 'are'} saved."


def _tell_added(folder: EvaluationFolder, new: int) -> None:
    terminal.line(f"{counted(new, 'new question')}. {_saved(folder)}")
    _tell_like(folder)


def _tell_made(path: Path, made: MadeQuestions) -> None:
    folder = EvaluationFolder(path)
    terminal.line(f"{counted(len(made.new), 'new question')}. {_saved(folder)}")
    if made.repeated:
        terminal.line(
            f"{counted(made.repeated, 'question is a repetition', 'questions are repetitions')} of "
            "others and left out."
        )
    _tell_like(folder)
    if len(folder.questions):
        terminal.line(f"`kg-build eval answers {path}` has them answered.")


def _tell_like(folder: EvaluationFolder) -> None:
    """Names pairs of questions that say nearly the same."""
    pairs = near_duplicates(list(folder.questions))
    if not pairs:
        return
    terminal.line(
        f"{counted(len(pairs), 'question is', 'questions are')} nearly the same as another one. "
        f"Remove lines from {folder.questions.path} as you like:"
    )
    for one, other in pairs[:NAMED]:
        terminal.line(f"  {one.text}")
        terminal.line(f"  {other.text}", style="dim")
    if len(pairs) > NAMED:
        terminal.line(f"  … and {len(pairs) - NAMED:,} more.")
