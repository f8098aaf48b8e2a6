"""`kg-build status` shows the contents and the state of the graph."""

from pathlib import Path

import click

from graphrag_neo4j.cli.options import as_json, home_option, json_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.report import print_status
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.indexing.status import Status

__all__ = ["status"]


@click.command()
@home_option
@json_option
def status(home: Path | None, as_json_: bool) -> None:
    """Show what is in the graph, what is pending, what failed and why, and the cost so far."""
    settings = settings_of(home=home)

    async def work() -> Status:
        with listening(quiet=as_json_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.status()

    found = run(work)
    if as_json_:
        terminal.json_text(as_json(found))
    else:
        print_status(found)
