"""Decides when a watch builds, and from which files.

Each round compares a snapshot of the files with that of the last build. A report of the operating
system only starts the next round earlier. So nothing is missed that changes during a build, or
while nothing is reported.
"""

import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

import anyio
import anyio.to_thread

from graphrag_neo4j.errors import GraphBusyError, GraphRAGError
from graphrag_neo4j.events import Listener, Notice
from graphrag_neo4j.indexing.result import IndexResult
from graphrag_neo4j.loaders import ChangeWaiter, Snapshot, Stamp, take_snapshot

__all__ = ["USUAL_PACE", "Build", "Pace", "Watch"]

Build = Callable[[Sequence[Path], Collection[Path]], Awaitable[IndexResult | None]]
"""Indexes paths without some of their files. None if the limit of the day's cost is reached."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a watch waits, in seconds.

    A file is read when it has not changed for `rest`. Files that change all the time hold up the
    others for at most `hold_up`. The files are looked at every `look`, also where no change is
    reported. After an error, and while another run writes, the next try comes after `retry`; this
    time doubles with each further error, up to `longest_retry`. Items that failed are tried again
    after `failed_items`, which doubles, too, up to a day. Where the builds of the day have cost too
    much, the next try comes after `ceiling`.
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


@dataclass(slots=True)
class _Tries:
    """The pauses between tries: each is twice as long as the one before."""

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
    """What was said already, so that it is not said again."""

    bare: dict[Path, str] = field(default_factory=dict)
    restless: set[Path] = field(default_factory=set)
    busy: bool = False


@dataclass(frozen=True, slots=True)
class _Batch:
    """The files to build from; those that keep changing are left out."""

    snapshot: Snapshot
    restless: frozenset[Path] = frozenset()


class Watch:
    """Waits for changes of files and builds from them.

    Nothing is built from a path that is gone or holds no file, so nothing is deleted because of
    that: its disk may only be detached. With `resumes`, a build that a cost limit stopped is
    continued although no file has changed.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        build: Build,
        listen: Listener,
        *,
        follow_links: bool = False,
        resumes: bool = False,
        pace: Pace = USUAL_PACE,
    ) -> None:
        self._paths, self._build, self._listen = paths, build, listen
        self._follow_links, self._resumes, self._pace = follow_links, resumes, pace
        self._waiter = ChangeWaiter(paths, listen)
        self._told = _Told()
        self._built: dict[Path, dict[Path, Stamp]] = {}
        self._succeeded = False
        self._errors = _Tries(pace.retry, pace.longest_retry)
        self._failed_items = _Tries(pace.failed_items, DAY_SECONDS)
        self._blocked_until = 0.0  # no build starts before
        self._again_at = inf  # then a build starts, also if no file has changed

    async def next_build(self) -> IndexResult:
        """Waits for a change, and returns the result of the build that it causes.

        Raises the error of the first build. After a later error the build is tried again.
        """
        while True:
            now = time.monotonic()
            if now >= self._blocked_until and (batch := await self._batch()):
                if result := await self._try(batch):
                    return result
                continue
            left = max(self._blocked_until, self._again_at) - now
            await self._waiter.wait(min(self._pace.look, left) if left > 0 else self._pace.look)

    async def aclose(self) -> None:
        """Ends the reports of the operating system."""
        await self._waiter.aclose()

    async def _batch(self) -> _Batch | None:
        """The files to build from, once they are at rest. None if there is nothing to do."""
        start = time.monotonic()
        before = await self._look()
        while self._is_due(before) or before.bare.keys() - self._told.bare.keys():
            await anyio.sleep(self._pace.rest)
            after = await self._look()
            restless = before.differing(after)
            before = after
            if not restless:
                self._told.restless.clear()
                break
            if time.monotonic() - start > self._pace.hold_up:
                self._tell_restless(restless)
                return _Batch(after, frozenset(restless)) if self._is_due(after, restless) else None
        self._tell_bare(before)
        return _Batch(before) if self._is_due(before) else None

    async def _look(self) -> Snapshot:
        return await anyio.to_thread.run_sync(
            lambda: take_snapshot(self._paths, follow_links=self._follow_links)
        )

    def _is_due(self, snapshot: Snapshot, restless: Collection[Path] = ()) -> bool:
        """Whether files of the snapshot differ from those of the last build, or work is left."""
        if snapshot.files and time.monotonic() >= self._again_at:
            return True
        return any(
            _without(files, restless) != _without(self._built.get(path, {}), restless)
            for path, files in snapshot.files.items()
        )

    async def _try(self, batch: _Batch) -> IndexResult | None:
        """Builds, and returns the result. None if the build is to be tried again."""
        try:
            result = await self._build(list(batch.snapshot.files), batch.restless)
        except GraphBusyError as error:
            self._tell_busy(error)
            self._block(self._pace.retry)
            return None
        except GraphRAGError as error:
            if not self._succeeded:
                raise
            pause = self._errors.next_pause()
            self._tell(f"{error} The next try is in {pause:.0f} s.")
            self._block(pause)
            return None
        if result:
            self._note_built(batch, result)
        else:
            self._block(self._pace.ceiling)
        return result

    def _block(self, seconds: float) -> None:
        self._blocked_until = self._again_at = time.monotonic() + seconds

    def _note_built(self, batch: _Batch, result: IndexResult) -> None:
        for path, files in batch.snapshot.files.items():
            old = self._built.get(path, {})
            kept = {file: old[file] for file in batch.restless if file in old}
            self._built[path] = _without(files, batch.restless) | kept
        self._succeeded, self._told.busy = True, False
        self._errors.failed, self._blocked_until = 0, 0.0
        self._again_at = time.monotonic() + self._pause_after(result)

    def _pause_after(self, result: IndexResult) -> float:
        """The seconds until what the build has left is tried again, where no file changes."""
        if result.stopped:
            return 0.0 if self._resumes else inf
        if result.status and result.status.failures:
            return self._failed_items.next_pause()
        self._failed_items.failed = 0
        return inf

    def _tell(self, text: str) -> None:
        self._listen(Notice(text, warning=True))

    def _tell_busy(self, error: GraphBusyError) -> None:
        if not self._told.busy:
            self._tell(f"{error} The build here waits until then.")
        self._told.busy = True

    def _tell_bare(self, snapshot: Snapshot) -> None:
        """Says of each path without files that nothing is deleted because of that."""
        for path, sentence in snapshot.bare.items():
            if self._told.bare.get(path) != sentence:
                self._tell(
                    f"{sentence} If documents of it are in the graph, they stay there. If you have "
                    f"deleted the files on purpose, `kg-build index {path} --prune` or `kg-build "
                    "delete` removes the documents."
                )
        self._told.bare = dict(snapshot.bare)

    def _tell_restless(self, restless: Collection[Path]) -> None:
        for file in sorted(set(restless) - self._told.restless):
            self._tell(f"{file} keeps changing. It is left out until it is at rest.")
        self._told.restless |= set(restless)


def _without(files: Mapping[Path, Stamp], others: Collection[Path]) -> dict[Path, Stamp]:
    return {file: stamp for file, stamp in files.items() if file not in others}
