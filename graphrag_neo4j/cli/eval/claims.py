"""`kg-build eval claims` finds what the answers of the conditions state."""

from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.eval.options import confirm, folder_argument, paying_options, run_step
from graphrag_neo4j.cli.options import settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.claims.answer_claims import ClaimItem
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judge.estimate import estimate_claims
from graphrag_neo4j.evaluation.judge.runs import find_missing_claims, items_of_claims
from graphrag_neo4j.evaluation.steps import StepResult
from graphrag_neo4j.llm.endpoint import NO_MODEL
from graphrag_neo4j.settings import Settings

__all__ = ["claims"]


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
    settings = settings_of(judge_model=model, **values)
    if not settings.has_model:
        raise InputError(NO_MODEL)
    found = EvaluationFolder(folder)
    items = items_of_claims(found, settings)
    missing = list({one.key: one for one in items if one.key not in found.claims}.values())
    if not missing and not quiet:
        terminal.line("The claims of all answers are there already.")
    estimate = estimate_claims(missing, settings)
    confirm([estimate], counted(len(missing), "part") + " of answers", yes=yes, quiet=quiet)
    done = _found(found, missing, settings, quiet=quiet) if missing else StepResult()
    if not quiet and done.made:
        terminal.line(f"The claims of {counted(done.made, 'part')} of answers are saved.")
    if done.failed:
        terminal.line(
            f"{counted(done.failed, 'part')} of answers failed. Run the same command again to "
            "retry.",
            style="yellow",
        )
        raise click.exceptions.Exit(1)


def _found(
    found: EvaluationFolder, missing: list[ClaimItem], settings: Settings, *, quiet: bool
) -> StepResult:

    def saved() -> str:
        n = sum(item.key in found.claims for item in missing)
        return f"The claims of {counted(n, 'new part')} of answers are saved."

    return run_step(
        lambda listen: find_missing_claims(found, missing, settings, listen), saved, quiet=quiet
    )
