"""`kg-build suggest` suggests questions that the graph can answer."""

from pathlib import Path

import click

from graphrag_neo4j.cli.options import Number, as_json, home_option, json_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening, money_known
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.model import Usage
from graphrag_neo4j.query.engine import check_answering
from graphrag_neo4j.query.suggestions import Suggestions

__all__ = ["suggest"]

NOTHING = "No question was found that the graph can answer."


@click.command()
@click.argument("number", type=Number(least=1, most=50), default=6, metavar="[N]")
@home_option
@json_option
def suggest(number: int, home: Path | None, as_json_: bool) -> None:
    """Suggest N questions (6 by default) that are worth asking and that the graph can answer.

    One half is on the whole collection, the other on particular people and things. A model makes
    them in one call from the reports and the foremost entities. Without a model, rules make them.
    Each question is checked against the graph, and left out if the graph holds nothing for it.
    """
    settings = settings_of(home=home)
    check_answering(settings)

    async def work() -> Suggestions:
        with listening(quiet=as_json_, fleeting=True) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.suggest(int(number))

    try:
        found = run(work)
    except ReplyError as error:
        reason = str(error).rstrip(".")
        terminal.line(f"Error: No question is suggested, since {reason}.", error=True)
        raise click.exceptions.Exit(1) from None
    if as_json_:
        terminal.json_text(as_json(found))
    else:
        _print(found)
    if not found.questions:
        raise click.exceptions.Exit(1)


def _print(found: Suggestions) -> None:
    for one in found:
        terminal.line(one.question)
    if not found.questions:
        terminal.line(NOTHING)
    if n := len(found.left_out):
        were = "was" if n == 1 else "were"
        what = counted(n, "question")
        terminal.line(
            f"{what} {were} left out, because the graph can't answer {'it' if n == 1 else 'them'}.",
            style="dim",
        )
    if found.usage:
        used = Usage.total(found.usage.values())
        cost = money_known(used.cost, used.unpriced)
        terminal.line(f"{counted(used.calls, 'call')}, {cost}.", style="dim")
    if found.questions:
        terminal.line('`kg-build query "…"` answers a question.', style="dim")
