"""Reads Word files.

They are packed, and a small file can ask for any amount of memory. So what they unpack to is
counted before a library sees it. Of a broken file the library raises any exception.
"""

from collections.abc import Iterator
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import docx
from docx.document import Document as WordDocument
from docx.oxml.ns import qn
from docx.table import Table, _Cell

from graphrag_neo4j.documents.text import TAG_BYTES, File
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document

XML = (".xml", ".rels")
MOST_PARTS = 5_000  # python-docx compares each part with all others


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
    dates = {"created": created, "modified": modified}
    metadata = {name: one.isoformat() for name, one in dates.items() if one}
    return Document(text, source, title, {**({"author": author} if author else {}), **metadata})


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
