"""`kg-build eval judge` has a model compare the answers of the conditions."""

from pathlib import Path
from typing import Any, Final

import click

from graphrag_neo4j.cli.eval.course import (
    PaidStep,
    judging_settings,
    make_asked,
    reasons_of,
    refuse_failed,
)
from graphrag_neo4j.cli.eval.options import (
    condition_option,
    folder_argument,
    metric_option,
    paying_options,
)
from graphrag_neo4j.cli.options import Number
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judge.estimate import estimate_verdicts
from graphrag_neo4j.evaluation.judge.runs import judge_missing, verdict_items
from graphrag_neo4j.evaluation.model import Metric

__all__ = ["judge"]

NOUN: Final = ("verdict", "verdicts")


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
    settings = judging_settings(model, **values)
    found = EvaluationFolder(folder)
    found.change_plan(repeats=None if repeats is None else int(repeats))
    items = verdict_items(found, settings, conditions, metrics)
    missing = [item for item in items if item.key not in found.verdicts]
    if not quiet:
        there = len(items) - len(missing)
        terminal.line(f"{counted(there, 'verdict')} of {len(items):,} are there already.")
    done = make_asked(
        PaidStep(found.verdicts, NOUN, "{} saved."),
        missing,
        estimate_verdicts(missing, settings),
        lambda listen: judge_missing(found, missing, settings, listen),
        yes=yes,
        quiet=quiet,
    )
    reasons = reasons_of(found.verdicts, missing)
    missed = f"{counted(done.failed, *NOUN)} missing: the judge gave no usable reply."
    refuse_failed(missed, done.failed, reasons)
