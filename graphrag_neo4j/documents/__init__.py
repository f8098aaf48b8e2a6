"""Reads files as Documents.

`find_files` makes a list of files of folders, globs and files. `read` gives the documents of a
file, and the parts of it that could not be read. `clean` makes any document storable. `gone` gives
the sources whose file no longer exists. `take_snapshot` and `ChangeWaiter` tell what has changed.

In reading order: sources (which files, and what their documents are called), this module (the
reader for each kind of file), process, parts, text, rows, html, markdown, containers, office, pdf.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast, runtime_checkable
from unicodedata import normalize

from graphrag_neo4j.documents.metadata import ISO, date_in
from graphrag_neo4j.documents.parts import part_label
from graphrag_neo4j.documents.process import ReadingProcess, parse, reading_of
from graphrag_neo4j.documents.rows import ROWS, SHEETS, documents_of_rows, metadata_of
from graphrag_neo4j.documents.sources import (
    SAVED_AS,
    SUFFIXES,
    ChangeWaiter,
    DiscoveredFiles,
    Snapshot,
    Stamp,
    file_of,
    find_files,
    gone,
    is_lost,
    name_of,
    place_of,
    source_of,
    take_snapshot,
    told_apart,
    whole_of,
)
from graphrag_neo4j.documents.text import TEXTS, File, Remark, Unreadable, read_text
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings.reading import ReadOptions
from graphrag_neo4j.text.strings import storable

__all__ = [
    "SAVED_AS",
    "ChangeWaiter",
    "DiscoveredFiles",
    "ReadOptions",
    "ReadingProcess",
    "Remark",
    "Snapshot",
    "Stamp",
    "Unreadable",
    "clean",
    "file_of",
    "find_files",
    "from_langchain",
    "gone",
    "holds_rows",
    "is_lost",
    "metadata_of",
    "name_of",
    "place_of",
    "read",
    "source_of",
    "take_snapshot",
    "told_apart",
    "whole_of",
]

T = TypeVar("T")
PARTS = ("page", "row", "seq_num")


@runtime_checkable
class LangChainDocument(Protocol):
    """The attributes of a LangChain Document that are used; LangChain need not be installed."""

    page_content: str
    metadata: dict[Any, Any]
    id: str | None


def read(
    path: Path,
    options: ReadOptions,
    remark: Callable[[Remark], None] = lambda _: None,
    process: ReadingProcess | None = None,
) -> Iterator[Document | Unreadable]:
    """Gives the documents of a file, and an Unreadable for each part that could not be read.

    A document without a title has the name of the file. `remark` gets what is to be told about the
    file. Without `process`, this process parses, without a limit of time. Raises InputError for a
    path outside the source root; any other problem of a file is an Unreadable.
    """
    source, file = source_of(path, options), File(path, options, remark)
    suffix = file.suffix
    items: Iterable[Document | Unreadable]
    try:
        if suffix not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            items = [Unreadable(source, f"is of no kind that can be read: {known}")]
        elif path.exists() and not path.is_file():  # reading a pipe could wait for ever
            items = [Unreadable(source, "is not a regular file")]
        elif suffix in ROWS:
            items = documents_of_rows(file, source)
        elif suffix in TEXTS:
            items = read_text(file, source)
        else:
            items = process.read(file, source) if process else parse(file, source)
        yield from _named(items, file)
    except OSError as error:
        yield Unreadable(source, f"can't be read: {error.strerror or error}")
    except UnicodeError:
        named = options.encoding or "the encoding that it seems to be in"
        reason = f"is not text in {named}: save it as UTF-8, or name its encoding by --encoding"
        yield Unreadable(source, reason)
    except InputError as error:
        yield Unreadable(source, str(error))


def _named(items: Iterable[Document | Unreadable], file: File) -> Iterator[Document | Unreadable]:
    """The items with what the name of their file says, where the file itself does not say it."""
    is_table, reading = holds_rows(file.path), reading_of(file)
    for item in items:
        if isinstance(item, Unreadable) or (is_table and item.title):
            yield item
            continue
        title, metadata = item.title or file.path.name, item.metadata
        stated = str(metadata.get("date") or "")
        if not (is_table or ISO.match(stated)) and (day := date_in(stated or file.path.stem)):
            metadata = {**metadata, "date": day}
        yield replace(item, title=title, metadata=metadata, reading=reading)


def holds_rows(path: Path) -> bool:
    """Whether the documents of a file are its rows."""
    return path.suffix.lower() in {*ROWS, *SHEETS}


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

    def composed(value: T) -> T:
        """A text as people type it, who ask for it by a condition."""
        return cast("T", normalize("NFC", value)) if isinstance(value, str) else value

    metadata = {mend(name): mend(composed(one)) for name, one in document.metadata.items()}
    text, source, title = map(mend, (document.text, document.source, composed(document.title)))
    parts = [replace(part, label=part_label(part.label)) for part in document.parts]
    mended = replace(
        document, text=text, source=source, title=title, metadata=metadata, parts=parts
    )
    return mended, replaced


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
    return Document(
        document.page_content,
        source,
        title,
        {k: v for k, v in row.items() if k not in ("source", "title")},
        first_line=None,  # a loader may have made the text of anything
    )
