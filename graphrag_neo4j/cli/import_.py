"""`kg-build import`: what another program has made of documents, into an empty graph."""

from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from graphrag_neo4j.cli.options import as_json, home_option, json_option, run, settings_of
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.cli.report import print_pending
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.importing import Imported, read_tables

__all__ = ["import_"]


@click.group("import")
def import_() -> None:
    """Bring an index that another program has made into an empty graph."""


@import_.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@home_option
@json_option
def graphrag(folder: Path, home: Path | None, as_json_: bool) -> None:
    """Read the parquet tables in DIR, as microsoft/graphrag 2 and 3 write them.

    Asks no model. The numbers that its reports cite become refs, so that their citations stay
    true. One that was interrupted is finished by the same command; `index` goes on from there.
    """
    settings = settings_of(home=home)
    tables = read_tables(folder)

    async def work() -> tuple[Imported, dict[str, int]]:
        with listening(quiet=as_json_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                imported = await rag.import_graphrag(tables)
                return imported, (await rag.status()).pending

    imported, pending = run(work)
    if as_json_:
        click.echo(as_json({**asdict(imported), "pending": pending}))
    else:
        console = Console(soft_wrap=True)
        _print(console, imported)
        if any(pending.values()):
            print_pending(console, pending)
            console.print("`kg-build index PATHS` finishes this, and reads the documents in PATHS.")


def _print(console: Console, imported: Imported) -> None:
    table = Table("table", box=None)
    for name in ("rows", "made", "merged", "implied", "unmapped"):
        table.add_column(name, justify="right")
    for name, counted in imported.tables.items():
        numbers = (
            counted.rows,
            counted.made,
            counted.merged,
            counted.implied,
            counted.unmapped,
        )
        table.add_row(name, *(f"{n:,}" for n in numbers))
    console.print(table)
    for n, said in (
        (imported.invented, "citations in reports led nowhere and were removed"),
        (imported.rebuilt, "documents have the text of their units, one after the other"),
        (imported.astray, "entities are in communities that do not stand one below the other"),
        (imported.replaced, "characters that can't be stored were replaced"),
    ):
        if n:
            console.print(f"{n:,} {said}.")
