"""Reports progress while the server is downloaded, started or stopped."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from graphrag_neo4j import events
from graphrag_neo4j.events import Listener

__all__ = ["SILENT", "SlowStep", "Telling"]

SECONDS_BETWEEN = 1.0


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Telling:
    """The functions that receive reports.

    `say` gets a sentence before each long step. `progress` gets the number of bytes downloaded so
    far and of all bytes. `wait` gets the reason of a wait and the seconds so far, about once a
    second; an empty text means that the wait is over.
    """

    say: Callable[[str], None] = _nothing
    progress: Callable[[int, int], None] = _nothing
    wait: Callable[[str, float], None] = _nothing

    @classmethod
    def to(cls, listen: Listener) -> Self:
        """Reports to a listener as events."""
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
    def waiting(self, reason: str) -> "Iterator[SlowStep]":
        """Reports the reason of a wait at once, and its end."""
        wait = SlowStep(self.wait, reason)
        wait.tick()
        try:
            yield wait
        finally:
            self.wait("", wait.seconds)


class SlowStep:
    """A step that takes time; `tick` may be called often and reports about once a second."""

    def __init__(self, wait: Callable[[str, float], None], reason: str) -> None:
        self._wait = wait
        self._reason = reason
        self._began = time.monotonic()
        self._last: float | None = None

    @property
    def seconds(self) -> float:
        """The seconds that it has taken so far."""
        return time.monotonic() - self._began

    def tick(self, detail: Callable[[], str] = str) -> None:
        """Reports the time so far, at most once a second; `detail` gives a text to add."""
        seconds = self.seconds
        if self._last is None or seconds - self._last >= SECONDS_BETWEEN:
            self._last = seconds
            self._wait(self._reason + detail(), seconds)


SILENT = Telling()
