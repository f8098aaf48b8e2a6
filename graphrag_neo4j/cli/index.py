"""`kg-build index` and `estimate`: documents become a knowledge graph."""

import asyncio
import dataclasses
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import anyio
import click

from graphrag_neo4j import embedded
from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal, words
from graphrag_neo4j.cli.output.progress import EventDisplay, listening
from graphrag_neo4j.cli.status import TOKENS_AND_COST, print_failures, print_unfinished
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.mode_change import origin_of
from graphrag_neo4j.index.preparation import check_building
from graphrag_neo4j.index.status import Again, IndexResult
from graphrag_neo4j.model.events import Notice, Waiting
from graphrag_neo4j.model.types import Step, Usage
from graphrag_neo4j.settings import EXTRACTIVE, Settings, load_settings
from graphrag_neo4j.settings.installing import refuse_without_index
from graphrag_neo4j.text.strings import counted, money

if TYPE_CHECKING:
    from graphrag_neo4j.client.async_client import AsyncGraphRAG
    from graphrag_neo4j.index.estimate import Estimate, StepEstimate

RUN_OPTIONS = ("prune", "again", "fresh", "with_model", "batch", "wait")
OWN = " Your own documents are read without one until you set a key."
NEXT = {
    'kg-build query "What are the main themes?"': "asks a question",
    "kg-build chat": "asks questions in a conversation",
    "kg-build map": "draws a map in a web page",
    "kg-build browse": "opens the graph in Neo4j Browser",
    "kg-build status": "shows what is in the graph",
}


@click.command()
@options.paths_argument
@options.read_options
@options.settings_options
@options.max_cost_option
@options.flag(
    "--prune",
    "Delete documents under PATHS from the graph if their file or row no longer exists. PATHS may "
    "themselves be gone.",
)
@options.value(
    "--again",
    "PART",
    "Make PART again: documents reads files again that an earlier version of this program read in "
    "another way, extraction reads chunks again that were read with another model or other "
    "settings, vectors computes all embeddings, communities finds all communities. Repeat the "
    "option for several.",
    type=options.NearestChoice(get_args(Again)),
    multiple=True,
)
@options.flag(
    "--fresh",
    "Rebuild communities and reports, which otherwise may stay a little behind the documents.",
)
@options.flag(
    "--with-model",
    "Have the model read a graph that was made without one.",
)
@options.flag(
    "--batch",
    "Send the requests to the Batch API of the provider, at half the price. A batch takes up to 24 "
    "hours. The command ends when it is sent; the same command continues.",
)
@options.flag("--wait", "With --batch: wait until the batches are answered.")
@options.flag(
    "--watch",
    "Keep the graph up to date with the files, deleted ones included, until you press Ctrl-C.",
)
@options.setting("--max-cost-a-day", "DOLLARS", type=click.FloatRange(min=0))
@click.option(
    "--ray",
    is_flag=False,
    flag_value="",
    hidden=True,
    metavar="[ADDRESS]",
    help="Let the workers of a Ray cluster read the files and run the tasks. ADDRESS is host:port, "
    "auto for the cluster that runs on this machine, or local to start Ray here. Without it, "
    "RAY_ADDRESS counts, or else local. Give it after PATHS.",
)
@options.flag("--quiet", "Print only warnings and errors.")
@options.json_option
def index_command(
    paths: tuple[Path, ...],
    watch: bool,
    quiet: bool,
    as_json_: bool,
    **values: Any,  # noqa: ANN401 - settings, reading options and those of a run
) -> None:
    """Read the documents in PATHS into the graph.

    PATHS are files, folders, or patterns such as "papers/*.txt". Run the same command again to add
    new documents, to update changed documents, and to finish work that failed or was interrupted.
    Unchanged documents cost nothing.
    """
    reading = options.read_options_of(values)
    run = {name: values.pop(name) for name in RUN_OPTIONS}
    ray = values.pop("ray")
    if watch:
        given = {**run, "ray": ray is not None, "quiet": quiet, "json": as_json_}
        if names := [f"--{name.replace('_', '-')}" for name, one in given.items() if one]:
            raise click.UsageError(f"Give --watch without {' and '.join(names)}.")
        _watch(paths, reading, values)
        return
    if values.pop("max_cost_a_day") is not None:
        raise click.UsageError("Give --max-cost-a-day together with --watch.")
    if run["wait"] and not run["batch"]:
        raise click.UsageError("Give --wait together with --batch.")
    if ray is not None and run["batch"]:
        raise click.UsageError("Give --batch or --ray: batches need no workers.")
    if ray:  # it is empty where no address is given
        from graphrag_neo4j.extras.ray import check_ray_address  # noqa: PLC0415 - rare

        check_ray_address(ray)
    settings = options.settings_of(**values)
    check_building(settings)

    # Among 100,000 files this takes a few seconds.
    with listening(quiet=quiet or as_json_) as listen:
        listen(Waiting("Looking for files", 0))
        corpus = Corpus.of_paths(paths, reading, settings, may_be_gone=run["prune"])
        listen(Waiting("", 0))

    async def work(rag: "AsyncGraphRAG", listen: EventDisplay) -> IndexResult:
        unset = not settings.has_model and settings.model != EXTRACTIVE
        if unset and not (quiet or as_json_) and await origin_of(rag.graph) is None:
            await _tell_local_servers(listen)
        return await rag.index(corpus, options=reading, ray=ray, **run)

    built = options.ask_client(settings, work, quiet=quiet or as_json_)
    print_built(built, settings, quiet=quiet, as_json_=as_json_)


async def _tell_local_servers(listen: EventDisplay) -> None:
    """Tells how the model servers of this machine can read the documents."""
    # It takes a moment to import.
    from graphrag_neo4j.llm.local_servers import find_local_servers  # noqa: PLC0415

    for server in await find_local_servers():
        if server.chat_model:
            listen(Notice(server.advice))


@click.command()
@options.quiet_option
@options.json_option
def sample_command(quiet: bool, as_json_: bool) -> None:
    """Bring the graph of five podcast transcripts, as a language model has made it.

    No model is asked, and no key is needed: the transcripts were read beforehand. The graph must
    have no other documents, so give another --home than that of your own documents.
    """
    from graphrag_neo4j.extras.sample import bring_sample  # noqa: PLC0415 - slow to import

    refuse_without_index("The sample needs")

    settings = options.settings_of()

    async def work(rag: "AsyncGraphRAG", listen: EventDisplay) -> IndexResult:
        return await bring_sample(rag.graph, settings, listen)

    built = options.ask_client(settings, work, quiet=quiet or as_json_)
    if not (quiet or as_json_):
        own = "" if settings.has_model else OWN
        terminal.line(f"A language model has read this sample beforehand.{own}")
    print_built(built, settings, quiet=quiet, as_json_=as_json_)


def print_built(built: IndexResult, settings: Settings, *, quiet: bool, as_json_: bool) -> None:
    """Prints what a run did, what it could not do, and what to do next; sets the exit code."""
    if as_json_:
        result = {"complete": built.complete, **dataclasses.asdict(built)}
        terminal.json_text(options.as_json(result))
    else:
        _summarise(built, settings, quiet=quiet)
    if not built.complete:
        raise click.exceptions.Exit(1)


def _summarise(built: IndexResult, settings: Settings, *, quiet: bool) -> None:
    if not quiet:
        _tell_documents(built)
    if built.status and quiet:
        print_failures(built.status, error=True)
    elif built.status:
        counts = built.status.counts
        entities = counted(counts["entities"], "entity", "entities")
        relationships = counted(counts["relationships"], "relationship")
        communities = counted(counts["communities"], "community", "communities")
        terminal.line(f"The graph has {entities}, {relationships} and {communities}.")
        print_unfinished(built.status)
    flaws = words.unread(built.unreadable.items())
    twice = "it was given more than once; only the first was read"
    flaws += [f"{source}: {twice}" for source in built.ingested.repeated]
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
        if built.origin == "extractive":
            _tell_extractive(settings)
        if built.status and built.status.counts["communities"]:
            _tell_what_next(settings)


def _tell_documents(built: IndexResult) -> None:
    """Prints what became of the documents, the cost of each step, and what was odd."""
    done = built.ingested
    terminal.line(
        f"Documents: {done.added:,} new, {done.changed:,} changed, {done.unchanged:,} unchanged; "
        f"{counted(done.chunks, 'chunk')} written."
    )
    total = Usage.total(built.usage.values())
    if n := done.replaced + total.replaced:
        characters = counted(n, "character")
        terminal.line(f"{characters} that Neo4j can't store {words.was(n)} replaced by \ufffd.")
    if n := done.cut_otherwise:
        changed = f"{counted(n, 'document')} {words.was(n)} split into chunks with other settings."
        terminal.line(f"{changed} Add --again extraction to split and read again.")
    order = (*get_args(Step), "embedding")
    rows, usage = [], dict(sorted(built.usage.items(), key=lambda one: order.index(one[0])))
    for step, it in [*usage.items(), *([("total", total)] if len(usage) > 1 else [])]:
        tokens = (it.input_tokens, it.cached_tokens, it.output_tokens)
        counts = (f"{n:,}" for n in (it.calls, it.failed, *tokens))
        rows.append((words.named_step(step), *counts, words.money_known(it.cost, it.unpriced)))
    if rows:
        terminal.table(("step", "calls", "failed", *TOKENS_AND_COST), rows)
    if n := total.repaired:
        terminal.line(words.repaired(n))
    if n := total.estimated:
        calls = counted(n, "call")
        terminal.line(f"The endpoint did not report the tokens of {calls}; they are estimated.")


def _tell_extractive(settings: Settings) -> None:
    """Prints that no model was asked and, unless this was intended, how to have one asked."""
    if settings.lacks_endpoint:
        unasked = f"KG_MODEL is {settings.model}, but it was not asked: no key is set."
        terminal.line(unasked, style="yellow")
    terminal.line(
        "This index is extractive: it was made without a model, and quotes the documents."
    )
    if settings.has_model:
        terminal.line(f"Questions are answered by {settings.model_for('answer')}.")
    elif settings.model != EXTRACTIVE:
        terminal.line(
            "To have a model answer questions from it, set OPENAI_API_KEY (or, for your own "
            "endpoint, OPENAI_BASE_URL and KG_MODEL) in the environment or in .env. To have the "
            "model read the documents as well, then run the same command again with --with-model. "
            "`kg-build doctor` names the model servers that run on this machine."
        )


def _tell_what_next(settings: Settings) -> None:
    """Prints the commands to try next, and that the embedded server keeps running."""
    terminal.line()
    terminal.line("What you can do now:")
    for command, what in NEXT.items():
        terminal.line(f"  {command:<43} {what}")
    if not settings.neo4j_uri and embedded.running(settings):
        home = f"--home {shlex.quote(str(settings.home))} " if settings.home else ""
        terminal.line(
            f"Neo4j keeps running in the background. `kg-build {home}neo4j stop` stops it. Your "
            "data is kept, and the next command starts it again."
        )


def _watch(paths: Sequence[Path], reading: ReadOptions, settings: dict[str, Any]) -> None:
    """Indexes what is new, and again whenever a file changes, until Ctrl-C."""
    # The driver of Neo4j comes with these.
    from graphrag_neo4j.client.async_client import metered_client  # noqa: PLC0415
    from graphrag_neo4j.index.watch import DayMeter  # noqa: PLC0415
    from graphrag_neo4j.index.watch import watch as watch_paths  # noqa: PLC0415

    now = options.settings_of(**settings)
    check_building(now)

    def ceiling() -> float | None:
        """The limit of a day, which may have been raised in `.env` in the meantime."""
        return load_settings(**settings).max_cost_a_day

    async def work() -> None:
        flaws: set[tuple[str, str]] = set()  # a problem with a file is printed when it is new
        with _until_sigterm(), listening(quiet=False, fleeting=True) as listen:
            day = DayMeter(ceiling)
            results = watch_paths(paths, now, reading, listen, metered_client, day=day)
            terminal.line(f"Watching {', '.join(map(str, paths))}. Press Ctrl-C to stop.")
            async with aclosing(results):
                async for built in results:
                    listen.rest()
                    time = f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}"
                    terminal.line(f"{time}  {_sentence(built)}")
                    for flaw in words.unread(sorted(set(built.unreadable.items()) - flaws)):
                        terminal.line(f"{flaw}.", style="red", error=True)
                    flaws = set(built.unreadable.items())
                    if not terminal.errors_are_shown():
                        listen.hush()  # a log has a line for each build; only the first takes long

    with suppress(KeyboardInterrupt):  # the way to end it
        anyio.run(work)
    terminal.line("Stopped. The work done so far is saved. The same command continues it.")


@contextmanager
def _until_sigterm() -> Iterator[None]:
    """Cancels the work inside at SIGTERM, also where a shell in the background ignores Ctrl-C."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    with anyio.CancelScope() as scope:
        loop.add_signal_handler(signal.SIGTERM, scope.cancel)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGTERM)


def _sentence(built: IndexResult) -> str:
    """What a build did, what it cost and how long it took, in one line."""
    done = built.ingested
    counts = {
        "new": done.added,
        "changed": done.changed,
        "deleted": len(built.dropped),
        "unchanged": done.unchanged,
    }
    first, *others = [(name, n) for name, n in counts.items() if n] or [("unchanged", 0)]
    documents = f"{counted(first[1], 'document')} {first[0]}"
    parts = [", ".join([documents, *(f"{n:,} {name}" for name, n in others)])]
    if any(used.calls for used in built.usage.values()):
        parts.append(words.total_usage(built.usage))
    line = f"{'; '.join([*parts, words.seconds(built.seconds)])}."
    if built.stopped:
        line += f" {built.stopped} The rest is done in a later build."
    elif built.status and (failed := len(built.status.failures)):
        items = counted(failed, "item")
        line += f" {items} failed and will be tried again; `kg-build status` gives the reasons."
    return line


@click.command()
@options.paths_argument
@options.read_options
@options.settings_options
@options.json_option
def estimate_command(paths: tuple[Path, ...], as_json_: bool, **values: Any) -> None:  # noqa: ANN401 - settings and reading options
    """Estimate the calls, tokens and cost of indexing PATHS.

    The estimate is for an empty graph, so it also counts documents that are already indexed. The
    command calls no model and needs no Neo4j.
    """
    from graphrag_neo4j.index.estimate import estimate  # noqa: PLC0415 - slow to import

    reading = options.read_options_of(values)
    settings = options.settings_of(**values)
    corpus = Corpus.of_paths(paths, reading, settings)
    with listening(quiet=as_json_) as listen:
        found = anyio.run(estimate, corpus, settings, listen)
    if as_json_:
        terminal.json_text(options.as_json(found))
    else:
        documents, chunks = found.documents, counted(found.chunks, "chunk")
        text = f"{counted(found.text_tokens, 'token')} of text"
        terminal.line(f"{counted(documents, 'document')}, {chunks}, {text}.")
        if found.origin == "extractive":
            terminal.line("The index would be extractive: it needs no model and costs nothing.")
        else:
            _print_steps(found, settings)
        for flaw in words.unread(found.unreadable.items()):
            terminal.line(f"{flaw}.", style="red")
    if found.unreadable:
        raise click.exceptions.Exit(1)


def _print_steps(found: "Estimate", settings: Settings) -> None:
    steps = found.steps
    shown = [
        [*(words.named_step(one.step) for one in steps), "total"],
        *([f"{n:,}" for n in [*column, sum(column)]] for column in _counts(steps)),
        *(
            [money(n) for n in [*column, words.summed(column)]]
            for column in ([one.cost for one in steps], [one.batch_cost for one in steps])
        ),
    ]
    head = ("step", "calls", "tokens in", "tokens out", "cost", "with --batch")
    terminal.table(head, list(zip(*shown, strict=True)))
    least, most = (map(sum, _counts(end)) for end in (found.least, found.most))
    counts = [f"{_roughly(a)} to {_roughly(b)}" for a, b in zip(least, most, strict=True)]
    low, high, other = (
        words.summed([one.cost for one in end]) for end in (found.least, found.most, found.instead)
    )
    model = settings.model_for("extraction")
    priced = f", for {money(low)} to {money(high)} at the prices of {model}" if low else ""
    terminal.line(
        "These are middle values, because names, communities and the lengths of replies differ "
        f"with the text and the model. Expect {counts[0]} calls, with {counts[1]} tokens in and "
        f"{counts[2]} out{priced}."
    )
    if found.instead != steps:
        way = "paper" if settings.extraction == "lean" else "lean"
        calls, sent, replied = map(sum, _counts(found.instead))
        terminal.line(
            f"With KG_EXTRACTION={way} it would be about {_roughly(calls)} calls, with "
            f"{_roughly(sent)} tokens in and {_roughly(replied)} out"
            f"{f', for {money(other)}' if other is not None else ''}."
        )
    terminal.line(
        "The costs assume an empty graph: you don't pay again for what is already indexed or, with "
        "`index --batch`, for what waits in a batch. `kg-build index … --max-cost 5` stops at $5."
    )
    if not settings.claims:
        terminal.line("This is without claims; --claims adds them.")


def _roughly(n: int) -> str:
    """A number of which only the first two digits are known."""
    return f"{round(n, 2 - len(str(n))):,}"


def _counts(steps: "Sequence[StepEstimate]") -> list[list[int]]:
    """The calls, the tokens in and the tokens out of all steps."""
    return [
        [one.calls for one in steps],
        [one.input_tokens for one in steps],
        [one.output_tokens for one in steps],
    ]
