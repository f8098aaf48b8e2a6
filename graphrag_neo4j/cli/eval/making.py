"""`kg-build eval questions`, `answers` and `import`: what is compared later."""

from pathlib import Path
from typing import Any, Final

import click

from graphrag_neo4j.cli.eval.course import (
    confirm,
    folder_argument,
    paying_options,
    print_table,
    refuse_failed,
    refuse_unasked,
    run_heard,
    saved,
    whole,
)
from graphrag_neo4j.cli.options import Number, home_option, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.evaluate import AsyncEvaluation
from graphrag_neo4j.evaluate.conditions import PAPER
from graphrag_neo4j.evaluate.folder import PLAN, EvaluationFolder
from graphrag_neo4j.evaluate.importing import import_answers
from graphrag_neo4j.evaluate.questions import check_asking, estimate_questions
from graphrag_neo4j.evaluate.tables import cost_table

__all__ = ["answers", "import_", "questions"]

NAMED: Final = 10  # questions that are listed one by one
FILE: Final = click.Path(dir_okay=False, path_type=Path)
UP_TO_50: Final = Number(least=1, most=50)


@click.command()
@folder_argument
@click.argument("file", required=False, type=FILE, metavar="[FILE]")
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
@click.option("--personas", type=UP_TO_50, help="How many users to imagine. [default: 5]")
@click.option("--tasks", type=UP_TO_50, help="How many tasks each user has. [default: 5]")
@click.option(
    "--questions",
    "number",
    type=UP_TO_50,
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
    found = evaluation.folder
    if file:
        new = evaluation.add_questions(file, column)
        if not quiet:
            _tell_questions(found, len(new), 0)
        return
    check_asking(settings)
    refuse_unasked(yes=yes)
    if not (about or found.plan.description):
        try:
            about = run_heard(
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
    found.change_plan(
        description=about, personas=whole(personas), tasks=whole(tasks), questions=whole(number)
    )
    plan = found.plan
    if not quiet:
        terminal.line("The questions are made from this description of the documents:")
        terminal.line(f"  {plan.description}", style="bold")
        terminal.line(f"You can edit it in {folder / PLAN}, or give another by --about.")
    wanted = counted(plan.personas * plan.tasks * plan.questions, "question")
    confirm([estimate_questions(found, settings)], f"Up to {wanted}", yes=yes, quiet=quiet)
    made = run_heard(
        lambda listen: AsyncEvaluation(folder, settings, listen).make_questions(),
        lambda: saved(len(EvaluationFolder(folder).questions), "question"),
        quiet=quiet,
        fleeting=True,
    )
    if not quiet:
        _tell_questions(EvaluationFolder(folder), len(made.new), made.repeated)
    n = made.calls.failed
    refuse_failed(f"{counted(n, 'call')} failed.", n, made.reasons)


def _tell_questions(folder: EvaluationFolder, new: int, repeated: int) -> None:
    """Tells how many questions there are."""
    terminal.line(f"{counted(new, 'new question')}. {saved(len(folder.questions), 'question')}")
    if repeated:
        terminal.line(
            f"{counted(repeated, 'question is a repetition', 'questions are repetitions')} of "
            "others and left out."
        )
    if len(folder.questions):
        terminal.line(f"`kg-build eval answers {folder.path}` has them answered.")


@click.command()
@folder_argument
@click.option(
    "-c",
    "--condition",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help=(
        "A condition that answers; repeat the option for several. C0 to C3, TS and SS are those of "
        "the paper. A method is one, too, with details: global:2, global:dynamic, local:ppr, "
        "local:hop, drift, basic, text. NAME=local,max_context_tokens=4000 sets more and gives it "
        f"a name. They are added to those of earlier runs. [default: {', '.join(PAPER)}]"
    ),
)
@click.option(
    "--window",
    type=Number(least=500),
    metavar="TOKENS",
    help="The largest context of the conditions of the paper. [default: 8000]",
)
@home_option
@paying_options
def answers(
    folder: Path,
    *,
    conditions: tuple[str, ...],
    window: float | None,
    yes: bool,
    quiet: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Have each condition answer each question of the evaluation in FOLDER.

    An answer is saved as soon as it is there, and is asked for again only if something that it
    depends on has changed: an option, a model, a prompt file, or the graph. Run the same command
    again to continue, and to try failed answers again.
    """
    settings = settings_of(**values)
    AsyncEvaluation(folder, settings).choose(conditions or None, whole(window))
    told = set[str]()  # the graph is opened twice, and would tell its notices twice

    def kept() -> str:
        return saved(len(EvaluationFolder(folder).given_answers()), "answer")

    estimate = run_heard(
        lambda listen: AsyncEvaluation(folder, settings, listen).estimate_answers(),
        kept,
        quiet=quiet,
        fleeting=True,
        told=told,
    )
    if estimate.there and not quiet:
        there = counted(estimate.there, "answer")
        terminal.line(f"{there if estimate.missing else f'All {there}'} are there already.")
    confirm(estimate.steps, counted(estimate.missing, "answer"), yes=yes, quiet=quiet)
    done = run_heard(
        lambda listen: AsyncEvaluation(folder, settings, listen).answer(),
        kept,
        quiet=quiet,
        told=told,
    )
    current = EvaluationFolder(folder).current_answers().values()
    if not quiet:
        print_table(cost_table(current))
    reasons = (one.failure for one in current)
    refuse_failed(f"{counted(done.failed, 'answer')} failed.", done.failed, reasons)


@click.command("import")
@folder_argument
@click.argument("file", type=FILE, metavar="FILE")
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
    problems = {
        "The evaluation has no such question": done.unmatched,
        "The answer is empty": done.empty,
    }
    for problem, texts in problems.items():
        for text in texts[:NAMED]:
            terminal.line(f"{problem}: {text}", style="red", error=True)
        if len(texts) > NAMED:
            more = f"{problem}: … and {len(texts) - NAMED:,} more."
            terminal.line(more, style="red", error=True)
    if n := len(done.unanswered):
        terminal.line(
            f"{condition} has no answer to {counted(n, 'question')} of the evaluation.",
            style="yellow",
        )
    if done.unmatched or done.empty:
        raise click.exceptions.Exit(1)
