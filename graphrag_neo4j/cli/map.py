"""`kg-build map`: the communities as one page to look at."""

from pathlib import Path

import click

from graphrag_neo4j.browsing import read_map
from graphrag_neo4j.cli.options import home_option, run, settings_of
from graphrag_neo4j.cli.output import refuse_unwritable, write_output
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG

__all__ = ["map"]


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("map.html"),
    callback=refuse_unwritable,
    show_default=True,
    help="The file to write.",
)
@click.option(
    "--title",
    help="The title of the page. The default is the number of documents and the folder they share,"
    " or the title of the only document.",
)
@home_option
def map(output: Path, title: str | None, home: Path | None) -> None:  # noqa: A001 - the command's name
    """Write a page that shows all communities, their reports and what these rest on.

    It holds all that it needs, the texts of the documents too, and asks the network for nothing.
    """
    settings = settings_of(home=home)

    async def work() -> str:
        with listening(quiet=False) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return (await read_map(rag.graph)).page(title)

    page = run(work)
    content = page.encode()
    write_output(output, content)
    click.echo(f"Written to {output} ({len(content) / 1e6:.1f} MB): open it in a browser.")
