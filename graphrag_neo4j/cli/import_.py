"""`kg-build import` reads an index of another program into an empty graph."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from graphrag_neo4j.cli.options import as_json, home_option, json_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.cli.status import print_pending
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.index.importing import ImportSummary, read_tables
from graphrag_neo4j.model.events import Started

__all__ = ["import_"]


@click.group("import")
def import_() -> None:
    """Import an index that another program made into an empty graph."""


@import_.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@home_option
@json_option
def graphrag(folder: Path, home: Path | None, as_json_: bool) -> None:
    """Import the Parquet tables of microsoft/graphrag.

    DIR is the output folder of microsoft/graphrag, version 2 or 3. The import calls no model, and
    the citations in the reports stay valid. If the import was interrupted, run the same command
    again to finish it. Afterwards you can add documents with `kg-build index`.
    """
    settings = settings_of(home=home)
    tables = read_tables(folder, settings.max_file_mb)

    async def work() -> tuple[ImportSummary, dict[str, int]]:
        with listening(quiet=as_json_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                listen(Started("tables"))
                imported = await rag.import_graphrag(tables)
                return imported, (await rag.status()).pending

    imported, pending = run(work)
    if as_json_:
        terminal.json_text(as_json({**asdict(imported), "pending": pending}))
    else:
        _print(imported)
        if any(pending.values()):
            print_pending(pending)
            terminal.line("Run `kg-build index PATHS` to finish this and to add documents.")


def _print(imported: ImportSummary) -> None:
    rows = []
    for name, found in imported.tables.items():
        numbers = (
            found.rows,
            found.made,
            found.merged,
            found.implied,
            found.unmapped,
        )
        rows.append((name, *(f"{n:,}" for n in numbers)))
    terminal.table(("table", "rows", "made", "merged", "implied", "unmapped"), rows)
    for line in _notes(imported):
        terminal.line(line)


def _notes(imported: ImportSummary) -> Iterator[str]:
    """Yields a sentence for each unusual thing that the import did."""
    if n := imported.invented:
        what = "citation in the reports" if n == 1 else "citations in the reports"
        yield f"{n:,} {what} referred to nothing in the tables and {_were(n)} removed."
    if n := imported.rebuilt:
        yield (
            f"The text of {counted(n, 'document')} was rebuilt by joining the text units in their "
            "order."
        )
    if n := imported.replaced:
        yield f"{counted(n, 'character')} that Neo4j can't store {_were(n)} replaced by \ufffd."


def _were(n: int) -> str:
    return "was" if n == 1 else "were"
