"""`kg-build query` answers a question from the graph."""

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
from graphrag_neo4j.cli.output.answer import (
    footnoted,
    plain,
    print_answer,
    print_context,
    print_incomplete,
)
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
        "For global search: the level of communities to read. 0 is the coarsest. The default is "
        "the finest level whose reports fit into KG_MAP_CALLS calls."
    ),
)
@click.option(
    "--dynamic",
    is_flag=True,
    help=(
        "For global search: start at level 0 and read only the reports that a model rates as "
        "relevant."
    ),
)
@click.option(
    "--prefilter",
    type=Number(least=1),
    help=(
        "For global search: read only this many reports, namely those that are most similar to "
        "the question."
    ),
)
@click.option(
    "--expand",
    type=NearestChoice(EXPAND),
    help=(
        "For local and drift search: how the graph around an entity is explored. hop takes the "
        "direct neighbours; ppr goes further by personalised PageRank. The default is the setting "
        "KG_EXPAND."
    ),
)
@click.option(
    "--response-type",
    metavar="TEXT",
    help="The length and form of the answer, for example 'a list of five points'.",
)
@click.option(
    "--context-only",
    is_flag=True,
    help="Print the context that a model would receive, and do not ask a model for an answer.",
)
@click.option(
    "--markdown", is_flag=True, help="Print the answer as Markdown with its sources as footnotes."
)
@click.option(
    "--sources",
    is_flag=True,
    help=(
        "Below an answer without a model, print all sources with their sentences. By default only "
        "their number is printed, because each quotation says where it stands."
    ),
)
@home_option
@json_option
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
    settings = settings_of(home=home, response_type=response_type)
    check_answering(settings, asked)
    shown = terminal.is_shown() and not (as_json_ or markdown or asked.context_only)
    streamed = shown and settings.has_model

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
        print_incomplete(answer, error=True)
    elif asked.context_only:
        print_context(answer)
    else:
        print_answer(answer, streamed=streamed, sources=sources)
