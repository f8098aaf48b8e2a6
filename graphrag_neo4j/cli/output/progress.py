"""Shows the events of a run to the user.

On a terminal each stage has a progress bar. Elsewhere plain lines are printed. A quiet command
shows only warnings.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted, named_step, seconds
from graphrag_neo4j.events import Advanced, Event, Notice, Spent, Started, Waiting

__all__ = ["EventDisplay", "QuietableDisplay", "listening", "money", "money_known"]

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_WAITS = 15.0
MEGABYTE = 1_000_000


@contextmanager
def listening(*, quiet: bool, fleeting: bool = False) -> Iterator["EventDisplay"]:
    """Yields a listener that shows the events of a command on standard error.

    With `fleeting` the progress bars disappear before the result is printed. With `quiet` only
    warnings are shown and, on a terminal, what the command is waiting for.
    """
    on_terminal = terminal.errors_are_shown()
    listener: EventDisplay = Lines()
    if on_terminal:
        listener = Bars(terminal.Drawing(fleeting=fleeting or quiet))
    if quiet:
        listener = WarningsAndWaits(listener) if on_terminal else OnlyWarnings()
    try:
        yield listener
    finally:
        listener.rest()


def money(dollars: float) -> str:
    """Returns an amount of US dollars as text: two decimals from $1 on, four below."""
    if not dollars:
        return "$0"
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def money_known(cost: float, unpriced: int) -> str:
    """Returns the cost of calls in US dollars as text, or says how far it is known.

    `unpriced` is the number of calls whose price is not known.
    """
    if not unpriced:
        return money(cost)
    return f"at least {money(cost)}" if cost else "unknown cost"


class EventDisplay(Protocol):
    """A listener that can make room for what a command prints."""

    def __call__(self, event: Event) -> None:
        """Shows an event."""

    def rest(self) -> None:
        """Stops drawing until the next event."""


class QuietableDisplay:
    """Forwards events to a listener until `hush` is called; then it prints only warnings."""

    def __init__(self, listener: EventDisplay) -> None:
        self._listener = listener

    def __call__(self, event: Event) -> None:
        self._listener(event)

    def hush(self) -> None:
        """Shows only warnings from now on.

        A server handles several questions at the same time, which one drawing can't show.
        """
        self._listener.rest()
        self._listener = OnlyWarnings()


class OnlyWarnings:
    """Prints warnings, and ignores all other events."""

    def __call__(self, event: Event) -> None:
        if isinstance(event, Notice) and event.warning:
            terminal.line(event.text, error=True)

    def rest(self) -> None:
        """Does nothing, because nothing is drawn."""


class WarningsAndWaits:
    """Forwards warnings and waits to a listener, and ignores all other events."""

    def __init__(self, listener: EventDisplay) -> None:
        self._listener = listener

    def __call__(self, event: Event) -> None:
        if isinstance(event, Waiting) or (isinstance(event, Notice) and event.warning):
            self._listener(event)

    def rest(self) -> None:
        """Stops drawing until the next event."""
        self._listener.rest()


class Stage:
    """Counts the items of one stage that are done, and those that have failed."""

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
        """The progress as text, such as "3 of 10". Bytes are given in MB or kB."""
        total = f" of {self._amount(self.total)}" if self.total else ""
        return f"{self._amount(self.seen)}{total}" + (f" {self._size[1]}" if self._size else "")

    @property
    def rate(self) -> str:
        seconds = time.monotonic() - self.began
        per_second = self.seen / seconds if seconds > 0 else 0.0
        if self._size:
            size, symbol = _unit_of(per_second)
            return f"{per_second / size:,.1f} {symbol}/s"
        return f"{per_second:,.1f}/s"

    @property
    def time(self) -> str:
        """The time since the stage began, for a stage that counts nothing."""
        return f"{seconds(time.monotonic() - self.began)} so far"

    @property
    def _size(self) -> tuple[int, str] | None:
        """The unit for bytes as (size in bytes, symbol), or None if the stage counts items."""
        return _unit_of(self.total or self.seen) if self.unit == "bytes" else None

    def _amount(self, n: int) -> str:
        if not self._size:
            return f"{n:,}"
        size, _ = self._size
        large = (self.total or self.seen) >= 100 * size
        return f"{n // size:,}" if large else f"{n / size:.1f}"


def _unit_of(n_bytes: float) -> tuple[int, str]:
    return (MEGABYTE, "MB") if n_bytes >= MEGABYTE else (1000, "kB")


class Bars:
    """Draws a bar for each stage."""

    def __init__(self, drawing: terminal.Drawing) -> None:
        self.drawing = drawing
        self.stage = Stage("", 0)
        self.bar: int | None = None
        self.wait: int | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Waiting():
                self._wait(event)
            case Notice():
                self.drawing.say(event.text, "yellow" if event.warning else "")
            case Started():
                self._start(event)
            case Advanced():
                self._advance(event)
            case Spent() if self.bar is not None:
                self.drawing.update(self.bar, spent=spent_line(event))

    def _wait(self, event: Waiting) -> None:
        """Shows an animated line during a wait, and removes it afterwards."""
        if self.wait is None and event.text:
            self.wait = self.drawing.add("", None)
        if self.wait is None:
            return
        if event.text:
            count = f"{event.seconds:.0f} s"
            self.drawing.update(self.wait, description=event.text, count=count)
        else:
            self.drawing.remove(self.wait)
            self.wait = None

    def _start(self, event: Started) -> None:
        if self.bar is not None:
            self.drawing.update(self.bar, total=self.stage.seen)
        self.stage = Stage(event.stage, event.total, event.unit)
        self.bar = None
        if event.total != 0:
            self.bar = self.drawing.add(named_step(event.stage), event.total)
            if event.total:
                self.drawing.update(self.bar, count=self.stage.count)

    def rest(self) -> None:
        """Stops drawing until the next stage."""
        self.drawing.rest()
        self.bar = self.wait = None

    def _advance(self, event: Advanced) -> None:
        self.stage.advance(event)
        if self.bar is not None:
            failed = f"{self.stage.failed:,} failed" if self.stage.failed else ""
            self.drawing.update(
                self.bar,
                completed=self.stage.seen,
                count=self.stage.count,
                rate=self.stage.rate,
                failed=failed,
            )


class Lines:
    """Prints a line at the end of each stage, and every few seconds during the stage."""

    def __init__(self) -> None:
        self.stage: Stage | None = None
        self.spent = ""
        self.printed = 0.0
        self.shown = -1
        self.waited = 0.0  # seconds of the current wait that were already printed

    def __call__(self, event: Event) -> None:
        match event:
            case Waiting():
                self._wait(event)
            case Notice():
                terminal.line(event.text, error=True)
            case Started():
                self.rest()
                begun = Stage(event.stage, event.total, event.unit)
                self.stage = begun if event.total != 0 else None
                self.printed = time.monotonic()
                self.shown = -1
            case Advanced() if self.stage:
                self.stage.advance(event)
            case Spent():
                self.spent = spent_line(event)
        if self.stage and time.monotonic() - self.printed > SECONDS_BETWEEN_LINES:
            # What is complete is printed once, also if waits and notices follow.
            complete = self.stage.total is not None and self.stage.seen >= self.stage.total
            if not complete or self.shown != self.stage.seen:
                self._print(self.stage)

    def _wait(self, event: Waiting) -> None:
        """Prints a line every SECONDS_BETWEEN_WAITS seconds of a wait."""
        if event.text and event.seconds - self.waited > SECONDS_BETWEEN_WAITS:
            self.waited = event.seconds
            terminal.line(f"{event.text}: {event.seconds:.0f} s", error=True)
        elif not event.text:
            self.waited = 0.0

    def rest(self) -> None:
        """Prints the last count of the stage, if it has counted anything and it is new."""
        if self.stage and self.stage.seen not in {0, self.shown}:
            self._print(self.stage)
        self.stage = None

    def _print(self, stage: Stage) -> None:
        failed = f", {stage.failed:,} failed" if stage.failed else ""
        spent = f", {self.spent}" if self.spent else ""
        came = f"{stage.count}, {stage.rate}" if stage.seen or stage.total else stage.time
        terminal.line(f"{named_step(stage.name)}: {came}{failed}{spent}", error=True)
        self.printed = time.monotonic()
        self.shown = stage.seen


def spent_line(event: Spent) -> str:
    """Returns the tokens and the cost as a short text."""
    cost = f", {money(event.cost)}" if event.cost else ""
    return f"{counted(event.tokens, 'token')}{cost}"
