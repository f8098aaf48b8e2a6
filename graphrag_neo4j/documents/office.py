"""Reads PDF and Word files, if they contain text.

Both are packed, and both formats let a small file ask for any amount of memory. So what they unpack
to is counted before a library sees it. Of a broken file the libraries raise any exception ("Broken
PDF files might cause other Exceptions", says pypdf).
"""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import docx
from docx.document import Document as WordDocument
from docx.oxml.ns import qn
from docx.table import Table, _Cell
from pypdf import DocumentInformation, PageObject, PdfReader, apply_configuration, get_configuration
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError
from pypdf.generic import ArrayObject, DictionaryObject, PdfObject, StreamObject

from graphrag_neo4j.documents.text import MEGABYTE, TAG_BYTES, File
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document
from graphrag_neo4j.settings.installing import install_command

# pypdf logs oddities of files, and Python would print them where logging is not set up.
logging.getLogger("pypdf").addHandler(logging.NullHandler())

XML = (".xml", ".rels")
MOST_PARTS = 5_000  # python-docx compares each part with all others


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
    return _document(text, source, title, author=author, created=created)


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


def read_word(file: File, source: str) -> Document:
    """Reads paragraphs and tables in their order, divided by blank lines; a table row is a line.

    Title, author and dates are from the document's properties. Raises InputError for a file
    that is broken, has no text, or unpacks to more than the limit.
    """
    try:
        with ZipFile(file.path) as packed:
            document = docx.Document(_unpacked(packed, file))
        # A cell is listed for each column that it spans.
        spans = document.element.body.iter(qn("w:gridSpan"))
        columns = sum(int(span.get(qn("w:val"), 1)) for span in spans)
        file.options.refuse_larger(columns * TAG_BYTES, "has so wide tables that it unpacks to")
        text = "\n\n".join(block for block in _blocks(document) if block.strip())
        about = document.core_properties
        title, author = about.title.strip(), about.author.strip()
        created, modified = about.created, about.modified
    except (InputError, OSError):
        raise
    except Exception as error:  # whatever a broken file makes the library raise
        raise InputError(f"is not a usable Word document: {error}") from error
    if not text:
        raise InputError("has no text")
    return _document(text, source, title, author=author, created=created, modified=modified)


def _unpacked(packed: ZipFile, file: File) -> BytesIO:
    """The same archive without compression, and without the content of pictures and other media.

    The archive states the size of each part, but the statement may be false, and python-docx
    unpacks a part of any size. So each part is unpacked here, up to its stated size.
    """
    parts = packed.infolist()
    if len(parts) > MOST_PARTS:
        raise InputError(
            f"has {len(parts):,} parts, more than the limit of {MOST_PARTS:,}: divide the document"
        )
    texts = [part for part in parts if part.filename.endswith(XML)]
    file.options.refuse_larger(sum(part.file_size for part in texts), "unpacks to")
    if not {part.compress_type for part in texts} <= {ZIP_STORED, ZIP_DEFLATED}:
        raise InputError("is packed in another way than Word's: save it again in Word")
    unpacked, tags = BytesIO(), 0
    with ZipFile(unpacked, "w", ZIP_STORED) as archive:
        for part in parts:
            data = b""
            if part.filename.endswith(XML):
                with packed.open(part) as opened:
                    data = opened.read(part.file_size)
            tags += data.count(b"<") - data.count(b"</")
            archive.writestr(part.filename, data)
    file.options.refuse_larger(tags * TAG_BYTES, "has so many tags that it unpacks to")
    return unpacked


def _blocks(container: WordDocument | _Cell) -> Iterator[str]:
    for item in container.iter_inner_content():
        if isinstance(item, Table):
            # A cell that spans columns is listed for each.
            rows = (dict.fromkeys(row.cells) for row in item.rows)
            texts = ((" ".join(" ".join(_blocks(cell)).split()) for cell in row) for row in rows)
            yield "\n".join(" | ".join(row) for row in texts)
        else:
            yield item.text


def _document(text: str, source: str, title: str, **about: str | datetime | None) -> Document:
    """A document with the properties that are known."""
    metadata = {
        name: one.isoformat() if isinstance(one, datetime) else one
        for name, one in about.items()
        if one
    }
    return Document(text, source, title, metadata)
