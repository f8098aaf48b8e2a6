"""The transactions that write documents with their chunks, and that remove them.

A document that is too large for the memory of one transaction of Neo4j is written, or shortened, in
several. Until the last of them it has the hash of an unfinished document, so it differs from its
file, and the next run writes it again if this one is killed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final

from graphrag_neo4j.graph import Graph, Row, Transaction, forget_chunks, give_refs
from graphrag_neo4j.graph.rows import IdsRow

__all__ = [
    "UNFINISHED",
    "CutDocuments",
    "begin_document",
    "delete_documents",
    "finish_document",
    "write_documents",
    "write_part",
]

WRITTEN: Final = 400  # documents or chunks after which a transaction ends
WRITE_ROWS: Final = 2000  # chunks in one statement, at most
REMOVED: Final = 100
"""Chunks that a transaction removes, at most. Neo4j looks up a relationship by its id the more
slowly, the more the transaction has already removed: in 0.2 ms after 500, in 10 ms after 86,000."""
UNFINISHED: Final = ""  # the content hash of a document as long as some of its chunks are wrong


@dataclass(slots=True)
class CutDocuments:
    """What one transaction writes: rows of documents, of their chunks, and of changed metadata.

    `metadata` holds the rows of documents whose text did not change.
    """

    documents: list[Row] = field(default_factory=list)
    chunks: list[Row] = field(default_factory=list)
    metadata: list[Row] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether it is enough for a transaction."""
        return max(len(self.documents), len(self.chunks), len(self.metadata)) >= WRITTEN


async def write_documents(cut: CutDocuments, graph: Graph) -> None:
    """Writes documents whose chunks fit one transaction, in place of what the graph has of them."""
    documents = [str(row["id"]) for row in cut.documents]
    vanished = await _remove_ahead(graph, documents, [str(row["id"]) for row in cut.chunks])

    async def work(tx: Transaction) -> None:
        await tx.run("ingest/documents", rows=[*cut.documents, *cut.metadata])
        await forget_chunks(tx, vanished)
        await tx.run("ingest/unlink", documents=documents)
        await _write_chunks(tx, cut.chunks)
        await _link(tx, cut.chunks)

    await graph.transact(work)


async def begin_document(row: Row, graph: Graph) -> None:
    """Writes a document whose chunks follow in parts. Its hash shows that they are missing."""
    await graph.write("ingest/documents", rows=[{**row, "content_hash": UNFINISHED}])
    await graph.write("ingest/unlink", documents=[row["id"]])


async def write_part(chunks: Sequence[Row], previous: Row | None, graph: Graph) -> None:
    """Writes some chunks of a document; `previous` is the chunk before them."""

    async def work(tx: Transaction) -> None:
        await _write_chunks(tx, chunks)
        await _link(tx, [previous, *chunks] if previous else chunks)

    await graph.transact(work)


async def finish_document(row: Row, now: Collection[str], graph: Graph) -> None:
    """Removes the chunks that a document had and has no more; with its hash it is complete."""
    vanished = await _remove_ahead(graph, [str(row["id"])], now)

    async def work(tx: Transaction) -> None:
        await forget_chunks(tx, vanished)
        await tx.run("ingest/documents", rows=[row])

    await graph.transact(work)


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
    for start in range(0, len(vanished), REMOVED):
        await graph.transact(partial(forget_chunks, chunks=vanished[start : start + REMOVED]))
    return []


async def delete_documents(graph: Graph, documents: Sequence[str]) -> None:
    """Removes documents by id, with their chunks and all evidence from these chunks alone.

    Reports that may tell what the documents say are marked, so that the next build writes them
    again, however little of their material has changed.
    """
    for document in documents:
        await graph.write("ingest/forget_reports", documents=[document])
        vanished = await _remove_ahead(graph, [document], [])
        await graph.transact(partial(_delete, document, vanished))


async def _delete(document: str, chunks: Sequence[str], tx: Transaction) -> None:
    await forget_chunks(tx, chunks)
    await tx.run("ingest/delete", documents=[document])


async def _write_chunks(tx: Transaction, chunks: Sequence[Row]) -> None:
    refs = await give_refs(tx, "chunk", [str(chunk["id"]) for chunk in chunks])
    for start in range(0, len(chunks), WRITE_ROWS):
        some = chunks[start : start + WRITE_ROWS]
        await tx.run("ingest/chunks", rows=[{**c, "ref": refs.get(str(c["id"]))} for c in some])


async def _link(tx: Transaction, chunks: Sequence[Row]) -> None:
    """Links chunks that follow each other in a document."""
    neighbours = [
        [one["id"], next_["id"]]
        for one, next_ in pairwise(chunks)
        if one["document"] == next_["document"]
    ]
    await tx.run("ingest/link", pairs=neighbours)
