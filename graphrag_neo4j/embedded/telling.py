"""What is told while the server is downloaded, started or stopped, so that nobody waits unaware."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from graphrag_neo4j import events
from graphrag_neo4j.events import Listener

__all__ = ["SILENT", "Telling", "Waiting"]

SECONDS_BETWEEN = 1.0


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Telling:
    """Who hears of a step.

    `say`: a sentence before each step that takes long. `progress`: the bytes downloaded and those
    in all. `wait`: what is waited for and for how many seconds by now, about once a second; an
    empty text when it is over.
    """

    say: Callable[[str], None] = _nothing
    progress: Callable[[int, int], None] = _nothing
    wait: Callable[[str, float], None] = _nothing

    @classmethod
    def to(cls, listen: Listener) -> Self:
        """One that tells a listener, as events."""
        before = 0

        def progress(done: int, total: int) -> None:
            nonlocal before
            if before == 0:
                listen(events.Started("download", total, "bytes"))
            listen(events.Advanced(done - before))
            before = done

        return cls(
            lambda text: listen(events.Notice(text)),
            progress,
            lambda text, seconds: listen(events.Waiting(text, seconds)),
        )

    @contextmanager
    def waiting(self, what: str) -> "Iterator[Waiting]":
        """Tells at once what is waited for, and at the end that it is over."""
        wait = Waiting(self.wait, what)
        wait.tick()
        try:
            yield wait
        finally:
            self.wait("", wait.seconds)


class Waiting:
    """One step that takes its time; `tick` is called as often as one likes while it does."""

    def __init__(self, wait: Callable[[str, float], None], what: str) -> None:
        self._wait = wait
        self._what = what
        self._began = time.monotonic()
        self._told: float | None = None

    @property
    def seconds(self) -> float:
        """How long it has taken by now."""
        return time.monotonic() - self._began

    def tick(self, detail: Callable[[], str] = str) -> None:
        """Tells how long it has taken, if that was not told just now; `detail`: what more."""
        seconds = self.seconds
        if self._told is None or seconds - self._told >= SECONDS_BETWEEN:
            self._told = seconds
            self._wait(self._what + detail(), seconds)


SILENT = Telling()
