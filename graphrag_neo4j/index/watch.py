"""Watches paths: what appears in them, changes or goes is indexed, up to a cost a day.

Each round compares a snapshot of the files with that of the last build. A report of the operating
system only starts the next round earlier. So nothing is missed that changes during a build, or
while nothing is reported.
"""

import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from math import inf
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread

from graphrag_neo4j.documents import (
    ChangeWaiter,
    ReadOptions,
    Snapshot,
    Stamp,
    find_files,
    take_snapshot,
)
from graphrag_neo4j.errors import BudgetSpentError, GraphBusyError, GraphRAGError
from graphrag_neo4j.files import make_private_folder, remove_unfinished
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import CostRow
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.removal import LOST
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.llm.endpoint.cost import Meter
from graphrag_neo4j.model.events import Event, Listener, Notice
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.installing import refuse_without_index
from graphrag_neo4j.text.strings import money

Build = Callable[[Sequence[Path], Collection[Path]], Awaitable[IndexResult]]
"""Indexes paths without some of their files."""
DAY_SECONDS = 86_400.0


class RunStoppedError(GraphRAGError):
    """A person stopped the run. The next change of files goes on with it."""


class Client(Protocol):
    """What a watch needs of a client."""

    @property
    def graph(self) -> Graph: ...

    async def index(self, what: Corpus, *, options: ReadOptions, prune: bool) -> IndexResult: ...


class DayMeter(Meter):
    """What the builds of a graph and the questions of this process cost today (UTC).

    `most` returns the limit in US dollars, None for none, and `date` is the day. The clients of
    this process count here. What other processes have built is read from the graph.
    """

    def __init__(self, most: Callable[[], float | None]) -> None:
        super().__init__(limit=most(), name=uuid.uuid4().hex)
        self._most, self._elsewhere, self.date = most, 0.0, datetime.now(UTC).date()

    async def look(self, graph: Graph) -> None:
        """Reads the limit, and what other processes have built today; a new day begins at 0.

        Raises BudgetSpentError if the limit is reached.
        """
        if (today := datetime.now(UTC).date()) != self.date:
            self.date, self.spent, self._elsewhere = today, 0.0, 0.0
        self.limit = self._most()
        if self.limit is not None:
            [other] = await graph.read("build/cost_today", CostRow, meter=self.name)
            self.spent += other["cost"] - self._elsewhere
            self._elsewhere = other["cost"]
            self.check()

    def refusal(self, most: float) -> str:
        """The sentence by which a call is refused that may cost so much."""
        return (
            f"The limit of {money(self.limit)} a day (KG_MAX_COST_A_DAY) is reached"
            f"{self.reason(most)}: go on tomorrow, or raise it."
        )


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a watch waits, in seconds.

    A file is read when it has not changed for `rest`. Files that change all the time hold up the
    others for at most `hold_up`. The files are looked at every `look`, also where no change is
    reported. After an error, and while another run writes, the next try comes after `retry`; this
    time doubles with each further error, up to `longest_retry`. Items that failed are tried again
    after `failed_items`, which also doubles, up to a day. Where the builds of the day have cost too
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


async def watch(
    paths: Sequence[Path],
    settings: Settings,
    options: ReadOptions,
    listen: Listener,
    connect: Callable[[DayMeter, Settings, Listener], AbstractAsyncContextManager[Client]],
    *,
    day: DayMeter,
    uploads: Uploads | None = None,
    around: Callable[[], AbstractContextManager[None]] = nullcontext,
    pace: Pace = USUAL_PACE,
) -> AsyncGenerator[IndexResult, None]:
    """Indexes the paths, and again whenever files in them have changed; gives each result.

    `connect` makes a client whose calls count in `day` and keep to its limit. Each build has its
    own, so a lost database may return, and an embedded server that has ended is started again. With
    `uploads`, their folder is also watched. `around` is entered for each build. An error of the
    first build is raised unless there are `uploads`; after a later one the build is tried again.
    Raises InputError if a path does not exist.
    """
    refuse_without_index()  # otherwise each build would fail, and a server would try again
    find_files(paths, follow_links=options.follow_links)
    if uploads:
        make_private_folder(uploads.folder)
        remove_unfinished(uploads.folder)
        paths = [*paths, uploads.folder]
    env_notice, told = settings.named_by_env_file(), set[object]()

    def listen_once(event: Event) -> None:
        """Passes an event on, but notices about the settings and lost files only once."""
        if isinstance(event, Notice) and (event.text == env_notice or event.text.startswith(LOST)):
            if event.text in told:
                return
            told.add(event.text)
        listen(event)

    # The reason why a build could pay no call, with the day and what was left of its limit.
    stopped: tuple[str, date, float] | None = None

    async def build(paths: Sequence[Path], leave_out: Collection[Path]) -> IndexResult:
        nonlocal stopped
        with around():
            corpus = Corpus.of_paths(paths, options, settings, leave_out=leave_out)
            async with connect(day, settings, listen_once) as client:
                if uploads:  # whatever the day has cost
                    await uploads.delete_marked(client.graph, listen_once)
                await day.look(client.graph)
                if stopped and stopped[1:] == (day.date, day.left):
                    raise BudgetSpentError(stopped[0])
                result = await client.index(corpus, options=options, prune=True)
        paid = Usage.total(result.usage.values()).cost
        stopped = (result.stopped, day.date, day.left) if result.stopped and not paid else None
        return result

    watching = Watch(
        paths,
        build,
        listen,
        uploads=uploads,
        follow_links=options.follow_links,
        resumes=day.limit is not None,
        pace=pace,
    )
    try:
        while True:
            yield await watching.next_build()
    finally:
        await watching.aclose()


class Watch:
    """Waits for changes of files and builds from them.

    Nothing is built from a path that is gone or holds no file, so nothing is deleted because of
    that: its disk may only be detached. Documents of `uploads`, whose folder is one of the paths,
    are deleted by their marks. With `resumes`, a build that a cost limit stopped is continued
    although no file has changed.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        build: Build,
        listen: Listener,
        *,
        uploads: Uploads | None = None,
        follow_links: bool = False,
        resumes: bool = False,
        pace: Pace = USUAL_PACE,
    ) -> None:
        self._paths, self._build, self._listen = paths, build, listen
        self._uploads, self._follow_links = uploads, follow_links
        self._resumes, self._pace = resumes, pace
        self._waiter = ChangeWaiter(paths, listen)
        self._built: dict[Path, dict[Path, Stamp]] = {}
        self._succeeded = uploads is not None  # a server goes on
        self._errors = self._failed_items = 0  # in a row; each doubles the pause
        self._blocked_until = 0.0  # no build starts before
        self._again_at = inf  # then a build starts, also if no file has changed
        # What was said already, so that it is not said again.
        self._told_bare: dict[Path, str] = {}
        self._told_changing: set[Path] = set()
        self._told_waiting: tuple[date, str] | None = None

    async def next_build(self) -> IndexResult:
        """Waits for a change, and returns the result of the build that it causes.

        Raises the error of the first build. After a later error the build is tried again.
        """
        while True:
            now = time.monotonic()
            if now >= self._blocked_until and (files := await self._at_rest()):
                if result := await self._try(*files):
                    return result
                continue
            left = max(self._blocked_until, self._again_at) - now
            await self._waiter.wait(min(self._pace.look, left) if left > 0 else self._pace.look)

    async def aclose(self) -> None:
        """Ends the reports of the operating system."""
        await self._waiter.aclose()

    async def _at_rest(self) -> tuple[Snapshot, set[Path]] | None:
        """The files to build from, once they are at rest, and those that keep changing.

        These are left out. None if there is nothing to do.
        """

        async def look() -> Snapshot:
            found = await anyio.to_thread.run_sync(
                lambda: take_snapshot(self._paths, follow_links=self._follow_links)
            )
            own = self._uploads and self._uploads.folder
            return replace(found, bare={p: why for p, why in found.bare.items() if p != own})

        start = time.monotonic()
        before = await look()
        while self._is_due(before) or before.bare.keys() - self._told_bare.keys():
            await anyio.sleep(self._pace.rest)
            after = await look()
            changing = before.differing(after)
            before = after
            if not changing:
                self._told_changing.clear()
                break
            if time.monotonic() - start > self._pace.hold_up:
                for file in sorted(changing - self._told_changing):
                    self._tell(f"{file} keeps changing. It is left out until it is at rest.")
                self._told_changing |= changing
                return (after, changing) if self._is_due(after, changing) else None
        for path, sentence in before.bare.items():
            if self._told_bare.get(path) != sentence:
                self._tell(
                    f"{sentence} If documents of it are in the graph, they stay there. If you have "
                    f"deleted the files on purpose, `kg-build index {path} --prune` or `kg-build "
                    "delete` removes the documents."
                )
        self._told_bare = dict(before.bare)
        return (before, set()) if self._is_due(before) else None

    def _is_due(self, snapshot: Snapshot, changing: Collection[Path] = ()) -> bool:
        """Whether files of the snapshot differ from those of the last build, or work is left."""
        if self._uploads and self._uploads.marks():
            return True
        if snapshot.files and time.monotonic() >= self._again_at:
            return True
        return any(
            _without(files, changing) != _without(self._built.get(path, {}), changing)
            for path, files in snapshot.files.items()
        )

    async def _try(self, snapshot: Snapshot, changing: set[Path]) -> IndexResult | None:
        """Builds, and returns the result. None if the build is to be tried again."""
        try:
            result = await self._build(list(snapshot.files), changing)
        except (GraphBusyError, BudgetSpentError) as error:
            busy = isinstance(error, GraphBusyError)
            told = datetime.now(UTC).date(), "" if busy else str(error)
            if told != self._told_waiting:  # once for each wait for another run, or once a day
                self._tell(f"{error} The build here waits until then." if busy else str(error))
            self._told_waiting = told
            self._block(self._pace.retry if busy else self._pace.ceiling)
            return None
        except RunStoppedError:
            self._remember(snapshot, changing)
            self._again_at = inf
            return None
        except GraphRAGError as error:
            if not self._succeeded:
                raise
            pause = _doubled(self._pace.retry, self._errors, self._pace.longest_retry)
            self._errors += 1
            self._tell(f"{error} The next try is in {pause:.0f} s.")
            self._block(pause)
            return None
        self._remember(snapshot, changing)
        self._succeeded, self._told_waiting = True, None
        self._errors, self._blocked_until = 0, 0.0
        failed = bool(result.status and result.status.failures)
        pause = inf
        if result.stopped:
            pause = 0.0 if self._resumes else inf
        elif failed:
            pause = _doubled(self._pace.failed_items, self._failed_items, DAY_SECONDS)
        if not result.stopped:
            self._failed_items = self._failed_items + 1 if failed else 0
        self._again_at = time.monotonic() + pause
        return result

    def _remember(self, snapshot: Snapshot, changing: set[Path]) -> None:
        """Keeps of which files a build was made, or was stopped."""
        for path, files in snapshot.files.items():
            old = self._built.get(path, {})
            kept = {file: old[file] for file in changing if file in old}
            self._built[path] = _without(files, changing) | kept

    def _block(self, seconds: float) -> None:
        self._blocked_until = self._again_at = time.monotonic() + seconds

    def _tell(self, text: str) -> None:
        self._listen(Notice(text, warning=True))


def _without(files: Mapping[Path, Stamp], others: Collection[Path]) -> dict[Path, Stamp]:
    return {file: stamp for file, stamp in files.items() if file not in others}


def _doubled(pause: float, times: int, longest: float) -> float:
    """A pause that is doubled so many times; twenty times is more than any limit."""
    return min(pause * 2.0 ** min(times, 20), longest)
