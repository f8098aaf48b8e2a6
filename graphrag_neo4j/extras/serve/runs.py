"""What the runs of this server do: of files that are uploaded, and of paths that are followed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from anyio import CancelScope
from pydantic import BaseModel

from graphrag_neo4j.client.async_client import metered_client
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.errors import BudgetSpentError, GraphBusyError, GraphRAGError
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.index.watch import DayMeter, Pace, RunStoppedError, watch
from graphrag_neo4j.model.events import Advanced, Event, Listener, Notice, Spent, Started
from graphrag_neo4j.settings import Settings

STOPPED: Final = "The run was stopped. The next change of files goes on with it."
OUTCOMES: Final = ("complete", "incomplete", "waiting", "stopped", "failed")  # of a run
PACE: Final = Pace(retry=5.0, longest_retry=60.0, ceiling=5.0)  # people look at a page


class Progress(BaseModel, frozen=True):
    """The stage of a run or of a search, with the items of it that are done."""

    stage: str = ""
    done: int = 0
    total: int | None = None

    def after(self, event: Event) -> Self:
        """The progress after an event; itself if the event tells of none."""
        match event:
            case Started(stage, total):
                return self.model_copy(update={"stage": stage, "done": 0, "total": total})
            case Advanced(done, failed):
                return self.model_copy(update={"done": self.done + done + failed})
        return self


class RunState(Progress, frozen=True):
    """What a run does: its stage with the items done, its cost, and what went wrong.

    `waiting` is why it waits, if it does.
    """

    running: bool = False
    cost: float = 0.0
    waiting: str = ""
    problems: tuple[str, ...] = ()


class Runs:
    """The runs of this server. `state` is that of the last one; `failed` says why files could not
    be read, by source; `ended` counts runs by their outcome."""

    def __init__(self) -> None:
        self.state = RunState()
        self.failed: Mapping[str, str] = {}
        self._expected = False
        self.ended = Counter(dict.fromkeys(OUTCOMES, 0))
        self._scope: CancelScope | None = None  # of the run, once there was one

    def stop(self) -> RunState:
        """Ends the run: what is done stays, and the next run does the rest."""
        if self._scope:
            self._scope.cancel()
        return self.state

    def expect(self) -> RunState:
        """Says that a run will begin, since something was uploaded or deleted."""
        self._expected = True
        self.change(running=True)
        return self.state

    def change(self, **fields: object) -> None:
        """Changes fields of the state."""
        self.state = self.state.model_copy(update=fields)

    @property
    def progress(self) -> str:
        """How far the reading is, as a part of a sentence."""
        one = self.state
        of = f" of {one.total:,}" if one.total else ""
        return one.waiting or f"{one.stage or 'the files'}, {one.done:,}{of} done"

    def listen(self, event: Event) -> None:
        """Changes the state by an event of a run."""
        self.state = self.state.after(event)
        match event:
            case Spent(_, cost):
                self.change(cost=cost)
            case Notice(text, warning=True):
                self.change(problems=(*self.state.problems, text))

    async def follow(
        self,
        paths: Sequence[Path],
        uploads: Uploads | None,
        settings: Settings,
        listen: Listener,
        day: DayMeter,
    ) -> None:
        """Keeps the graph up to date with files, until it is cancelled.

        `listen` also takes the events. What this costs counts in `day`. Raises the errors of
        `AsyncGraphRAG.watch`.
        """

        def both(event: Event) -> None:
            listen(event)
            self.listen(event)

        results = watch(
            paths,
            settings,
            ReadOptions(),
            both,
            metered_client,
            day=day,
            uploads=uploads,
            around=self._run,
            pace=PACE,
        )
        async for built in results:
            self.failed = built.unreadable
            self.ended["incomplete" if problems_of(built) else "complete"] += 1
            goes_on = bool(built.stopped) and day.limit is not None
            self.change(problems=problems_of(built), waiting=built.stopped if goes_on else "")
            self._end(running=goes_on)
            for source, reason in built.unreadable.items():
                listen(Notice(f"{source}: {reason}.", warning=True))

    @contextmanager
    def _run(self) -> Iterator[None]:
        """Shows a run in the state: what it waits for, or by which error it ends."""
        self._expected = False
        self.state = RunState(running=True)
        try:
            with CancelScope() as self._scope:
                yield
        except (GraphBusyError, BudgetSpentError) as error:
            self.change(waiting=str(error))
            self.ended["waiting"] += 1
            raise
        except GraphRAGError as error:
            self.change(problems=(str(error),))
            self.ended["failed"] += 1
            self._end()
            raise
        except Exception as error:
            told = f"The run ended by an error of this program: {error!r}."
            self.change(problems=(told,))
            self.ended["failed"] += 1
            self._end()
            raise GraphRAGError(told) from error  # the server goes on, and tries it again
        if self._scope.cancelled_caught:
            self.change(problems=(STOPPED,))
            self.ended["stopped"] += 1
            self._end()
            raise RunStoppedError(STOPPED)

    def _end(self, *, running: bool = False) -> None:
        self.change(running=running or self._expected, stage="", done=0, total=None)


def problems_of(built: IndexResult) -> tuple[str, ...]:
    """What went wrong in a build, in sentences."""
    return (
        *(f"{source}: {why}" for source, why in built.unreadable.items()),
        *([built.stopped] if built.stopped else []),
        *(failed.reason for failed in (built.status.failures if built.status else [])),
    )
