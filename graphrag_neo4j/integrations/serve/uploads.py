"""Documents that come through the server: a folder of files, and the runs that read it.

The folder stands beside the home. One run at a time reads it; what is kept meanwhile is read by the
next one, which begins when that ends. A run waits while another command writes to the graph, and
while the limit of the day's cost is reached.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path, PureWindowsPath
from typing import Final
from urllib.parse import unquote

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from graphrag_neo4j import embedded
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.documents.sources import SUFFIXES
from graphrag_neo4j.errors import (
    BudgetSpentError,
    GraphBusyError,
    GraphRAGError,
    InputError,
    NotFoundError,
)
from graphrag_neo4j.index.removal import known_sources
from graphrag_neo4j.integrations.serve.runs import Runs, RunState, problems_of
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import identify
from graphrag_neo4j.text.files import PRIVATE_FILE, make_private_folder, whole_file

LONGEST_NAME: Final = 200  # bytes; file systems take 255, and a partial file has a few more
PAUSE: Final = 5.0  # seconds before a run that had to wait is tried again


def uploads_folder(settings: Settings) -> Path:
    """The folder of the files that came through the server, one for each graph."""
    home = embedded.home_of(settings).path
    of = f"-{identify('graph', settings.graph_name)[:8]}" if settings.neo4j_uri else ""
    return home.with_name(f"{home.name}-uploads{of}")


class Uploads:
    """Keeps files in a folder, and reads them into the graph of `rag` by the tasks `tasks`.

    `left` returns the US dollars that may still be spent today, None without a limit, and raises
    BudgetSpentError if there are none. What an earlier server has left in the folder is read at
    once.
    """

    def __init__(
        self,
        rag: AsyncGraphRAG,
        tasks: TaskGroup,
        runs: Runs,
        left: Callable[[], Awaitable[float | None]],
    ) -> None:
        self._rag, self._tasks, self._runs, self._left = rag, tasks, runs, left
        self._folder = uploads_folder(rag.settings)
        self._reading = self._again = False
        self._deleted: list[str] = []  # what the next run deletes
        self.failed: Mapping[str, str] = {}  # why files could not be read, by source
        if self._files():
            self.begin()

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
        file = Path(unquote(source.removeprefix("file://").partition("#")[0]))
        if file.parent == self._folder.resolve():
            await anyio.Path(file).unlink(missing_ok=True)
            source = str(file)
        elif not await known_sources(self._rag.graph, [source]):
            raise NotFoundError(f"There is no document {source} in the graph.")
        self._deleted.append(source)

    def begin(self) -> RunState:
        """Begins a run, or has another one follow on that which runs."""
        self._again = True
        if not self._reading:
            self._reading = True
            self._runs.begin()
            self._tasks.start_soon(self._run)
        return self._runs.state

    async def _run(self) -> None:
        problems: tuple[str, ...] = ()
        while self._again:
            self._again = False
            try:
                problems = await self._read()
            except (GraphBusyError, BudgetSpentError) as error:
                self._again = True
                self._runs.change(waiting=str(error))
                await anyio.sleep(PAUSE)
                self._runs.change(waiting="")
            except GraphRAGError as error:
                problems = (str(error),)
            except Exception as error:  # noqa: BLE001 - the server goes on, and the page tells
                problems = (f"The run ended by an error of this program: {error!r}.",)
        self._reading = False
        self._runs.change(problems=problems)
        self._runs.end()

    async def _read(self) -> tuple[str, ...]:
        """Deletes and reads what is to be deleted and read; returns what went wrong.

        Raises GraphBusyError and BudgetSpentError if the rest has to wait.
        """
        settings = self._rag.settings
        if self._deleted:
            async with AsyncGraphRAG(settings, self._runs.listen) as rag:
                while self._deleted:
                    await rag.delete(self._deleted[0])
                    self._deleted.pop(0)
        left = await self._left()
        if left is not None:
            settings = settings.capped(left)
        async with AsyncGraphRAG(settings, self._runs.listen) as rag:
            built = await rag.index(self._files())
        self.failed = built.unreadable
        if built.stopped and left is not None:
            raise BudgetSpentError(built.stopped)  # it goes on as soon as the day's limit allows
        return problems_of(built)

    def _files(self) -> list[Path]:
        """The folder, if it holds a file."""
        return [self._folder] if any(self._folder.glob("*")) else []
