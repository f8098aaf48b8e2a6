"""`kg-build resolve` shows and changes which names are one thing."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.options import home_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.index.resolution.decisions import BY_SPLIT, NameDecision

__all__ = ["resolve"]

HEAD = ("ref", "decision", "name", "name", "decided by", "reason")
AFTERWARDS = (
    "The next `kg-build index` renews the descriptions and reports that this changes; "
    "`kg-build resolve --list` shows all decisions."
)
NONE = "Nothing has been decided about names."


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
    home: Path | None,
    **said: Any,  # noqa: ANN401 - what AsyncGraphRAG.resolve receives
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
    _check(list_, said)
    settings = settings_of(home=home)

    async def work() -> list[NameDecision]:
        with listening(quiet=list_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                if not list_:
                    await rag.resolve(**said)
                return await rag.name_decisions()

    decisions = run(work)
    if list_:
        _print(decisions)
        return
    terminal.line(_done(said, decisions))
    terminal.line(AFTERWARDS)


def _check(list_: bool, said: Mapping[str, Any]) -> None:
    given = [name for name in ("same", "different", "split", "undo") if said[name] is not None]
    if len(given) + list_ > 1:
        raise click.UsageError("Give only one of --list, --same, --different, --split and --undo.")
    told_apart = bool(said["types"]) or said["documents"] is not None
    if (said["split"] is None) == told_apart:
        raise click.UsageError("Give --split together with --type, with --documents, or with both.")
    if said["label"] and said["split"] is None:
        raise click.UsageError("Give --label together with --split.")


def _done(said: Mapping[str, Any], decisions: Sequence[NameDecision]) -> str:
    """A sentence that says what was done."""
    if pair := said["same"] or said["different"]:
        return f"{pair[0]} and {pair[1]} are {'one thing' if said['same'] else 'two things'} now."
    if said["split"]:
        new = next(one for one in decisions if one.reason.startswith(BY_SPLIT))
        names = sorted((new.one, new.other), key=len)
        return f"{names[0]} and {names[1]} are two things now."
    if said["undo"]:
        return f"Decision {said['undo']} no longer counts."
    n = sum(one.verdict == "same" for one in decisions)
    joining = "1 decision joins" if n == 1 else f"{n or 'No'} decisions join"
    return f"All names were compared. {joining} names."


def _print(decisions: list[NameDecision]) -> None:
    if not decisions:
        terminal.line(NONE)
        return
    rows = [(f"{d.ref}", d.verdict, d.one, d.other, d.origin, d.reason) for d in decisions]
    terminal.table(HEAD, rows, left=HEAD[1:])
