"""What a run tells, drawn: a bar a stage on a terminal, plain lines elsewhere, or only warnings."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from graphrag_neo4j.events import Advanced, Event, Listener, Said, Spent, Started, Waiting

__all__ = ["listening", "money", "money_known"]

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_WAITS = 15.0
MEGABYTE = 1_000_000


@contextmanager
def listening(*, quiet: bool) -> Iterator[Listener]:
    """A listener for what a command does; it writes to standard error."""
    if quiet and sys.stderr.isatty():
        with _bars() as progress:
            yield _quiet(Bars(progress))
    elif quiet:
        yield _only_warnings
    elif sys.stderr.isatty():
        with _bars() as progress:
            yield Bars(progress)
    else:
        lines = Lines()
        yield lines
        lines.close()


def money(dollars: float) -> str:
    """US dollars as people write them."""
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def money_known(cost: float, unpriced: int) -> str:
    """What calls cost, as far as it is known: `unpriced` of them have no known price."""
    if not unpriced:
        return money(cost)
    return f"at least {money(cost)}" if cost else "unknown cost"


def _only_warnings(event: Event) -> None:
    if isinstance(event, Said) and event.warning:
        click.echo(event.text, err=True)


def _quiet(bars: "Bars") -> Listener:
    """On a terminal what is waited for is shown also where little is told."""

    def listen(event: Event) -> None:
        if isinstance(event, Waiting) or (isinstance(event, Said) and event.warning):
            bars(event)

    return listen


def _bars() -> Progress:
    return Progress(
        TextColumn("{task.description:>10}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[rate]}"),
        TextColumn("[red]{task.fields[failed]}"),
        TextColumn("[dim]{task.fields[spent]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False),
    )


class Stage:
    """The count of one stage: items done and failed since it began."""

    def __init__(self, name: str, total: int | None, unit: str = "items") -> None:
        self.name, self.total, self.unit = name, total, unit
        self.done = self.failed = 0
        self.began = time.monotonic()

    def advance(self, event: Advanced) -> None:
        self.done += event.done
        self.failed += event.failed

    @property
    def seen(self) -> int:
        return self.done + self.failed

    @property
    def count(self) -> str:
        """How many of how many, bytes as megabytes or kilobytes."""
        total = f" of {self._amount(self.total)}" if self.total else ""
        return f"{self._amount(self.seen)}{total}" + (f" {self._size[1]}" if self._size else "")

    @property
    def rate(self) -> str:
        seconds = time.monotonic() - self.began
        per_second = self.seen / seconds if seconds > 0 else 0.0
        if self._size:
            return f"{per_second / self._size[0]:.1f} {self._size[1]}/s"
        return f"{per_second:.1f}/s"

    @property
    def _size(self) -> tuple[int, str] | None:
        """The unit that bytes are shown in; None for what is counted."""
        if self.unit != "bytes":
            return None
        large = (self.total or self.seen) >= MEGABYTE
        return (MEGABYTE, "MB") if large else (1000, "kB")

    def _amount(self, n: int) -> str:
        if not self._size:
            return f"{n:,}"
        size, _ = self._size
        large = (self.total or self.seen) >= 100 * size
        return f"{n // size:,}" if large else f"{n / size:.1f}"


class Bars:
    """Draws a bar for each stage."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.stage = Stage("", 0)
        self.bar: TaskID | None = None
        self.wait: TaskID | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Waiting():
                self._wait(event)
            case Said():
                text = Text(event.text, "yellow" if event.warning else "")
                self.progress.console.print(text)
            case Started():
                self._start(event)
            case Advanced():
                self._advance(event)
            case Spent() if self.bar is not None:
                self.progress.update(self.bar, spent=spent_line(event))

    def _wait(self, event: Waiting) -> None:
        """A line that moves by itself while it is waited, and is gone afterwards."""
        if self.wait is None and event.text:
            self.wait = self._line("", None)
        if self.wait is None:
            return
        if event.text:
            count = f"{event.seconds:.0f} s"
            self.progress.update(self.wait, description=event.text, count=count)
        else:
            self.progress.remove_task(self.wait)
            self.wait = None

    def _start(self, event: Started) -> None:
        if self.bar is not None:
            self.progress.update(self.bar, total=self.stage.seen)
        self.stage = Stage(event.stage, event.total, event.unit)
        self.bar = None
        if event.total != 0:
            self.bar = self._line(event.stage, event.total)

    def _line(self, name: str, total: int | None) -> TaskID:
        return self.progress.add_task(name, total=total, count="", rate="", failed="", spent="")

    def _advance(self, event: Advanced) -> None:
        self.stage.advance(event)
        if self.bar is not None:
            failed = f"{self.stage.failed} failed" if self.stage.failed else ""
            self.progress.update(
                self.bar,
                completed=self.stage.seen,
                count=self.stage.count,
                rate=self.stage.rate,
                failed=failed,
            )


class Lines:
    """Prints a line when a stage begins and ends, and every few seconds between."""

    def __init__(self) -> None:
        self.stage: Stage | None = None
        self.spent = ""
        self.printed = 0.0
        self.shown = -1
        self.waited = 0.0  # seconds of this wait that have been told

    def __call__(self, event: Event) -> None:
        match event:
            case Waiting():
                self._wait(event)
            case Said():
                click.echo(event.text, err=True)
            case Started():
                self.close()
                begun = Stage(event.stage, event.total, event.unit)
                self.stage = begun if event.total != 0 else None
                self.printed = time.monotonic()
                self.shown = -1
            case Advanced() if self.stage:
                self.stage.advance(event)
            case Spent():
                self.spent = spent_line(event)
        if self.stage and time.monotonic() - self.printed > SECONDS_BETWEEN_LINES:
            self._print(self.stage)

    def _wait(self, event: Waiting) -> None:
        """A wait that takes long is told every few seconds; a short one is not."""
        if event.text and event.seconds - self.waited > SECONDS_BETWEEN_WAITS:
            self.waited = event.seconds
            click.echo(f"{event.text}: {event.seconds:.0f} s", err=True)
        elif not event.text:
            self.waited = 0.0

    def close(self) -> None:
        """Prints where the stage has ended."""
        if self.stage and self.stage.seen != self.shown:
            self._print(self.stage)
        self.stage = None

    def _print(self, stage: Stage) -> None:
        failed = f", {stage.failed} failed" if stage.failed else ""
        spent = f", {self.spent}" if self.spent else ""
        click.echo(f"{stage.name}: {stage.count}, {stage.rate}{failed}{spent}", err=True)
        self.printed = time.monotonic()
        self.shown = stage.seen


def spent_line(event: Spent) -> str:
    """Tokens and money in a few characters."""
    cost = f", {money(event.cost)}" if event.cost else ""
    return f"{event.tokens:,} tokens{cost}"
