"""What a run tells, drawn: a bar a stage on a terminal, plain lines elsewhere, or only warnings."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from graphrag_neo4j.cli import terminal
from graphrag_neo4j.events import Advanced, Event, Listener, Said, Spent, Started

__all__ = ["listening", "money", "money_known"]

SECONDS_BETWEEN_LINES = 5.0
MEGABYTE = 1_000_000


@contextmanager
def listening(*, quiet: bool) -> Iterator[Listener]:
    """A listener for what a command does; it writes to standard error."""
    if quiet:
        yield _only_warnings
    elif terminal.errors_are_shown():
        drawing = terminal.Drawing(fleeting=False)
        try:
            yield Bars(drawing)
        finally:
            drawing.rest()
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
        terminal.line(event.text, error=True)


class Stage:
    """The count of one stage: items done and failed since it began."""

    def __init__(self, name: str, total: int | None) -> None:
        self.name, self.total = name, total
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
        """How many of how many, bytes as megabytes."""
        unit = MEGABYTE if self.name == "download" else 1
        total = f" of {self.total // unit:,}" if self.total else ""
        return f"{self.seen // unit:,}{total}" + (" MB" if unit > 1 else "")

    @property
    def rate(self) -> str:
        seconds = time.monotonic() - self.began
        per_second = self.seen / seconds if seconds > 0 else 0.0
        if self.name == "download":
            return f"{per_second / MEGABYTE:.1f} MB/s"
        return f"{per_second:.1f}/s"


class Bars:
    """Draws a bar for each stage."""

    def __init__(self, drawing: terminal.Drawing) -> None:
        self.drawing = drawing
        self.stage = Stage("", 0)
        self.bar: int | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Said():
                self.drawing.say(event.text, "yellow" if event.warning else "")
            case Started():
                self._start(event)
            case Advanced():
                self._advance(event)
            case Spent() if self.bar is not None:
                self.drawing.update(self.bar, spent=spent_line(event))

    def _start(self, event: Started) -> None:
        if self.bar is not None:
            self.drawing.update(self.bar, total=self.stage.seen)
        self.stage = Stage(event.stage, event.total)
        self.bar = None
        if event.total != 0:
            self.bar = self.drawing.add(event.stage, event.total)

    def _advance(self, event: Advanced) -> None:
        self.stage.advance(event)
        if self.bar is not None:
            failed = f"{self.stage.failed} failed" if self.stage.failed else ""
            self.drawing.update(
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

    def __call__(self, event: Event) -> None:
        match event:
            case Said():
                terminal.line(event.text, error=True)
            case Started():
                self.close()
                self.stage = Stage(event.stage, event.total) if event.total != 0 else None
                self.printed = time.monotonic()
                self.shown = -1
            case Advanced() if self.stage:
                self.stage.advance(event)
            case Spent():
                self.spent = spent_line(event)
        if self.stage and time.monotonic() - self.printed > SECONDS_BETWEEN_LINES:
            self._print(self.stage)

    def close(self) -> None:
        """Prints where the stage has ended."""
        if self.stage and self.stage.seen != self.shown:
            self._print(self.stage)
        self.stage = None

    def _print(self, stage: Stage) -> None:
        failed = f", {stage.failed} failed" if stage.failed else ""
        spent = f", {self.spent}" if self.spent else ""
        terminal.line(f"{stage.name}: {stage.count}, {stage.rate}{failed}{spent}", error=True)
        self.printed = time.monotonic()
        self.shown = stage.seen


def spent_line(event: Spent) -> str:
    """Tokens and money in a few characters."""
    cost = f", {money(event.cost)}" if event.cost else ""
    return f"{event.tokens:,} tokens{cost}"
