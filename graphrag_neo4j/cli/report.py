"""How the state of a graph is shown."""

from collections.abc import Sequence

from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.progress import money_known
from graphrag_neo4j.status import Status

__all__ = ["print_failures", "print_status"]

NAMED = 20
PENDING = {
    "extract": "chunks to read",
    "claims": "to read for claims",
    "merge": "entities and relationships to merge",
    "summarize": "to describe",
    "reports": "communities to report on",
    "embed": "to embed",
}


def print_status(status: Status, *, builds: bool = True) -> None:
    """Counts, what is pending, what failed and why, and the last builds."""
    terminal.table(("", ""), [(name, f"{n:,}") for name, n in status.counts.items()])
    _print_levels(status)
    waiting = {stage: n for stage, n in status.pending.items() if n}
    if waiting:
        text = ", ".join(f"{n:,} {PENDING[stage]}" for stage, n in waiting.items())
        terminal.line(f"Pending: {text}.")
    print_failures(status)
    _print_named([f"Cut off, saved as far as it is whole: {cut}." for cut in status.cut])
    vectorless = [f"Without a vector: {one.what}: {one.reason}." for one in status.vectorless]
    _print_named(vectorless)
    for reason, n in status.unusable.items():
        terminal.line(f"Left out: {n:,} × {reason}.")
    if builds:
        _print_builds(status)


def print_failures(status: Status, *, error: bool = False) -> None:
    """What failed and why."""
    failed = [f"Failed ({one.stage}): {one.what}: {one.reason}" for one in status.failures]
    _print_named(failed, "red", error=error)


def _print_named(lines: Sequence[str], style: terminal.Style = "", *, error: bool = False) -> None:
    """The first of many lines, and how many more there are."""
    for line in lines[:NAMED]:
        terminal.line(line, style=style, error=error)
    if len(lines) > NAMED:
        more = f"… and {len(lines) - NAMED} more; status --json has all."
        terminal.line(more, style=style, error=error)


def _print_levels(status: Status) -> None:
    """The cover of each level: what a global question is answered from."""
    head = ("level", "communities", "largest", "reports", "of these", "tokens", "of these")
    rows = [
        (
            str(row["level"]),
            f"{row['communities']:,}",
            f"{row['largest']:,}",
            f"{row['reports']:,}",
            f"{row['from_elements']:,} small",
            f"{row['tokens']:,}",
            f"{row['tokens_from_elements']:,} small",
        )
        for row in status.levels
    ]
    if rows:
        terminal.table(head, rows)
    if invented := status.reports["invented"]:
        terminal.line(f"Removed from reports: {invented:,} citations of what is not there.")


def _print_builds(status: Status) -> None:
    head = ("started", "outcome", "origin", "calls", "tokens in", "tokens out", "cost")
    rows = [
        (
            build["started"][:19].replace("T", " "),
            build["outcome"],
            build["origin"] or "",
            f"{build['calls']:,}",
            f"{build['input_tokens']:,}",
            f"{build['output_tokens']:,}",
            money_known(build["cost"], build["unpriced"]),
        )
        for build in status.builds
    ]
    if rows:
        terminal.line("Last builds:")
        terminal.table(head, rows, left=("outcome", "origin"))
