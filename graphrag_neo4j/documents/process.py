"""A process that reads files whose parsers may take any time and memory."""

import faulthandler
import hashlib
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, cast

from graphrag_neo4j.documents.rows import SHEETS, read_sheets
from graphrag_neo4j.documents.text import File, Remark, Unreadable
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import Document, Reading
from graphrag_neo4j.settings.installing import needing
from graphrag_neo4j.settings.reading import MEGABYTE, ReadOptions

PROGRAM: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from graphrag_neo4j.documents.process import serve_readings; serve_readings()"
)
MARKDOWN: Final = (".md", ".markdown")
PAGES: Final = (".html", ".htm", ".xhtml")
OFFICE: Final = (".docx", ".pptx")
CONTAINERS: Final = (".eml", ".epub", ".ipynb")
PARSED: Final = (*MARKDOWN, *PAGES, *OFFICE, ".pdf", *SHEETS, *CONTAINERS)
"""The suffixes of the files that are parsed as a whole."""
READER: Final = 2
"""The version of their readers. A reader that gives another text of the same file gets the next."""
LEAST_MEMORY = 500 * MEGABYTE
MEMORY_PER_BYTE = 30
"""Of the largest file: a page in html takes most, its text and the tree that is made of it."""


def reading_of(file: File) -> Reading | None:
    """What tells later whether a file that is one document has changed, and its reader."""
    if file.suffix not in PARSED or file.suffix in SHEETS:
        return None
    with file.path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "blake2b").hexdigest()[:32]
    return Reading(digest, READER, file.path.stat().st_mtime)


def parse(file: File, source: str) -> Sequence[Document | Unreadable]:
    """Reads a file with the library for its kind: one document, or the rows of a workbook."""
    with needing("docs", "needs"):
        if file.suffix in SHEETS:
            return [*read_sheets(file, source)]
        return [_reader_of(file.suffix)(file, source)]


def _reader_of(suffix: str) -> Callable[[File, str], Document]:
    """The reader of a kind; its libraries are slow to import, or not installed."""
    if suffix in MARKDOWN:
        from graphrag_neo4j.documents.markdown import read_markdown as read  # noqa: PLC0415
    elif suffix in PAGES:
        from graphrag_neo4j.documents.html import read_html as read  # noqa: PLC0415
    elif suffix in OFFICE:
        from graphrag_neo4j.documents.office import read_office as read  # noqa: PLC0415
    elif suffix in CONTAINERS:
        from graphrag_neo4j.documents.containers import read_container as read  # noqa: PLC0415
    else:
        from graphrag_neo4j.documents.pdf import read_pdf as read  # noqa: PLC0415
    return read


class ReadingProcess:
    """A process that reads PARSED files: their parsers may take any time and memory.

    It is started at the first such file, and reads at most `seconds` at one. It isn't a process of
    `multiprocessing`, which would run the user's script once more.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def read(self, file: File, source: str) -> Sequence[Document | Unreadable]:
        """Reads a file. Raises what its reader raises, and InputError if the process has ended."""
        if self._stopped:
            raise InputError("was not read, since the command was interrupted")
        began = time.monotonic()
        process = self._process = self._process or subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal does not reach it: its parent ends it
        )
        try:
            pickle.dump((file.path, file.options, source, self._seconds), process.stdin)  # type: ignore[arg-type] # it is a pipe
            process.stdin.flush()  # type: ignore[union-attr]
            found, remarks = pickle.load(process.stdout)  # type: ignore[arg-type] # noqa: S301 - our own process
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # its pipes are closed
            self._end()
            late = time.monotonic() - began >= self._seconds
            raise InputError(
                f"takes longer than the limit of {self._seconds:g} seconds to read: "
                "KG_READ_SECONDS sets another"
                if late
                else "made the process end that read it, most likely for lack of memory: "
                "KG_MAX_FILE_MB sets how much it may take"
            ) from None
        for remark in remarks:
            file.remark(remark)
        if isinstance(found, Exception):
            raise found
        return cast("Sequence[Document | Unreadable]", found)

    def stop(self) -> None:
        """Ends the process, also in the midst of a file; no other file is read."""
        self._stopped = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process:
            with suppress(BrokenPipeError), process:
                process.kill()


def serve_readings() -> None:
    """The program of a reading process: reads each file that stdin names, until stdin ends.

    It ends itself at the limit: a timer that needs no Python code ends it in any loop.
    """
    files, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the results
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - no file
        while True:
            try:
                path, options, source, seconds = pickle.load(files)  # noqa: S301 - from our parent
            except EOFError:
                return
            faulthandler.dump_traceback_later(seconds, file=nowhere, exit=True)
            remarks: list[Remark] = []
            found: Sequence[Document | Unreadable] | Exception
            most = _limit_memory(options)
            try:
                found = parse(File(path, options, remarks.append), source)
            except MemoryError:
                found = InputError(
                    f"needs more memory to read than the limit of {most // MEGABYTE:,} MB: "
                    "KG_MAX_FILE_MB sets another"
                )
            except Exception as error:  # noqa: BLE001 - the parent raises it
                found = error
            pickle.dump((found, remarks), results)
            results.flush()
            faulthandler.cancel_dump_traceback_later()


def _limit_memory(options: ReadOptions) -> int:
    """Sets the most memory that this process may take to read a file, and gives it.

    Windows has no such limit, and macOS keeps to none.
    """
    most = LEAST_MEMORY + MEMORY_PER_BYTE * options.max_bytes
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - Windows lacks it

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = min(most, sys.maxsize if hard == resource.RLIM_INFINITY else hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    return most
