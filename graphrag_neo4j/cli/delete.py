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
@click.argument("sources", nargs=-1, required=True, metavar="SOURCES...")
@home_option
@click.option(
    "--source-root",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="The --source-root that the documents were indexed with.",
)
def delete(sources: tuple[str, ...], home: Path | None, source_root: Path | None) -> None:
    """Delete documents, and all that only they said, from the graph.

    SOURCES are paths of files, or sources as `kg-build index` names them.
    """
    settings = load_settings(home=home)

    async def work() -> dict[str, list[str]]:
        with listening(quiet=False) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.delete(*sources, options=ReadOptions(source_root=source_root))

    found = run(work)
    for source in dict.fromkeys(chain.from_iterable(found.values())):
        terminal.line(f"Deleted {source}.")
    if missing := [given for given, deleted in found.items() if not deleted]:
        are = "is" if len(missing) == 1 else "are"
        raise click.ClickException(f"{', '.join(missing)} {are} not in the graph.")
