"""`kg-build status` shows the contents and the state of the graph."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import ceil
from typing import TYPE_CHECKING

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import EventDisplay
from graphrag_neo4j.cli.output.words import money_known, named_step
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.index.status import COUNTED, Status
from graphrag_neo4j.text.strings import counted, money

if TYPE_CHECKING:
    from graphrag_neo4j.query.contradictions import Contradiction

TOKENS_AND_COST = ("tokens in", "cached", "tokens out", "cost")
MORE = "`kg-build status --json`"
DIFFERENT = {
    "date": "another date",
    "number": "another number",
    "name": "another name",
    "role": "another role",
    "denied": "denied",
    "other": "another statement",
}
PENDING = {
    "extract": ("chunk to read", "chunks to read"),
    "claims": ("chunk to read for claims", "chunks to read for claims"),
    "merge": ("entity or relationship to merge", "entities and relationships to merge"),
    "resolve": ("name to compare", "names to compare"),
    "summarize": ("entity or relationship to describe", "entities and relationships to describe"),
    "reports": ("community to report on", "communities to report on"),
    "embed": ("text to embed", "texts to embed"),
}


@click.command()
@options.flag(
    "--metadata",
    "Also list the fields of the documents' metadata, by which `kg-build query --where` selects.",
)
@options.flag(
    "--levels",
    "Also list the levels of communities with their reports, from which global search answers.",
)
@options.flag(
    "--contradictions",
    "Also list statements of different documents that seem to contradict each other, at most ten.",
)
@options.flag(
    "--with-model",
    "With --contradictions: let the model judge at most 30 pairs of statements, in a call each.",
)
@options.max_cost_option
@options.json_option
def status_command(
    *,
    metadata: bool,
    levels: bool,
    contradictions: bool,
    with_model: bool,
    max_cost: float | None,
    as_json_: bool,
) -> None:
    """Show what is in the graph, what is pending, what failed and why, and the cost so far."""
    if with_model and not contradictions:
        raise click.UsageError("Give --with-model together with --contradictions.")
    settings = options.settings_of(max_cost=max_cost)

    async def work(rag: AsyncGraphRAG, _: EventDisplay) -> "tuple[Status, list[Contradiction]]":
        status = await rag.status(metadata=metadata)
        return status, await rag.contradictions(with_model=with_model) if contradictions else []

    found, clashes = options.ask_client(settings, work, quiet=as_json_)
    if as_json_:
        told = [one.to_dict() for one in clashes]
        terminal.json_text(options.as_json({**asdict(found), "contradictions": told}))
        return
    terminal.line(f"Graph: {settings.graph_name or 'the default home'}.")
    terminal.table(("", ""), [(name, f"{n:,}") for name, n in found.counts.items()])
    if not any(found.counts.values()):
        terminal.line("The graph is empty. `kg-build index PATHS` reads documents into it.")
    if levels:
        _print_levels(found)
    print_unfinished(found)
    _print_batches(found)
    _print_builds(found)
    if metadata:
        _print_metadata(found)
    if contradictions:
        _print_contradictions(clashes)


def print_unfinished(status: Status) -> None:
    """Prints what is behind, pending, failed or left out, with the reasons."""
    if n := status.behind["reports"]:
        percent = ceil(round(100 * status.behind["largest"], 6))
        reports, them = ("report is", "it") if n == 1 else ("reports are", "them")
        terminal.line(
            f"{n:,} {reports} behind: at most {percent} % of the material of each has changed "
            f"since it was written. `kg-build index PATHS --fresh` brings {them} up to date."
        )
    if invented := status.reports["invented"]:
        what = counted(invented, "citation")
        terminal.line(f"Removed from reports: {what} of elements that are not in the graph.")
    print_pending(status.pending)
    print_failures(status)
    cut = [f"A list was cut off. The part that arrived is saved: {one}." for one in status.cut]
    vectorless = [f"Without a vector: {one.what}: {one.reason}." for one in status.vectorless]
    terminal.some([*cut, *vectorless], MORE)
    for reason, n in status.unusable.items():
        terminal.line(f"Left out: {counted(n, 'record')}: {reason}.")


def print_pending(pending: Mapping[str, int]) -> None:
    """Prints the pending work of each stage, or nothing if there is none."""
    waiting = [counted(n, *PENDING[stage]) for stage, n in pending.items() if n]
    if waiting:
        terminal.line(f"Pending: {', '.join(waiting)}.")


def print_failures(status: Status, *, error: bool = False) -> None:
    """Prints what failed, with the reasons."""
    failed = [
        f"Failed ({named_step(one.stage)}): {one.what}: {one.reason}" for one in status.failures
    ]
    terminal.some(failed, MORE, "red", error=error)


def _print_levels(status: Status) -> None:
    """Prints the sizes of each level's reports."""
    columns = ("level", "communities", "single", "largest", "reports", "tokens")
    keys = (*columns, "from_elements", "tokens_from_elements")
    levels: Iterable[Mapping[str, object]] = status.levels
    if rows := [[f"{row[key]:,}" for key in keys] for row in levels]:
        terminal.table((*columns, "small reports", "their tokens"), rows)
        terminal.line(
            "Each level covers every entity once; level 0 is the coarsest. A single community "
            "is one entity. Small reports list the members of a small community, without a model.",
            style="dim",
        )


def _print_batches(status: Status) -> None:
    """Prints the batches that are not over: how far they are, their cost, and since when."""
    for batch in status.batches:
        cost = "" if batch["cost"] is None else f", at most {money(batch['cost'])}"
        sent = batch["sent"][:16].replace("T", " ")
        terminal.line(
            f"A batch waits at the provider: {batch['answered']:,} of "
            f"{counted(batch['requests'], 'request')} answered ({batch['state']}){cost}, sent "
            f"{sent} UTC."
        )
    if status.batches:
        terminal.line("`kg-build index PATHS --batch` asks for the results, within 24 hours.")


def _print_builds(status: Status) -> None:
    head = ("started (UTC)", "outcome", "origin", "release", "calls", *TOKENS_AND_COST)
    rows = []
    for build in status.builds:
        started = build["started"][:19].replace("T", " ")
        tokens = (build["input_tokens"], build["cached_tokens"], build["output_tokens"])
        counts = (f"{n:,}" for n in (build["calls"], *tokens))
        cost = money_known(build["cost"], build["unpriced"])
        rows.append(
            (
                started,
                build["outcome"],
                build["origin"] or "-",
                build["release"] or "< 0.2",
                *counts,
                cost,
            )
        )
    if rows:
        terminal.line("The last builds:")
        terminal.table(head, rows, left=("outcome", "origin", "release"))


def _print_contradictions(found: "Sequence[Contradiction]") -> None:
    """Prints each contradiction with its two statements, their dates and their places."""
    terminal.line(
        "Statements that seem to contradict each other, the most likely first:"
        if found
        else "No two statements were found that seem to contradict each other."
    )
    for n, one in enumerate(found, start=1):
        terminal.line((f"{n}. {one.entity}", "bold"), f": {DIFFERENT[one.kind]}")
        for said in one.statements:
            terminal.line(f"   - {said.text}")
            place = said.source.place
            terminal.line(
                (f"     {place}", "dim"), (f", {said.date}" * (said.date not in place), "dim")
            )


def _print_metadata(status: Status) -> None:
    rows = []
    for row in status.metadata:
        values = [f"{one['value']} ({one['documents']:,})" for one in row["values"]]
        kinds, most = ", ".join(row["kinds"]), "; ".join(values)
        rows.append((row["field"], kinds, f"{row['documents']:,}", most))
    terminal.line("The metadata of the documents (all documents also have source and title):")
    if rows:
        head = ("field", "kind", "documents", "most frequent values")
        terminal.table(head, rows, left=("kind", "most frequent values"), wrapped=True)
    else:
        terminal.line("No document has any.")
    if status.counts["documents"] > COUNTED:
        terminal.line(f"Only {COUNTED:,} documents are counted.", style="dim")
