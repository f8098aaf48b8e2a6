"""Documents in the graph: their rows and those of their chunks, and the transactions for them.

The id of a chunk is a hash of its text and its document, so a chunk whose text did not change keeps
its id, and with it its evidence.

A document that is too large for the memory of one transaction of Neo4j is written, or shortened, in
several. Until the last of them it has the hash of an unfinished document, so it differs from its
file, and the next run writes it again if this one is killed.
"""

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple, TypedDict

from graphrag_neo4j.documents import clean, file_of, name_of, told_apart
from graphrag_neo4j.documents.chunking import Cuts
from graphrag_neo4j.documents.metadata import kept
from graphrag_neo4j.graph.connection import Graph, Row, Transaction
from graphrag_neo4j.graph.rows import IdsRow, pages
from graphrag_neo4j.index.evidence import forget_chunks, with_refs
from graphrag_neo4j.index.read.headers import own_title, places_and_headers, places_hash
from graphrag_neo4j.model.types import Document, Span
from graphrag_neo4j.text.strings import identify, legible

WRITTEN: Final = 400  # documents or chunks after which a transaction ends
WRITE_ROWS: Final = 2000  # chunks in one statement, at most
REMOVED: Final = 100
"""Chunks that a transaction removes, at most. Neo4j looks up a relationship by its id the more
slowly, the more the transaction has already removed: in 0.2 ms after 500, in 10 ms after 86,000."""
UNFINISHED: Final = ""  # the content hash of a document as long as some of its chunks are wrong


class DocumentChunksRow(TypedDict):
    """The ids of the chunks of a document, in their order."""

    source: str
    chunks: list[str]


class Again(NamedTuple):
    """What is done with a chunk that gets another header: whether it is read, and embedded again.

    A chunk that an earlier release has read stays as it is, since that would be paid again.
    """

    reread: bool
    embed: bool


class NamesakesRow(TypedDict):
    """The sources of files that have one name, or one text."""

    files: list[str]


class ChunkSpanRow(TypedDict):
    """A chunk and its characters [start, end) of its document."""

    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document that can be stored, with its row.

    `replaced` characters of it could not be stored, nor could the metadata `unkept`.
    """

    id: str
    document: Document
    row: Row
    replaced: int
    unkept: Sequence[str] = ()


def document_id(source: str) -> str:
    """The id of the document with that source."""
    return identify("document", source)


def prepare_document(document: Document, cuts: Cuts) -> PreparedDocument:
    """Makes the row of a document that is to be cut so.

    Each value of its metadata is also a separate property.
    """
    values, unkept = kept(document.metadata)
    document, replaced = clean(dataclasses.replace(document, metadata=values))
    metadata = document.metadata
    id_, placed = document_id(document.source), places_hash(document, cuts.prepend)
    reading = document.reading
    row: Row = {
        "id": id_,
        "source": document.source,
        "name": name_of(document.source),
        "title": document.title,
        "content_hash": identify("content", document.title, "", document.text),
        "places_hash": placed,
        "cut_with": cuts.signature,
        "metadata": json.dumps(metadata, ensure_ascii=False, sort_keys=True),
        "copy_hash": identify("copy", own_title(document), placed, document.text),
        "id_header": None,
        "id_document": None,
        "file_hash": reading and reading.file_hash,
        "reader": reading and reading.reader,
        **{f"meta_{name}": value for name, value in metadata.items()},
    }
    return PreparedDocument(id_, document, row, replaced, unkept)


def chunk_rows(
    prepared: PreparedDocument, spans: Sequence[Span], fields: Collection[str], again: Again
) -> Iterator[Row]:
    """The rows of the chunks of a document. Their ids tell equal texts in it apart.

    `fields` names the metadata that their headers also tell. `again` says what chunks need that get
    another header than they had.
    """
    header = str(prepared.row["id_header"] or "")
    document = str(prepared.row["id_document"] or prepared.id)
    seen: Counter[bytes] = Counter()
    around = places_and_headers(prepared.document, fields, spans)
    for index, (span, told) in enumerate(zip(spans, around, strict=True)):
        text = prepared.document.text[span.start : span.end]
        key = hashlib.blake2b(text.encode(), digest_size=16).digest()  # the text itself is large
        yield {
            "id": identify("chunk", document, header, text, seen[key]),
            "document": prepared.id,
            "text": text,
            "legible": None if (shown := legible(text)) == text else shown,
            "index": index,
            "start": span.start,
            "end": span.end,
            "n_tokens": span.n_tokens,
            **again._asdict(),
            **told,
        }
        seen[key] += 1


@dataclass(slots=True)
class CutDocuments:
    """What one transaction writes: rows of documents, of their chunks, and of changed metadata.

    `metadata` holds the rows of documents whose text did not change. `copies` says by id which
    documents share the chunks of another.
    """

    documents: list[Row] = field(default_factory=list)
    copies: list[Row] = field(default_factory=list)
    chunks: list[Row] = field(default_factory=list)
    metadata: list[Row] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether it is enough for a transaction."""
        return max(len(self.documents), len(self.chunks), len(self.metadata)) >= WRITTEN


async def write_documents(cut: CutDocuments, graph: Graph) -> None:
    """Writes documents whose chunks fit one transaction, in place of what the graph has of them."""
    documents = [str(row["id"]) for row in cut.documents]
    await graph.write("ingest/take_over", documents=documents)
    vanished = await _remove_ahead(graph, documents, [str(row["id"]) for row in cut.chunks])

    async def work(tx: Transaction) -> None:
        await tx.run("ingest/documents", rows=[*cut.documents, *cut.metadata])
        await forget_chunks(tx, vanished)
        await tx.run("ingest/unlink", documents=documents)
        await tx.run("ingest/copies", rows=cut.copies)
        await _write_chunks(tx, cut.chunks)

    await graph.transact(work)


async def begin_document(row: Row, graph: Graph) -> None:
    """Writes a document whose chunks follow in parts. Its hash shows that they are missing."""
    await graph.write("ingest/take_over", documents=[row["id"]])
    await graph.write("ingest/documents", rows=[{**row, "content_hash": UNFINISHED}])
    await graph.write("ingest/unlink", documents=[row["id"]])


async def write_part(chunks: Sequence[Row], previous: Row | None, graph: Graph) -> None:
    """Writes some chunks of a document; `previous` is the chunk before them."""
    await graph.transact(lambda tx: _write_chunks(tx, chunks, previous))


async def finish_document(row: Row, now: Collection[str], graph: Graph) -> None:
    """Removes the chunks that a document had and has no more; with its hash it is complete."""
    vanished = await _remove_ahead(graph, [str(row["id"])], now)

    async def work(tx: Transaction) -> None:
        await forget_chunks(tx, vanished)
        await tx.run("ingest/documents", rows=[row])

    await graph.transact(work)


async def place_chunks(
    prepared: PreparedDocument, fields: Collection[str], again: Again, graph: Graph
) -> None:
    """Writes where the chunks of a document stand and what went before them; their texts stay."""
    held = await graph.read("ingest/spans", ChunkSpanRow, document=prepared.id)
    spans = [Span(row["start"], row["start"], row["end"], 0) for row in held]
    around = places_and_headers(prepared.document, fields, spans)
    rows = (
        {"id": row["id"], **again._asdict(), **told} for row, told in zip(held, around, strict=True)
    )
    for some in pages(rows, WRITE_ROWS):
        await graph.write("ingest/places", rows=some)
    await graph.write("ingest/documents", rows=[prepared.row])  # last: else it is placed again


async def delete_documents(graph: Graph, documents: Sequence[str]) -> None:
    """Removes documents by id, with their chunks and all evidence from these chunks alone.

    Reports that may tell what the documents say are marked, so that the next build writes them
    again, however little of their material has changed. What has a copy stays, as that of the copy.
    """
    await graph.write("ingest/take_over", documents=documents)
    for document in documents:
        await graph.write("ingest/forget_reports", documents=[document])
        vanished = await _remove_ahead(graph, [document], [])
        await graph.transact(partial(_delete, document, vanished))


async def drop_moved(graph: Graph, is_lost: Callable[[str], bool]) -> list[str]:
    """Drops the documents of files that are gone where another file has their text.

    The other one takes over what was read. Returns the sources of what was dropped.
    """
    moved: list[str] = []
    for row in await graph.read("ingest/shared", NamesakesRow):
        lost = [one for one in row["files"] if is_lost(file_of(one))]
        if len(lost) < len(row["files"]):
            moved += lost
    for some in pages([document_id(source) for source in moved], WRITTEN):
        await graph.transact(partial(_hand_over, some))
    return moved


async def _hand_over(documents: Sequence[str], tx: Transaction) -> None:
    await tx.run("ingest/take_over", documents=documents)
    await tx.run("ingest/delete", documents=documents)


async def name_files(graph: Graph) -> None:
    """Tells files of one name apart by as many of their folders as it takes."""
    for row in await graph.read("ingest/namesakes", NamesakesRow):
        names = told_apart(row["files"])
        await graph.write(
            "ingest/names", rows=[{"file": file, "name": name} for file, name in names.items()]
        )


async def _delete(document: str, chunks: Sequence[str], tx: Transaction) -> None:
    await forget_chunks(tx, chunks)
    await tx.run("ingest/delete", documents=[document])


async def _remove_ahead(graph: Graph, documents: Sequence[str], now: Collection[str]) -> list[str]:
    """Removes chunks that documents no longer have, if they are too many for one transaction.

    `now` are the chunks that they have. Returns those that are left for the transaction that
    writes or deletes the documents.
    """
    before = (await graph.read("ingest/chunks_of", IdsRow, documents=documents))[0]["ids"]
    vanished = sorted(set(before).difference(now))
    if len(vanished) <= REMOVED:
        return vanished
    await graph.write("ingest/unfinished", documents=documents, content_hash=UNFINISHED)
    for page in pages(vanished, REMOVED):
        await graph.transact(partial(forget_chunks, chunks=page))
    return []


async def _write_chunks(
    tx: Transaction, chunks: Sequence[Row], previous: Row | None = None
) -> None:
    """Writes chunks, and links those that follow each other in a document."""
    for some in pages(await with_refs(tx, "chunk", chunks), WRITE_ROWS):
        await tx.run("ingest/chunks", rows=some)
        await tx.run("ingest/places", rows=some)
    in_order = [previous, *chunks] if previous else chunks
    neighbours = [
        [one["id"], next_["id"]]
        for one, next_ in pairwise(in_order)
        if one["document"] == next_["document"]
    ]
    await tx.run("ingest/link", pairs=neighbours)
