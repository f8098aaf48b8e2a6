"""`kg-build eval judge` has a model compare the answers of the conditions."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.eval.options import (
    condition_option,
    confirm,
    folder_argument,
    metric_option,
    paying_options,
    run_step,
)
from graphrag_neo4j.cli.options import Number, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judge.estimate import estimate_verdicts
from graphrag_neo4j.evaluation.judge.judging import JudgeItem
from graphrag_neo4j.evaluation.judge.runs import judge_missing, verdict_items
from graphrag_neo4j.evaluation.model import Metric
from graphrag_neo4j.evaluation.steps import StepResult
from graphrag_neo4j.llm.endpoint import NO_MODEL
from graphrag_neo4j.settings import Settings

__all__ = ["judge"]


@click.command()
@folder_argument
@metric_option
@click.option(
    "--repeats",
    type=Number(least=1),
    metavar="N",
    help="How often each comparison is made, in both orders. It is kept. [default: 5]",
)
@condition_option
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
    found.change_plan(repeats=None if repeats is None else int(repeats))
    items = verdict_items(found, settings, conditions, metrics)
    missing = [item for item in items if item.key not in found.verdicts]
    if not quiet:
        there = len(items) - len(missing)
        terminal.line(f"{counted(there, 'verdict')} of {len(items):,} are there already.")
    estimate = estimate_verdicts(missing, settings)
    confirm([estimate], counted(len(missing), "verdict"), yes=yes, quiet=quiet)
    done = _judged(found, missing, settings, quiet=quiet) if missing else StepResult()
    if not quiet and done.made:
        terminal.line(f"{counted(done.made, 'verdict')} saved.")
    if done.failed:
        _tell_failed(found, done.failed, {item.key for item in missing})
        raise click.exceptions.Exit(1)


def _judged(
    found: EvaluationFolder, missing: list[JudgeItem], settings: Settings, *, quiet: bool
) -> StepResult:
    def saved() -> str:
        n = sum(item.key in found.verdicts for item in missing)
        return f"{counted(n, 'new verdict')} {'is' if n == 1 else 'are'} saved."

    return run_step(
        lambda listen: judge_missing(found, missing, settings, listen), saved, quiet=quiet
    )


def _tell_failed(found: EvaluationFolder, n: int, asked: set[str]) -> None:
    terminal.line(
        f"{counted(n, 'verdict')} missing: the judge gave no usable reply. Run the same command "
        "again to ask again.",
        style="yellow",
    )
    reasons = Counter(one.failure for one in found.verdicts if one.failure and one.key in asked)
    for reason, times in reasons.most_common(3):
        terminal.line(f"  {times:,} times: {reason}")
