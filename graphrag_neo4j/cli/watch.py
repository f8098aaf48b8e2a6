"""`kg-build watch` keeps the graph up to date with files and folders."""

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import counted, seconds, total_usage, unread
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.index.preparation import check_building
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.index.watch import watch as watch_paths
from graphrag_neo4j.settings import load_settings

__all__ = ["watch"]


@click.command()
@options.paths_argument
@options.home_option
@options.read_options
@options.settings_options
@options.value(
    "--max-cost-a-day",
    "DOLLARS",
    "Start no more builds on a day (UTC) on which the builds of the graph have cost this many "
    "US dollars. The default is the setting KG_MAX_COST_A_DAY.",
    type=options.Number(least=0, whole=False),
)
def watch(paths: tuple[Path, ...], **values: Any) -> None:  # noqa: ANN401 - settings and options
    """Keep the graph up to date with PATHS, until you press Ctrl-C.

    First everything in PATHS is indexed that is new or has changed. From then on, each change of a
    file causes a build. Changes that come during a build are collected for the next one. A
    document is deleted from the graph when its file or its row is gone. But if a folder itself is
    gone or holds no file any more, nothing is deleted, because its disk may only be detached.
    """
    reading = options.reading_of(values)
    settings = options.settings_of(**values)
    check_building(settings)

    def ceiling() -> float | None:
        """The limit of a day, which may have been raised in `.env` in the meantime."""
        return load_settings(**values).max_cost_a_day

    async def work() -> None:
        flaws: set[tuple[str, str]] = set()  # a problem with a file is printed when it is new
        with _until_sigterm(), listening(quiet=False, fleeting=True) as listen:
            results = watch_paths(paths, settings, reading, listen, AsyncGraphRAG, ceiling=ceiling)
            terminal.line(f"Watching {', '.join(map(str, paths))}. Press Ctrl-C to stop.")
            async with aclosing(results):
                async for built in results:
                    listen.rest()
                    now = f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}"
                    terminal.line(f"{now}  {_sentence(built)}")
                    for flaw in unread(sorted(set(built.unreadable.items()) - flaws)):
                        terminal.line(f"{flaw}.", style="red", error=True)
                    flaws = set(built.unreadable.items())
                    if not terminal.errors_are_shown():
                        listen.hush()  # a log has a line for each build; only the first takes long

    with suppress(KeyboardInterrupt):  # the way to end it
        options.run(work)
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
        parts.append(total_usage(built.usage))
    line = f"{'; '.join([*parts, seconds(built.seconds)])}."
    if built.stopped:
        line += f" {built.stopped} The rest is done in a later build."
    elif built.status and (failed := len(built.status.failures)):
        items = counted(failed, "item")
        line += f" {items} failed and will be tried again; `kg-build status` gives the reasons."
    return line
