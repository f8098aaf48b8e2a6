"""`kg-build index`: documents to a knowledge graph."""

import dataclasses
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from graphrag_neo4j.cli.options import (
    as_json,
    home_option,
    json_option,
    read_options,
    reading_of,
    run,
    settings_of,
    settings_options,
)
from graphrag_neo4j.cli.progress import listening, money_known
from graphrag_neo4j.cli.report import print_failures, print_status
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.corpus import Corpus
from graphrag_neo4j.pipeline import Built, check_building
from graphrag_neo4j.settings import OFFLINE, Settings

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
    settings = settings_of(**values)
    check_building(settings)
    corpus = Corpus.of_paths(paths, options)

    async def work() -> Built:
        with listening(quiet=quiet or as_json_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.index(corpus, options=options, **anew)

    built = run(work)
    if as_json_:
        click.echo(as_json({"complete": built.complete, **dataclasses.asdict(built)}))
    else:
        _summarise(built, settings, quiet=quiet)
    if not built.complete:
        raise click.exceptions.Exit(1)


def _summarise(built: Built, settings: Settings, *, quiet: bool) -> None:
    console = Console(stderr=quiet, soft_wrap=True, highlight=False)
    if not quiet:
        _tell_documents(console, built)
        if built.status:
            print_status(console, built.status, builds=False)
    elif built.status:
        print_failures(console, built.status)
    _tell_flaws(console, built)
    if built.stopped:
        console.print(f"[yellow]{escape(built.stopped)}[/] The same command goes on.")
    elif not built.complete:
        console.print("[yellow]Not everything was done.[/] The same command tries the rest again.")
    if not (quiet or settings.has_model):
        asked_for = settings.model == OFFLINE
        console.print(EXTRACTIVE if asked_for else f"{EXTRACTIVE} {WITH_A_MODEL}")


def _tell_documents(console: Console, built: Built) -> None:
    done = built.ingested
    console.print(
        f"Documents: {done.added} new, {done.changed} changed, {done.unchanged} unchanged; "
        f"{done.chunks} chunks written."
    )
    for suffix, n in sorted(built.skipped.items()):
        files = "1 file" if n == 1 else f"{n:,} files"
        kind = f"of the kind {escape(suffix)}" if suffix else "without a suffix"
        console.print(f"Skipped: {files} {kind}.")
    if done.replaced:
        console.print(f"{done.replaced} characters that can't be stored were replaced.")
    if done.cut_otherwise:
        console.print(
            f"{done.cut_otherwise} documents were cut with other chunk settings; "
            "--reread cuts and reads them again."
        )
    for step, usage in built.usage.items():
        console.print(
            f"{step}: {usage.calls:,} calls ({usage.failed} failed), {usage.input_tokens:,} tokens "
            f"in, {usage.output_tokens:,} out, {money_known(usage.cost, usage.unpriced)}."
        )
    _tell_odd_replies(console, built)
    if len(built.usage) > 1:
        total = sum(usage.cost for usage in built.usage.values())
        unpriced = sum(usage.unpriced for usage in built.usage.values())
        console.print(f"In all: {money_known(total, unpriced)}.")


def _tell_odd_replies(console: Console, built: Built) -> None:
    """What had to be replaced or estimated, since an endpoint's replies were not as they ought."""
    replaced = sum(usage.replaced for usage in built.usage.values())
    estimated = sum(usage.estimated for usage in built.usage.values())
    if replaced:
        console.print(f"In replies {replaced:,} characters that can't be stored were replaced.")
    if estimated:
        console.print(f"The endpoint did not say what {estimated:,} calls used: it is estimated.")


def _tell_flaws(console: Console, built: Built) -> None:
    flaws = [f"{source}: {reason}" for source, reason in built.unreadable.items()]
    flaws += [
        f"{source}: came more than once; only the first was read"
        for source in built.ingested.repeated
    ]
    flaws += [f"{source}: holds no text" for source in built.ingested.empty]
    for flaw in flaws[:NAMED]:
        console.print(f"[red]{escape(flaw)}[/]")
    if len(flaws) > NAMED:
        console.print(f"[red]… and {len(flaws) - NAMED} more; --json names them all.[/]")
