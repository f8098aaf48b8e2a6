"""How answers, their sources and their contexts are shown."""

from collections.abc import Iterable

from graphrag_neo4j.answers import Answer, Citation, Source
from graphrag_neo4j.citations import Kind
from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.progress import money_known
from graphrag_neo4j.cli.words import counted, seconds
from graphrag_neo4j.text import shortened

__all__ = ["footnoted", "print_answer", "print_context", "print_sources"]

KINDS: dict[Kind, tuple[str, str]] = {
    "Reports": ("report", "reports"),
    "Entities": ("entity", "entities"),
    "Relationships": ("relationship", "relationships"),
    "Claims": ("claim", "claims"),
    "Sources": ("source", "sources"),
}
QUOTED = 200  # characters of a source


def print_sources(answer: Answer) -> None:
    """What each citation of the answer is, and the places that say so."""
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


def print_answer(answer: Answer, *, streamed: bool) -> None:
    """The text, unless it has been streamed already, and below it the sources."""
    if streamed:
        terminal.line()
    else:
        terminal.block(answer.text)
    print_sources(answer)
    terminal.line()
    terminal.line(_took(answer), style="dim")


def print_context(answer: Answer) -> None:
    """What a model would be given, with the tokens of each part."""
    for n, shown in enumerate(answer.context, start=1):
        parts = ", ".join(
            counted(len(records), *KINDS[kind]) for kind, records in shown.by_kind().items()
        )
        terminal.line(f"Context {n}: {counted(shown.tokens, 'token')} in {parts}.", style="bold")
        terminal.block(shown.text)


def footnoted(answer: Answer) -> str:
    """The answer in Markdown, each citation a footnote that names its places."""
    notes = [f"[^{n}]: {_note(citation)}" for n, citation in enumerate(answer.citations, start=1)]
    numbers = {(c.kind, c.ref): n for n, c in enumerate(answer.citations, start=1)}
    return "\n\n".join([answer.footnoted(numbers), *notes])


def _note(citation: Citation) -> str:
    places: Iterable[str] = map(_place, citation.sources)
    return terminal.harmless("; ".join([str(citation), *places]))  # a footnote is one line


def _place(source: Source) -> str:
    start, end = source.place
    quote = shortened(" ".join(source.quoted.split()), QUOTED, len)
    return f"{source.title}, characters {start:,}–{end:,}: “{quote}”"


def _took(answer: Answer) -> str:
    method = answer.method.capitalize()
    if answer.origin == "extractive":
        return f"{method} search, extractive (without a model): {seconds(answer.elapsed)}."
    used = answer.usage.values()
    calls = sum(one["calls"] for one in used)
    tokens = sum(one["input_tokens"] + one["output_tokens"] for one in used)
    cost = sum(one["cost"] for one in used)
    unpriced = sum(one["unpriced"] for one in used)
    return (
        f"{method} search: {seconds(answer.elapsed)}, {counted(calls, 'call')}, "
        f"{counted(tokens, 'token')}, "
        f"{money_known(cost, unpriced)}."
    )
