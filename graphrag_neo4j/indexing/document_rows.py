"""Rows of a document and of its chunks.

The id of a chunk is a hash of its text and its document, so a chunk whose text did not change keeps
its id, and with it its evidence.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from graphrag_neo4j.graph import Row
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.cutting import Cuts
from graphrag_neo4j.loaders import clean
from graphrag_neo4j.model import Document, Scalar, Span
from graphrag_neo4j.text import storable

__all__ = ["PreparedDocument", "chunk_rows", "document_id", "header_of", "prepare_document"]

LARGEST_INTEGER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document that can be stored, with its row; `replaced` characters of it could not be."""

    id: str
    document: Document
    row: Row
    replaced: int


def document_id(source: str) -> str:
    """The id of the document with that source."""
    return identify("document", source)


def header_of(document: Document, names: Iterable[str]) -> str:
    """The text that a model reads before each chunk of a document: its metadata of these names."""
    known = {"title": document.title, **document.metadata}
    return "\n".join(f"{name}: {known[name]}" for name in names if known.get(name) is not None)


def prepare_document(document: Document, cutting: Cuts) -> PreparedDocument:
    """Makes the row of a document that is to be cut so."""
    document, replaced = clean(document)
    metadata = {k: v for k, v in document.metadata.items() if v is not None}
    header = header_of(document, cutting.prepend)
    id_ = document_id(document.source)
    row: Row = {
        "id": id_,
        "source": document.source,
        "title": document.title,
        "header": header or None,
        "content_hash": identify("content", document.title, header, document.text),
        "cut_with": cutting.signature,
        "metadata": _json(metadata),
        **_flat(metadata),
    }
    return PreparedDocument(id_, document, row, replaced)


def _flat(metadata: Mapping[str, object]) -> Row:
    """The scalars as properties of their own; an integer beyond 64 bits becomes a text."""
    return {
        f"meta_{name}": str(value)
        if isinstance(value, int) and abs(value) > LARGEST_INTEGER
        else value
        for name, value in metadata.items()
        if isinstance(value, Scalar)
    }


def _json(metadata: Mapping[str, object]) -> str:
    """The metadata as JSON; values that JSON lacks, such as dates, become texts."""
    text = json.dumps(metadata, ensure_ascii=False, sort_keys=True, default=str)
    return storable(text)[0]


def chunk_rows(prepared: PreparedDocument, spans: Iterable[Span]) -> Iterator[Row]:
    """The rows of the chunks of a document. Their ids tell equal texts in it apart."""
    header = str(prepared.row["header"] or "")
    counted = _counted(prepared.document.text, spans)
    for index, (span, text, occurrence) in enumerate(counted):
        yield {
            "id": identify("chunk", prepared.id, header, text, occurrence),
            "document": prepared.id,
            "text": text,
            "index": index,
            "start": span.start,
            "end": span.end,
            "n_tokens": span.n_tokens,
        }


def _counted(text: str, spans: Iterable[Span]) -> Iterator[tuple[Span, str, int]]:
    """Each span with its text and the number of equal texts before it in the document."""
    seen: Counter[bytes] = Counter()
    for span in spans:
        part = text[span.start : span.end]
        key = hashlib.blake2b(part.encode(), digest_size=16).digest()  # the text itself is large
        yield span, part, seen[key]
        seen[key] += 1
