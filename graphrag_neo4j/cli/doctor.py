"""`kg-build doctor` checks the requirements of indexing and of queries."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.client.doctor import Check, examine

__all__ = ["doctor"]

MARKS: dict[bool | None, tuple[str, terminal.Style]] = {
    True: ("ok", "green"),
    False: ("wrong", "red"),
    None: ("-", "dim"),
}


@click.command()
@options.home_option
@options.json_option
def doctor(home: Path | None, as_json_: bool) -> None:
    """Check that Neo4j, the models and the other requirements work, and say how to fix problems.

    The checks cover Neo4j, Graph Data Science and the models. Each chat
    model gets three short calls and one prompt as long as the longest that indexing or a question
    sends (about 14,000 tokens by default). The command starts the embedded Neo4j if NEO4J_URI is
    not set.
    """
    settings = options.settings_of(home=home)

    async def work() -> list[Check]:
        with listening(quiet=as_json_) as listen:
            return await examine(settings, listen)

    checks = options.run(work)
    wrong = sum(check.ok is False for check in checks)
    if as_json_:
        terminal.json_text(
            options.as_json({"ok": not wrong, "checks": [asdict(check) for check in checks]})
        )
        sys.exit(1 if wrong else 0)
    rows: list[list[terminal.Part]] = []
    for check in checks:
        fixes = check.fix.split("\n") if check.fix else []
        rows.append([MARKS[check.ok], check.name, check.says])
        rows += [["", "", (fix, "yellow")] for fix in fixes]
        if not terminal.is_shown():  # one line for each check
            mark = MARKS[check.ok][0]
            terminal.line(" ".join([f"{mark:<7}{check.name}: {check.says}", *fixes[:1]]))
            for fix in fixes[1:]:
                terminal.line(f"       {fix}")
    if terminal.is_shown():
        terminal.table(("", "", ""), rows, left=[""], wrapped=True)
    failed = f"{wrong} of {len(checks)} checks failed."
    terminal.line(failed if wrong else "No problems were found.")
    sys.exit(1 if wrong else 0)
