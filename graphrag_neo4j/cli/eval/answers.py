"""`kg-build eval answers` has each condition of an evaluation answer each question."""

from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.eval.options import (
    confirm,
    folder_argument,
    paying_options,
    run_paid,
    told_once,
)
from graphrag_neo4j.cli.options import Number, home_option, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.evaluation import print_costs
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.answers.estimate import AnswersEstimate
from graphrag_neo4j.evaluation.evaluation import AsyncEvaluation
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.plan import PAPER
from graphrag_neo4j.evaluation.steps import StepResult
from graphrag_neo4j.settings import Settings

__all__ = ["answers"]


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
        "local:hop, drift, basic, text. NAME=local,top_k_entities=20 sets more and gives it a "
        f"name. They are added to those of earlier runs. [default: {', '.join(PAPER)}]"
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
    evaluation = AsyncEvaluation(folder, settings)
    evaluation.choose(conditions or None, None if window is None else int(window))
    told: set[str] = set()
    estimate = _estimated(folder, settings, told, quiet=quiet)
    if not quiet:
        _tell_todo(estimate)
    confirm(estimate.steps, counted(estimate.missing, "answer"), yes=yes, quiet=quiet)
    done = _answered(folder, settings, told, quiet=quiet)
    if not quiet:
        _tell_done(EvaluationFolder(folder), done)
    if done.failed:
        raise click.exceptions.Exit(1)


def _estimated(folder: Path, settings: Settings, told: set[str], *, quiet: bool) -> AnswersEstimate:
    async def work() -> AnswersEstimate:
        with listening(quiet=quiet, fleeting=True) as listen:
            return await AsyncEvaluation(
                folder, settings, told_once(listen, told)
            ).estimate_answers()

    return run_paid(work, lambda: _saved(folder))


def _answered(folder: Path, settings: Settings, told: set[str], *, quiet: bool) -> StepResult:
    async def work() -> StepResult:
        with listening(quiet=quiet) as listen:
            return await AsyncEvaluation(folder, settings, told_once(listen, told)).answer()

    return run_paid(work, lambda: _saved(folder))


def _saved(folder: Path) -> str:
    found = EvaluationFolder(folder).current_answers().values()
    n = sum(one.failure is None for one in found)
    return f"{counted(n, 'answer')} {'is' if n == 1 else 'are'} saved."


def _tell_todo(estimate: AnswersEstimate) -> None:
    if not estimate.missing:
        terminal.line(f"All {counted(estimate.there, 'answer')} are there already.")
    elif estimate.there:
        terminal.line(f"{counted(estimate.there, 'answer')} are there already.")


def _tell_done(folder: EvaluationFolder, done: StepResult) -> None:
    print_costs(folder.current_answers().values())
    if done.failed:
        terminal.line(
            f"{counted(done.failed, 'answer')} failed. Run the same command again to retry.",
            style="yellow",
        )
        reasons = dict.fromkeys(one.failure for one in folder.answers if one.failure)
        for reason in list(reasons)[:5]:
            terminal.line(f"  {reason}")
