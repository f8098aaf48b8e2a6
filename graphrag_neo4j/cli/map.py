"""`kg-build map` writes a web page that shows the communities."""

from pathlib import Path

import click

from graphrag_neo4j.cli.options import home_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.files import refuse_unwritable, write_output
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.events import Started
from graphrag_neo4j.visualization import read_map

__all__ = ["map"]


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("map.html"),
    callback=refuse_unwritable,
    show_default=True,
    metavar="FILE",
    help="The file to write.",
)
@click.option(
    "--title",
    metavar="TEXT",
    help=(
        "The title of the page. The default is the number of documents and their common folder, "
        "or the title of the document if there is only one."
    ),
)
@home_option
def map(output: Path, title: str | None, home: Path | None) -> None:  # noqa: A001 - the command's name
    """Write a web page that shows the communities, their reports and the reports' sources.

    The page is one file that works without a network. It contains the texts of the documents, so
    give it only to people who are allowed to read them.
    """
    settings = settings_of(home=home)

    async def work() -> str:
        with listening(quiet=False, fleeting=True) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                listen(Started("map of communities"))
                return (await read_map(rag.graph)).page(title)

    page = run(work)
    content = page.encode()
    write_output(output, content)
    size = f"{len(content) / 1e6:,.1f} MB"
    terminal.line(f"The map is in {output} ({size}). Open this file in a web browser.")
