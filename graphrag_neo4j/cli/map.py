"""`kg-build map`: the communities as one page to look at."""

from pathlib import Path

import click

from graphrag_neo4j.browsing import read_map
from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.options import home_option, run
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Started
from graphrag_neo4j.settings import load_settings

__all__ = ["map"]


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("map.html"),
    show_default=True,
    metavar="FILE",
    help="The file to write.",
)
@home_option
def map(output: Path, home: Path | None) -> None:  # noqa: A001 - the command's name
    """Write a web page that shows the communities, their reports and the sources of these.

    The page is one file that works without a network. It holds the texts of the documents: give
    it only to people who may read them.
    """
    settings = load_settings(home=home)

    async def work() -> str:
        with listening(quiet=False, fleeting=True) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                listen(Started("map of communities"))
                return (await read_map(rag.graph)).page()

    page = run(work)
    try:
        output.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{output} can't be written ({error}): name another file.") from error
    terminal.line(
        f"Written to {output} ({output.stat().st_size / 1e6:,.1f} MB). Open it in a web browser."
    )
