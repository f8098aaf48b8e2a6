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
@click.option("--split", metavar="NAME", help="Say that one name means two things.")
@click.option("--type", "types", multiple=True, help="With --split: mentions of this type.")
@click.option("--documents", metavar="GLOB", help="With --split: mentions in these documents.")
@click.option("--label", help="With --split: what stands in brackets in the new name.")
@click.option("--undo", type=click.IntRange(1), metavar="REF", help="Undo the decision REF.")
@home_option
def resolve(
    list_: bool,
    same: Pair | None,
    different: Pair | None,
    split: str | None,
    types: tuple[str, ...],
    documents: str | None,
    label: str | None,
    undo: int | None,
    home: Path | None,
) -> None:
    """Make one entity of several names of one thing, or several of one.

    Without options, all names in the graph are compared again, by rules. `kg-build index` compares
    the names that it reads by itself.

    Where one name means two things, --split makes an entity of its own of the mentions with a type,
    or of those in certain documents: `--split Mercury --type organization` makes "Mercury
    (organization)". GLOB is compared with the sources of documents and with their file names.

    What you say with --same, --different and --split stays until you undo it, whatever is indexed
    or deleted.
    """
    given = (list_, same is not None, different is not None, split is not None, undo is not None)
    if sum(given) > 1:
        raise click.UsageError("Give only one of --list, --same, --different, --split and --undo.")
    if (split is None) != (not types and documents is None):
        raise click.UsageError("Give --split together with --type, with --documents, or with both.")
    if label and split is None:
        raise click.UsageError("Give --label together with --split.")
    settings = settings_of(home=home)

    async def work() -> list[NameDecision]:
        with listening(quiet=list_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                if not list_:
                    await rag.resolve(
                        same=same,
                        different=different,
                        split=split,
                        types=types,
                        documents=documents,
                        label=label,
                        undo=undo,
                    )
                return await rag.name_decisions()

    decisions = run(work)
    if list_:
        _print(decisions)
        return
    if same or different:
        one, other = same or different or ("", "")
        terminal.line(f"{one} and {other} are {'one thing' if same else 'two things'} now.")
    elif split:
        terminal.line(f"{split} means two things now, which are two entities.")
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
