"""`kg-build index` turns documents into a knowledge graph."""

import dataclasses
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import click
import psutil

from graphrag_neo4j import embedded
from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import EventDisplay, listening
from graphrag_neo4j.cli.output.words import counted, money_known, named_step, repaired, unread, was
from graphrag_neo4j.cli.status import print_failures, print_status, tokens_and_cost
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.preparation import check_building
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.model import Usage
from graphrag_neo4j.model.events import Waiting
from graphrag_neo4j.settings import EXTRACTIVE, Settings

__all__ = ["index", "memory"]

RUN_FLAGS = ("prune", "reread", "reembed", "recluster", "fresh", "batch", "wait")
NEXT = {
    'kg-build query "What are the main themes?"': "asks a question",
    "kg-build chat": "asks questions in a conversation",
    "kg-build map": "draws a map in a web page",
    "kg-build browse": "opens the graph in Neo4j Browser",
    "kg-build status": "shows what is in the graph",
}


@click.command()
@options.paths_argument
@options.home_option
@options.read_options
@options.settings_options
@options.max_cost_option
@options.flag(
    "--prune",
    "Delete documents under PATHS from the graph if their file no longer exists, or if their "
    "row is no longer in its CSV or JSON file.",
)
@options.flag(
    "--reread", "Extract again from chunks that were read with another model or other settings."
)
@options.flag("--reembed", "Compute all embeddings again with the current embedding model.")
@options.flag("--recluster", "Detect the communities again, even if they were imported.")
@options.flag(
    "--fresh",
    "Make the communities and reports those of a first build. Otherwise they follow changes, "
    "and reports may stay a little behind.",
)
@options.flag(
    "--batch",
    "Send the requests to the model in batches of the provider, at half the price. A batch "
    "takes up to 24 hours. The command ends when it is sent, and the same command continues.",
)
@options.flag("--wait", "With --batch: wait until the batches are answered.")
@click.option(
    "--ray",
    is_flag=False,
    flag_value="",
    metavar="[ADDRESS]",
    help="Let the workers of a Ray cluster read the files and run the tasks. ADDRESS is host:port, "
    "auto for the cluster that runs on this machine, or local to start Ray here. Without it, "
    "RAY_ADDRESS counts, or else local. Give it after PATHS.",
)
@options.flag("--quiet", "Print only warnings and errors.")
@options.json_option
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
    reading = options.reading_of(values)
    flags = {name: values.pop(name) for name in RUN_FLAGS}
    if flags["wait"] and not flags["batch"]:
        raise click.UsageError("Give --wait together with --batch.")
    ray = values.pop("ray")
    if ray is not None and flags["batch"]:
        raise click.UsageError("Give --batch or --ray: batches need no workers.")
    if ray:  # it is empty where no address is given
        from graphrag_neo4j.backends.ray_cluster import check_address  # noqa: PLC0415 - rare

        check_address(ray)
    settings = options.settings_of(**values)
    check_building(settings)

    # Among 100,000 files this takes a few seconds.
    with listening(quiet=quiet or as_json_) as listen:
        listen(Waiting("Looking for files", 0))
        corpus = Corpus.of_paths(paths, reading, settings)
        listen(Waiting("", 0))

    async def work(rag: AsyncGraphRAG, _: EventDisplay) -> IndexResult:
        return await rag.index(corpus, options=reading, ray=ray, **flags)

    built = options.ask(settings, work, quiet=quiet or as_json_)
    if as_json_:
        terminal.json_text(
            options.as_json({"complete": built.complete, **dataclasses.asdict(built)})
        )
    else:
        _summarise(built, settings, quiet=quiet)
    if not built.complete:
        raise click.exceptions.Exit(1)


def _summarise(built: IndexResult, settings: Settings, *, quiet: bool) -> None:
    if not quiet:
        _tell_documents(built)
        _tell_usage(built.usage)
        if built.status:
            print_status(built.status, batches=False)
    elif built.status:
        print_failures(built.status, error=True)
    flaws = unread(built.unreadable.items())
    flaws += [
        f"{source}: the corpus names it more than once; only the first was read"
        for source in built.ingested.repeated
    ]
    flaws += [f"{source}: it holds no text" for source in built.ingested.empty]
    terminal.some([f"{flaw}." for flaw in flaws], "--json", "red", error=quiet)
    if not built.complete:
        again = "Mend or remove what could not be read, and run the same command again."
        if built.stopped:
            again = "Run the same command again to continue."
        elif built.status and built.status.failures:
            again = "Run the same command again to retry the rest."
        incomplete = built.stopped or "Not everything was done."
        terminal.line((incomplete, "yellow"), f" {again}", error=quiet)
    if not quiet:
        if not settings.has_model:
            _tell_extractive(settings)
        if built.status and built.status.counts["communities"]:
            _tell_what_next(settings)


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
        characters = counted(n, "character")
        terminal.line(f"{characters} that Neo4j can't store {was(n)} replaced by \ufffd.")
    if n := done.cut_otherwise:
        terminal.line(
            f"{counted(n, 'document')} {was(n)} split into chunks with other settings. Add "
            f"--reread to split and read {'it' if n == 1 else 'them'} again."
        )


def _tell_usage(usage: Mapping[str, Usage]) -> None:
    """Prints the calls, tokens and cost of each step, and what was odd about the replies."""
    total = Usage.total(usage.values())
    cached = total.cached_tokens > 0
    rows = []
    for step, used in [*usage.items(), *([("total", total)] if len(usage) > 1 else [])]:
        counts = [
            used.calls,
            used.failed,
            used.input_tokens,
            used.cached_tokens,
            used.output_tokens,
        ]
        if not cached:
            del counts[3]
        cost = money_known(used.cost, used.unpriced)
        rows.append((named_step(step), *(f"{n:,}" for n in counts), cost))
    if rows:
        terminal.table(("step", "calls", "failed", *tokens_and_cost(cached=cached)), rows)
    if n := total.replaced:
        characters = counted(n, "character")
        terminal.line(
            f"{characters} in replies that Neo4j can't store {was(n)} replaced by \ufffd."
        )
    if n := total.repaired:
        terminal.line(repaired(n))
    if n := total.estimated:
        calls = counted(n, "call")
        terminal.line(f"The endpoint did not report the tokens of {calls}; they are estimated.")


def _tell_extractive(settings: Settings) -> None:
    """Prints that no model was asked and, unless this was intended, how to have one asked."""
    if settings.lacks_endpoint:
        terminal.line(
            (f"KG_MODEL is {settings.model}, but it was not asked: no key is set.", "yellow")
        )
    extractive = (
        "This index is extractive: it was made without a model, and all its sentences are quoted "
        "from the documents."
    )
    if settings.model == EXTRACTIVE:
        terminal.line(extractive)
        return
    terminal.line(
        f"{extractive} To have a model read the documents, set OPENAI_API_KEY (or, for your own "
        "endpoint, OPENAI_BASE_URL and KG_MODEL) in the environment or in .env, and run the same "
        "command again."
    )
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
        home = f" --home {shlex.quote(str(settings.home))}" if settings.home else ""
        terminal.line(
            f"Neo4j keeps running in the background ({memory(server.pid)}). "
            f"`kg-build neo4j stop{home}` stops it. Your data is kept, and the next command starts "
            "it again."
        )


def memory(pid: int) -> str:
    """Returns the resident memory of a process in words, in units of 10^9 bytes."""
    try:
        resident = psutil.Process(pid).memory_info().rss
    except psutil.Error:  # the process has just ended, or belongs to another user
        return "its memory use is unknown"
    return f"{resident / 1e9:.1f} GB of memory"
