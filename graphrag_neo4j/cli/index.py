"""`kg-build index`: documents to a knowledge graph."""

import dataclasses
from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.options import (
    as_json,
    home_option,
    json_option,
    read_options,
    reading_of,
    run,
    settings_options,
)
from graphrag_neo4j.cli.progress import listening, money_known
from graphrag_neo4j.cli.report import print_failures, print_status
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.pipeline import Built
from graphrag_neo4j.settings import OFFLINE, Settings, load_settings

__all__ = ["index"]

ANEW = ("prune", "reread", "reembed", "recluster")
EXTRACTIVE = "This index is extractive: made without a model, quoted from the documents."
WITH_A_MODEL = (
    "With OPENAI_API_KEY set (or OPENAI_BASE_URL and KG_MODEL for an endpoint of your own), in the "
    "environment or in .env, the same command has a model read them."
)
NAMED = 20  # flaws named in full; the rest is counted


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@home_option
@read_options
@settings_options
@click.option("--max-cost", type=click.FloatRange(min=0), help="US dollars to stop at.")
@click.option("--prune", is_flag=True, help="Drop documents under PATHS whose file is gone.")
@click.option("--reread", is_flag=True, help="Read again what was read with other settings.")
@click.option("--reembed", is_flag=True, help="Make all vectors anew, by the model set now.")
@click.option("--recluster", is_flag=True, help="Find the communities anew, imported ones too.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@json_option
def index(
    paths: tuple[Path, ...],
    quiet: bool,
    as_json_: bool,
    **values: Any,  # noqa: ANN401 - settings, reading options, and what is to be done anew
) -> None:
    """Read the documents in PATHS (folders, globs, files) into the graph.

    What is unchanged costs nothing; what failed or was left is done by the same command again.
    """
    options = reading_of(values)
    anew = {name: values.pop(name) for name in ANEW}
    settings = load_settings(**values)

    async def work() -> Built:
        with listening(quiet=quiet or as_json_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.index(paths, options=options, **anew)

    built = run(work)
    if as_json_:
        terminal.json_text(as_json({"complete": built.complete, **dataclasses.asdict(built)}))
    else:
        _summarise(built, settings, quiet=quiet)
    if not built.complete:
        raise click.exceptions.Exit(1)


def _summarise(built: Built, settings: Settings, *, quiet: bool) -> None:
    if not quiet:
        _tell_documents(built)
        if built.status:
            print_status(built.status, builds=False)
    elif built.status:
        print_failures(built.status, error=True)
    _tell_flaws(built, error=quiet)
    if built.stopped:
        terminal.line((built.stopped, "yellow"), " The same command goes on.", error=quiet)
    elif not built.complete:
        undone: terminal.Part = ("Not everything was done.", "yellow")
        terminal.line(undone, " The same command tries the rest again.", error=quiet)
    if not (quiet or settings.has_model):
        asked_for = settings.model == OFFLINE
        terminal.line(EXTRACTIVE if asked_for else f"{EXTRACTIVE} {WITH_A_MODEL}")


def _tell_documents(built: Built) -> None:
    done = built.ingested
    terminal.line(
        f"Documents: {done.added} new, {done.changed} changed, {done.unchanged} unchanged; "
        f"{done.chunks} chunks written."
    )
    for suffix, n in sorted(built.skipped.items()):
        terminal.line(f"Skipped: {n} files of kind {suffix or 'without suffix'}.")
    if done.replaced:
        terminal.line(f"{done.replaced} characters that can't be stored were replaced.")
    if done.cut_otherwise:
        terminal.line(
            f"{done.cut_otherwise} documents were cut with other chunk settings; "
            "--reread cuts and reads them again."
        )
    for step, usage in built.usage.items():
        terminal.line(
            f"{step}: {usage.calls:,} calls ({usage.failed} failed), {usage.input_tokens:,} tokens "
            f"in, {usage.output_tokens:,} out, {money_known(usage.cost, usage.unpriced)}."
        )
    if len(built.usage) > 1:
        total = sum(usage.cost for usage in built.usage.values())
        unpriced = sum(usage.unpriced for usage in built.usage.values())
        terminal.line(f"In all: {money_known(total, unpriced)}.")


def _tell_flaws(built: Built, *, error: bool) -> None:
    flaws = [f"{source}: {reason}" for source, reason in built.unreadable.items()]
    flaws += [
        f"{source}: came more than once; only the first was read"
        for source in built.ingested.repeated
    ]
    flaws += [f"{source}: holds no text" for source in built.ingested.empty]
    for flaw in flaws[:NAMED]:
        terminal.line(flaw, style="red", error=error)
    if len(flaws) > NAMED:
        more = f"… and {len(flaws) - NAMED} more; --json names them all."
        terminal.line(more, style="red", error=error)
