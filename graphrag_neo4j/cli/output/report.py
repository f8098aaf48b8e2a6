"""Prints the state of a graph."""

from collections.abc import Mapping, Sequence
from math import ceil

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import money, money_known
from graphrag_neo4j.cli.output.words import counted, named_step, or_more
from graphrag_neo4j.indexing.status import Status

__all__ = [
    "print_failures",
    "print_pending",
    "print_status",
    "tokens_and_cost",
]

NAMED = 20  # lines of one kind that are printed; the others are only counted
PENDING = {
    "extract": ("chunk to read", "chunks to read"),
    "claims": ("chunk to read for claims", "chunks to read for claims"),
    "merge": ("entity or relationship to merge", "entities and relationships to merge"),
    "resolve": ("name to compare", "names to compare"),
    "summarize": ("entity or relationship to describe", "entities and relationships to describe"),
    "reports": ("community to report on", "communities to report on"),
    "embed": ("text to embed", "texts to embed"),
}
EMPTY = "The graph is empty. `kg-build index PATHS` reads documents into it."
BATCHES = (
    "The provider takes up to 24 hours for a batch. `kg-build index PATHS --batch` asks for the "
    "results, and goes on with those that are there."
)
SMALL = (
    "Each level covers every entity once; level 0 is the coarsest. Small reports list the members "
    "of a small community and are made without a model."
)


def tokens_and_cost(*, cached: bool = False) -> tuple[str, ...]:
    """Returns the heads of the columns of tokens and cost, if `cached` also of cached tokens."""
    return ("tokens in", *(["cached"] if cached else []), "tokens out", "cost")


def print_status(status: Status, *, builds: bool = True) -> None:
    """Prints counts, pending work, failures with their reasons, and the last builds."""
    terminal.table(("", ""), [(name, f"{n:,}") for name, n in status.counts.items()])
    if not any(status.counts.values()):
        terminal.line(EMPTY)
    _print_levels(status)
    print_pending(status.pending)
    if builds:
        _print_batches(status)
    print_failures(status)
    _print_named(
        [f"A list was cut off. The part that arrived is saved: {cut}." for cut in status.cut]
    )
    _print_named([f"Without a vector: {one.what}: {one.reason}." for one in status.vectorless])
    for reason, n in status.unusable.items():
        terminal.line(f"Left out: {counted(n, 'record')}: {reason}.")
    if builds:
        _print_builds(status)


def print_pending(pending: Mapping[str, int]) -> None:
    """Prints the pending work of each stage, or nothing if there is none."""
    waiting = [counted(n, *PENDING[stage]) for stage, n in pending.items() if n]
    if waiting:
        terminal.line(f"Pending: {', '.join(waiting)}.")


def _print_batches(status: Status) -> None:
    """Prints the batches that are not over: how far they are, their cost, and since when."""
    for batch in status.batches:
        state = batch["state"].replace("_", " ")
        cost = "" if batch["cost"] is None else f", at most {money(batch['cost'])}"
        terminal.line(
            f"A batch waits at the provider: {batch['answered']:,} of "
            f"{counted(batch['requests'], 'request')} answered when it was last asked ({state})"
            f"{cost}, sent {batch['sent'][:16].replace('T', ' ')} UTC."
        )
    if status.batches:
        terminal.line(BATCHES)


def print_failures(status: Status, *, error: bool = False) -> None:
    """Prints what failed, with the reasons."""
    failed = [
        f"Failed ({named_step(one.stage)}): {one.what}: {one.reason}" for one in status.failures
    ]
    _print_named(failed, "red", error=error)


def _print_named(lines: Sequence[str], style: terminal.Style = "", *, error: bool = False) -> None:
    """Prints the first NAMED lines, and the number of the others."""
    for line in lines[:NAMED]:
        terminal.line(line, style=style, error=error)
    if len(lines) > NAMED:
        more = or_more(len(lines), NAMED, "`kg-build status --json`")
        terminal.line(more, style=style, error=error)


def _print_levels(status: Status) -> None:
    """Prints the sizes of each level's reports, from which global search answers."""
    columns = ("level", "communities", "largest", "reports", "tokens")
    keys = ("from_elements", "tokens_from_elements")
    levels: Sequence[Mapping[str, object]] = status.levels
    rows = [[f"{row[key]:,}" for key in (*columns, *keys)] for row in levels]
    if rows:
        terminal.table((*columns, "small reports", "their tokens"), rows)
        terminal.line(SMALL, style="dim")
    _print_behind(status)
    if invented := status.reports["invented"]:
        what = counted(invented, "citation")
        terminal.line(f"Removed from reports: {what} of elements that are not in the graph.")


def _print_behind(status: Status) -> None:
    """Prints how many reports are behind their material, and how far at most, if there are any.

    The share is rounded up.
    """
    if n := status.behind["reports"]:
        percent = ceil(round(100 * status.behind["largest"], 6))
        if n == 1:
            what, them = f"1 report is behind: {percent} % of its material", "it"
        else:
            what, them = (
                f"{n:,} reports are behind: at most {percent} % of the material of each",
                "them",
            )
        terminal.line(
            f"{what} has changed since it was written. `kg-build index PATHS --fresh` brings "
            f"{them} up to date."
        )


def _print_builds(status: Status) -> None:
    cached = any(build["cached_tokens"] for build in status.builds)
    head = ("started (UTC)", "outcome", "origin", "calls", *tokens_and_cost(cached=cached))
    rows = [
        (
            build["started"][:19].replace("T", " "),
            build["outcome"],
            build["origin"] or "-",
            f"{build['calls']:,}",
            f"{build['input_tokens']:,}",
            *([f"{build['cached_tokens']:,}"] if cached else []),
            f"{build['output_tokens']:,}",
            money_known(build["cost"], build["unpriced"]),
        )
        for build in status.builds
    ]
    if rows:
        terminal.line("The last builds:")
        terminal.table(head, rows, left=("outcome", "origin"))
