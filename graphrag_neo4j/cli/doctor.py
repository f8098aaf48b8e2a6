"""`kg-build doctor`: is everything there that a build needs?"""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphrag_neo4j.cli.options import as_json, home_option, json_option, run, settings_of
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.doctor import Check, examine

__all__ = ["doctor"]

MARKS = {True: ("ok", "green"), False: ("wrong", "red"), None: ("-", "dim")}


@click.command()
@home_option
@json_option
def doctor(home: Path | None, as_json_: bool) -> None:
    """Check everything that a build needs, and say how to mend what is wrong.

    Python, Neo4j, Graph Data Science, the tokenizer, the models (one tiny call to each).
    """
    settings = settings_of(home=home)

    async def work() -> list[Check]:
        with listening(quiet=as_json_) as listen:
            return await examine(settings, listen)

    checks = run(work)
    wrong = sum(check.ok is False for check in checks)
    if as_json_:
        click.echo(as_json({"ok": not wrong, "checks": [asdict(check) for check in checks]}))
    else:
        _show(checks)
        click.echo(f"Wrong: {wrong} of {len(checks)}." if wrong else "All is well.")
    sys.exit(1 if wrong else 0)


def _show(checks: Sequence[Check]) -> None:
    """A table on a terminal, elsewhere a line for each check."""
    console = Console(highlight=False)
    if console.is_terminal:
        console.print(_table(checks))
        return
    for check in checks:
        click.echo(f"{MARKS[check.ok][0]:<7}{check.name}: {check.says} {check.fix}".rstrip())


def _table(checks: Sequence[Check]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    for check in checks:
        mark, style = MARKS[check.ok]
        table.add_row(Text(mark, style), Text(check.name), Text(check.says))
        if check.fix:
            table.add_row("", "", Text(check.fix, "yellow"))
    return table
