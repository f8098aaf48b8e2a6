"""`kg-build delete`, `resolve` and `import`: what changes the graph and reads no documents."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.index import print_built
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import EventDisplay, listening
from graphrag_neo4j.cli.output.words import was
from graphrag_neo4j.cli.status import print_pending
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.importing import ImportSummary, read_tables
from graphrag_neo4j.extras.importing.neo4j import PASSWORD, OtherNeo4j, suggested_mapping
from graphrag_neo4j.index.entities.people import BY_SPLIT, NameDecision
from graphrag_neo4j.model.events import Started
from graphrag_neo4j.settings.checks import check_path
from graphrag_neo4j.text.strings import counted

if TYPE_CHECKING:
    from graphrag_neo4j.index.forgotten import Leftover

HEAD = ("ref", "decision", "name", "name", "decided by", "reason")
NUMBERS = ("rows", "made", "merged", "implied", "unmapped")


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCES...")
@options.flag("--check", "Delete nothing, and show what is left of documents that were deleted.")
@options.json_option
@options.source_root_option
def delete_command(
    sources: tuple[str, ...], source_root: Path | None, check: bool, as_json_: bool
) -> None:
    """Delete documents from the graph.

    This also deletes entities, relationships and claims that no other document supports. SOURCES
    are paths of files or folders, which need no longer exist, or document names as `kg-build index`
    prints them. Files are not deleted: the next `kg-build index` of a file reads it again.

    With --check, the words of the files, or of copies that you name, are looked for in all texts of
    the graph, and in files beside it. The exit code is 1 if something is left.
    """
    for source in sources:
        check_path(source, "A source")
    if as_json_ and not check:
        raise click.UsageError("Give --json together with --check.")

    reading = ReadOptions(source_root=source_root)
    if check:
        _show_left(sources, reading, as_json_=as_json_)
        return
    found = options.ask_client(
        options.settings_of(), lambda rag, _: rag.delete(*sources, options=reading)
    )
    for source in dict.fromkeys(chain.from_iterable(found.values())):
        terminal.line(f"Deleted {source}.")
    if any(found.values()):
        terminal.line(
            "Descriptions and reports may still tell of it until the next `kg-build index` renews "
            "them."
        )
    if not all(found.values()):
        raise click.exceptions.Exit(1)


def _show_left(sources: Sequence[str], reading: ReadOptions, *, as_json_: bool) -> None:
    """Prints what is left of documents, place by place; ends with 1 if something is."""
    found = options.ask_client(
        options.settings_of(),
        lambda rag, _: rag.check_forgotten(*sources, options=reading),
        quiet=as_json_,
    )
    if as_json_:
        terminal.json_text(options.as_json(found))
    else:
        for source, reason in found.unread.items():
            terminal.line(f"Only ids were looked for, not the text of {source}: {reason}.")
        left = Counter(one.place for one in found.left)
        rows = [
            (place, f"{n:,}", f"{left[place]:,} left" if left[place] else "nothing left")
            for place, n in found.looked_at.items()
        ]
        terminal.table(("place", "looked at", "found"), rows)
        terminal.some([*map(_told, found.left)], "`--json`", "yellow")
        same = [
            f'{source} still says {counted(n, "passage")} of it, such as "{quote}"'
            for source, (n, quote) in found.elsewhere.items()
        ]
        terminal.some(same, "`--json`")
        terminal.line(found.note)
        nothing = "Nothing is left." if found.read else "Nothing with these ids is left."
        terminal.line(f"{counted(len(found.left), 'thing')} left." if left else nothing)
    if found.left:
        raise click.exceptions.Exit(1)


def _told(one: "Leftover") -> str:
    """A leftover as a line."""
    quote = f': "{one.quote}"' if one.quote else ""
    later = " (the next `kg-build index` renews it)" if one.pending else ""
    return f"{one.place} {one.name}{quote}{later}"


@click.command()
@options.flag("--list", "list_", "Show all decisions, the newest first.")
@options.value("--same", "A B", "Say that two names are one thing.", nargs=2)
@options.value("--different", "A B", "Say that two names are two things.", nargs=2)
@options.value("--split", "NAME", "Say that one name means two things.")
@options.value("--type types", None, "With --split: mentions of this type.", multiple=True)
@options.value("--documents", "GLOB", "With --split: mentions in these documents.")
@options.value("--label", None, "With --split: what stands in brackets in the new name.")
@options.value("--undo", "REF", "Undo the decision REF.", type=click.IntRange(min=1))
def resolve_command(
    list_: bool,
    **said: Any,  # noqa: ANN401 - what AsyncGraphRAG.resolve receives
) -> None:
    """Make one entity of several names of one thing, or several of one.

    Without options, all names in the graph are compared again, by rules. `kg-build index` compares
    the names that it reads by itself.

    Where one name means two things, --split makes a separate entity of the mentions with a type,
    or of those in certain documents: `--split Mercury --type organization` makes "Mercury
    (organization)". GLOB is compared with the sources of documents and with their file names.

    What you say with --same, --different and --split stays until you undo it, whatever is indexed
    or deleted.
    """
    given = [name for name in ("same", "different", "split", "undo") if said[name] is not None]
    if len(given) + list_ > 1:
        raise click.UsageError("Give only one of --list, --same, --different, --split and --undo.")
    told_apart = bool(said["types"]) or said["documents"] is not None
    if (said["split"] is None) == told_apart:
        raise click.UsageError("Give --split together with --type, with --documents, or with both.")
    if said["label"] and said["split"] is None:
        raise click.UsageError("Give --label together with --split.")

    async def work(rag: AsyncGraphRAG, _: EventDisplay) -> list[NameDecision]:
        if not list_:
            await rag.resolve(**said)
        return await rag.name_decisions()

    decisions = options.ask_client(options.settings_of(), work, quiet=list_)
    if not list_:
        terminal.line(_done(said, decisions))
        terminal.line(
            "The next `kg-build index` renews the descriptions and reports that this changes; "
            "`kg-build resolve --list` shows all decisions."
        )
    elif decisions:
        rows = [(f"{d.ref}", d.verdict, d.one, d.other, d.origin, d.reason) for d in decisions]
        terminal.table(HEAD, rows, left=HEAD[1:])
    else:
        terminal.line("Nothing has been decided about names.")


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


@click.group("import")
def import_group() -> None:
    """Import an index of microsoft/graphrag, or a graph from another Neo4j."""


MAPPING = click.Path(dir_okay=False, path_type=Path)


@import_group.command()
@options.value("--from place", "ADDRESS", "The other Neo4j: bolt://…, or a --home.", required=True)
@options.value("--mapping", "FILE", "What becomes entities, relationships and texts.", type=MAPPING)
@options.value(
    "--suggest-mapping",
    "FILE",
    "Write a first mapping to FILE, and import nothing.",
    type=MAPPING,
    callback=options.refuse_unwritable,
)
@options.value("--username", "NAME", "The user name there.", default="neo4j")
@options.value("--database", "NAME", "The database there, if it is not the default.")
@options.source_root_option
@options.max_cost_option
@options.quiet_option
@options.json_option
def neo4j_command(
    place: str,
    mapping: Path | None,
    suggest_mapping: Path | None,
    quiet: bool,
    as_json_: bool,
    **more: Any,  # noqa: ANN401 - the login, a setting and the source root
) -> None:
    """Import a graph from another Neo4j, which is only read.

    The mapping file says which labels, relationship types and properties to bring. Each node
    becomes a document, so that answers can cite it. Texts of nodes are read as documents are. Run
    the same command again to bring what has changed; what is gone there is deleted here.

    The password is that in NEO4J_SOURCE_PASSWORD; otherwise it is asked for.
    """
    reading = options.read_options_of(more)
    settings = options.settings_of(max_cost=more.pop("max_cost"))
    more["password"] = os.environ.get(PASSWORD, "")
    if "://" in place and not more["password"] and terminal.can_ask():
        asked = f"Password of {more['username']} at {place}"
        more["password"] = click.prompt(asked, default="", show_default=False, hide_input=True)
    if mapping and not suggest_mapping:
        built = options.ask_client(
            settings,
            lambda rag, _: rag.import_neo4j(mapping, place, options=reading, **more),
            quiet=quiet or as_json_,
        )
        print_built(built, settings, quiet=quiet, as_json_=as_json_)
    elif suggest_mapping and not mapping:
        if suggest_mapping.exists():
            raise InputError(f"{suggest_mapping} exists: name a new file.")
        with listening(quiet=quiet) as listen:
            text = anyio.run(suggested_mapping, OtherNeo4j(place, **more), settings, listen)
        options.write_output(suggest_mapping, text.encode())
        terminal.line(f"Wrote {suggest_mapping}. Edit it, and give it as --mapping.")
    else:
        raise click.UsageError("Give either --mapping or --suggest-mapping.")


@import_group.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@options.json_option
def graphrag_command(folder: Path, as_json_: bool) -> None:
    """Import the Parquet tables of microsoft/graphrag.

    DIR is the output folder of microsoft/graphrag, version 2 or 3. The import calls no model, and
    the citations in the reports stay valid. If the import was interrupted, run the same command
    again to finish it. Afterwards you can add documents with `kg-build index`.
    """
    settings = options.settings_of()
    tables = read_tables(folder, settings.max_file_mb)

    async def work(
        rag: AsyncGraphRAG, listen: EventDisplay
    ) -> tuple[ImportSummary, dict[str, int]]:
        listen(Started("tables"))
        imported = await rag.import_graphrag(tables)
        return imported, (await rag.status()).pending

    imported, pending = options.ask_client(settings, work, quiet=as_json_)
    if as_json_:
        terminal.json_text(options.as_json({**asdict(imported), "pending": pending}))
        return
    rows = [
        (name, *(f"{getattr(found, of):,}" for of in NUMBERS))
        for name, found in imported.tables.items()
    ]
    terminal.table(("table", *NUMBERS), rows)
    for line in _notes(imported):
        terminal.line(line)
    if any(pending.values()):
        print_pending(pending)
        terminal.line("Run `kg-build index PATHS` to finish this and to add documents.")


def _notes(imported: ImportSummary) -> Iterator[str]:
    """Yields a sentence for each unusual thing that the import did."""
    if n := imported.invented:
        what = counted(n, "citation")
        yield f"{what} in the reports referred to nothing in the tables and {was(n)} removed."
    if n := imported.rebuilt:
        yield f"The text of {counted(n, 'document')} was rebuilt by joining its text units."
    if n := imported.replaced:
        yield f"{counted(n, 'character')} that Neo4j can't store {was(n)} replaced by \ufffd."
