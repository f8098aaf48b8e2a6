"""`kg-build chat` answers the questions of a conversation from the graph."""

from pathlib import Path
from typing import Literal

import click

from graphrag_neo4j.cli.options import METHOD_HELP, NearestChoice, home_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.answer import print_answer, print_sources
from graphrag_neo4j.cli.output.progress import EventDisplay, listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.query.answer import METHODS, Answer, Method
from graphrag_neo4j.query.engine import check_answering

__all__ = ["chat"]

WELCOME = (
    "Ask a question, or type /help for the commands. To end the conversation, type /quit, an "
    "empty line or Ctrl-D."
)
PROMPT = "Question: "
HELP = """\
Earlier questions and answers are taken into account. Commands:
  /sources        shows the sources of the last answer again
  /method         shows the current search method
  /method METHOD  changes it to auto, global, local, drift, basic or text
  /new            forgets the questions and answers so far
  /help           shows this text
  /quit           ends the conversation"""


@click.command()
@click.option(
    "--method",
    type=NearestChoice(["auto", *METHODS]),
    default="auto",
    show_default=True,
    metavar="METHOD",
    help=METHOD_HELP,
)
@home_option
def chat(method: Method | Literal["auto"], home: Path | None) -> None:
    """Ask questions in a conversation: each is understood together with those before it.

    Type /help to list the commands of the conversation. Type /quit, an empty line or Ctrl-D to
    end it.
    """
    settings = settings_of(home=home)
    check_answering(settings)

    async def work() -> None:
        with listening(quiet=False, fleeting=True) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                listen.rest()
                terminal.line(WELCOME)
                await Conversation(rag, listen, method).hold()

    run(work)


class Conversation:
    """Reads questions and commands, and prints answers, until the user ends the conversation."""

    def __init__(
        self, rag: AsyncGraphRAG, listen: EventDisplay, method: Method | Literal["auto"]
    ) -> None:
        self.rag, self.listen, self.method = rag, listen, method
        self.history: list[tuple[str, str]] = []
        self.last: Answer | None = None

    async def hold(self) -> None:
        """Handles one line after the other until the user ends the conversation."""
        while (line := _read_line()) not in {"", "/quit", "/exit"}:
            if line.startswith("/"):
                self._run_command(*line.split())
            else:
                await self._answer(line)

    async def _answer(self, question: str) -> None:
        stream = self.rag.stream(question, method=self.method, history=tuple(self.history))
        with_model = self.rag.settings.has_model
        try:
            async for piece in stream:
                if with_model:
                    self.listen.rest()
                    terminal.piece(piece)
        except ReplyError as error:
            self.listen.rest()
            terminal.line(f"There is no answer, since {error}.", error=True)
            return
        self.listen.rest()
        print_answer(stream.answer, streamed=with_model, more="/sources")
        self.last = stream.answer
        self.history.append((stream.answer.question, stream.answer.text))

    def _run_command(self, command: str, *arguments: str) -> None:
        match command, arguments:
            case "/help", ():
                terminal.block(HELP)
            case "/sources", ():
                self._show_sources()
            case "/new", ():
                self.history.clear()
                terminal.line("The questions and answers so far are forgotten.")
            case "/method", ():
                terminal.line(f"The method is {self.method}.")
            case "/method", (("auto" | "global" | "local" | "drift" | "basic" | "text") as method,):
                self.method = method
                terminal.line(f"The method is now {method}.")
            case _:
                line = " ".join((command, *arguments))
                terminal.line(f"There is no command {line}. /help lists the commands.")

    def _show_sources(self) -> None:
        if self.last is None:
            terminal.line("There is no answer yet, so there are no sources to show.")
        elif not self.last.citations:
            terminal.line("The last answer cites no sources.")
        else:
            print_sources(self.last)


def _read_line() -> str:
    """Returns the line that the user types, or "" at the end of the input."""
    try:
        return terminal.prompt(PROMPT).strip()
    except click.Abort:  # Ctrl-D
        terminal.line()
        return ""
