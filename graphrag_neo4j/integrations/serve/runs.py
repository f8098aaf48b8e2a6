"""What the runs of this server do: of files that are uploaded, and of paths that are followed."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import BaseModel

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.index.watch import watch
from graphrag_neo4j.model.events import Advanced, Event, Listener, Notice, Spent, Started
from graphrag_neo4j.settings import Settings


class RunState(BaseModel, frozen=True):
    """What a run does: its stage with the items done, its cost, and what went wrong.

    `waiting` is why it waits, if it does.
    """

    running: bool = False
    stage: str = ""
    done: int = 0
    total: int | None = None
    cost: float = 0.0
    waiting: str = ""
    problems: tuple[str, ...] = ()


class Runs:
    """The runs of this server. `state` is that of the last one; `listen` takes its events."""

    def __init__(self) -> None:
        self.state = RunState()
        self._n = 0  # one may wait while another one writes

    def begin(self) -> None:
        """Counts a run."""
        self._n += 1
        self.state = RunState(running=True)

    def end(self) -> None:
        """Ends the count of a run."""
        self._n -= 1
        self.change(running=self._n > 0, stage="", done=0, total=None)

    def change(self, **fields: object) -> None:
        """Changes fields of the state."""
        self.state = self.state.model_copy(update=fields)

    def listen(self, event: Event) -> None:
        """Changes the state by an event of a run."""
        match event:
            case Started(stage, total):
                self.change(stage=stage, done=0, total=total)
            case Advanced(done, failed):
                self.change(done=self.state.done + done + failed)
            case Spent(_, cost):
                self.change(cost=cost)
            case Notice(text, warning=True):
                self.change(problems=(*self.state.problems, text))

    async def follow(self, paths: Sequence[Path], settings: Settings, listen: Listener) -> None:
        """Keeps the graph up to date with files, until it is cancelled.

        `listen` takes the events, too. Raises the errors of `AsyncGraphRAG.watch`.
        """

        def both(event: Event) -> None:
            listen(event)
            self.listen(event)

        @asynccontextmanager
        async def connect(given: Settings, told: Listener) -> AsyncGenerator[AsyncGraphRAG]:
            self.begin()
            try:
                async with AsyncGraphRAG(given, told) as rag:
                    yield rag
            finally:
                self.end()

        async for built in watch(paths, settings, ReadOptions(), both, connect):
            self.change(problems=problems_of(built))
            for source, reason in built.unreadable.items():
                listen(Notice(f"{source}: {reason}.", warning=True))


def problems_of(built: IndexResult) -> tuple[str, ...]:
    """What went wrong in a build, in sentences."""
    return (
        *(f"{source}: {why}" for source, why in built.unreadable.items()),
        *([built.stopped] if built.stopped else []),
        *(failed.reason for failed in (built.status.failures if built.status else [])),
    )
