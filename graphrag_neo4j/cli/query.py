"""`kg-build query`: a question to the graph."""

from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.options import (
    METHOD_HELP,
    NearestChoice,
    Number,
    as_json,
    home_option,
    json_option,
    run,
    settings_of,
)
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.answer import footnoted, plain, print_answer, print_context
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.query.answer import METHODS, Answer
from graphrag_neo4j.query.engine import check_answering
from graphrag_neo4j.query.question import EXPAND, Question

__all__ = ["query"]


@click.command()
@click.argument("question")
@click.option(
    "--method",
    type=NearestChoice(["auto", *METHODS]),
    default="auto",
    show_default=True,
    metavar="METHOD",
    help=METHOD_HELP,
)
@click.option(
    "--level",
    type=Number(least=0),
    help=(
        "global: the level of communities to read; 0 is the coarsest. Without it: the finest "
        "level that KG_MAP_CALLS calls can read."
    ),
)
@click.option(
    "--dynamic",
    is_flag=True,
    help="global: begin at level 0 and read only the reports that a model rates relevant.",
)
@click.option(
    "--prefilter",
    type=Number(least=1),
    help="global: read only this many reports, those nearest to the question.",
)
@click.option(
    "--expand",
    type=NearestChoice(EXPAND),
    help=(
        "local and drift: how the surroundings of an entity are found, one step away (hop) or by a "
        "longer walk (ppr, personalised PageRank). Without it: KG_EXPAND."
    ),
)
@click.option(
    "--response-type",
    metavar="TEXT",
    help="The length and form of the answer, such as 'a list of five points'.",
)
@click.option(
    "--context-only",
    is_flag=True,
    help="Print the texts that a model would be given, and ask no model for an answer.",
)
@click.option(
    "--markdown", is_flag=True, help="Print the answer as Markdown, with its sources as footnotes."
)
@home_option
@json_option
def query(
    question: str,
    *,
    response_type: str | None,
    markdown: bool,
    home: Path | None,
    as_json_: bool,
    **how: Any,  # noqa: ANN401 - fields of Question
) -> None:
    """Answer QUESTION from the graph, with the places in the documents that say so.

    Write QUESTION in quotes. Each [Data: …] in the answer is explained below it.
    """
    try:
        asked = Question(question, **how)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    settings = settings_of(home=home, response_type=response_type)
    check_answering(settings, asked)
    streamed = terminal.is_shown() and not (as_json_ or markdown or asked.context_only)

    async def work() -> Answer:
        with listening(quiet=as_json_ or markdown, fleeting=True) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                stream = rag.stream(asked)
                async for piece in stream:
                    if streamed:
                        listen.rest()
                        terminal.piece(piece)
                return stream.answer

    answer = run(work)
    if as_json_:
        terminal.json_text(as_json(plain(answer)))
    elif markdown:
        terminal.block(footnoted(answer))
    elif asked.context_only:
        print_context(answer)
    else:
        print_answer(answer, streamed=streamed)
