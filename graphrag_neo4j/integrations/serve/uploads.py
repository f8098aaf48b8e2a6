"""Documents that come through the server: a folder of files, and the runs that read it.

The folder stands beside the home. One run at a time reads it; what is kept meanwhile is read by the
next one, which begins when that ends.
"""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path, PureWindowsPath
from typing import Final
from urllib.parse import unquote, urlsplit

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from pydantic import BaseModel

from graphrag_neo4j import embedded
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.documents.sources import SUFFIXES
from graphrag_neo4j.errors import GraphRAGError, InputError, NotFoundError
from graphrag_neo4j.index.removal import known_sources
from graphrag_neo4j.model.events import Advanced, Event, Notice, Spent, Started
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import identify
from graphrag_neo4j.text.files import PRIVATE_FILE, make_private_folder, whole_file

LONGEST_NAME: Final = 200  # bytes; file systems take 255, and a partial file has a few more


class RunState(BaseModel, frozen=True):
    """What a run does: its stage with the items done, its cost, and what went wrong."""

    running: bool = False
    stage: str = ""
    done: int = 0
    total: int | None = None
    cost: float = 0.0
    problems: tuple[str, ...] = ()


def uploads_folder(settings: Settings) -> Path:
    """The folder of the files that came through the server, one for each graph."""
    home = embedded.home_of(settings).path
    of = f"-{identify('graph', settings.graph_name)[:8]}" if settings.neo4j_uri else ""
    return home.with_name(f"{home.name}-uploads{of}")


class Uploads:
    """Keeps files in a folder, and reads them into the graph of `rag` by the tasks `tasks`."""

    def __init__(self, rag: AsyncGraphRAG, tasks: TaskGroup) -> None:
        self._rag, self._tasks = rag, tasks
        self._folder = uploads_folder(rag.settings)
        self._again = False
        self._deleted: list[str] = []  # what the next run deletes
        self.state = RunState()
        self.failed: Mapping[str, str] = {}  # why files could not be read, by source

    async def keep(self, name: str, content: AsyncIterator[bytes]) -> None:
        """Keeps a file, completely or not at all. Raises InputError for one that can't be read."""
        path = PureWindowsPath(name)  # it divides a name wherever some system does
        if len(name.encode()) > LONGEST_NAME:
            raise InputError(f"The name of a file has at most {LONGEST_NAME} bytes.")
        hidden = name.startswith(".") or not name.isprintable()
        if path.name != name or hidden or path.suffix.lower() not in SUFFIXES:
            raise InputError(
                f"{name} is no name of a file that can be read: {', '.join(SUFFIXES)}."
            )
        make_private_folder(self._folder)
        try:
            with whole_file(self._folder / name, PRIVATE_FILE) as file:
                async for part in content:
                    await anyio.to_thread.run_sync(file.write, part)
        except OSError as error:
            raise InputError(f"{name} can't be kept: {error.strerror}.") from error

    async def delete(self, source: str) -> None:
        """Has the next run delete a document, or a file that came through the server.

        Such a file is deleted with all of its rows. Raises NotFoundError if there is no such
        document.
        """
        file = Path(unquote(urlsplit(source).path))
        if file.parent == self._folder.resolve():
            await anyio.Path(file).unlink(missing_ok=True)
            source = str(file)
        elif not await known_sources(self._rag.graph, [source]):
            raise NotFoundError(f"There is no document {source} in the graph.")
        self._deleted.append(source)

    def begin(self) -> RunState:
        """Begins a run, or has another one follow on that which runs."""
        if self.state.running:
            self._again = True
        else:
            self.state = RunState(running=True)
            self._tasks.start_soon(self._run)
        return self.state

    async def _run(self) -> None:
        problems: list[str] = []
        while True:
            self._again = False
            try:
                async with AsyncGraphRAG(self._rag.settings, self._listen) as rag:
                    while self._deleted:
                        await rag.delete(self._deleted[0])
                        self._deleted.pop(0)
                    files = [self._folder] if any(self._folder.glob("*")) else []
                    built = await rag.index(files)
                self.failed = built.unreadable
                problems = [f"{source}: {why}" for source, why in built.unreadable.items()]
                problems += [built.stopped] if built.stopped else []
                problems += (
                    [failed.reason for failed in built.status.failures] if built.status else []
                )
            except GraphRAGError as error:
                problems = [str(error)]
            except Exception as error:  # noqa: BLE001 - the server goes on, and the page tells
                problems = [f"The run ended by an error of this program: {error!r}."]
            if not self._again:
                break
        self.state = RunState(problems=tuple(problems), cost=self.state.cost)

    def _listen(self, event: Event) -> None:
        state = self.state
        match event:
            case Started(stage, total):
                update = {"stage": stage, "done": 0, "total": total}
            case Advanced(done, failed):
                update = {"done": state.done + done + failed}
            case Spent(_, cost):
                update = {"cost": cost}
            case Notice(text, warning=True):
                update = {"problems": (*state.problems, text)}
            case _:
                return
        self.state = state.model_copy(update=update)
