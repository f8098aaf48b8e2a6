"""`kg-build resolve` shows and changes which names are one thing."""

from pathlib import Path

import click

from graphrag_neo4j.cli.options import home_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.indexing.resolution.decisions import NameDecision

__all__ = ["resolve"]

HEAD = ("ref", "decision", "name", "name", "decided by", "reason")
AFTERWARDS = (
    "The next `kg-build index` renews the descriptions and reports that this changes; "
    "`kg-build resolve --list` shows all decisions."
)
NONE = "Nothing has been decided about names."
Pair = tuple[str, str]


@click.command()
@click.option("--list", "list_", is_flag=True, help="Show all decisions, the newest first.")
@click.option("--same", nargs=2, metavar="A B", help="Say that two names are one thing.")
@click.option("--different", nargs=2, metavar="A B", help="Say that two names are two things.")
@click.option("--undo", type=click.IntRange(1), metavar="REF", help="Undo the decision REF.")
@home_option
def resolve(
    list_: bool, same: Pair | None, different: Pair | None, undo: int | None, home: Path | None
) -> None:
    """Make one entity of several names of one thing, or several of one.

    Without options, all names in the graph are compared again, by rules. `kg-build index` compares
    the names that it reads by itself.

    What you say with --same and --different stays until you undo it, whatever is indexed or
    deleted.
    """
    if sum((list_, same is not None, different is not None, undo is not None)) > 1:
        raise click.UsageError("Give only one of --list, --same, --different and --undo.")
    settings = settings_of(home=home)

    async def work() -> list[NameDecision]:
        with listening(quiet=list_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                if not list_:
                    await rag.resolve(same=same, different=different, undo=undo)
                return await rag.name_decisions()

    decisions = run(work)
    if list_:
        _print(decisions)
        return
    if same or different:
        one, other = same or different or ("", "")
        terminal.line(f"{one} and {other} are {'one thing' if same else 'two things'} now.")
    elif undo:
        terminal.line(f"Decision {undo} no longer counts.")
    else:
        joining = counted(sum(one.verdict == "same" for one in decisions), "decision")
        terminal.line(f"All names were compared. Names are joined by: {joining}.")
    terminal.line(AFTERWARDS)


def _print(decisions: list[NameDecision]) -> None:
    if not decisions:
        terminal.line(NONE)
        return
    rows = [(f"{d.ref}", d.verdict, d.one, d.other, d.origin, d.reason) for d in decisions]
    terminal.table(HEAD, rows, left=HEAD[1:])
