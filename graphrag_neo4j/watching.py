"""Watches paths: what appears in them, changes or goes is indexed.

Each round compares a snapshot of the files with that of the last build. A report of the operating
system only starts the next round earlier. So nothing is missed that changes during a build, or
while nothing is reported.
"""

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from math import inf
from pathlib import Path

import anyio
import anyio.to_thread

from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import GraphBusyError, GraphRAGError
from graphrag_neo4j.events import Event, Listener, Notice
from graphrag_neo4j.graph.rows import CostRow
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.result import IndexResult
from graphrag_neo4j.loaders import ReadOptions, find
from graphrag_neo4j.loaders.file_changes import ChangeWaiter, Snapshot, Stamp, take_snapshot
from graphrag_neo4j.settings import Settings

__all__ = ["USUAL_PACE", "Pace", "watch"]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a watch waits, in seconds.

    A file is read when it has not changed for `rest`. Files that change all the time hold up the
    others for at most `hold_up`. The files are looked at every `look`, also where no change is
    reported. After an error, and while another run writes, the next try comes after `retry`; this
    time doubles with each further error, up to `longest_retry`. Items that failed are tried again
    after `failed_items`, which doubles, too, up to a day. `ceiling` is the time between two looks
    at the cost of today, once it is too high.
    """

    rest: float = 2.0
    hold_up: float = 60.0
    look: float = 30.0
    retry: float = 10.0
    longest_retry: float = 600.0
    failed_items: float = 60.0
    ceiling: float = 60.0


USUAL_PACE = Pace()
DAY_SECONDS = 86_400.0


async def watch(
    paths: Sequence[Path],
    settings: Settings,
    options: ReadOptions,
    listen: Listener,
    *,
    ceiling: Callable[[], float | None] | None = None,
    pace: Pace = USUAL_PACE,
) -> AsyncGenerator[IndexResult, None]:
    """Indexes the paths, and again whenever files in them have changed; gives each result.

    `ceiling` returns the largest cost of a day in US dollars; by default it is that of the
    settings. An error of the first build is raised; after a later one the build is tried again.
    Raises InputError if a path does not exist.
    """
    find(paths, follow_links=options.follow_links)
    watching = _Watching(paths, settings, options, listen, ceiling=ceiling, pace=pace)
    try:
        while True:
            yield await watching.next_build()
    finally:
        await watching.waiter.aclose()


@dataclass(slots=True)
class _Batch:
    """The files at rest, and those that are left out because they keep changing."""

    settled: Snapshot
    restless: set[Path]


@dataclass(slots=True)
class _Tries:
    """When to try again: the time doubles with each try that fails."""

    first: float
    longest: float
    failed: int = 0

    def next_pause(self) -> float:
        """The seconds until the next try, after one that failed."""
        pause = min(self.first * 2.0**self.failed, self.longest)
        self.failed += 1
        return pause


@dataclass(slots=True)
class _Told:
    """What was said, so that it is not said again."""

    bare: dict[Path, str] = field(default_factory=dict)
    restless: set[Path] = field(default_factory=set)
    busy: bool = False
    settings: bool = False
    ceiling: tuple[date, float] | None = None


class _Watching:
    """A watch: what was built, and when the next build may start."""

    def __init__(
        self,
        paths: Sequence[Path],
        settings: Settings,
        options: ReadOptions,
        listen: Listener,
        *,
        ceiling: Callable[[], float | None] | None,
        pace: Pace,
    ) -> None:
        self.paths, self.settings, self.options = paths, settings, options
        self.ceiling = ceiling or (lambda: settings.max_cost_a_day)
        self.pace = pace
        self.told = _Told()
        self.env_notice = settings.named_by_env_file()
        self.listen = listen
        self.waiter = ChangeWaiter(paths, listen)
        self.built: dict[Path, dict[Path, Stamp]] = {}
        self.succeeded = False
        self.errors = _Tries(pace.retry, pace.longest_retry)
        self.unfinished = _Tries(pace.failed_items, DAY_SECONDS)
        self.blocked_until = 0.0  # no build starts before
        self.again_at = inf  # then a build starts, also if no file has changed

    async def next_build(self) -> IndexResult:
        """Waits for a change, and returns the result of the build that it causes."""
        while True:
            now = time.monotonic()
            if now >= self.blocked_until and (batch := await self._batch()):
                if result := await self._try(batch):
                    return result
                continue
            left = max(self.blocked_until, self.again_at) - now
            await self.waiter.wait(min(self.pace.look, left) if left > 0 else self.pace.look)

    async def _batch(self) -> _Batch | None:
        """The files to build from, when they are at rest. None if there is nothing to do."""
        start = time.monotonic()
        before = await self._look()
        while self._is_due(before, set()) or before.bare.keys() - self.told.bare.keys():
            await anyio.sleep(self.pace.rest)
            after = await self._look()
            restless = before.differing(after)
            if not restless:
                self.told.restless.clear()
                break
            if time.monotonic() - start > self.pace.hold_up:
                self._tell_restless(restless)
                return _Batch(after, restless) if self._is_due(after, restless) else None
            before = after
        self._tell_bare(before)
        return _Batch(before, set()) if self._is_due(before, set()) else None

    async def _look(self) -> Snapshot:
        return await anyio.to_thread.run_sync(
            lambda: take_snapshot(self.paths, follow_links=self.options.follow_links)
        )

    def _is_due(self, snapshot: Snapshot, restless: set[Path]) -> bool:
        """Whether files of the snapshot differ from those of the last build, or work is left."""
        if snapshot.files and time.monotonic() >= self.again_at:
            return True
        return any(
            _without(files, restless) != _without(self.built.get(path, {}), restless)
            for path, files in snapshot.files.items()
        )

    async def _try(self, batch: _Batch) -> IndexResult | None:
        """Builds, and returns the result. None if the build has to wait."""
        try:
            result = await self._build(batch)
        except GraphBusyError as error:
            if not self.told.busy:
                self._tell(f"{error} The build here waits until then.")
            self.told.busy = True
            self._block(self.pace.retry)
            return None
        except GraphRAGError as error:
            if not self.succeeded:
                raise
            pause = self.errors.next_pause()
            self._tell(f"{error} The next try is in {pause:.0f} s.")
            self._block(pause)
            return None
        if result:
            self._note_built(batch, result)
        return result

    async def _build(self, batch: _Batch) -> IndexResult | None:
        """Indexes the files, unless the builds of today have cost too much."""
        settings = self.settings
        ceiling = self.ceiling()
        if ceiling is not None:
            left = ceiling - await self._cost_today()
            if left <= 0:
                self._tell_ceiling(ceiling)
                self._block(self.pace.ceiling)
                return None
            most = left if settings.max_cost is None else min(left, settings.max_cost)
            settings = settings.changed(max_cost=most)
        corpus = Corpus.of_paths(
            list(batch.settled.files),
            self.options,
            settings.max_file_mb,
            leave_out=batch.restless,
        )
        async with AsyncGraphRAG(settings, self._forward) as rag:
            return await rag.index(corpus, options=self.options, prune=True)

    async def _cost_today(self) -> float:
        async with AsyncGraphRAG(self.settings, self._forward) as rag:
            [row] = await rag.graph.read("build/cost_today", CostRow)
            return row["cost"]

    def _block(self, seconds: float) -> None:
        self.blocked_until = self.again_at = time.monotonic() + seconds

    def _note_built(self, batch: _Batch, result: IndexResult) -> None:
        for path, files in batch.settled.files.items():
            old = self.built.get(path, {})
            kept = {file: old[file] for file in batch.restless if file in old}
            self.built[path] = _without(files, batch.restless) | kept
        self.succeeded, self.told.busy = True, False
        self.errors.failed, self.blocked_until = 0, 0.0
        self.again_at = time.monotonic() + self._pause_after(result)

    def _pause_after(self, result: IndexResult) -> float:
        """The seconds until what the build has left is tried again, where no file changes."""
        if result.stopped:
            return 0.0 if self.ceiling() is not None else inf
        if result.status and result.status.failures:
            return self.unfinished.next_pause()
        self.unfinished.failed = 0
        return inf

    def _tell(self, text: str) -> None:
        self.listen(Notice(text, warning=True))

    def _tell_ceiling(self, ceiling: float) -> None:
        today = datetime.now(UTC).date()
        if self.told.ceiling != (today, ceiling):
            self._tell(
                f"The builds of today have reached the limit of {ceiling:.2f} US dollars "
                "(KG_MAX_COST_A_DAY). The next build starts after midnight UTC, or when the limit "
                "is raised."
            )
        self.told.ceiling = (today, ceiling)

    def _tell_bare(self, snapshot: Snapshot) -> None:
        """Says of each path without files that nothing is deleted because of that."""
        for path, sentence in snapshot.bare.items():
            if self.told.bare.get(path) != sentence:
                self._tell(
                    f"{sentence} If documents of it are in the graph, they stay there. If you have "
                    f"deleted the files on purpose, `kg-build index {path} --prune` or `kg-build "
                    "delete` removes the documents."
                )
        self.told.bare = dict(snapshot.bare)

    def _tell_restless(self, restless: set[Path]) -> None:
        for file in sorted(restless - self.told.restless):
            self._tell(f"{file} keeps changing. It is left out until it is at rest.")
        self.told.restless |= restless

    def _forward(self, event: Event) -> None:
        """Passes an event on. Of the notices about the settings, only the first is passed on."""
        if isinstance(event, Notice) and event.text == self.env_notice:
            if self.told.settings:
                return
            self.told.settings = True
        self.listen(event)


def _without(files: Mapping[Path, Stamp], others: set[Path]) -> dict[Path, Stamp]:
    return {file: stamp for file, stamp in files.items() if file not in others}
