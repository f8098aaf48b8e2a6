"""Reads PDF: the text of its pages, if it contains text."""

import logging
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime

from pypdf import DocumentInformation, PageObject, PdfReader, apply_configuration, get_configuration
from pypdf.errors import (
    DependencyError,
    DeprecationError,
    FileNotDecryptedError,
    LimitReachedError,
    PyPdfError,
)
from pypdf.generic import ArrayObject, DictionaryObject, PdfObject, StreamObject

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.installing import install_command
from graphrag_neo4j.loaders.sources import MEGABYTE
from graphrag_neo4j.loaders.text import Content, File
from graphrag_neo4j.model import Scalar

__all__ = ["pdf"]

# pypdf logs oddities of files, and Python would print them where logging is not set up.
logging.getLogger("pypdf").addHandler(logging.NullHandler())

# "Broken PDF files might cause other Exceptions", says pypdf; it raised these for mutated files.
BROKEN = (
    PyPdfError,
    DeprecationError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    zlib.error,
)
STREAM_LIMITS = (
    "maximum_declared_stream_length",
    "array_based_stream_maximum_output_length",
    "lzw_maximum_output_length",
    "run_length_maximum_output_length",
    "zlib_maximum_output_length",
    "brotli_maximum_output_length",
)


def pdf(file: File) -> Content:
    """Reads the text of the pages, divided by blank lines; title, author and date if present.

    Raises InputError for a file that is encrypted, broken, has no text, like a scan, or unpacks
    to more than the limit.
    """
    limit = file.options.max_bytes
    try:
        with _limited(limit):
            reader = PdfReader(file.path)
            text = "\n\n".join(_texts(reader, limit))
        title, metadata = _about(reader.metadata or DocumentInformation())
    except FileNotDecryptedError as error:
        raise InputError("is encrypted: save it without a password") from error
    except DependencyError as error:
        raise InputError(f"is encrypted: {install_command('docs')} ({error})") from error
    except LimitReachedError as error:
        raise InputError(
            f"unpacks to more than the limit of {limit // MEGABYTE:,} MB, or than any document "
            f"needs ({error}): KG_MAX_FILE_MB sets another"
        ) from error
    except BROKEN as error:
        raise InputError(f"is not a usable PDF: {error}") from error
    if not text.strip():
        raise InputError("has no text, only images perhaps: run text recognition (OCR) on it")
    return Content(text, title, metadata)


def _texts(reader: PdfReader, limit: int) -> Iterator[str]:
    """The text of each page; all pages together must unpack to at most `limit` bytes."""
    seen: set[int] = set()
    for page in reader.pages:
        for stream in _streams(page):
            if id(stream) not in seen:
                seen.add(id(stream))
                limit -= _unpacked(stream, limit)
        with _limited(limit):
            text = page.extract_text().strip()
        limit -= len(text)
        if limit < 0:
            raise LimitReachedError("the text of its pages")
        yield text


def _unpacked(stream: StreamObject, limit: int) -> int:
    """The number of bytes that a stream unpacks to. Raises LimitReachedError."""
    with _limited(limit):
        return len(stream.get_data())


def _limited(limit: int) -> AbstractContextManager[object]:
    """A context in which no stream may unpack to more than `limit` bytes."""
    limits = dict.fromkeys(STREAM_LIMITS, max(1, limit))  # 0 would be no limit
    return apply_configuration(get_configuration().with_overwrites(**limits))


def _streams(page: PageObject) -> Iterator[StreamObject]:
    """The streams of a page: its content, the forms in it, and the letters of its fonts."""
    contents = page.get("/Contents", ArrayObject()).get_object()
    found = list(contents) if isinstance(contents, ArrayObject) else [contents]
    resources, seen = [page.get("/Resources")], set()
    while resources:
        held = _dictionary(resources.pop())
        if id(held) in seen:
            continue
        seen.add(id(held))
        found += (_dictionary(font).get("/ToUnicode") for font in _values(held, "/Font"))
        for form in map(_dictionary, _values(held, "/XObject")):
            if form.get("/Subtype") == "/Form":
                found.append(form)
                resources.append(form.get("/Resources"))
    objects = (one.get_object() for one in found if one is not None)
    yield from (one for one in objects if isinstance(one, StreamObject))


def _values(resources: DictionaryObject, kind: str) -> list[PdfObject]:
    return list(_dictionary(resources.get(kind)).values())


def _dictionary(given: PdfObject | None) -> DictionaryObject:
    found = given.get_object() if given is not None else None
    return found if isinstance(found, DictionaryObject) else DictionaryObject()


def _about(info: DocumentInformation) -> tuple[str, dict[str, Scalar]]:
    found = {"author": str(info.author or "").strip(), "created": _created(info)}
    return str(info.title or "").strip(), {name: value for name, value in found.items() if value}


def _created(info: DocumentInformation) -> str:
    try:
        date: datetime | None = info.creation_date
    except ValueError:  # many programs write dates in a format of their own
        return ""
    return date.isoformat() if date else ""
