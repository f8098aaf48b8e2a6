"""`kg-build doctor` checks the requirements of indexing and of queries."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from graphrag_neo4j.cli.options import as_json, home_option, json_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.doctor import Check, examine

__all__ = ["doctor"]

MARKS: dict[bool | None, tuple[str, terminal.Style]] = {
    True: ("ok", "green"),
    False: ("wrong", "red"),
    None: ("-", "dim"),
}


@click.command()
@home_option
@json_option
def doctor(home: Path | None, as_json_: bool) -> None:
    """Check that Neo4j, the models and the other requirements work, and say how to fix problems.

    The checks cover Python, Neo4j, Graph Data Science, the tokenizer and the models. Each chat
    model gets three short calls and one prompt as long as the longest that indexing or a question
    sends (about 14,000 tokens by default). The command starts the embedded Neo4j if NEO4J_URI is
    not set.
    """
    settings = settings_of(home=home)

    async def work() -> list[Check]:
        with listening(quiet=as_json_) as listen:
            return await examine(settings, listen)

    checks = run(work)
    wrong = sum(check.ok is False for check in checks)
    if as_json_:
        terminal.json_text(
            as_json({"ok": not wrong, "checks": [asdict(check) for check in checks]})
        )
    else:
        _show(checks)
        failed = f"{wrong} of {len(checks)} checks failed."
        terminal.line(failed if wrong else "No problems were found.")
    sys.exit(1 if wrong else 0)


def _show(checks: Sequence[Check]) -> None:
    """Prints a table on a terminal, and otherwise one line for each check."""
    if terminal.is_shown():
        terminal.table(("", "", ""), list(_rows(checks)), left=[""], wrapped=True)
        return
    for check in checks:
        fix, *more = check.fix.split("\n")
        terminal.line(f"{MARKS[check.ok][0]:<7}{check.name}: {check.says} {fix}".rstrip())
        for line in more:
            terminal.line(f"       {line}")


def _rows(checks: Sequence[Check]) -> Iterator[Sequence[terminal.Part]]:
    for check in checks:
        yield MARKS[check.ok], check.name, check.says
        for line in filter(None, check.fix.split("\n")):
            yield "", "", (line, "yellow")
