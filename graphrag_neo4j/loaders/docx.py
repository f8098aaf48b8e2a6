"""Reads docx files of Word: their paragraphs and tables."""

import zlib
from collections.abc import Iterator
from io import BytesIO
from lzma import LZMAError
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import docx
from docx.document import Document as WordDocument
from docx.exceptions import PythonDocxError
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.table import Table, _Cell, _Row

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.loaders.text import TAG_BYTES, Content, File
from graphrag_neo4j.model import Scalar

__all__ = ["word"]

# Errors that python-docx and its libraries raised for mutated files (SyntaxError is of lxml).
BROKEN = (
    PythonDocxError,
    OpcError,
    SyntaxError,
    BadZipFile,
    EOFError,
    LZMAError,
    zlib.error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
XML = (".xml", ".rels")
MOST_PARTS = 5_000  # python-docx compares each part with all others


def word(file: File) -> Content:
    """Reads paragraphs and tables in their order, divided by blank lines; a table row is a line.

    Title, author and dates are from the document's properties. Raises InputError for a file
    that is broken, has no text, or unpacks to more than the limit.
    """
    try:
        with ZipFile(file.path) as packed:
            document = docx.Document(_unpacked(packed, file))
        _refuse_wide_rows(document, file)
        text = "\n\n".join(block for block in _blocks(document) if block.strip())
        title, metadata = _about(document)
    except BROKEN as error:
        raise InputError(f"is not a usable Word document: {error}") from error
    if not text:
        raise InputError("has no text")
    return Content(text, title, metadata)


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


def _refuse_wide_rows(document: WordDocument, file: File) -> None:
    """Refuses tables whose cells span very many columns: a cell is listed for each of them."""
    spans = document.element.body.iter(qn("w:gridSpan"))
    columns = sum(int(span.get(qn("w:val"), 1)) for span in spans)
    file.options.refuse_larger(columns * TAG_BYTES, "has so wide tables that it unpacks to")


def _blocks(container: WordDocument | _Cell) -> Iterator[str]:
    for item in container.iter_inner_content():
        if isinstance(item, Table):
            yield "\n".join(_line(row) for row in item.rows)
        else:
            yield item.text


def _line(row: _Row) -> str:
    cells = dict.fromkeys(row.cells)  # a cell that spans columns is listed for each
    return " | ".join(" ".join(" ".join(_blocks(cell)).split()) for cell in cells)


def _about(document: WordDocument) -> tuple[str, dict[str, Scalar]]:
    about = document.core_properties
    found = {
        "author": about.author.strip(),
        "created": about.created.isoformat() if about.created else "",
        "modified": about.modified.isoformat() if about.modified else "",
    }
    return about.title.strip(), {name: value for name, value in found.items() if value}
