"""`kg-build query`: a question to the graph."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from graphrag_neo4j.answering import check_answering
from graphrag_neo4j.answers import METHODS, Answer
from graphrag_neo4j.cli.answer import footnoted, plain, print_answer, print_context
from graphrag_neo4j.cli.options import (
    NearestChoice,
    as_json,
    home_option,
    json_option,
    run,
    settings_of,
)
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.question import EXPAND, Question

__all__ = ["query"]


@click.command()
@click.argument("question")
@click.option(
    "--method",
    type=NearestChoice(["auto", *METHODS]),
    default="auto",
    show_default=True,
    help="auto: global for the whole, local for a thing and its surroundings.",
)
@click.option("--level", type=click.IntRange(min=0), help="global: level, 0 is the coarsest.")
@click.option("--dynamic", is_flag=True, help="global: open only reports that are rated relevant.")
@click.option("--prefilter", type=click.IntRange(min=1), help="global: only so many near reports.")
@click.option(
    "--expand",
    type=NearestChoice(EXPAND),
    help="local, drift: what surrounds it, one hop or a walk (personalised PageRank); KG_EXPAND.",
)
@click.option("--response-type", help="Length and form, such as 'a list of five'.")
@click.option("--context-only", is_flag=True, help="Show what a model would be given; ask none.")
@click.option("--markdown", is_flag=True, help="Print Markdown with footnotes.")
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
    """Answer QUESTION from the graph, with the places in the documents that say so."""
    try:
        asked = Question(question, **how)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    settings = settings_of(home=home, response_type=response_type)
    check_answering(settings, asked)
    console = Console(soft_wrap=True, highlight=False)
    streamed = console.is_terminal and not (as_json_ or markdown or asked.context_only)

    async def work() -> Answer:
        with listening(quiet=as_json_ or markdown) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                stream = rag.stream(asked)
                async for piece in stream:
                    if streamed:
                        click.echo(piece, nl=False)
                return stream.answer

    answer = run(work)
    if as_json_:
        click.echo(as_json(plain(answer)))
    elif markdown:
        click.echo(footnoted(answer))
    elif asked.context_only:
        print_context(console, answer)
    else:
        print_answer(console, answer, streamed=streamed)
