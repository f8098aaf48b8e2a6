"""`kg-build query` answers a question from the graph, `suggest` suggests some, `chat` converses."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import answer, terminal
from graphrag_neo4j.cli.output.progress import EventDisplay
from graphrag_neo4j.cli.output.words import error_sentence, total_usage
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import BudgetSpentError, InputError, ReplyError
from graphrag_neo4j.query.answer import METHODS, Answer, Method
from graphrag_neo4j.query.engine import check_answering
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.query.selection import conditions_of
from graphrag_neo4j.text.strings import counted

if TYPE_CHECKING:
    from graphrag_neo4j.query.suggestions import Suggestion


@click.command()
@click.argument("question")
@options.method_option
@options.where_option
@options.as_of_option
@options.value(
    "--level",
    None,
    "For global search: the level of communities, of which all reports are read. 0 is the "
    "coarsest. By default the reports nearest to the question are read.",
    type=click.IntRange(min=0),
)
@options.flag(
    "--dynamic",
    "For global search: start at level 0 and read only the reports that a model rates as relevant.",
)
@options.value(
    "--max-calls",
    None,
    "For global search without a level: read reports in at most this many calls, those nearest to "
    "the question (KG_MAX_CALLS, 12 with a model).",
    type=click.IntRange(min=1),
)
@options.value(
    "--response-type",
    "TEXT",
    "The length and form of the answer, for example 'a list of five points'.",
)
@options.flag(
    "--context-only",
    "Print the context that a model would receive, and do not ask a model for an answer.",
)
@options.flag(
    "--all",
    "all_passages",
    "In an answer without a model, quote all passages that answer, and not only the best.",
)
@options.flag("--markdown", "Print the answer as Markdown with its sources as footnotes.")
@options.flag(
    "--sources",
    "Below the answer, print all sources with their sentences. By default only their number and "
    "what is wrong with a citation are printed.",
)
@options.value(
    "--why",
    "SOURCE SENTENCE",
    "Print no answer, but where the search loses the passage of the file SOURCE with SENTENCE.",
    nargs=2,
)
@options.json_option
def query_command(
    question: str,
    *,
    why: tuple[str, str] | None,
    response_type: str | None,
    markdown: bool,
    sources: bool,
    as_json_: bool,
    **how: Any,  # noqa: ANN401 - fields of Question
) -> None:
    """Answer QUESTION from the graph, and show the sources in the documents.

    Put QUESTION in quotation marks. --sources explains each citation [Data: …].
    """
    try:
        asked = Question(question, **how)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    if why and (markdown or sources):
        raise click.UsageError("Give --why without --markdown and --sources.")
    settings = options.settings_of(response_type=response_type)
    check_answering(settings, asked)
    if why:
        told = options.ask_client(settings, lambda rag, _: rag.why(asked, *why), quiet=as_json_)
        terminal.json_text(options.as_json(told)) if as_json_ else answer.print_why(told)
        return
    shown = terminal.is_shown() and not (as_json_ or markdown or asked.context_only)
    streamed = shown and settings.has_model

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> Answer:
        stream = rag.stream(asked)
        async for piece in stream:
            if streamed:
                listen.rest()
                terminal.piece(piece)
        return stream.answer

    found = options.ask_client(settings, work, quiet=as_json_ or markdown, fleeting=True)
    if as_json_:
        terminal.json_text(found.to_json())
    elif markdown:
        terminal.block(answer.with_footnotes(found))
        answer.print_incomplete(found, error=True)
    elif asked.context_only:
        answer.print_context(found)
    else:
        answer.print_answer(found, streamed=streamed, sources=sources)


@click.command()
@click.argument("number", type=click.IntRange(1, 50), default=6, metavar="[N]")
@options.json_option
def suggest_command(number: int, as_json_: bool) -> None:
    """Suggest N questions (6 by default) that are worth asking and that the graph can answer.

    One half is on the whole collection, the other on particular people and things. A model writes
    them in one call from the reports and the main entities. Without a model they follow templates.
    Each question is checked against the graph, and left out if the graph holds nothing for it.
    """
    settings = options.settings_of()
    check_answering(settings)
    found = options.ask_client(
        settings, lambda rag, _: rag.suggest(number), quiet=as_json_, fleeting=True
    )
    if as_json_:
        terminal.json_text(options.as_json(found))
    else:
        for one in found:
            terminal.line((one.question, ""))
        if n := len(found.left_out):
            left_out = f"{counted(n, 'question')} that the graph can't answer"
            terminal.line(f"Left out: {left_out}.", style="dim")
        if found.usage:
            terminal.line(f"{total_usage(found.usage)}.", style="dim")
        last = '`kg-build query "…"` answers a question.'
        if not found.questions:
            last = "No question was found that the graph can answer."
        terminal.line(last, style="dim")
    if not found.questions:
        raise click.exceptions.Exit(1)


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
@options.where_option
@options.value(
    "--suggestions",
    None,
    "How many questions are suggested after each answer. A model makes them in one small "
    "call; 0 suggests none. With --where there are none, because they come from all documents.",
    default=3,
    type=click.IntRange(0, 10),
)
def chat_command(
    method: Method | Literal["auto"], where: tuple[str, ...], suggestions: int
) -> None:
    """Ask questions in a conversation: each is understood together with those before it.

    Type /help to list the commands of the conversation. Type /quit, an empty line or Ctrl-D to
    end it.
    """
    try:
        conditions_of(where)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    settings = options.settings_of()
    check_answering(settings)

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> None:
        listen.rest()
        terminal.line(
            "Ask a question, or type /help for the commands. To end the conversation, type /quit, "
            "an empty line or Ctrl-D."
        )
        await Conversation(rag, listen, method, suggestions, where).hold()

    try:
        options.ask_client(settings, work, fleeting=True)
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
        where: Sequence[str] = (),
    ) -> None:
        self.rag, self.listen, self.method, self.most = rag, listen, method, suggestions
        self.where = where
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
            history = tuple(self.history)
            stream = self.rag.stream(question, method=method, history=history, where=self.where)
            async for piece in stream:
                if with_model:
                    self.listen.rest()
                    terminal.piece(piece)
        except (ReplyError, InputError) as error:  # about this question; the next may be right
            self.listen.rest()
            terminal.line(error_sentence(error), error=True)
            return
        self.listen.rest()
        answer.print_answer(stream.answer, streamed=with_model, more="/sources")
        self.last = stream.answer
        self.history.append((stream.answer.question, stream.answer.text))
        if self.most:
            await self._suggest(self.most, stream.answer)

    async def _suggest(self, most: int, after: Answer | None = None) -> None:
        """Prints questions that the graph can answer. The user may type the number of one."""
        if self.where:
            if not after:
                terminal.line("Suggestions come from all documents: there are none with --where.")
            return
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
            terminal.line((f"  {number}. {one.question}", "dim"))

    def _run_command(self, command: str, *arguments: str) -> None:
        match command, arguments:
            case "/help", ():
                terminal.block(HELP)
            case "/sources", () if self.last and self.last.citations:
                answer.print_sources(self.last)
            case "/sources", ():
                terminal.line("There is no answer yet that cites sources.")
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
