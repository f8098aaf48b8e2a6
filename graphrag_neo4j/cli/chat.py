"""`kg-build chat` answers the questions of a conversation from the graph."""

from pathlib import Path
from typing import Literal

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.answer import print_answer, print_sources
from graphrag_neo4j.cli.output.progress import EventDisplay
from graphrag_neo4j.cli.output.words import refusal
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import BudgetSpentError, InputError, ReplyError
from graphrag_neo4j.query.answer import METHODS, Answer, Method
from graphrag_neo4j.query.engine import check_answering
from graphrag_neo4j.query.suggestions import Suggestion

__all__ = ["chat"]

WHOLE = 6  # questions on the whole collection
HELP = """\
Earlier questions and answers are taken into account. The number of a suggested question asks it.
Commands:
  /sources        shows the sources of the last answer again
  /method         shows the current search method
  /method METHOD  changes it to auto, global, local, drift, basic or text
  /suggest        suggests questions on the whole collection
  /new            forgets the questions and answers so far
  /help           shows this text
  /quit           ends the conversation"""


@click.command()
@options.method_option
@options.value(
    "--suggestions",
    None,
    "How many questions are suggested after each answer. A model makes them in one small "
    "call; 0 suggests none.",
    default=3,
    type=options.Number(least=0, most=10),
)
@options.home_option
def chat(method: Method | Literal["auto"], suggestions: int, home: Path | None) -> None:
    """Ask questions in a conversation: each is understood together with those before it.

    Type /help to list the commands of the conversation. Type /quit, an empty line or Ctrl-D to
    end it.
    """
    settings = options.settings_of(home=home)
    check_answering(settings)

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> None:
        listen.rest()
        terminal.line(
            "Ask a question, or type /help for the commands. To end the conversation, type /quit, "
            "an empty line or Ctrl-D."
        )
        await Conversation(rag, listen, method, suggestions).hold()

    try:
        options.ask(settings, work, fleeting=True)
    except KeyboardInterrupt:  # nothing of a conversation is saved that could be continued
        terminal.line("The conversation has ended.")


class Conversation:
    """Reads questions and commands, and prints answers, until the user ends the conversation."""

    def __init__(
        self,
        rag: AsyncGraphRAG,
        listen: EventDisplay,
        method: Method | Literal["auto"],
        suggestions: int,
    ) -> None:
        self.rag, self.listen, self.method, self.most = rag, listen, method, suggestions
        self.history: list[tuple[str, str]] = []
        self.last: Answer | None = None
        self.suggested: list[Suggestion] = []

    async def hold(self) -> None:
        """Handles one line after the other until the user ends the conversation."""
        while (line := _read_line()) not in {"", "/quit", "/exit"}:
            if line == "/suggest":
                await self._suggest(WHOLE)
            elif line.startswith("/"):
                self._run_command(*line.split())
            elif self.suggested and line.isdecimal() and len(line) < 4:
                await self._answer_suggested(int(line))
            else:
                await self._answer(line, self.method)

    async def _answer_suggested(self, number: int) -> None:
        last = len(self.suggested)
        if not 1 <= number <= last:
            terminal.line(f"There is no suggestion {number}: type a number from 1 to {last}.")
            return
        chosen = self.suggested[number - 1]
        terminal.line((chosen.question, "bold"))
        method = chosen.method if self.method == "auto" else self.method
        await self._answer(chosen.question, method)

    async def _answer(self, question: str, method: Method | Literal["auto"]) -> None:
        with_model = self.rag.settings.has_model
        try:
            stream = self.rag.stream(question, method=method, history=tuple(self.history))
            async for piece in stream:
                if with_model:
                    self.listen.rest()
                    terminal.piece(piece)
        except (ReplyError, InputError) as error:  # about this question; the next may be right
            self.listen.rest()
            terminal.line(refusal(error), error=True)
            return
        self.listen.rest()
        print_answer(stream.answer, streamed=with_model, more="/sources")
        self.last = stream.answer
        self.history.append((stream.answer.question, stream.answer.text))
        if self.most:
            await self._suggest(self.most, stream.answer)

    async def _suggest(self, most: int, after: Answer | None = None) -> None:
        """Prints questions that the graph can answer. The user may type the number of one."""
        asked = [question for question, _ in self.history[:-1]] if after else []
        try:
            found = await self.rag.suggest(most, after=after, history=asked)
        except (BudgetSpentError, ReplyError) as error:
            self.listen.rest()
            reason = str(error).rstrip(".")
            terminal.line(f"No question is suggested, since {reason}.", style="dim", error=True)
            return
        self.listen.rest()
        self.suggested = list(found)
        if found.questions:
            terminal.line("You may ask next, by its number:", style="dim")
        for number, one in enumerate(found, start=1):
            terminal.line(f"  {number}. {one.question}", style="dim")

    def _run_command(self, command: str, *arguments: str) -> None:
        match command, arguments:
            case "/help", ():
                terminal.block(HELP)
            case "/sources", () if self.last and self.last.citations:
                print_sources(self.last)
            case "/sources", ():
                none = "There is no answer yet, so there are no sources to show."
                terminal.line("The last answer cites no sources." if self.last else none)
            case "/new", ():
                self.history.clear()
                terminal.line("The questions and answers so far are forgotten.")
            case "/method", ():
                terminal.line(f"The method is {self.method}.")
            case "/method", (("auto" | "global" | "local" | "drift" | "basic" | "text") as method,):
                self.method = method
                terminal.line(f"The method is now {method}.")
            case "/method", (other,):
                methods = ", ".join(("auto", *METHODS))
                terminal.line(f"There is no method {other}. The methods are {methods}.")
            case _:
                line = " ".join((command, *arguments))
                terminal.line(f"There is no command {line}. /help lists the commands.")


def _read_line() -> str:
    """Returns the line that the user types, or "" at the end of the input."""
    try:
        return terminal.prompt("Question: ").strip()
    except click.Abort:  # Ctrl-D
        terminal.line()
        return ""
