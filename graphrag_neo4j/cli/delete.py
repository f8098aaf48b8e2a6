"""`kg-build delete`: documents and what only they said."""

from itertools import chain
from pathlib import Path

import click

from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.options import home_option, run
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.reading import ReadOptions
from graphrag_neo4j.settings import load_settings

__all__ = ["delete"]


@click.command()
@click.argument("sources", nargs=-1, required=True)
@home_option
@click.option(
    "--source-root",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder that the sources were made relative to.",
)
def delete(sources: tuple[str, ...], home: Path | None, source_root: Path | None) -> None:
    """Delete documents, by their source or path, with all that only they said."""
    settings = load_settings(home=home)

    async def work() -> dict[str, list[str]]:
        with listening(quiet=False) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.delete(*sources, options=ReadOptions(source_root=source_root))

    found = run(work)
    for source in dict.fromkeys(chain.from_iterable(found.values())):
        terminal.line(f"Deleted {source}.")
    if missing := [given for given, deleted in found.items() if not deleted]:
        raise click.ClickException(f"{', '.join(missing)}: not in the graph.")
