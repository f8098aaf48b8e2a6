"""What the commands of `kg-build eval` share: their options, the question before they pay, Ctrl-C.

A command that pays has this form: it tells what it will take (`confirm`), and then runs its work by
`run_paid`, which says what was saved if the work ends early.
"""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import click

from graphrag_neo4j.cli.options import NearestChoice, Number, run
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening, money
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import BudgetSpentError, InputError
from graphrag_neo4j.evaluation.model import METRICS
from graphrag_neo4j.evaluation.steps import StepResult
from graphrag_neo4j.events import Event, Listener, Notice
from graphrag_neo4j.indexing.step_estimate import StepEstimate
from graphrag_neo4j.installing import install_command

__all__ = [
    "condition_option",
    "confirm",
    "extra_needed",
    "folder_argument",
    "metric_option",
    "paying_options",
    "refuse_unasked",
    "run_paid",
    "run_step",
]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
INTERRUPTED_CODE: Final = 130
ASK: Final = "No one can be asked whether to go on: add --yes to the command."
STOPPED: Final = "Nothing more was done."
GO_ON: Final = "Run the same command again to continue."

folder_argument = click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER"
)


metric_option = click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=NearestChoice(METRICS),
    help="What to compare; repeat the option for several. [default: all that the plan has]",
)
condition_option = click.option(
    "-c",
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME",
    help="Compare only these conditions; repeat the option. [default: all with answers]",
)


def paying_options(command: Callable[P, R]) -> Callable[P, R]:
    """Adds the options of a command that asks a model."""
    for option in reversed(
        [
            click.option(
                "--model",
                metavar="NAME",
                help="The chat model to use instead of that of the settings.",
            ),
            click.option(
                "--max-cost",
                type=Number(least=0, whole=False),
                metavar="DOLLARS",
                help=(
                    "Stop when the model calls of this run have cost this many US dollars. What is "
                    "done is kept."
                ),
            ),
            click.option("--yes", is_flag=True, help="Do not ask before the model is called."),
            click.option("--quiet", is_flag=True, help="Print only warnings and errors."),
        ]
    ):
        command = option(command)
    return command


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


def run_step(
    make: Callable[[Listener], Coroutine[Any, Any, StepResult]],
    saved: Callable[[], str],
    *,
    quiet: bool,
) -> StepResult:
    """Runs a step that asks a model, with its progress. `saved` is that of `run_paid`."""

    async def work() -> StepResult:
        with listening(quiet=quiet) as listen:
            return await make(listen)

    return run_paid(work, saved)


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


@contextmanager
def extra_needed(sentence: str) -> Iterator[None]:
    """Says how the extra `eval` is installed if an import lacks a package of another project.

    `{name}` in the beginning of the sentence is the name of that package.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("graphrag_neo4j"):
            raise  # a module of ours: no installation would help
        raise InputError(
            f"{sentence.format(name=error.name)}: {install_command('eval')}"
        ) from error
