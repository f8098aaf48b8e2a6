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

from graphrag_neo4j.cli.options import (
    Number,
    home_option,
    paths_argument,
    read_options,
    reading_of,
    run,
    settings_of,
    settings_options,
)
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import QuietableDisplay, listening, money_known
from graphrag_neo4j.cli.output.words import counted, seconds, unread
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.indexing.preparation import check_building
from graphrag_neo4j.indexing.result import IndexResult
from graphrag_neo4j.indexing.watch import watch as watch_paths
from graphrag_neo4j.model import Usage
from graphrag_neo4j.settings import load_settings

__all__ = ["watch"]

STOPPED = "Stopped. The work done so far is saved. The same command continues it."


@click.command()
@paths_argument
@home_option
@read_options
@settings_options
@click.option(
    "--max-cost-a-day",
    type=Number(least=0, whole=False),
    metavar="DOLLARS",
    help=(
        "Start no more builds on a day (UTC) on which the builds of the graph have cost this many "
        "US dollars. The default is the setting KG_MAX_COST_A_DAY."
    ),
)
def watch(paths: tuple[Path, ...], **values: Any) -> None:  # noqa: ANN401 - settings and options
    """Keep the graph up to date with PATHS, until you press Ctrl-C.

    First everything in PATHS is indexed that is new or has changed. From then on, each change of a
    file causes a build. Changes that come during a build are collected for the next one. A
    document is deleted from the graph when its file or its row is gone. But if a folder itself is
    gone or holds no file any more, nothing is deleted, because its disk may only be detached.
    """
    options = reading_of(values)
    settings = settings_of(**values)
    check_building(settings)

    def ceiling() -> float | None:
        """The limit of a day, which may have been raised in `.env` in the meantime."""
        return load_settings(**values).max_cost_a_day

    async def work() -> None:
        told = _Told()
        with _until_sigterm(), listening(quiet=False, fleeting=True) as shown:
            listen = QuietableDisplay(shown)
            results = watch_paths(paths, settings, options, listen, AsyncGraphRAG, ceiling=ceiling)
            terminal.line(f"Watching {', '.join(map(str, paths))}. Press Ctrl-C to stop.")
            async with aclosing(results):
                async for result in results:
                    shown.rest()
                    told.tell(result)
                    if not terminal.errors_are_shown():
                        listen.hush()  # a log has a line for each build; only the first takes long

    with suppress(KeyboardInterrupt):  # the way to end it
        run(work)
    terminal.line(STOPPED)


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


class _Told:
    """Prints a line for each build. A problem with a file is printed when it is new."""

    def __init__(self) -> None:
        self.flaws: set[tuple[str, str]] = set()

    def tell(self, built: IndexResult) -> None:
        """Prints what a build did."""
        now = f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}"
        terminal.line(f"{now}  {_sentence(built)}")
        flaws = set(built.unreadable.items())
        for flaw in unread(sorted(flaws - self.flaws)):
            terminal.line(f"{flaw}.", style="red", error=True)
        self.flaws = flaws


def _sentence(built: IndexResult) -> str:
    """What a build did, what it cost and how long it took, in one line."""
    parts = [", ".join(_documents(built))]
    used = Usage.total(built.usage.values())
    if used.calls:
        parts.append(f"{counted(used.calls, 'call')}, {money_known(used.cost, used.unpriced)}")
    parts.append(seconds(built.seconds))
    line = f"{'; '.join(parts)}."
    if built.stopped:
        line += f" {built.stopped} The rest is done in a later build."
    elif built.status and (failed := len(built.status.failures)):
        items = counted(failed, "item")
        line += f" {items} failed and will be tried again; `kg-build status` gives the reasons."
    return line


def _documents(built: IndexResult) -> list[str]:
    done = built.ingested
    counts = {
        "new": done.added,
        "changed": done.changed,
        "deleted": len(built.dropped),
        "unchanged": done.unchanged,
    }
    first, *others = [(name, n) for name, n in counts.items() if n] or [("unchanged", 0)]
    return [f"{counted(first[1], 'document')} {first[0]}", *(f"{n:,} {name}" for name, n in others)]
