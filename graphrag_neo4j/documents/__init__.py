"""Reads files as Documents.

`find` turns folders, globs and files into a list of files. `read` gives the documents of a file,
and the parts of it that could not be read. `clean` makes any document storable. `gone` gives the
sources whose file no longer exists. `take_snapshot` and `ChangeWaiter` tell what has changed.

In reading order: sources (which files, and what their documents are called), this module (the
reader for each kind of file), text (text, csv and json), html, office (pdf and docx).
"""

import faulthandler
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, cast, runtime_checkable

from graphrag_neo4j.documents.sources import (
    SUFFIXES,
    ChangeWaiter,
    DiscoveredFiles,
    Snapshot,
    Stamp,
    file_of,
    find,
    gone,
    place_of,
    source_of,
    take_snapshot,
    whole_of,
)
from graphrag_neo4j.documents.text import (
    ROWS,
    TEXTS,
    File,
    ReadOptions,
    Unreadable,
    metadata_of,
    read_rows,
    read_text,
)
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document
from graphrag_neo4j.settings.installing import install_command
from graphrag_neo4j.text import storable

__all__ = [
    "ChangeWaiter",
    "DiscoveredFiles",
    "ReadOptions",
    "ReadingProcess",
    "Snapshot",
    "Stamp",
    "Unreadable",
    "clean",
    "file_of",
    "find",
    "from_langchain",
    "gone",
    "holds_rows",
    "metadata_of",
    "place_of",
    "read",
    "source_of",
    "take_snapshot",
    "whole_of",
]

T = TypeVar("T")
PARTS = ("page", "row", "seq_num")
PROGRAM: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; from graphrag_neo4j.documents import serve; serve()"
)


@runtime_checkable
class LangChainDocument(Protocol):
    """The attributes of a LangChain Document that are used; LangChain need not be installed."""

    page_content: str
    metadata: dict[Any, Any]
    id: str | None


def read(
    path: Path,
    options: ReadOptions,
    guessed: Callable[[str], None] = lambda _: None,
    process: "ReadingProcess | None" = None,
) -> Iterator[Document | Unreadable]:
    """Gives the documents of a file, and an Unreadable for each part that could not be read.

    A document without a title has the name of the file. `guessed` gets the encoding of a text that
    is not UTF-8, if `options` do not name it. Without `process`, this process parses, without a
    limit of time. Raises InputError for a path outside the source root; any other problem of a file
    is an Unreadable.
    """
    source, suffix = source_of(path, options), path.suffix.lower()
    file = File(path, options, guessed)
    items: Iterable[Document | Unreadable]
    try:
        if suffix not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            items = [Unreadable(source, f"is of no kind that can be read: {known}")]
        elif path.exists() and not path.is_file():  # reading a pipe could wait for ever
            items = [Unreadable(source, "is not a regular file")]
        elif suffix in ROWS:
            items = read_rows(file, source)
        elif suffix in TEXTS:
            items = read_text(file, source)
        else:
            items = [process.read(file, source) if process else _parse(file, source)]
        for item in items:
            if isinstance(item, Document) and not item.title:
                yield replace(item, title=path.name)
            else:
                yield item
    except OSError as error:
        yield Unreadable(source, f"can't be read: {error.strerror or error}")
    except UnicodeError:
        named = options.encoding or "the encoding that it seems to be in"
        reason = f"is not text in {named}: save it as UTF-8, or name its encoding by --encoding"
        yield Unreadable(source, reason)
    except InputError as error:
        yield Unreadable(source, str(error))


def _parse(file: File, source: str) -> Document:
    """Reads a page, pdf or docx with the library for it."""
    suffix = file.path.suffix.lower()
    try:
        if suffix in {".html", ".htm"}:
            from graphrag_neo4j.documents.html import read_html  # noqa: PLC0415 - beautifulsoup4

            return read_html(file, source)
        from graphrag_neo4j.documents.office import read_pdf, read_word  # noqa: PLC0415 - an extra

        return read_pdf(file, source) if suffix == ".pdf" else read_word(file, source)
    except ModuleNotFoundError as error:
        raise InputError(f"needs {error.name} to be read: {install_command('docs')}") from error


class ReadingProcess:
    """A process that reads pages, pdf and docx: their parsers may take any time and memory.

    It is started at the first such file, and reads at most `seconds` at one. It is no process of
    `multiprocessing`, which would run the user's script once more.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def read(self, file: File, source: str) -> Document:
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
            found, encodings = pickle.load(process.stdout)  # type: ignore[arg-type] # noqa: S301 - our own process
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # its pipes are closed
            self._end()
            late = time.monotonic() - began >= self._seconds
            raise InputError(
                f"takes longer than the limit of {self._seconds:g} seconds to read: "
                "KG_READ_SECONDS sets another"
                if late
                else "made the process end that read it, most likely for lack of memory"
            ) from None
        for encoding in encodings:
            file.guessed(encoding)
        if isinstance(found, Exception):
            raise found
        return cast("Document", found)

    def stop(self) -> None:
        """Ends the process, also in the midst of a file; no other file is read."""
        self._stopped = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process:
            with suppress(BrokenPipeError), process:
                process.kill()


def serve() -> None:
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
            encodings: list[str] = []
            found: Document | Exception
            try:
                found = _parse(File(path, options, encodings.append), source)
            except Exception as error:  # noqa: BLE001 - the parent raises it
                found = error
            pickle.dump((found, encodings), results)
            results.flush()
            faulthandler.cancel_dump_traceback_later()


def holds_rows(path: Path) -> bool:
    """Whether the documents of a file are its rows."""
    return path.suffix.lower() in ROWS


def clean(document: Document) -> tuple[Document, int]:
    """A document that Neo4j can store, and the number of its characters that were replaced.

    NUL and lone surrogates become U+FFFD.
    """
    replaced = 0

    def mend(value: T) -> T:
        nonlocal replaced
        text, n = storable(value) if isinstance(value, str) else (value, 0)
        replaced += n
        return cast("T", text)

    metadata = {mend(name): mend(value) for name, value in document.metadata.items()}
    text, source, title = map(mend, (document.text, document.source, document.title))
    return Document(text, source, title, metadata), replaced


def from_langchain(document: object) -> Document:
    """Makes a LangChain Document into ours; its source is its metadata "source", or its id.

    Loaders give all pages or rows of a file the same source, so a number in "page", "row" or
    "seq_num" is added to it. Raises InputError if it has neither a source nor an id, and for an
    object of another type.
    """
    if not isinstance(document, LangChainDocument) or not isinstance(document.metadata, dict):
        raise InputError(
            f"A {type(document).__name__} is not a Document: give Documents(text, source), or "
            "those of LangChain."
        )
    row = {str(name): value for name, value in document.metadata.items()}
    if row.get("source"):
        parts = (f"#{part}={row[part]}" for part in PARTS if part in row)
        source = "".join([str(row["source"]), *parts])
    elif document.id:
        source = str(document.id)
    else:
        raise InputError('A LangChain document has no metadata "source" and no id: give it one.')
    title = str(row.get("title") or "")
    return Document(document.page_content, source, title, metadata_of(row, {"source", "title"}))
