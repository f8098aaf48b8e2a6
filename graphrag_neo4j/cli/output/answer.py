"""Prints answers, their sources and their context tables."""

import re
from collections import Counter
from typing import TYPE_CHECKING

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import money_known, repaired, seconds
from graphrag_neo4j.model.citations import CitationKind, escaped, neutralised
from graphrag_neo4j.model.passage import called
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.query.answer import Answer, Citation, Source
from graphrag_neo4j.text.strings import counted, excerpt, flat, legible

if TYPE_CHECKING:
    from graphrag_neo4j.query.why import Why

KINDS: dict[CitationKind, tuple[str, str]] = {
    "Reports": ("report", "reports"),
    "Entities": ("entity", "entities"),
    "Relationships": ("relationship", "relationships"),
    "Claims": ("claim", "claims"),
    "Sources": ("source", "sources"),
}
LEAD = re.compile(r"\*\*(.+?)\*\*")
MOST_DOCUMENTS = 5  # documents that are named where the sources are only counted
QUOTED = 200  # characters of a source that are printed
ABOUT = ("author", "date")  # metadata that is printed beside the title of a source


def print_sources(answer: Answer) -> None:
    """Prints each citation of the answer with its places in the documents."""
    if answer.citations:
        terminal.line()
        terminal.line("Sources:")
    printed: set[str] = set()  # each place is printed only once
    for citation in answer.citations:
        _print_citation(citation)
        # In an extractive answer a report is only a heading. The quotations below it have
        # citations of their own.
        is_heading = answer.origin == "extractive" and citation.kind == "Reports"
        for place in () if is_heading else dict.fromkeys(map(_place, citation.sources)):
            if place not in printed:
                terminal.line((f"    {place}", "dim"))
                printed.add(place)


def _print_citation(citation: Citation) -> None:
    mark = "".join(f" ({flaw})" for flaw in citation.flaws)
    terminal.line((f"  {excerpt(str(citation), QUOTED)}", ""), (mark, "red"))


def _count_sources(answer: Answer, more: str, *, named: bool) -> None:
    """Prints how many passages of which documents are cited, and the citations with a flaw."""
    places = {one.chunk: one for cited in answer.citations for one in cited.sources}
    documents = Counter(one.document for one in places.values())
    names = {one.document: called(one.name or one.document, one.title) for one in places.values()}
    passages, of = counted(len(places), "passage"), counted(len(documents), "document")
    terminal.line()
    terminal.line(f"Sources: {passages} of {of}. {more} prints them all.")
    for document, n in documents.most_common(MOST_DOCUMENTS if named else 0):
        terminal.line((f"  {names[document]}: {counted(n, 'passage')}", "dim"))
    if named and (left := len(documents) - MOST_DOCUMENTS) > 0:
        terminal.line((f"  and {counted(left, 'more document')}", "dim"))
    for citation in answer.citations:
        if citation.flaws:
            _print_citation(citation)


def print_answer(
    answer: Answer, *, streamed: bool, sources: bool = False, more: str = "--sources"
) -> None:
    """Prints the text, unless it was already streamed, and then the sources and the effort.

    Of the sources only the number is printed, and what is wrong with a citation, unless `sources`
    asks for all; `more` is the option or command that prints them. An answer of quotations says
    itself where each of them stands; for one of a model, the documents are named.
    """
    quotations = answer.origin == "extractive"
    if streamed:
        terminal.line()
    elif quotations:  # leads in bold, places dim
        for line in answer.text.splitlines():
            if found := LEAD.match(line):
                terminal.line((found[1], "bold"), (line[found.end() :], ""))
            else:
                terminal.line((line, "dim" if line.startswith("  ") else ""))
    else:
        terminal.block(answer.text)
    if answer.more:
        terminal.line()
        option = ": --all" if more == "--sources" else ""  # there is no such command in a chat
        terminal.line(f"{answer.more:,} more{option}.")
    print_incomplete(answer)
    if sources:
        print_sources(answer)
    elif answer.citations:
        _count_sources(answer, more, named=not quotations)
    terminal.line()
    terminal.line(_effort(answer), style="dim")
    if n := Usage.total(answer.usage.values()).repaired:
        terminal.line(repaired(n), style="dim")


def print_incomplete(answer: Answer, *, error: bool = False) -> None:
    """Prints why the end of the answer is missing, if it is; with `error` on standard error."""
    if answer.incomplete:
        terminal.line(answer.incomplete, style="yellow", error=error)


def print_context(answer: Answer) -> None:
    """Prints each context that a model would receive, with its number of tokens."""
    for n, table in enumerate(answer.context, start=1):
        parts = ", ".join(
            counted(len(records), *KINDS[kind]) for kind, records in table.by_kind().items()
        )
        terminal.line(f"Context {n}: {counted(table.tokens, 'token')} in {parts}.", style="bold")
        terminal.block(table.text)


def print_why(why: "Why") -> None:
    """Prints each step of a search in a line, and at which of them a passage was lost."""
    for one in why.steps:
        terminal.line((f"{'-+'[one.passed]} {one.step:<9} ", "bold"), (one.said, "dim"))
        if one.advice:
            terminal.line(f"  {'':<9} {one.advice}")
    method, lost = why.method.capitalize(), f"loses the passage at the step “{why.lost}”"
    terminal.line(f"{method} search {lost if why.lost else 'has the passage'}.")


def with_footnotes(answer: Answer) -> str:
    """Returns the answer as Markdown in which each citation is a footnote with its places.

    An answer of quotations has each quote in its text, so the notes don't repeat them.
    """
    notes, quotes = [], answer.origin != "extractive"
    for n, citation in enumerate(answer.citations, start=1):
        places = list(dict.fromkeys(_place(one, quotes=quotes) for one in citation.sources))
        if citation.kind != "Sources" or not places:  # a place has the title of the document
            places.insert(0, str(citation))
        places += citation.flaws
        note = terminal.harmless("; ".join(places))  # it must be one line
        notes.append(f"[^{n}]: {escaped(note)}")
    numbers = {(c.kind, c.ref): n for n, c in enumerate(answer.citations, start=1)}
    return "\n\n".join([answer.footnoted(numbers), *notes])


def _place(source: Source, *, quotes: bool = True) -> str:
    known = [source.metadata[key] for key in ABOUT if key in source.metadata]
    about = [
        neutralised(", ".join(map(str, one)) if isinstance(one, list) else str(one))
        for one in known
    ]
    place = source.place_of(*source.span, flat(", ".join(about)))
    quote = excerpt(legible(source.quoted), QUOTED) if quotes and source.quote else ""
    return f"{place}: “{quote}”" if quote else place


def _effort(answer: Answer) -> str:
    """Returns the method, the time, the calls, the tokens and the cost in one sentence."""
    method = answer.method.capitalize()
    if answer.origin == "extractive":
        return f"{method} search, extractive (without a model): {seconds(answer.elapsed)}."
    used = Usage.total(answer.usage.values())
    cached = f" ({used.cached_tokens:,} of them cached)" if used.cached_tokens else ""
    return (
        f"{method} search: {seconds(answer.elapsed)}, {counted(used.calls, 'call')}, "
        f"{counted(used.input_tokens + used.output_tokens, 'token')}{cached}, "
        f"{money_known(used.cost, used.unpriced)}."
    )
