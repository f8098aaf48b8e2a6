"""`kg-build eval claims` finds what the answers of the conditions state."""

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
from graphrag_neo4j.cli.eval.options import folder_argument, paying_options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judge.estimate import estimate_claims
from graphrag_neo4j.evaluation.judge.runs import find_missing_claims, items_of_claims

__all__ = ["claims"]

NOUN: Final = ("part of an answer", "parts of answers")


@click.command()
@folder_argument
@paying_options
def claims(
    folder: Path,
    *,
    model: str | None,
    yes: bool,
    quiet: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Find the claims that the answers in FOLDER make, three calls for ten sentences.

    --model names the model; without it, KG_JUDGE_MODEL and then KG_MODEL are used. Run the same
    command again to continue. `kg-build eval results` counts the claims.
    """
    settings = judging_settings(model, **values)
    found = EvaluationFolder(folder)
    items = items_of_claims(found, settings)
    missing = list({one.key: one for one in items if one.key not in found.claims}.values())
    if not missing and not quiet:
        terminal.line("The claims of all answers are there already.")
    done = make_asked(
        PaidStep(found.claims, NOUN, "The claims of {} are saved."),
        missing,
        estimate_claims(missing, settings),
        lambda listen: find_missing_claims(found, missing, settings, listen),
        yes=yes,
        quiet=quiet,
    )
    reasons = reasons_of(found.claims, missing)
    refuse_failed(f"{counted(done.failed, *NOUN)} failed.", done.failed, reasons)
