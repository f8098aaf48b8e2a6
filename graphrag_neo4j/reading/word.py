"""Word's docx: its paragraphs and tables."""

import zlib
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path
from zipfile import BadZipFile

import docx
from docx.document import Document as WordDocument
from docx.exceptions import PythonDocxError
from docx.opc.exceptions import OpcError
from docx.table import Table, _Cell, _Row

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Scalar
from graphrag_neo4j.reading.text import Content

__all__ = ["word"]

# What python-docx and the libraries below it raised for mutated files (SyntaxError is lxml's).
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


def word(path: Path) -> Content:
    """Paragraphs and tables in their order, blank lines between them; a table row is a line.

    Title, author and dates are from the document's properties. Raises InputError for a file
    that is broken or has no text.
    """
    try:
        with path.open("rb") as file:
            document = docx.Document(file)
        text = "\n\n".join(block for block in _blocks(document) if block.strip())
        title, metadata = _about(document)
    except BROKEN as error:
        raise InputError(f"is no usable Word document: {error}") from error
    if not text:
        raise InputError("has no text")
    return Content(text, title, metadata)


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
