"""Writes numbers, durations and names of steps in the same way in every command."""

from collections.abc import Iterable
from typing import Final

__all__ = [
    "STEPS",
    "cached_part",
    "counted",
    "named_step",
    "or_more",
    "repaired",
    "seconds",
    "unread",
]

# The name of a stage or step in the graph, and its name in the output of all commands.
STEPS: Final = {
    "extract": "extraction",
    "summarize": "descriptions",
    "summary": "descriptions",
    "report": "reports",
    "embed": "embedding",
    "map": "reading",
    "compare": "names",
}


def named_step(step: str) -> str:
    """Returns the name of a step that all commands print."""
    return STEPS.get(step, step)


def counted(n: int, one: str, many: str | None = None) -> str:
    """Returns a number with its noun.

    >>> counted(1, "file"), counted(2000, "file"), counted(0, "entity", "entities")
    ('1 file', '2,000 files', '0 entities')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def repaired(n: int) -> str:
    """Returns the sentence about the parts of replies that were repaired or left out.

    >>> repaired(1)
    "1 part of the model's replies was not in the expected form, and was repaired or left out."
    """
    were = "was" if n == 1 else "were"
    parts = counted(n, "part")
    return (
        f"{parts} of the model's replies {were} not in the expected form, and {were} repaired or "
        "left out."
    )


def cached_part(tokens: int) -> str:
    """Returns how many of the tokens just named were cached, or "" if none were.

    >>> cached_part(2000), cached_part(0)
    (' (2,000 of them cached)', '')
    """
    return f" ({tokens:,} of them cached)" if tokens else ""


def or_more(n: int, shown: int, where: str) -> str:
    """Returns the line below a list that shows only the first `shown` of `n` items."""
    return f"… and {n - shown:,} more. {where} shows all of them."


def unread(flaws: Iterable[tuple[str, str]]) -> list[str]:
    """Returns a line for each source with its reason, and one for all that have the same reason.

    >>> unread([("a.json", "is no data"), ("b.pdf", "is encrypted"), ("c.json", "is no data")])
    ['2 files, such as a.json: is no data', 'b.pdf: is encrypted']
    """
    sources: dict[str, list[str]] = {}
    for source, reason in flaws:
        sources.setdefault(reason, []).append(source)
    return [
        f"{some[0]}: {reason}"
        if len(some) == 1
        else f"{len(some):,} files, such as {some[0]}: {reason}"
        for reason, some in sources.items()
    ]


def seconds(n: float) -> str:
    """Returns a duration, given in seconds, as text.

    >>> seconds(1.25), seconds(75)
    ('1.2 s', '1 min 15 s')
    """
    minutes, rest = divmod(round(n), 60)
    return f"{minutes:,} min {rest} s" if minutes else f"{n:.1f} s"
