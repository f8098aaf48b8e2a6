"""What a run tells while it works; the command line draws it, a Python user may listen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Advanced",
    "Event",
    "Listener",
    "Notice",
    "Share",
    "Spent",
    "Started",
    "Waiting",
    "silent",
]


@dataclass(frozen=True, slots=True)
class Started:
    """A stage begins; `total` items, or bytes, are to do, None where it is not known yet."""

    stage: str
    total: int | None = None
    unit: Literal["items", "bytes"] = "items"


@dataclass(frozen=True, slots=True)
class Advanced:
    """Items, or bytes, of the stage are done, or failed; fewer than 0 take back what was told."""

    done: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for a person; a warning where something needs to be done."""

    text: str
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Spent:
    """What the run has used so far: tokens in and out, and US dollars as far as known."""

    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """What is waited for, and for how many seconds by now; an empty text: that is over."""

    text: str
    seconds: float


Event = Started | Advanced | Notice | Spent | Waiting
Listener = Callable[[Event], None]


def silent(_event: Event) -> None:
    """Listens to nothing."""


class Share:
    """Tells of one large item, which has `size` of its stage, how far it is: 0.0 to 1.0."""

    def __init__(self, size: int, listen: Listener) -> None:
        self.size, self.listen = size, listen
        self.told = 0

    def __call__(self, done: float) -> None:
        now = round(done * self.size)
        if now > self.told:
            self.listen(Advanced(now - self.told))
            self.told = now
