"""`kg-build index`: documents to a knowledge graph."""

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import psutil

from graphrag_neo4j import embedded
from graphrag_neo4j.cli.options import (
    Number,
    as_json,
    home_option,
    json_option,
    read_options,
    reading_of,
    run,
    settings_of,
    settings_options,
)
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening, money_known
from graphrag_neo4j.cli.output.report import TOKENS_AND_COST, print_failures, print_status
from graphrag_neo4j.cli.output.words import counted, named_step, or_more
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.preparation import check_building
from graphrag_neo4j.indexing.result import IndexResult
from graphrag_neo4j.model import Usage
from graphrag_neo4j.settings import EXTRACTIVE, Settings

__all__ = ["index"]

ANEW = ("prune", "reread", "reembed", "recluster")
NO_MODEL_ASKED = (
    "This index is extractive: it was made without a model, and all that it says is quoted from "
    "the documents."
)
WITH_A_MODEL = (
    "To have a model read them, set OPENAI_API_KEY (or OPENAI_BASE_URL and KG_MODEL for an "
    "endpoint of your own) in the environment or in .env, and run the same command again."
)
NEXT = {
    'kg-build query "What are the main themes?"': "asks a question",
    "kg-build chat": "asks questions in a conversation",
    "kg-build map": "draws a map in a web page",
    "kg-build browse": "opens the graph in Neo4j Browser",
    "kg-build status": "shows what is in the graph",
}
NAMED = 20  # flaws named in full; the rest is counted


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATHS..."
)
@home_option
@read_options
@settings_options
@click.option(
    "--max-cost",
    type=Number(least=0, whole=False),
    metavar="DOLLARS",
    help="Stop cleanly when the calls of this run have cost so many US dollars.",
)
@click.option(
    "--prune",
    is_flag=True,
    help="Delete from the graph the documents under PATHS whose file is gone.",
)
@click.option(
    "--reread",
    is_flag=True,
    help="Read the chunks again that were read with another model or other settings.",
)
@click.option(
    "--reembed",
    is_flag=True,
    help="Compute all vectors again, with the embedding model that is set now.",
)
@click.option(
    "--recluster", is_flag=True, help="Find the communities again, even if they were imported."
)
@click.option("--quiet", is_flag=True, help="Print only warnings and errors.")
@json_option
def index(
    paths: tuple[Path, ...],
    quiet: bool,
    as_json_: bool,
    **values: Any,  # noqa: ANN401 - settings, reading options, and what is to be done anew
) -> None:
    """Read the documents in PATHS into the graph.

    PATHS are files, folders, or patterns such as "docs/*.txt". Run the same command again to add
    new documents, to update changed ones, and to finish what failed or was interrupted. Unchanged
    documents cost nothing.
    """
    options = reading_of(values)
    anew = {name: values.pop(name) for name in ANEW}
    settings = settings_of(**values)
    check_building(settings)
    corpus = Corpus.of_paths(paths, options)

    async def work() -> IndexResult:
        with listening(quiet=quiet or as_json_) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.index(corpus, options=options, **anew)

    built = run(work)
    if as_json_:
        terminal.json_text(as_json({"complete": built.complete, **dataclasses.asdict(built)}))
    else:
        _summarise(built, settings, quiet=quiet)
    if not built.complete:
        raise click.exceptions.Exit(1)


def _summarise(built: IndexResult, settings: Settings, *, quiet: bool) -> None:
    if not quiet:
        _tell_documents(built)
        if built.status:
            print_status(built.status, builds=False)
    elif built.status:
        print_failures(built.status, error=True)
    _tell_flaws(built, error=quiet)
    _tell_what_is_left(built, error=quiet)
    if not quiet:
        _tell_whether_extractive(settings)
        if built.status and built.status.counts["communities"]:
            _tell_what_next(settings)


def _tell_what_is_left(built: IndexResult, *, error: bool) -> None:
    undone: terminal.Part = ("Not everything was done.", "yellow")
    if built.stopped:
        again = " Run the same command again to go on."
        terminal.line((built.stopped, "yellow"), again, error=error)
    elif not built.complete:
        again = " Run the same command again to try the rest once more."
        terminal.line(undone, again, error=error)


def _tell_whether_extractive(settings: Settings) -> None:
    if not settings.has_model:
        asked_for = settings.model == EXTRACTIVE
        terminal.line(NO_MODEL_ASKED if asked_for else f"{NO_MODEL_ASKED} {WITH_A_MODEL}")


def _tell_what_next(settings: Settings) -> None:
    """What the graph is good for now; and that a server of ours stays, with its memory."""
    terminal.line()
    terminal.line("What you can do now:")
    for command, what in NEXT.items():
        terminal.line(f"  {command:<43} {what}")
    if not settings.neo4j_uri and (server := embedded.running(settings)):
        terminal.line(
            f"Neo4j keeps running in the background ({memory(server.pid)}). "
            f"`kg-build neo4j stop{home_of(settings)}` stops it; your data is kept, and the next "
            "command starts it again."
        )


def memory(pid: int) -> str:
    """What a process holds of the machine's memory."""
    try:
        held = psutil.Process(pid).memory_info().rss
    except psutil.Error:  # it has just ended, or is not ours to look at
        return "its memory use is unknown"
    return f"{held / 1e9:.1f} GB of memory"


def home_of(settings: Settings) -> str:
    """The option that leads to the same server, where the environment does not."""
    return f" --home {shlex.quote(str(settings.home))}" if settings.home else ""


def _tell_documents(built: IndexResult) -> None:
    done = built.ingested
    terminal.line(
        f"Documents: {done.added:,} new, {done.changed:,} changed, {done.unchanged:,} unchanged; "
        f"{counted(done.chunks, 'chunk')} written."
    )
    for suffix, n in sorted(built.skipped.items()):
        kind = f"of type {suffix}" if suffix else "without a file extension"
        which = "it is" if n == 1 else "they are"
        terminal.line(f"Skipped: {counted(n, 'file')} {kind}; {which} of no type that can be read.")
    if n := done.replaced:
        were = "was" if n == 1 else "were"
        characters = counted(n, "character")
        terminal.line(f"{characters} that Neo4j can't store {were} replaced by \ufffd.")
    if n := done.cut_otherwise:
        were = "was" if n == 1 else "were"
        documents = counted(n, "document")
        terminal.line(
            f"{documents} {were} cut into chunks with other settings; add --reread to cut and read "
            f"{'it' if n == 1 else 'them'} again."
        )
    _tell_usage(built.usage)
    _tell_odd_replies(built.usage)


def _tell_usage(usage: Mapping[str, Usage]) -> None:
    """What the calls of each step took, and all together."""
    rows = [_usage_row(named_step(step), used) for step, used in usage.items()]
    if len(rows) > 1:
        rows.append(_usage_row("in all", Usage.total(usage.values())))
    if rows:
        terminal.table(("step", "calls", "failed", *TOKENS_AND_COST), rows)


def _usage_row(name: str, used: Usage) -> Sequence[str]:
    counts = (used.calls, used.failed, used.input_tokens, used.output_tokens)
    return name, *(f"{n:,}" for n in counts), money_known(used.cost, used.unpriced)


def _tell_odd_replies(usage: Mapping[str, Usage]) -> None:
    """What had to be replaced or estimated, since an endpoint's replies were not as they ought."""
    total = Usage.total(usage.values())
    if n := total.replaced:
        were = "was" if n == 1 else "were"
        characters = counted(n, "character")
        terminal.line(f"{characters} in replies that Neo4j can't store {were} replaced by \ufffd.")
    if n := total.estimated:
        calls = counted(n, "call")
        terminal.line(f"The endpoint did not say how many tokens {calls} used: it is estimated.")


def _tell_flaws(built: IndexResult, *, error: bool) -> None:
    flaws = [f"{source}: {reason}" for source, reason in built.unreadable.items()]
    flaws += [
        f"{source}: came more than once; only the first was read"
        for source in built.ingested.repeated
    ]
    flaws += [f"{source}: holds no text" for source in built.ingested.empty]
    for flaw in flaws[:NAMED]:
        terminal.line(f"{flaw}.", style="red", error=error)
    if len(flaws) > NAMED:
        terminal.line(or_more(len(flaws), NAMED, "--json"), style="red", error=error)
