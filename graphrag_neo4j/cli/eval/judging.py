"""`kg-build eval judge`, `verdict`, `ground` and `claims`: what is said of the answers."""

import dataclasses
from collections.abc import Callable, Coroutine
from getpass import getuser
from pathlib import Path
from typing import Any, Final

import click

from graphrag_neo4j.cli.eval.course import (
    INTERRUPTED_CODE,
    condition_option,
    confirm,
    folder_argument,
    metric_option,
    paying_options,
    print_table,
    refuse_failed,
    run_heard,
    saved,
    whole,
)
from graphrag_neo4j.cli.options import Number, as_json, home_option, json_option, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate import AsyncEvaluation
from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.judging import JudgeItem, blind_items
from graphrag_neo4j.evaluate.records import Metric, RecordFile, Winner
from graphrag_neo4j.evaluate.steps import Estimate, StepResult
from graphrag_neo4j.evaluate.tables import shares_table
from graphrag_neo4j.llm.endpoint import NO_MODEL
from graphrag_neo4j.llm.evaluate.judges import DEFINITIONS
from graphrag_neo4j.llm.evaluate.plain_answer import plain_answer
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.settings import Settings

__all__ = ["claims", "ground", "judge", "verdict"]

CHOICES: Final[dict[str, Winner]] = {"1": "first", "2": "second", "t": "tie"}
SKIP, QUIT = "s", "q"


def _judging_settings(model: str | None, **values: Any) -> Settings:  # noqa: ANN401 - settings
    """Returns the settings of a command in which a model judges; `model` is its --model.

    Raises InputError if no model is set.
    """
    settings = settings_of(judge_model=model, **values)
    if not settings.has_model:
        raise InputError(NO_MODEL)
    return settings


def _ask_and_make(
    folder: Path,
    settings: Settings,
    estimate: Callable[[AsyncEvaluation], Coroutine[Any, Any, Estimate]],
    make: Callable[[AsyncEvaluation], Coroutine[Any, Any, StepResult]],
    *,
    file: Callable[[EvaluationFolder], RecordFile[Any]],
    noun: tuple[str, str],
    yes: bool,
    quiet: bool,
) -> None:
    """The course of a step in which a model judges: tell, ask, work, tell what was made or failed.

    `noun` names one of the records of the `file`, and several.
    """
    evaluation = AsyncEvaluation(folder, settings)
    records = file(evaluation.folder)
    before = {one.key for one in records if one.key in records}

    def kept() -> str:
        new = sum(key in records and key not in before for key in {one.key for one in records})
        return f"{counted(new, *(f'new {one}' for one in noun))} saved."

    todo = run_heard(lambda _: estimate(evaluation), kept, quiet=True)
    if not quiet:
        all_of_them = f"{counted(todo.there, *noun)} of {todo.there + todo.missing:,}"
        terminal.line(f"{all_of_them} are there already.")
    confirm(todo.steps, counted(todo.missing, *noun), yes=yes, quiet=quiet)
    if not todo.missing:
        return

    def work(listen: Listener) -> Coroutine[Any, Any, StepResult]:
        evaluation.listen = listen
        return make(evaluation)

    done = run_heard(work, kept, quiet=quiet)
    if done.made and not quiet:
        terminal.line(f"{counted(done.made, *noun)} saved.")
    reasons = (one.failure for one in records if one.key not in before)
    refuse_failed(f"{counted(done.failed, *noun)} missing.", done.failed, reasons)


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
    settings = _judging_settings(model, **values)
    EvaluationFolder(folder).change_plan(repeats=whole(repeats))
    _ask_and_make(
        folder,
        settings,
        lambda evaluation: evaluation.estimate_judge(metrics, conditions),
        lambda evaluation: evaluation.judge(metrics, conditions=conditions),
        file=lambda of: of.verdicts,
        noun=("verdict", "verdicts"),
        yes=yes,
        quiet=quiet,
    )


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
    _ask_and_make(
        folder,
        _judging_settings(model, **values),
        AsyncEvaluation.estimate_claims,
        AsyncEvaluation.find_claims,
        file=lambda of: of.claims,
        noun=("part of an answer", "parts of answers"),
        yes=yes,
        quiet=quiet,
    )


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
    lead to no text. A model judges sentence by sentence; its name is the setting KG_JUDGE_MODEL.
    Without a model, words and vectors judge. A sentence is judged once for each judge and text.
    """
    settings = settings_of(**values)
    quiet = quiet or as_json_

    def kept() -> str:
        file = EvaluationFolder(folder).supports
        return saved(sum(one.key in file for one in file), "judged sentence")

    todo = run_heard(
        lambda listen: AsyncEvaluation(folder, settings, listen).estimate_ground(
            reports=reports, words=words
        ),
        kept,
        quiet=quiet,
        fleeting=True,
    )
    if todo.there and not quiet:
        are = "is" if todo.there == 1 else "are"
        terminal.line(f"{counted(todo.there, 'cited sentence')} {are} judged already.")
    confirm(todo.steps, counted(todo.missing, "cited sentence"), yes=yes, quiet=quiet)
    found = run_heard(
        lambda listen: AsyncEvaluation(folder, settings, listen).ground(
            reports=reports, words=words
        ),
        kept,
        quiet=quiet,
    )
    shares = ("cited_share", "supported_share", "placed_share")
    if as_json_:
        groups = [
            dataclasses.asdict(one) | {name: getattr(one, name) for name in shares} for one in found
        ]
        terminal.json_text(as_json({"judge": found[0].judge, "groups": groups}))
        raise click.exceptions.Exit(int(any(one.missing for one in found)))
    print_table(shares_table("", "texts", found))
    n = sum(one.missing for one in found)
    reasons = (one.failure for one in EvaluationFolder(folder).supports)
    refuse_failed(f"{counted(n, 'sentence')} got no usable verdict.", n, reasons)


@click.command()
@folder_argument
@click.option(
    "--name",
    metavar="NAME",
    help="Your name in the records. The default is your user name on this computer.",
)
@metric_option
@condition_option
@click.option("--most", type=Number(least=1), metavar="N", help="Stop after this many verdicts.")
def verdict(
    folder: Path,
    *,
    name: str | None,
    metrics: tuple[Metric, ...],
    conditions: tuple[str, ...],
    most: float | None,
) -> None:
    """Compare answers of the evaluation in FOLDER yourself, two at a time.

    You see the question and two answers in random order, without their citations and without the
    names of their conditions. Each verdict is saved at once. Stop by q or Ctrl-C, and run the same
    command again to go on. The verdicts tell how far a judging model agrees with you.
    """
    if not terminal.can_ask():
        raise InputError("A person must type the verdicts: run the command in a terminal.")
    found = EvaluationFolder(folder)
    todo = blind_items(found, name or getuser(), metrics, conditions)
    given, code = 0, 0
    try:
        for number, item in enumerate(todo[: whole(most)], start=1):
            choice = _choice(item, f"{number:,} of {len(todo):,}")
            if choice == QUIT:
                break
            if choice != SKIP:
                found.verdicts.add([item.record(CHOICES[choice])])
                given += 1
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED_CODE
    left = counted(len(todo) - given, "comparison")
    terminal.line(f"{counted(given, 'verdict')} saved, {left} left.")
    raise click.exceptions.Exit(code)


def _choice(item: JudgeItem, place: str) -> str:
    """Shows a comparison, and returns what the person has typed."""
    metric = item.comparison.metric
    terminal.line()
    terminal.line(f"Comparison {place}: {metric}", style="bold")
    terminal.line(DEFINITIONS[metric])
    terminal.line()
    terminal.line(f"Question: {item.question}", style="bold")
    for number, answer in enumerate((item.first, item.second), start=1):
        terminal.line()
        terminal.line(f"Answer {number}", style="bold")
        for line in plain_answer(answer.text).splitlines():
            terminal.line(line)
    terminal.line()
    while True:
        asked = "Which answer is better? 1, 2, t (tie), s (skip), q (quit): "
        typed = terminal.prompt(asked).strip().casefold()
        if typed in {*CHOICES, SKIP, QUIT}:
            return typed
        terminal.line("Type 1, 2, t, s or q.")
