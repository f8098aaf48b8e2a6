"""`kg-build chat`: a conversation with the graph."""

from pathlib import Path

import click
from rich.console import Console

from graphrag_neo4j.answering import check_answering
from graphrag_neo4j.answers import METHODS
from graphrag_neo4j.cli.answer import print_answer
from graphrag_neo4j.cli.options import NearestChoice, home_option, run, settings_of
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import ReplyError

__all__ = ["chat"]


@click.command()
@click.option(
    "--method",
    type=NearestChoice(["auto", *METHODS]),
    default="auto",
    show_default=True,
    help="As in `kg-build query`.",
)
@home_option
def chat(method: str, home: Path | None) -> None:
    """Ask one question after the other; each is understood with those before it.

    An empty line or Ctrl-D ends the conversation.
    """
    settings = settings_of(home=home)
    check_answering(settings)
    console = Console(soft_wrap=True, highlight=False)

    async def work() -> None:
        history: list[tuple[str, str]] = []
        with listening(quiet=False) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                while question := _ask():
                    stream = rag.stream(question, method=method, history=tuple(history))
                    try:
                        async for piece in stream:
                            click.echo(piece, nl=False)
                    except ReplyError as error:
                        click.echo(f"No answer came: {error}.", err=True)
                        continue
                    print_answer(console, stream.answer, streamed=True)
                    history.append((question, stream.answer.text))

    run(work)


def _ask() -> str:
    try:
        return str(click.prompt("?", default="", show_default=False, prompt_suffix=" ")).strip()
    except click.Abort:  # Ctrl-D
        return ""
