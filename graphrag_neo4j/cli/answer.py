"""How answers, their sources and their contexts are shown."""

from collections.abc import Iterable

from graphrag_neo4j.answers import Answer, Citation, Source
from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.progress import money_known
from graphrag_neo4j.text import shortened

__all__ = ["footnoted", "print_answer", "print_context"]

QUOTED = 200  # characters of a source


def print_answer(answer: Answer, *, streamed: bool) -> None:
    """The text, unless it has been streamed already, and below it the sources."""
    if streamed:
        terminal.line()
    else:
        terminal.block(answer.text)
    if answer.citations:
        terminal.line()
        terminal.line("Sources:")
    shown: set[str] = set()  # places, each once
    for citation in answer.citations:
        mark = "" if citation.supported else " (not in the material of this answer)"
        terminal.line(f"  {citation}", (mark, "red"))
        # In an answer of quotations a report is the heading of those that are cited one by one.
        heads = answer.origin == "extractive" and citation.kind == "Reports"
        for place in () if heads else dict.fromkeys(map(_place, citation.sources)):
            if place not in shown:
                terminal.line(f"    {place}", style="dim")
                shown.add(place)
    terminal.line()
    terminal.line(_took(answer), style="dim")


def print_context(answer: Answer) -> None:
    """What a model would be given, with the tokens of each part."""
    for n, shown in enumerate(answer.context, start=1):
        parts = ", ".join(f"{len(records)} {kind}" for kind, records in shown.by_kind().items())
        terminal.line(f"Context {n}: {shown.tokens:,} tokens; {parts}.", style="bold")
        terminal.block(shown.text)


def footnoted(answer: Answer) -> str:
    """The answer in Markdown, each citation a footnote that names its places."""
    notes = [f"[^{n}]: {_note(citation)}" for n, citation in enumerate(answer.citations, start=1)]
    numbers = {(c.kind, c.ref): n for n, c in enumerate(answer.citations, start=1)}
    return "\n\n".join([answer.footnoted(numbers), *notes])


def _note(citation: Citation) -> str:
    places: Iterable[str] = map(_place, citation.sources)
    return "; ".join([str(citation), *places])


def _place(source: Source) -> str:
    start, end = source.place
    quote = shortened(" ".join(source.quoted.split()), QUOTED, len)
    return f"{source.title}, characters {start:,}–{end:,}: “{quote}”"


def _took(answer: Answer) -> str:
    if answer.origin == "extractive":
        return f"{answer.method} search, extractive (no model): {answer.elapsed:.1f} s."
    used = answer.usage.values()
    calls = sum(one["calls"] for one in used)
    tokens = sum(one["input_tokens"] + one["output_tokens"] for one in used)
    cost = sum(one["cost"] for one in used)
    unpriced = sum(one["unpriced"] for one in used)
    return (
        f"{answer.method} search: {answer.elapsed:.1f} s, {calls} calls, {tokens:,} tokens, "
        f"{money_known(cost, unpriced)}."
    )
