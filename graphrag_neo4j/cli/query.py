"""`kg-build query`: a question to the graph."""

from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.answers import METHODS, Answer
from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.answer import footnoted, print_answer, print_context
from graphrag_neo4j.cli.options import as_json, home_option, json_option, run
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.settings import load_settings

__all__ = ["query"]


@click.command()
@click.argument("question")
@click.option(
    "--method",
    type=click.Choice(["auto", *METHODS]),
    default="auto",
    show_default=True,
    help="auto: global for the whole, local for a thing and its surroundings.",
)
@click.option("--level", type=click.IntRange(min=0), help="global: level, 0 is the coarsest.")
@click.option("--dynamic", is_flag=True, help="global: open only reports that are rated relevant.")
@click.option("--prefilter", type=click.IntRange(min=1), help="global: only so many near reports.")
@click.option(
    "--expand",
    type=click.Choice(["hop", "ppr"]),
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
    expand: str | None,
    response_type: str | None,
    markdown: bool,
    home: Path | None,
    as_json_: bool,
    **how: Any,  # noqa: ANN401 - fields of Question
) -> None:
    """Answer QUESTION from the graph, with the places in the documents that say so."""
    settings = load_settings(home=home, expand=expand, response_type=response_type)
    streamed = terminal.is_shown() and not (as_json_ or markdown or how["context_only"])

    async def work() -> Answer:
        with listening(quiet=as_json_ or markdown) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                stream = rag.stream(question, **how)
                async for piece in stream:
                    if streamed:
                        terminal.piece(piece)
                return stream.answer

    answer = run(work)
    if as_json_:
        terminal.json_text(as_json(answer))
    elif markdown:
        terminal.block(footnoted(answer))
    elif how["context_only"]:
        print_context(answer)
    else:
        print_answer(answer, streamed=streamed)
