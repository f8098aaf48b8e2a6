"""The events that a run sends while it works.

The command line draws them as progress; a Python user may pass a listener.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Started:
    """A stage begins.

    `total` is the number of items or bytes (see `unit`) that are to do, None where it is not known.
    """

    stage: str
    total: int | None = None
    unit: Literal["items", "bytes"] = "items"


@dataclass(frozen=True, slots=True)
class Advanced:
    """More items or bytes of the stage are done, or have failed.

    A number below 0 corrects an earlier event.
    """

    done: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for a person. `warning` is True where the person should do something."""

    text: str
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Spent:
    """The use of the endpoint so far in this run.

    `tokens` counts input and output tokens; `cost` is in US dollars, of the calls whose price is
    known.
    """

    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """The run waits for something.

    `text` says what it waits for; an empty text means that the wait is over. `seconds` is the
    time that it has waited so far.
    """

    text: str
    seconds: float


Event = Started | Advanced | Notice | Spent | Waiting
Listener = Callable[[Event], None]


def silent(_event: Event) -> None:
    """A listener that ignores all events."""


class Share:
    """Reports the progress of one large item as Advanced events.

    `size` is the number of items or bytes that this item has in the total of its stage. A call
    gives the finished part of the item, from 0.0 to 1.0.
    """

    def __init__(self, size: int, listen: Listener) -> None:
        self.size, self.listen = size, listen
        self.reported = 0

    def __call__(self, done: float) -> None:
        now = round(done * self.size)
        if now > self.reported:
            self.listen(Advanced(now - self.reported))
            self.reported = now
