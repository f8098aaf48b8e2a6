"""The course of a command of `kg-build eval` that pays: tell, ask, work, tell again.

It tells what it will take (`confirm`) and then runs its work by `run_paid`, which says what was
saved if the work ends early. `make_asked` is the whole course of a command with one step, such as
`judge`; `refuse_failed` is its end.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import click

from graphrag_neo4j.cli.options import run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening, money
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import BudgetSpentError, InputError
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import Item, StepResult
from graphrag_neo4j.events import Event, Listener, Notice
from graphrag_neo4j.indexing.estimate import StepEstimate
from graphrag_neo4j.llm.endpoint import NO_MODEL
from graphrag_neo4j.settings import Settings

__all__ = [
    "INTERRUPTED_CODE",
    "PaidStep",
    "confirm",
    "judging_settings",
    "make_asked",
    "reasons_of",
    "refuse_failed",
    "refuse_unasked",
    "run_heard",
    "run_paid",
    "told_once",
]

T = TypeVar("T")
INTERRUPTED_CODE: Final = 130
ASK: Final = "No one can be asked whether to go on: add --yes to the command."
STOPPED: Final = "Nothing more was done."
GO_ON: Final = "Run the same command again to continue."
MOST_REASONS: Final = 5


@dataclass(frozen=True, slots=True)
class PaidStep:
    """The one step of a command: the file of its records, and what they are called.

    `noun` is the name of one record and of several. `saved` is a sentence about them, in which {}
    stands for their number.
    """

    file: RecordFile[Any]
    noun: tuple[str, str]
    saved: str


def judging_settings(model: str | None, **values: Any) -> Settings:  # noqa: ANN401 - settings
    """Returns the settings of a command in which a model judges; `model` is its --model.

    Raises InputError if no model is set.
    """
    settings = settings_of(judge_model=model, **values)
    if not settings.has_model:
        raise InputError(NO_MODEL)
    return settings


def refuse_unasked(*, yes: bool) -> None:
    """Raises InputError if a person must be asked, and no one can be."""
    if not (yes or terminal.can_ask()):
        raise InputError(ASK)


def confirm(steps: Sequence[StepEstimate], what: str, *, yes: bool, quiet: bool) -> None:
    """Tells what the next calls take, and asks whether to go on. Without calls it does nothing.

    `what` says what is made of them, such as "20 answers". Ends the command if the user says no.
    """
    calls = sum(step.calls for step in steps)
    if not calls:
        return
    if not quiet:
        if len(steps) > 1:
            _print_steps(steps)
        sent, replied = (
            sum(step.input_tokens for step in steps),
            sum(step.output_tokens for step in steps),
        )
        terminal.line(
            f"{what} will take about {counted(calls, 'call')} with {sent:,} input tokens and "
            f"{replied:,} output tokens: {_cost(steps)}."
        )
    refuse_unasked(yes=yes)
    if not (yes or terminal.confirmed("Go on?")):
        terminal.line(STOPPED)
        raise click.exceptions.Exit(1)


def run_paid(work: Callable[[], Coroutine[Any, Any, T]], saved: Callable[[], str]) -> T:
    """Runs work that asks a model, and returns its result.

    `saved` says what the folder holds, such as "37 of 750 answers are saved." It is told, with how
    to go on, after Ctrl-C and where the cost limit is reached.
    """
    try:
        return run(work)
    except KeyboardInterrupt:
        terminal.line(f"The command was interrupted. {saved()} {GO_ON}", error=True)
        raise click.exceptions.Exit(INTERRUPTED_CODE) from None
    except BudgetSpentError as error:
        terminal.line(f"Error: {error} {saved()} {GO_ON}", error=True)
        raise click.exceptions.Exit(1) from None


def told_once(listen: Listener, told: set[str]) -> Listener:
    """Returns a listener that leaves out a notice that was told before, and notes the others.

    A command that estimates and then works opens the graph twice, and would tell it twice.
    """

    def forward(event: Event) -> None:
        if isinstance(event, Notice):
            if event.text in told:
                return
            told.add(event.text)
        listen(event)

    return forward


def run_heard(
    make: Callable[[Listener], Coroutine[Any, Any, T]],
    saved: Callable[[], str],
    *,
    quiet: bool,
    fleeting: bool = False,
) -> T:
    """Runs work with its progress, which is wiped at the end if it is `fleeting`.

    `saved` is that of `run_paid`.
    """

    async def work() -> T:
        with listening(quiet=quiet, fleeting=fleeting) as listen:
            return await make(listen)

    return run_paid(work, saved)


def make_asked(
    step: PaidStep,
    missing: Sequence[Item],
    estimate: StepEstimate,
    make: Callable[[Listener], Coroutine[Any, Any, StepResult]],
    *,
    yes: bool,
    quiet: bool,
) -> StepResult:
    """Asks whether to go on, makes the records that are missing, and tells how many there are.

    Without such records it does nothing. Ends the command if the user says no.
    """
    confirm([estimate], counted(len(missing), *step.noun), yes=yes, quiet=quiet)
    if not missing:
        return StepResult()

    def saved() -> str:
        new = (f"new {one}" for one in step.noun)
        return step.saved.format(counted(sum(one.key in step.file for one in missing), *new))

    done = run_heard(make, saved, quiet=quiet)
    if done.made and not quiet:
        terminal.line(step.saved.format(counted(done.made, *step.noun)))
    return done


def reasons_of(file: RecordFile[Any], asked: Iterable[Item]) -> list[str | None]:
    """The reasons why records that were asked for are missing; None for those that are not."""
    keys = {one.key for one in asked}
    return [record.failure for record in file if record.key in keys]


def refuse_failed(failed: str, n: int, reasons: Iterable[str | None]) -> None:
    """Ends the command with code 1 if `n` records failed, and tells the most frequent reasons.

    `failed` is the sentence that says what failed.
    """
    if not n:
        return
    terminal.line(f"{failed} Run the same command again to retry.", style="yellow")
    for reason, times in Counter(filter(None, reasons)).most_common(MOST_REASONS):
        terminal.line(f"  {counted(times, 'time')}: {reason}")
    raise click.exceptions.Exit(1)


def _print_steps(steps: Sequence[StepEstimate]) -> None:
    rows = [
        (
            step.step,
            f"{step.calls:,}",
            f"{step.input_tokens:,}",
            f"{step.output_tokens:,}",
            _cost([step]),
        )
        for step in steps
    ]
    terminal.table(("", "calls", "tokens in", "tokens out", "cost"), rows)


def _cost(steps: Sequence[StepEstimate]) -> str:
    costs = [step.cost for step in steps]
    if any(cost is None for cost in costs):
        return "unknown cost"
    return f"about {money(sum(cost or 0 for cost in costs))}"
