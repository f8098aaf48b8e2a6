"""The files that came through `kg-build serve`, in a folder beside the home, one for each graph.

The folder is the state: a server reads what is in it, as `watch` reads any folder. A deletion that
was acknowledged is a mark in it, until a build has carried it out. Whoever deletes a document of an
upload also deletes its file; otherwise the next server would read it again.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path, PureWindowsPath
from typing import Final
from unicodedata import normalize
from urllib.parse import unquote

import anyio
import anyio.to_thread

from graphrag_neo4j import embedded
from graphrag_neo4j.documents import ReadOptions, file_of, find_files, source_of
from graphrag_neo4j.documents.sources import SUFFIXES
from graphrag_neo4j.errors import InputError, NotFoundError
from graphrag_neo4j.files import PRIVATE_FILE, make_private_folder, whole_file, write_private
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.removal import known_sources, remove
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import identify

MARK: Final = ".deleted-"  # what the name of a mark begins with; a watch sees no hidden files
LONGEST_NAME: Final = 200  # bytes; file systems take 255, and an unfinished file has a few more


class Uploads:
    """The uploads of the graph that the settings name, in `folder`, which need not exist."""

    def __init__(self, settings: Settings) -> None:
        home = embedded.home_of(settings).path
        of = f"-{identify('graph', settings.graph_name)[:8]}" if settings.neo4j_uri else ""
        self.folder = home.with_name(f"{home.name}-uploads{of}")

    def path_of(self, source: str) -> Path | None:
        """The path of the upload that a source, or the source of a row, names. It need not exist.

        None for the source of a document from elsewhere.
        """
        path = Path(unquote(file_of(source.removeprefix("file://"))))
        odd = path.name == ".." or "\0" in source
        odd = odd or len(path.name.encode(errors="replace")) > LONGEST_NAME
        return None if odd or path.parent != self.folder.resolve() else path

    async def keep(self, name: str, content: AsyncIterator[bytes]) -> None:
        """Keeps a file, completely or not at all. Raises InputError for one that can't be read."""
        name = normalize("NFC", name)  # as in the source of the file
        path = PureWindowsPath(name)  # it divides a name wherever some system does
        if len(name.encode()) > LONGEST_NAME:
            raise InputError(f"The name of a file has at most {LONGEST_NAME} bytes.")
        hidden = name.startswith(".") or not name.isprintable()
        if path.name != name or hidden or path.suffix.lower() not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            raise InputError(f"{name} can't be read. Supported: {known}.")
        try:
            make_private_folder(self.folder)
            with whole_file(self.folder / name, PRIVATE_FILE) as file:
                async for part in content:
                    await anyio.to_thread.run_sync(file.write, part)
            # It was replaced, so it is not to be deleted any more.
            self._mark_of((self.folder / name).resolve().as_uri()).unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"{name} can't be kept: {error.strerror}.") from error

    async def delete(self, graph: Graph, source: str, followed: Sequence[Path]) -> None:
        """Has the next build delete a document, or an upload with all of its rows.

        Raises NotFoundError if there is no such document, and InputError for one whose file is
        below the paths that are `followed`, since it would be read again.
        """
        path = self.path_of(source)
        source = path.as_uri() if path else source
        there = path is not None and await anyio.Path(path).is_file()
        if not there and not await known_sources(graph, [source], [source] if path else []):
            raise NotFoundError(f"There is no document {source} in the graph.")
        if followed and file_of(source) in await anyio.to_thread.run_sync(_sources_of, followed):
            raise InputError(f"The server follows {file_of(source)}: delete the file itself.")
        try:
            if path:
                await anyio.Path(path).unlink(missing_ok=True)
            await anyio.to_thread.run_sync(self.mark, source)
        except OSError as error:
            raise InputError(f"{source} can't be deleted: {error.strerror}.") from error

    def mark(self, source: str) -> None:
        """Marks a document to be deleted by the next build. An upload is deleted with all rows."""
        make_private_folder(self.folder)
        write_private(self._mark_of(source), source)

    def marks(self) -> dict[Path, str]:
        """The marks, each with the source of what is to be deleted."""
        found = {}
        for path in self.folder.glob(f"{MARK}*"):
            with suppress(FileNotFoundError):  # it was carried out at this moment
                found[path] = path.read_text("utf-8")
        return found

    async def delete_marked(self, graph: Graph, listen: Listener) -> list[str]:
        """Deletes the documents that are marked, and then their marks; returns their sources.

        Raises GraphBusyError while another run writes to the graph.
        """
        if not (marks := self.marks()):
            return []
        files = [source for source in marks.values() if self.path_of(source)]
        deleted = await remove(graph, list(marks.values()), files, listen)
        for mark in marks:
            mark.unlink(missing_ok=True)
        return deleted

    def _mark_of(self, source: str) -> Path:
        return self.folder / f"{MARK}{identify('deletion', source)}"


def _sources_of(paths: Sequence[Path]) -> set[str]:
    return {source_of(file, ReadOptions()) for file in find_files(paths).files}
