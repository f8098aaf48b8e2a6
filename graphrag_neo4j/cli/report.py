"""How the state of a graph is shown."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graphrag_neo4j.cli.progress import money_known
from graphrag_neo4j.status import Status

__all__ = ["print_failures", "print_status"]

NAMED = 20
PENDING = {
    "extract": "chunks to read",
    "claims": "to read for claims",
    "merge": "entities and relationships to merge",
    "summarize": "to describe",
}


def print_status(console: Console, status: Status, *, builds: bool = True) -> None:
    """Counts, what is pending, what failed and why, and the last builds."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, n in status.counts.items():
        table.add_row(name, f"{n:,}")
    console.print(table)
    waiting = {stage: n for stage, n in status.pending.items() if n}
    if waiting:
        text = ", ".join(f"{n:,} {PENDING[stage]}" for stage, n in waiting.items())
        console.print(f"Pending: {text}.")
    print_failures(console, status)
    for cut in status.cut[:NAMED]:
        console.print(f"Cut off, saved as far as it is whole: {escape(cut)}.")
    if len(status.cut) > NAMED:
        console.print(f"… and {len(status.cut) - NAMED} more; status --json has all.")
    for reason, n in status.unusable.items():
        console.print(f"Left out: {n:,} × {escape(reason)}.")
    if builds:
        _print_builds(console, status)


def print_failures(console: Console, status: Status) -> None:
    """What failed and why."""
    for failure in status.failures[:NAMED]:
        console.print(
            f"[red]Failed ({failure.stage}): {escape(failure.what)}: {escape(failure.reason)}[/]"
        )
    if len(status.failures) > NAMED:
        console.print(f"[red]… and {len(status.failures) - NAMED} more; status --json has all.[/]")


def _print_builds(console: Console, status: Status) -> None:
    table = Table("started", "outcome", "calls", "tokens in", "tokens out", "cost", box=None)
    for build in status.builds:
        table.add_row(
            build["started"][:19].replace("T", " "),
            build["outcome"],
            f"{build['calls']:,}",
            f"{build['input_tokens']:,}",
            f"{build['output_tokens']:,}",
            money_known(build["cost"], build["unpriced"]),
        )
    if status.builds:
        console.print("Last builds:")
        console.print(table)
