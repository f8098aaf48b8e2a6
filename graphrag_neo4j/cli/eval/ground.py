"""`kg-build eval ground` measures how far answers and reports rest on what they cite."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.eval.course import confirm, run_heard, run_paid
from graphrag_neo4j.cli.eval.options import folder_argument, paying_options
from graphrag_neo4j.cli.options import as_json, home_option, json_option, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.groundedness import print_groundedness
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.grounding import (
    GroundingEstimate,
    estimate_grounding,
    grounded,
    support_file,
    texts_to_ground,
)
from graphrag_neo4j.evaluation.groundedness.sentence_support import Groundedness

__all__ = ["ground"]


@click.command()
@folder_argument
@click.option(
    "--reports", is_flag=True, help="Also judge the findings of the graph's community reports."
)
@click.option(
    "--words",
    is_flag=True,
    help="Judge by words and vectors, even if a model is set. This costs nothing.",
)
@home_option
@paying_options
@json_option
def ground(
    folder: Path,
    *,
    reports: bool,
    words: bool,
    yes: bool,
    quiet: bool,
    as_json_: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Measure how far the answers in FOLDER rest on what they cite.

    For each condition, the command tells the share of its statements that carry a citation, the
    share of the cited statements that the cited text supports, and the share of the citations that
    lead to a text. A model judges sentence by sentence; its name is the setting KG_JUDGE_MODEL.
    Without a model, words and vectors judge. A sentence is judged once for each judge and text.
    """
    settings = settings_of(**values)
    quiet = quiet or as_json_
    evaluation = EvaluationFolder(folder)
    saved = partial(_saved, evaluation)
    texts = run_heard(
        lambda listen: texts_to_ground(evaluation, settings, reports=reports, listen=listen),
        saved,
        quiet=quiet,
        fleeting=True,
    )
    todo = run_paid(lambda: estimate_grounding(texts, evaluation, settings, words=words), saved)
    if not quiet:
        _tell_todo(todo)
    confirm([todo.step], counted(todo.missing, "cited sentence"), yes=yes, quiet=quiet)
    found = run_heard(
        lambda listen: grounded(texts, evaluation, settings, words=words, listen=listen),
        saved,
        quiet=quiet,
    )
    _tell_result(found, as_json_=as_json_)
    if any(one.missing for one in found):
        raise click.exceptions.Exit(1)


def _saved(evaluation: EvaluationFolder) -> str:
    n = sum(one.failure is None for one in support_file(evaluation))
    return f"{counted(n, 'verdict')} on sentences {'is' if n == 1 else 'are'} saved."


def _tell_todo(todo: GroundingEstimate) -> None:
    if todo.there:
        are = "is" if todo.there == 1 else "are"
        terminal.line(f"{counted(todo.there, 'cited sentence')} {are} judged already.")


def _tell_result(found: Sequence[Groundedness], *, as_json_: bool) -> None:
    if as_json_:
        groups = [_plain(one) for one in found]
        terminal.json_text(as_json({"judge": found[0].judge, "groups": groups}))
    else:
        print_groundedness(found)


def _plain(one: Groundedness) -> dict[str, Any]:
    return {
        **dataclasses.asdict(one),
        "cited_share": one.cited_share,
        "supported_share": one.supported_share,
        "placed_share": one.placed_share,
    }
