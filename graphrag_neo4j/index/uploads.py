"""The files that came through `kg-build serve`, in a folder beside the home, one for each graph.

The folder is the state: a server reads what is in it, as `watch` reads any folder. A deletion that
was acknowledged is a mark in it, until a build has carried it out. Whoever deletes a document of an
upload also deletes its file; otherwise the next server would read it again.
"""

from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from graphrag_neo4j import embedded
from graphrag_neo4j.documents import file_of
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.removal import remove
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import identify
from graphrag_neo4j.text.files import make_private_folder, write_private

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

    def mark(self, source: str) -> None:
        """Marks a document to be deleted by the next build. An upload is deleted with all rows."""
        make_private_folder(self.folder)
        write_private(self._mark_of(source), source)

    def unmark(self, path: Path) -> None:
        """Removes the mark of an upload that was replaced by a new one."""
        self._mark_of(path.resolve().as_uri()).unlink(missing_ok=True)

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
