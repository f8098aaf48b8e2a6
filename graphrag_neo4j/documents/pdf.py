"""Reads PDF files, if they contain text.

The format lets a small file ask for any amount of memory, so what it unpacks to is counted. Of a
broken file the library raises any exception ("Broken PDF files might cause other Exceptions", says
pypdf).
"""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress

from pypdf import DocumentInformation, PageObject, PdfReader, apply_configuration, get_configuration
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError
from pypdf.generic import ArrayObject, DictionaryObject, PdfObject, StreamObject

from graphrag_neo4j.documents.text import MEGABYTE, File
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document
from graphrag_neo4j.settings.installing import install_command

# pypdf logs oddities of files, and Python would print them where logging is not set up.
logging.getLogger("pypdf").addHandler(logging.NullHandler())


def read_pdf(file: File, source: str) -> Document:
    """Reads the text of the pages, divided by blank lines; title, author and date if present.

    Raises InputError for a file that is encrypted, broken, has no text, like a scan, or unpacks
    to more than the limit.
    """
    limit = file.options.max_bytes
    try:
        with _limited(limit):
            reader = PdfReader(file.path)
            text = "\n\n".join(_pages(reader, limit))
        about = reader.metadata or DocumentInformation()
        title, author = (str(one or "").strip() for one in (about.title, about.author))
        created = None
        with suppress(ValueError):  # many programs write dates in a format of their own
            created = about.creation_date
    except FileNotDecryptedError as error:
        raise InputError("is encrypted: save it without a password") from error
    except DependencyError as error:
        raise InputError(f"is encrypted: {install_command('docs')} ({error})") from error
    except LimitReachedError as error:
        raise InputError(
            f"unpacks to more than the limit of {limit // MEGABYTE:,} MB, or than any document "
            f"needs ({error}): KG_MAX_FILE_MB sets another"
        ) from error
    except OSError:
        raise
    except Exception as error:  # whatever a broken file makes the library raise
        raise InputError(f"is not a usable PDF: {error}") from error
    if not text.strip():
        raise InputError("has no text, only images perhaps: run text recognition (OCR) on it")
    metadata = {"author": author, "created": created.isoformat() if created else ""}
    return Document(text, source, title, {name: one for name, one in metadata.items() if one})


def _pages(reader: PdfReader, limit: int) -> Iterator[str]:
    """The text of each page; all pages together must unpack to at most `limit` bytes."""
    seen: set[int] = set()
    for page in reader.pages:
        for stream in _streams(page):
            if id(stream) not in seen:
                seen.add(id(stream))
                with _limited(limit):
                    limit -= len(stream.get_data())
        with _limited(limit):
            text = page.extract_text().strip()
        limit -= len(text)
        if limit < 0:
            raise LimitReachedError("the text of its pages")
        yield text


def _limited(limit: int) -> AbstractContextManager[object]:
    """A context in which no stream may unpack to more than `limit` bytes."""
    usual = get_configuration()
    names = (name for name in vars(usual) if name.endswith(("output_length", "stream_length")))
    limits = dict.fromkeys(names, max(1, limit))  # 0 would be no limit
    return apply_configuration(usual.with_overwrites(**limits))


def _streams(page: PageObject) -> Iterator[StreamObject]:
    """The streams of a page: its content, the forms in it, and the letters of its fonts."""

    def dictionary(given: PdfObject | None) -> DictionaryObject:
        held = given.get_object() if given is not None else None
        return held if isinstance(held, DictionaryObject) else DictionaryObject()

    contents = page.get("/Contents", ArrayObject()).get_object()
    found = list(contents) if isinstance(contents, ArrayObject) else [contents]
    resources, seen = [page.get("/Resources")], set()
    while resources:
        held = dictionary(resources.pop())
        if id(held) in seen:
            continue
        seen.add(id(held))
        fonts, forms = (dictionary(held.get(kind)).values() for kind in ("/Font", "/XObject"))
        found += (dictionary(font).get("/ToUnicode") for font in fonts)
        for form in map(dictionary, forms):
            if form.get("/Subtype") == "/Form":
                found.append(form)
                resources.append(form.get("/Resources"))
    objects = (one.get_object() for one in found if one is not None)
    yield from (one for one in objects if isinstance(one, StreamObject))
