"""`kg-build query` answers a question from the graph, and `kg-build suggest` suggests some."""

from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import answer, terminal
from graphrag_neo4j.cli.output.progress import EventDisplay
from graphrag_neo4j.cli.output.words import counted, total_usage, was
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.engine import check_answering
from graphrag_neo4j.query.question import EXPAND, Question

__all__ = ["query", "suggest"]


@click.command()
@click.argument("question")
@options.method_option
@options.value(
    "--level",
    None,
    "For global search: the level of communities to read. 0 is the coarsest. The default is "
    "the finest level whose reports fit into KG_MAP_CALLS calls.",
    type=options.Number(least=0),
)
@options.flag(
    "--dynamic",
    "For global search: start at level 0 and read only the reports that a model rates as relevant.",
)
@options.value(
    "--prefilter",
    None,
    "For global search: read only this many reports, namely those that are most similar to "
    "the question.",
    type=options.Number(least=1),
)
@options.value(
    "--expand",
    None,
    "For local and drift search: how the graph around an entity is explored. hop takes the "
    "direct neighbours; ppr goes further by personalised PageRank. The default is "
    "ppr.",
    type=options.NearestChoice(EXPAND),
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
@options.flag("--markdown", "Print the answer as Markdown with its sources as footnotes.")
@options.flag(
    "--sources",
    "Below an answer without a model, print all sources with their sentences. By default only "
    "their number is printed, because each quotation says where it stands.",
)
@options.home_option
@options.json_option
def query(
    question: str,
    *,
    response_type: str | None,
    markdown: bool,
    sources: bool,
    home: Path | None,
    as_json_: bool,
    **how: Any,  # noqa: ANN401 - fields of Question
) -> None:
    """Answer QUESTION from the graph, and show the sources in the documents.

    Put QUESTION in quotation marks. The list below the answer explains each citation [Data: …].
    """
    try:
        asked = Question(question, **how)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    settings = options.settings_of(home=home, response_type=response_type)
    check_answering(settings, asked)
    shown = terminal.is_shown() and not (as_json_ or markdown or asked.context_only)
    streamed = shown and settings.has_model

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> Answer:
        stream = rag.stream(asked)
        async for piece in stream:
            if streamed:
                listen.rest()
                terminal.piece(piece)
        return stream.answer

    found = options.ask(settings, work, quiet=as_json_ or markdown, fleeting=True)
    if as_json_:
        terminal.json_text(options.as_json(answer.plain(found)))
    elif markdown:
        terminal.block(answer.footnoted(found))
        answer.print_incomplete(found, error=True)
    elif asked.context_only:
        answer.print_context(found)
    else:
        answer.print_answer(found, streamed=streamed, sources=sources)


@click.command()
@click.argument("number", type=options.Number(least=1, most=50), default=6, metavar="[N]")
@options.home_option
@options.json_option
def suggest(number: int, home: Path | None, as_json_: bool) -> None:
    """Suggest N questions (6 by default) that are worth asking and that the graph can answer.

    One half is on the whole collection, the other on particular people and things. A model makes
    them in one call from the reports and the foremost entities. Without a model, rules make them.
    Each question is checked against the graph, and left out if the graph holds nothing for it.
    """
    settings = options.settings_of(home=home)
    check_answering(settings)
    try:
        found = options.ask(
            settings, lambda rag, _: rag.suggest(number), quiet=as_json_, fleeting=True
        )
    except ReplyError as error:
        reason = str(error).rstrip(".")
        terminal.line(f"Error: No question is suggested, since {reason}.", error=True)
        raise click.exceptions.Exit(1) from None
    if as_json_:
        terminal.json_text(options.as_json(found))
    else:
        for one in found:
            terminal.line(one.question)
        if not found.questions:
            terminal.line("No question was found that the graph can answer.")
        if n := len(found.left_out):
            them = "it" if n == 1 else "them"
            left_out = f"{counted(n, 'question')} {was(n)} left out"
            terminal.line(f"{left_out}, because the graph can't answer {them}.", style="dim")
        if found.usage:
            terminal.line(f"{total_usage(found.usage)}.", style="dim")
        if found.questions:
            terminal.line('`kg-build query "…"` answers a question.', style="dim")
    if not found.questions:
        raise click.exceptions.Exit(1)
