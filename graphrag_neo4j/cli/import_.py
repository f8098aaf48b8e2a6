"""`kg-build import`: what another program has made of documents, into an empty graph."""

from pathlib import Path

import click

from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.options import as_json, home_option, json_option, run
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.importing import Imported
from graphrag_neo4j.settings import load_settings

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
    settings = load_settings(home=home)

    async def work() -> Imported:
        with listening(quiet=as_json_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.import_graphrag(folder)

    imported = run(work)
    if as_json_:
        terminal.json_text(as_json(imported))
    else:
        _print(imported)


def _print(imported: Imported) -> None:
    rows = []
    for name, counted in imported.tables.items():
        numbers = (
            counted.rows,
            counted.made,
            counted.merged,
            counted.implied,
            counted.unmapped,
        )
        rows.append((name, *(f"{n:,}" for n in numbers)))
    terminal.table(("table", "rows", "made", "merged", "implied", "unmapped"), rows)
    for n, said in (
        (imported.invented, "citations in reports led nowhere and were removed"),
        (imported.rebuilt, "documents have the text of their units, one after the other"),
        (imported.astray, "entities are in communities that do not stand one below the other"),
        (imported.replaced, "characters that can't be stored were replaced"),
    ):
        if n:
            terminal.line(f"{n:,} {said}.")
