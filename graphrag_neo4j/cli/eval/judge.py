"""`kg-build eval judge` has a model compare the answers of the conditions."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.eval.options import confirm, folder_argument, paying_options, run_paid
from graphrag_neo4j.cli.options import NearestChoice, Number, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judge_estimate import estimate_verdicts
from graphrag_neo4j.evaluation.judge_runs import judge_missing, verdict_items
from graphrag_neo4j.evaluation.judging import JudgeItem
from graphrag_neo4j.evaluation.model import METRICS, Metric
from graphrag_neo4j.evaluation.steps import StepResult
from graphrag_neo4j.llm.endpoint import NO_MODEL
from graphrag_neo4j.settings import Settings

__all__ = ["judge"]


@click.command()
@folder_argument
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=NearestChoice(METRICS),
    help="What to compare; repeat the option for several. It is kept. [default: all four]",
)
@click.option(
    "--repeats",
    type=Number(least=1),
    metavar="N",
    help="How often each comparison is made, in both orders. It is kept. [default: 5]",
)
@click.option(
    "-c",
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME",
    help="Compare only these conditions; repeat the option. [default: all with answers]",
)
@paying_options
def judge(
    folder: Path,
    *,
    metrics: tuple[Metric, ...],
    repeats: float | None,
    conditions: tuple[str, ...],
    model: str | None,
    yes: bool,
    quiet: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Have a model compare the answers in FOLDER, two at a time and in both orders.

    --model names the judge; without it, KG_JUDGE_MODEL and then KG_MODEL are used. A verdict is
    saved as soon as it is there. Run the same command again to continue, and to ask again for
    verdicts that are missing. `kg-build eval results` shows what comes out.
    """
    settings = settings_of(judge_model=model, **values)
    if not settings.has_model:
        raise InputError(NO_MODEL)
    found = EvaluationFolder(folder)
    found.change_plan(metrics=metrics or None, repeats=None if repeats is None else int(repeats))
    items = verdict_items(found, settings, conditions)
    missing = [item for item in items if item.key not in found.verdicts]
    if not quiet:
        there = len(items) - len(missing)
        terminal.line(f"{counted(there, 'verdict')} of {len(items):,} are there already.")
    estimate = estimate_verdicts(missing, settings)
    confirm([estimate], counted(len(missing), "verdict"), yes=yes, quiet=quiet)
    done = _judged(found, missing, settings, quiet=quiet) if missing else StepResult()
    _tell(found, done, quiet=quiet)


def _judged(
    found: EvaluationFolder, missing: list[JudgeItem], settings: Settings, *, quiet: bool
) -> StepResult:
    async def work() -> StepResult:
        with listening(quiet=quiet) as listen:
            return await judge_missing(found, missing, settings, listen)

    def saved() -> str:
        n = sum(item.key in found.verdicts for item in missing)
        return f"{counted(n, 'new verdict')} {'is' if n == 1 else 'are'} saved."

    return run_paid(work, saved)


def _tell(found: EvaluationFolder, done: StepResult, *, quiet: bool) -> None:
    if not quiet and done.made:
        terminal.line(f"{counted(done.made, 'verdict')} saved.")
    if done.failed:
        terminal.line(
            f"{counted(done.failed, 'verdict')} missing: the judge gave no usable reply. Run the "
            "same command again to ask again.",
            style="yellow",
        )
        reasons = Counter(one.failure for one in found.verdicts if one.failure)
        for reason, n in reasons.most_common(3):
            terminal.line(f"  {n:,} times: {reason}")
        raise click.exceptions.Exit(1)
