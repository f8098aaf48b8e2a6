"""`kg-build eval answers` has each condition of an evaluation answer each question."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.eval.course import confirm, refuse_failed, run_heard, told_once
from graphrag_neo4j.cli.eval.options import folder_argument, paying_options
from graphrag_neo4j.cli.options import Number, home_option, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.evaluation import print_costs
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.answers.estimate import AnswersEstimate
from graphrag_neo4j.evaluation.async_evaluation import AsyncEvaluation
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.plan import PAPER
from graphrag_neo4j.events import Listener

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

    def opened(listen: Listener) -> AsyncEvaluation:
        return AsyncEvaluation(folder, settings, told_once(listen, told))

    saved = partial(_saved, folder)
    estimate = run_heard(
        lambda listen: opened(listen).estimate_answers(), saved, quiet=quiet, fleeting=True
    )
    if not quiet:
        _tell_todo(estimate)
    confirm(estimate.steps, counted(estimate.missing, "answer"), yes=yes, quiet=quiet)
    done = run_heard(lambda listen: opened(listen).answer(), saved, quiet=quiet)
    found = EvaluationFolder(folder)
    if not quiet:
        print_costs(found.current_answers().values())
    reasons = (one.failure for one in found.current_answers().values())
    refuse_failed(f"{counted(done.failed, 'answer')} failed.", done.failed, reasons)


def _saved(folder: Path) -> str:
    found = EvaluationFolder(folder).current_answers().values()
    n = sum(one.failure is None for one in found)
    return f"{counted(n, 'answer')} {'is' if n == 1 else 'are'} saved."


def _tell_todo(estimate: AnswersEstimate) -> None:
    if not estimate.missing:
        terminal.line(f"All {counted(estimate.there, 'answer')} are there already.")
    elif estimate.there:
        terminal.line(f"{counted(estimate.there, 'answer')} are there already.")
