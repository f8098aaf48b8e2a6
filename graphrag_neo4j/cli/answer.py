"""How answers, their sources and their contexts are shown."""

from collections.abc import Iterable

import click
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from graphrag_neo4j.answers import Answer, Citation, Source
from graphrag_neo4j.cli.progress import money_known
from graphrag_neo4j.text import flat, shortened

__all__ = ["footnoted", "print_answer", "print_context"]

QUOTED = 200  # characters of a source, or of what is cited
RENDERED = 20_000  # characters of an answer; one of more is shown as it is: the parser is slow


def print_answer(console: Console, answer: Answer, *, streamed: bool) -> None:
    """The text, unless it has been streamed already, and below it the sources."""
    if streamed:
        click.echo()
    elif console.is_terminal and len(answer.text) <= RENDERED:
        from rich.markdown import Markdown  # noqa: PLC0415 - only here; it brings a parser

        console.print(Markdown(answer.text))
    else:
        console.out(answer.text, highlight=False)
    if answer.citations:
        console.print("\nSources:")
    shown: set[str] = set()  # places, each once
    for citation in answer.citations:
        mark = "" if citation.supported else " (not in the material of this answer)"
        name = shortened(flat(citation), QUOTED, len)
        console.print(Text.assemble(f"  {name}", (mark, "red")))
        # In an answer of quotations a report is the heading of those that are cited one by one.
        heads = answer.origin == "extractive" and citation.kind == "Reports"
        for place in () if heads else dict.fromkeys(map(_place, citation.sources)):
            if place not in shown:
                console.print(Text(f"    {place}", style="dim"))
                shown.add(place)
    console.print(Text(f"\n{_took(answer)}", style="dim"))


def print_context(console: Console, answer: Answer) -> None:
    """What a model would be given, with the tokens of each part."""
    for n, shown in enumerate(answer.context, start=1):
        parts = ", ".join(f"{len(records)} {kind}" for kind, records in shown.by_kind().items())
        console.print(f"[bold]Context {n}: {shown.tokens:,} tokens; {escape(parts)}.[/]")
        click.echo(shown.text)


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
