"""`kg-build index` turns documents into a knowledge graph."""

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import click
import psutil

from graphrag_neo4j import embedded
from graphrag_neo4j.cli.options import (
    Number,
    as_json,
    home_option,
    json_option,
    paths_argument,
    read_options,
    reading_of,
    run,
    settings_of,
    settings_options,
)
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening, money_known
from graphrag_neo4j.cli.output.report import print_failures, print_status, tokens_and_cost
from graphrag_neo4j.cli.output.words import counted, named_step, or_more, repaired, unread
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.events import Waiting
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.preparation import check_building
from graphrag_neo4j.indexing.result import IndexResult
from graphrag_neo4j.model import Usage
from graphrag_neo4j.settings import EXTRACTIVE, Settings

__all__ = ["index"]

RUN_FLAGS = ("prune", "reread", "reembed", "recluster", "fresh", "batch", "wait")
EXTRACTIVE_INDEX = (
    "This index is extractive: it was made without a model, and all its sentences are quoted from "
    "the documents."
)
HOW_TO_SET_A_MODEL = (
    "To have a model read the documents, set OPENAI_API_KEY (or, for your own endpoint, "
    "OPENAI_BASE_URL and KG_MODEL) in the environment or in .env, and run the same command again."
)
NEXT = {
    'kg-build query "What are the main themes?"': "asks a question",
    "kg-build chat": "asks questions in a conversation",
    "kg-build map": "draws a map in a web page",
    "kg-build browse": "opens the graph in Neo4j Browser",
    "kg-build status": "shows what is in the graph",
}
NAMED = 20  # problems that are listed one by one; the others are only counted


@click.command()
@paths_argument
@home_option
@read_options
@settings_options
@click.option(
    "--max-cost",
    type=Number(least=0, whole=False),
    metavar="DOLLARS",
    help=(
        "Stop when the model calls of this run have cost this many US dollars. Finished work is "
        "kept."
    ),
)
@click.option(
    "--prune",
    is_flag=True,
    help=(
        "Delete documents under PATHS from the graph if their file no longer exists, or if their "
        "row is no longer in its CSV or JSON file."
    ),
)
@click.option(
    "--reread",
    is_flag=True,
    help="Extract again from chunks that were read with another model or other settings.",
)
@click.option(
    "--reembed",
    is_flag=True,
    help="Compute all embeddings again with the current embedding model.",
)
@click.option(
    "--recluster", is_flag=True, help="Detect the communities again, even if they were imported."
)
@click.option(
    "--fresh",
    is_flag=True,
    help="Make the communities and reports those of a first build. Otherwise they follow changes, "
    "and reports may stay a little behind.",
)
@click.option(
    "--batch",
    is_flag=True,
    help="Send the requests to the model in batches of the provider, at half the price. A batch "
    "takes up to 24 hours. The command ends when it is sent, and the same command continues.",
)
@click.option("--wait", is_flag=True, help="With --batch: wait until the batches are answered.")
@click.option(
    "--ray",
    is_flag=False,
    flag_value="",
    metavar="[ADDRESS]",
    help=(
        "Let the workers of a Ray cluster read the files and run the tasks. ADDRESS is host:port, "
        "auto for the cluster that runs on this machine, or local to start Ray here. Without it, "
        "RAY_ADDRESS counts, or else local. Give it after PATHS."
    ),
)
@click.option("--quiet", is_flag=True, help="Print only warnings and errors.")
@json_option
def index(
    paths: tuple[Path, ...],
    quiet: bool,
    as_json_: bool,
    **values: Any,  # noqa: ANN401 - settings, reading options and rebuild flags
) -> None:
    """Read the documents in PATHS into the graph.

    PATHS are files, folders, or patterns such as "docs/*.txt". Run the same command again to add
    new documents, to update changed documents, and to finish work that failed or was interrupted.
    Unchanged documents cost nothing.
    """
    options = reading_of(values)
    flags = {name: values.pop(name) for name in RUN_FLAGS}
    if flags["wait"] and not flags["batch"]:
        raise click.UsageError("Give --wait together with --batch.")
    ray = values.pop("ray")
    if ray is not None and flags["batch"]:
        raise click.UsageError("Give --batch or --ray: batches need no workers.")
    if ray:  # it is empty where no address is given
        from graphrag_neo4j.workers.ray_cluster import check_address  # noqa: PLC0415 - rare

        check_address(ray)
    settings = settings_of(**values)
    check_building(settings)

    async def work() -> IndexResult:
        with listening(quiet=quiet or as_json_) as listen:
            listen(Waiting("Looking for files", 0))  # among 100,000 it takes a few seconds
            corpus = Corpus.of_paths(paths, options, settings)
            listen(Waiting("", 0))
            async with AsyncGraphRAG(settings, listen) as rag:
                return await rag.index(corpus, options=options, ray=ray, **flags)

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
    incomplete: terminal.Part = ("Not everything was done.", "yellow")
    if built.stopped:
        again = " Run the same command again to continue."
        terminal.line((built.stopped, "yellow"), again, error=error)
    elif built.status and built.status.failures:
        again = " Run the same command again to retry the rest."
        terminal.line(incomplete, again, error=error)
    elif not built.complete:
        again = " Mend or remove what could not be read, and run the same command again."
        terminal.line(incomplete, again, error=error)


def _tell_whether_extractive(settings: Settings) -> None:
    if not settings.has_model:
        intended = settings.model == EXTRACTIVE
        hint = "" if intended else f" {HOW_TO_SET_A_MODEL}"
        if settings.lacks_endpoint:
            terminal.line(
                (f"KG_MODEL is {settings.model}, but it was not asked: no key is set.", "yellow")
            )
        terminal.line(f"{EXTRACTIVE_INDEX}{hint}")
        if not intended:
            _tell_local_servers()


def _tell_local_servers() -> None:
    """Prints the lines that use the model servers of this machine, if some answer."""
    from graphrag_neo4j.llm import find_local_servers  # noqa: PLC0415 - it takes a moment

    for server in anyio.run(find_local_servers):
        terminal.line(f"{server.says} These lines, in a shell or in .env, use it:")
        for line in server.lines:
            terminal.line(f"  {line}")


def _tell_what_next(settings: Settings) -> None:
    """Prints the commands to try next, and that the embedded server keeps running."""
    terminal.line()
    terminal.line("What you can do now:")
    for command, what in NEXT.items():
        terminal.line(f"  {command:<43} {what}")
    if not settings.neo4j_uri and (server := embedded.running(settings)):
        terminal.line(
            f"Neo4j keeps running in the background ({memory(server.pid)}). "
            f"`kg-build neo4j stop{home_of(settings)}` stops it. Your data is kept, and the next "
            "command starts it again."
        )


def memory(pid: int) -> str:
    """Returns the resident memory of a process in words, in units of 10^9 bytes."""
    try:
        resident = psutil.Process(pid).memory_info().rss
    except psutil.Error:  # the process has just ended, or belongs to another user
        return "its memory use is unknown"
    return f"{resident / 1e9:.1f} GB of memory"


def home_of(settings: Settings) -> str:
    """Returns the `--home` option that selects the same server, or "" if it is the default."""
    return f" --home {shlex.quote(str(settings.home))}" if settings.home else ""


def _tell_documents(built: IndexResult) -> None:
    done = built.ingested
    terminal.line(
        f"Documents: {done.added:,} new, {done.changed:,} changed, {done.unchanged:,} unchanged; "
        f"{counted(done.chunks, 'chunk')} written."
    )
    for suffix, n in sorted(built.skipped.items()):
        kind = f"of type {suffix}" if suffix else "without a file extension"
        terminal.line(f"Skipped: {counted(n, 'file')} {kind}, which can't be read.")
    if n := done.replaced:
        were = "was" if n == 1 else "were"
        characters = counted(n, "character")
        terminal.line(f"{characters} that Neo4j can't store {were} replaced by \ufffd.")
    if n := done.cut_otherwise:
        were = "was" if n == 1 else "were"
        documents = counted(n, "document")
        terminal.line(
            f"{documents} {were} split into chunks with other settings. Add --reread to split and "
            f"read {'it' if n == 1 else 'them'} again."
        )
    _tell_usage(built.usage)
    _tell_odd_replies(built.usage)


def _tell_usage(usage: Mapping[str, Usage]) -> None:
    """Prints the calls, tokens and cost of each step, and their total."""
    total = Usage.total(usage.values())
    cached = total.cached_tokens > 0
    rows = [_usage_row(named_step(step), used, cached=cached) for step, used in usage.items()]
    if len(rows) > 1:
        rows.append(_usage_row("total", total, cached=cached))
    if rows:
        terminal.table(("step", "calls", "failed", *tokens_and_cost(cached=cached)), rows)


def _usage_row(name: str, used: Usage, *, cached: bool) -> Sequence[str]:
    tokens = [used.input_tokens, *([used.cached_tokens] if cached else []), used.output_tokens]
    counts = (used.calls, used.failed, *tokens)
    return name, *(f"{n:,}" for n in counts), money_known(used.cost, used.unpriced)


def _tell_odd_replies(usage: Mapping[str, Usage]) -> None:
    """Prints what was replaced or repaired in replies, and which counts are estimates."""
    total = Usage.total(usage.values())
    if n := total.replaced:
        were = "was" if n == 1 else "were"
        characters = counted(n, "character")
        terminal.line(f"{characters} in replies that Neo4j can't store {were} replaced by \ufffd.")
    if n := total.repaired:
        terminal.line(repaired(n))
    if n := total.estimated:
        calls = counted(n, "call")
        terminal.line(f"The endpoint did not report the tokens of {calls}; they are estimated.")


def _tell_flaws(built: IndexResult, *, error: bool) -> None:
    flaws = unread(built.unreadable.items())
    flaws += [
        f"{source}: the corpus names it more than once; only the first was read"
        for source in built.ingested.repeated
    ]
    flaws += [f"{source}: it holds no text" for source in built.ingested.empty]
    for flaw in flaws[:NAMED]:
        terminal.line(f"{flaw}.", style="red", error=error)
    if len(flaws) > NAMED:
        terminal.line(or_more(len(flaws), NAMED, "--json"), style="red", error=error)
