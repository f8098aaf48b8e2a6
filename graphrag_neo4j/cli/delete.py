"""`kg-build delete` removes documents, and everything that only they support, from the graph."""

from itertools import chain
from pathlib import Path

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import EventDisplay
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.index.removal import sources_under
from graphrag_neo4j.settings.arguments import check_path, nearest

__all__ = ["delete"]


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCES...")
@options.home_option
@options.value(
    "--source-root",
    "FOLDER",
    "The same --source-root that was given when the documents were indexed.",
    type=click.Path(file_okay=False, path_type=Path),
)
def delete(sources: tuple[str, ...], home: Path | None, source_root: Path | None) -> None:
    """Delete documents from the graph.

    Entities, relationships and claims that no other document supports are deleted, too. SOURCES
    are paths of files, or document names as `kg-build index` prints them.
    """
    for source in sources:
        check_path(source, "A source")

    async def work(rag: AsyncGraphRAG, _: EventDisplay) -> tuple[dict[str, list[str]], list[str]]:
        found = await rag.delete(*sources, options=ReadOptions(source_root=source_root))
        return found, [] if all(found.values()) else await sources_under(rag.graph, "")

    found, known = options.ask(options.settings_of(home=home), work)
    for source in dict.fromkeys(chain.from_iterable(found.values())):
        terminal.line(f"Deleted {source}.")
    if any(found.values()):
        terminal.line(
            "Descriptions and reports may still tell of it until the next `kg-build index` renews "
            "them."
        )
    if missing := [given for given, deleted in found.items() if not deleted]:
        are = "is" if len(missing) == 1 else "are"
        hints = "".join(dict.fromkeys(_hint(source, known) for source in missing))
        raise click.ClickException(f"{', '.join(missing)} {are} not in the graph.{hints}")


def _hint(given: str, known: list[str]) -> str:
    """Suggests the source in the graph that is most similar to `given`, by its file name."""
    by_file = {source.rpartition("/")[2]: source for source in reversed(known)}
    found = nearest(given, known) or nearest(given.rpartition("/")[2], by_file)
    return f" Did you mean {by_file.get(found[0], found[0])}?" if found else ""
