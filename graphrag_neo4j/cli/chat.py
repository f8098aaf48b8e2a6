"""`kg-build chat`: a conversation with the graph."""

from pathlib import Path

import click

from graphrag_neo4j.answers import METHODS
from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.answer import print_answer
from graphrag_neo4j.cli.options import home_option, run
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.settings import load_settings

__all__ = ["chat"]


@click.command()
@click.option(
    "--method",
    type=click.Choice(["auto", *METHODS]),
    default="auto",
    show_default=True,
    help="As in `kg-build query`.",
)
@home_option
def chat(method: str, home: Path | None) -> None:
    """Ask one question after the other; each is understood with those before it.

    An empty line or Ctrl-D ends the conversation.
    """
    settings = load_settings(home=home)

    async def work() -> None:
        history: list[tuple[str, str]] = []
        with listening(quiet=False) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                while question := _ask():
                    stream = rag.stream(question, method=method, history=tuple(history))
                    try:
                        async for piece in stream:
                            terminal.piece(piece)
                    except ReplyError as error:
                        terminal.line(f"No answer came: {error}.", error=True)
                        continue
                    print_answer(stream.answer, streamed=True)
                    history.append((question, stream.answer.text))

    run(work)


def _ask() -> str:
    try:
        return terminal.prompt("? ").strip()
    except click.Abort:  # Ctrl-D
        return ""
