"""What the commands of `kg-build eval` share: their options, and the course of those that pay.

They tell what they will take and ask (`confirm`), work (`run_heard`), say what was saved if the
work ends early, and end with the reasons of what failed (`refuse_failed`).
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import click

from graphrag_neo4j.cli.options import NearestChoice, Number, run
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import counted, money
from graphrag_neo4j.errors import BudgetSpentError, InputError
from graphrag_neo4j.evaluate.records import METRICS
from graphrag_neo4j.evaluate.steps import CallEstimate
from graphrag_neo4j.evaluate.tables import Table, formatted
from graphrag_neo4j.model.events import Event, Listener, Notice
from graphrag_neo4j.settings.installing import install_command

__all__ = [
    "INTERRUPTED_CODE",
    "condition_option",
    "confirm",
    "extra_needed",
    "folder_argument",
    "metric_option",
    "paying_options",
    "print_table",
    "refuse_failed",
    "refuse_unasked",
    "run_heard",
    "saved",
    "whole",
]

P = ParamSpec("P")
T = TypeVar("T")
INTERRUPTED_CODE: Final = 130
MOST_REASONS: Final = 5

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


def paying_options(command: Callable[P, T]) -> Callable[P, T]:
    """Adds the options of a command that asks a model."""
    command = click.option("--quiet", is_flag=True, help="Print only warnings and errors.")(command)
    command = click.option("--yes", is_flag=True, help="Do not ask before the model is called.")(
        command
    )
    command = click.option(
        "--max-cost",
        type=Number(least=0, whole=False),
        metavar="DOLLARS",
        help=(
            "Stop when the model calls of this run have cost this many US dollars. What is done is "
            "kept."
        ),
    )(command)
    return click.option(
        "--model",
        metavar="NAME",
        help="The chat model to use instead of that of the settings.",
    )(command)


def whole(number: float | None) -> int | None:
    """The value of an option that takes a whole number."""
    return None if number is None else int(number)


def saved(n: int, one: str) -> str:
    """Returns a sentence that says how many records of a kind are saved."""
    return f"{counted(n, one)} {'is' if n == 1 else 'are'} saved."


def refuse_unasked(*, yes: bool) -> None:
    """Raises InputError if a person must be asked, and no one can be."""
    if not (yes or terminal.can_ask()):
        raise InputError("No one can be asked whether to go on: add --yes to the command.")


def confirm(steps: Sequence[CallEstimate], what: str, *, yes: bool, quiet: bool) -> None:
    """Tells what the next calls take, and asks whether to go on. Without calls it does nothing.

    `what` says what is made of them, such as "20 answers". Ends the command if the user says no.
    """
    calls = sum(step.calls for step in steps)
    if not calls:
        return
    if not quiet:
        rows = [
            (
                one.step,
                f"{one.calls:,}",
                f"{one.input_tokens:,}",
                f"{one.output_tokens:,}",
                _cost([one]),
            )
            for one in steps
        ]
        if len(rows) > 1:
            terminal.table(("", "calls", "tokens in", "tokens out", "cost"), rows)
        sent, replied = (
            sum(one.input_tokens for one in steps),
            sum(one.output_tokens for one in steps),
        )
        terminal.line(
            f"{what} will take about {counted(calls, 'call')} with {sent:,} input tokens and "
            f"{replied:,} output tokens: {_cost(steps)}."
        )
    refuse_unasked(yes=yes)
    if not (yes or terminal.confirmed("Go on?")):
        terminal.line("Nothing more was done.")
        raise click.exceptions.Exit(1)


def _cost(steps: Sequence[CallEstimate]) -> str:
    costs = [step.cost for step in steps]
    if any(cost is None for cost in costs):
        return "unknown cost"
    return f"about {money(sum(cost or 0 for cost in costs))}"


def run_heard(
    make: Callable[[Listener], Coroutine[Any, Any, T]],
    kept: Callable[[], str],
    *,
    quiet: bool,
    fleeting: bool = False,
    told: set[str] | None = None,
) -> T:
    """Runs work with its progress, which is wiped at the end if it is `fleeting`.

    `kept` says what the folder holds, such as "37 answers are saved." It is told, with how to go
    on, after Ctrl-C and where the cost limit is reached. `told` holds the notices that were told
    before: they are not told again, and new ones are added.
    """
    known = set[str]() if told is None else told

    async def work() -> T:
        with listening(quiet=quiet, fleeting=fleeting) as listen:

            def hear(event: Event) -> None:
                if not isinstance(event, Notice):
                    listen(event)
                elif event.text not in known:
                    known.add(event.text)
                    listen(event)

            return await make(hear)

    go_on = "Run the same command again to continue."
    try:
        return run(work)
    except KeyboardInterrupt:
        terminal.line(f"The command was interrupted. {kept()} {go_on}", error=True)
        raise click.exceptions.Exit(INTERRUPTED_CODE) from None
    except BudgetSpentError as error:
        terminal.line(f"Error: {error} {kept()} {go_on}", error=True)
        raise click.exceptions.Exit(1) from None


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


def print_table(table: Table) -> None:
    """Prints a table with its title, its note and what its columns mean; nothing without rows."""
    if not table.rows:
        return
    terminal.line()
    terminal.line(table.title, style="bold")
    if table.told:
        terminal.line(table.told.replace("`", ""), style="dim")
    rows = [
        [formatted(value, one.form) for value, one in zip(row, table.columns, strict=True)]
        for row in table.shown
    ]
    left = [one.name for one in table.columns if one.form == "text"]
    terminal.table([one.name for one in table.columns], rows, left=left)
    if meanings := [f"{one.name}: {one.meaning}" for one in table.columns if one.meaning]:
        terminal.line("; ".join(meanings) + ".", style="dim")


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
