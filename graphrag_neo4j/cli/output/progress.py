"""Shows the events of a run to the user.

On a terminal each stage has a progress bar. Elsewhere plain lines are printed. A quiet command
shows only warnings and, on a terminal, what it is waiting for.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import named_step, seconds
from graphrag_neo4j.model.events import Advanced, Event, Notice, Spent, Started, Waiting
from graphrag_neo4j.text.strings import counted, money

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_WAITS = 15.0


@contextmanager
def listening(*, quiet: bool, fleeting: bool = False) -> Iterator["EventDisplay"]:
    """Yields a listener that shows the events of a command on standard error.

    With `fleeting` the progress bars disappear before the result is printed. With `quiet` only
    warnings are shown and, on a terminal, what the command is waiting for.
    """
    shown: Bars | Lines = Lines()
    if terminal.errors_are_shown():
        shown = Bars(terminal.Drawing(fleeting=fleeting or quiet))
    display = EventDisplay(shown, quiet=quiet)
    try:
        yield display
    finally:
        display.rest()


class EventDisplay:
    """A listener that shows events by bars or lines, and can make room for what is printed."""

    def __init__(self, shown: "Bars | Lines", *, quiet: bool) -> None:
        self._shown, self._quiet = shown, quiet

    def __call__(self, event: Event) -> None:
        """Shows an event, unless it is to be left out."""
        waits = isinstance(event, Waiting) and isinstance(self._shown, Bars)
        if not self._quiet or waits or (isinstance(event, Notice) and event.warning):
            self._shown(event)

    def rest(self) -> None:
        """Stops drawing until the next event."""
        self._shown.rest()

    def hush(self) -> None:
        """Shows only warnings from now on, as lines.

        A server handles several questions at the same time, which one drawing can't show.
        """
        self.rest()
        self._shown, self._quiet = Lines(), True


class Stage:
    """Counts the items of one stage that are done, and those that have failed."""

    def __init__(self, name: str, total: int | None, unit: str = "items") -> None:
        self.name, self.total = named_step(name), total
        self.size, self.unit = (1_000_000, " MB") if unit == "bytes" else (1, "")
        self.done = self.failed = 0
        self.began = time.monotonic()

    @property
    def seen(self) -> int:
        return self.done + self.failed

    @property
    def count(self) -> str:
        """The progress as text, such as "3 of 10" or "1.2 of 5.8 MB".

        Work may bring more work of its kind.
        """
        amounts = [self.seen, max(self.seen, self.total)] if self.total else [self.seen]
        form = ",.1f" if self.unit else ",.0f"
        return " of ".join(format(n / self.size, form) for n in amounts) + self.unit

    @property
    def rate(self) -> str:
        passed = max(time.monotonic() - self.began, 0.001)
        rate = self.seen / self.size / passed
        return f"{rate:{',.1f' if rate >= 1 else '.2g'}}{self.unit}/s"

    @property
    def failures(self) -> str:
        return f"{self.failed:,} failed" if self.failed else ""


def _spent(event: Spent) -> str:
    cost = f", {money(event.cost)}" if event.cost else ""
    return f"{counted(event.tokens, 'token')}{cost}"


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
                self._show_wait(event)
            case Notice():
                self.drawing.say(event.text, "yellow" if event.warning else "")
            case Started():
                if self.bar is not None:
                    self.drawing.update(self.bar, total=self.stage.seen)
                self.stage, self.bar = Stage(event.stage, event.total, event.unit), None
                if event.total != 0:
                    self.bar = self.drawing.add(self.stage.name, event.total)
                    self.drawing.update(self.bar, count=self.stage.count if event.total else "")
            case Advanced():
                self.stage.done += event.done
                self.stage.failed += event.failed
                if self.bar is not None:
                    stage = self.stage
                    shown = {"count": stage.count, "rate": stage.rate, "failed": stage.failures}
                    self.drawing.update(self.bar, completed=stage.seen, **shown)
            case Spent() if self.bar is not None:
                self.drawing.update(self.bar, spent=_spent(event))

    def _show_wait(self, event: Waiting) -> None:
        """Shows an animated line during a wait, and removes it afterwards."""
        if event.text:
            self.wait = self.drawing.add("", None) if self.wait is None else self.wait
            count = f"{event.seconds:.0f} s"
            self.drawing.update(self.wait, description=event.text, count=count)
        elif self.wait is not None:
            self.drawing.remove(self.wait)
            self.wait = None

    def rest(self) -> None:
        """Stops drawing until the next stage."""
        self.drawing.rest()
        self.bar = self.wait = None


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
            case Waiting(text, seconds_):
                if not text:
                    self.waited = 0.0
                elif seconds_ - self.waited > SECONDS_BETWEEN_WAITS:
                    self.waited = seconds_
                    terminal.line(f"{text}: {seconds_:.0f} s", error=True)
            case Notice():
                terminal.line(event.text, error=True)
            case Started():
                self.rest()
                begun = Stage(event.stage, event.total, event.unit)
                self.stage = begun if event.total != 0 else None
                self.printed, self.shown = time.monotonic(), -1
            case Advanced() if self.stage:
                self.stage.done += event.done
                self.stage.failed += event.failed
            case Spent():
                self.spent = _spent(event)
        if self.stage and time.monotonic() - self.printed > SECONDS_BETWEEN_LINES:
            # What is complete is printed once, also if waits and notices follow.
            complete = self.stage.total is not None and self.stage.seen >= self.stage.total
            if not complete or self.shown != self.stage.seen:
                self._print(self.stage)

    def rest(self) -> None:
        """Prints the last count of the stage, if it has counted anything and it is new."""
        if self.stage and self.stage.seen not in {0, self.shown}:
            self._print(self.stage)
        self.stage = None

    def _print(self, stage: Stage) -> None:
        came = f"{seconds(time.monotonic() - stage.began)} so far"  # of what counts nothing
        if stage.seen or stage.total:
            came = f"{stage.count}, {stage.rate}"
        told = ", ".join(filter(None, [came, stage.failures, self.spent]))
        terminal.line(f"{stage.name}: {told}", error=True)
        self.printed, self.shown = time.monotonic(), stage.seen
