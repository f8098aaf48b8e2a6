"""Writes numbers, amounts, durations and names of steps in the same way in every command."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from graphrag_neo4j.errors import GraphRAGError, ReplyError
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.text.strings import counted, money

# The name of a stage or step in the graph, and its name in the output of all commands.
STEPS: Final = {
    "extract": "extraction",
    "summarize": "descriptions",
    "summary": "descriptions",
    "report": "reports",
    "embed": "embedding",
    "map": "reading",
    "resolve": "joining names",
    "compare": "names",
}


def named_step(step: str) -> str:
    """Returns the name of a step that all commands print."""
    return STEPS.get(step, step)


def was(n: int) -> str:
    """Returns "was" or "were"."""
    return "was" if n == 1 else "were"


def money_known(cost: float, unpriced: int) -> str:
    """Returns the cost of calls as text, or says how far it is known.

    `unpriced` is the number of calls whose price is not known.
    """
    known = cost or not unpriced
    return f"{'at least ' if unpriced and cost else ''}{money(cost if known else None)}"


def total_usage(usage: Mapping[str, Usage]) -> str:
    """Returns the calls of all steps and their cost, such as "3 calls, $0.0021"."""
    used = Usage.total(usage.values())
    return f"{counted(used.calls, 'call')}, {money_known(used.cost, used.unpriced)}"


def error_sentence(error: GraphRAGError) -> str:
    """Returns an error as a sentence; that of a reply has only the reason."""
    return f"There is no answer, since {error}." if isinstance(error, ReplyError) else str(error)


def repaired(n: int) -> str:
    """Returns the sentence about the parts of replies that were repaired or left out.

    >>> repaired(1)
    "1 part of the model's replies was not in the expected form, and was repaired or left out."
    """
    parts = f"{counted(n, 'part')} of the model's replies {was(n)} not in the expected form"
    return f"{parts}, and {was(n)} repaired or left out."


def summed(costs: Sequence[float | None]) -> float | None:
    """Returns the sum of costs, None if one of them is not known."""
    return None if None in costs else sum(cost or 0.0 for cost in costs)


def about(calls: int, sent: int, replied: int, cost: float | None) -> str:
    """Returns what calls will take: their number, tokens and cost, by an estimate.

    >>> about(2, 3000, 400, 0.01)
    'about 2 calls with 3,000 input tokens and 400 output tokens: about $0.0100'
    """
    dollars = money(cost) if cost is None else f"about {money(cost)}"
    tokens = f"{sent:,} input tokens and {replied:,} output tokens"
    return f"about {counted(calls, 'call')} with {tokens}: {dollars}"


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
