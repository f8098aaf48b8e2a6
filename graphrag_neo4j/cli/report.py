"""How the state of a graph is shown."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graphrag_neo4j.cli.progress import money_known
from graphrag_neo4j.status import Status

__all__ = ["print_failures", "print_pending", "print_status"]

NAMED = 20
PENDING = {
    "extract": "chunks to read",
    "claims": "to read for claims",
    "merge": "entities and relationships to merge",
    "summarize": "to describe",
    "reports": "communities to report on",
    "embed": "to embed",
}


def print_status(console: Console, status: Status, *, builds: bool = True) -> None:
    """Counts, what is pending, what failed and why, and the last builds."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, n in status.counts.items():
        table.add_row(name, f"{n:,}")
    console.print(table)
    _print_levels(console, status)
    print_pending(console, status.pending)
    print_failures(console, status)
    _print_named(console, [f"Cut off, saved as far as it is whole: {cut}." for cut in status.cut])
    vectorless = [f"Without a vector: {one.what}: {one.reason}." for one in status.vectorless]
    _print_named(console, vectorless)
    for reason, n in status.unusable.items():
        console.print(f"Left out: {n:,} × {escape(reason)}.")
    if builds:
        _print_builds(console, status)


def print_pending(console: Console, pending: Mapping[str, int]) -> None:
    """What waits for each stage; nothing where nothing waits."""
    waiting = {stage: n for stage, n in pending.items() if n}
    if waiting:
        text = ", ".join(f"{n:,} {PENDING[stage]}" for stage, n in waiting.items())
        console.print(f"Pending: {text}.")


def print_failures(console: Console, status: Status) -> None:
    """What failed and why."""
    failed = [f"Failed ({one.stage}): {one.what}: {one.reason}" for one in status.failures]
    _print_named(console, failed, "red")


def _print_named(console: Console, lines: Sequence[str], style: str | None = None) -> None:
    """The first of many lines, and how many more there are."""
    for line in lines[:NAMED]:
        console.print(escape(line), style=style)
    if len(lines) > NAMED:
        more = f"… and {len(lines) - NAMED} more; status --json has all."
        console.print(more, style=style)


def _print_levels(console: Console, status: Status) -> None:
    """The cover of each level: what a global question is answered from."""
    head = ("level", "communities", "largest", "reports", "of these", "tokens", "of these")
    table = Table(*head, box=None)
    for row in status.levels:
        table.add_row(
            str(row["level"]),
            f"{row['communities']:,}",
            f"{row['largest']:,}",
            f"{row['reports']:,}",
            f"{row['from_elements']:,} small",
            f"{row['tokens']:,}",
            f"{row['tokens_from_elements']:,} small",
        )
    if status.levels:
        console.print(table)
    if invented := status.reports["invented"]:
        console.print(f"Removed from reports: {invented:,} citations of what is not there.")


def _print_builds(console: Console, status: Status) -> None:
    table = Table(
        "started", "outcome", "origin", "calls", "tokens in", "tokens out", "cost", box=None
    )
    for build in status.builds:
        table.add_row(
            build["started"][:19].replace("T", " "),
            build["outcome"],
            build["origin"] or "",
            f"{build['calls']:,}",
            f"{build['input_tokens']:,}",
            f"{build['output_tokens']:,}",
            money_known(build["cost"], build["unpriced"]),
        )
    if status.builds:
        console.print("Last builds:")
        console.print(table)
