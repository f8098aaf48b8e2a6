"""How numbers, times and steps are written: the same way in every command."""

from typing import Final

__all__ = ["STEPS", "counted", "named_step", "or_more", "seconds"]

# What the stages and the calls of one step are called in the graph, and what all commands call it.
STEPS: Final = {
    "extract": "extraction",
    "summarize": "descriptions",
    "summary": "descriptions",
    "report": "reports",
    "embed": "embedding",
    "map": "reading",
}


def named_step(step: str) -> str:
    """The one name of a step."""
    return STEPS.get(step, step)


def counted(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "file"), counted(2000, "file"), counted(0, "entity", "entities")
    ('1 file', '2,000 files', '0 entities')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def or_more(n: int, shown: int, where: str) -> str:
    """The line under a list of which only the first `shown` of `n` stand there."""
    return f"… and {n - shown:,} more; {where} names all of them."


def seconds(n: float) -> str:
    """A duration.

    >>> seconds(1.25), seconds(75)
    ('1.2 s', '1 min 15 s')
    """
    minutes, rest = divmod(round(n), 60)
    return f"{minutes:,} min {rest} s" if minutes else f"{n:.1f} s"
