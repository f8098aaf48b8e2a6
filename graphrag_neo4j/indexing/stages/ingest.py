"""Writes documents and their chunks. For an unchanged document only a hash is compared.

The chunks of a changed document are replaced. A chunk whose text did not change keeps its id, and
with it its evidence.
"""

import hashlib
import json
from collections import Counter
from collections.abc import (
    AsyncIterable,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.events import Listener, Share, Started
from graphrag_neo4j.graph import Graph, Row, Transaction, forget_chunks, give_refs
from graphrag_neo4j.graph.rows import IdsRow, SourceRow
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.cutting import Cuts
from graphrag_neo4j.indexing.rows import DocumentRow, KnownDocumentRow
from graphrag_neo4j.key_counts import KeyCounts
from graphrag_neo4j.loaders import clean
from graphrag_neo4j.model import Document, Scalar, Span
from graphrag_neo4j.text import storable

__all__ = [
    "Ingested",
    "delete_documents",
    "document_id",
    "header_of",
    "ingest",
    "known_sources",
    "sources_under",
]

Work = Callable[[Graph], Awaitable[None]]
DOCUMENTS = Started("ingest")
LOOK = 100  # documents whose hashes are looked up together
LOOK_CHARACTERS = 2_000_000  # characters of documents that wait for this look-up, at most
WRITE_ROWS = 2000  # chunks in one statement, at most
WRITE_CHUNKS = 400  # chunks after which a transaction ends
PART = 4000  # chunks of a document in one transaction, at most; a larger one has several
REMOVED = 100
"""Chunks that a transaction removes, at most. Neo4j looks up a relationship by its id the more
slowly, the more the transaction has already removed: in 0.2 ms after 500, in 10 ms after 86,000."""
UNFINISHED = ""  # the content hash of a document as long as some of its chunks are missing
LARGEST_INTEGER = 2**63 - 1


@dataclass(slots=True)
class Ingested:
    """The result of the stage ingest: numbers of documents and chunks.

    `added`, `changed` and `unchanged` count documents, `chunks` the chunks that were written.
    `empty` names the sources of documents without text, `repeated` sources that came more than
    once. `replaced` counts characters that can't be stored. `cut_otherwise` counts documents whose
    chunks were cut with other settings.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    chunks: int = 0
    empty: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    replaced: int = 0
    cut_otherwise: int = 0


@dataclass(slots=True)
class _Cut:
    """What one transaction writes: rows of documents, of their chunks, and of changed metadata.

    `metadata` holds the rows of documents whose text did not change.
    """

    documents: list[Row] = field(default_factory=list)
    chunks: list[Row] = field(default_factory=list)
    metadata: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A document that is ready to be written."""

    id: str
    row: Row
    document: Document
    share: Share


def document_id(source: str) -> str:
    """The id of the document with that source."""
    return identify("document", source)


def header_of(document: Document, names: Iterable[str]) -> str:
    """The text that a model reads before each chunk of a document: its metadata of these names."""
    known = {"title": document.title, **document.metadata}
    return "\n".join(f"{name}: {known[name]}" for name in names if known.get(name) is not None)


async def ingest(
    graph: Graph,
    documents: AsyncIterable[Document],
    cutting: Cuts,
    listen: Listener,
    *,
    recut: bool = False,
    started: Started = DOCUMENTS,
    size_of: Callable[[Document], int] = lambda _: 1,
    seen: KeyCounts | None = None,
) -> Ingested:
    """Writes the documents that are new or changed, a few in each transaction.

    The next documents are cut while the last ones are written. With `recut` True, documents that
    were cut with other settings are cut again. `started` is the first event; `size_of` gives the
    share of its total that a document has, in its unit. `seen` receives the id of each document.
    """
    listen(started)
    done, arriving = anyio.create_memory_object_stream[Work](0)
    ingesting = _Ingesting(graph, cutting, listen, recut, size_of, done=done)
    ingesting.seen = KeyCounts() if seen is None else seen
    with first_error():
        async with arriving, anyio.create_task_group() as tasks:
            tasks.start_soon(_write_each, graph, arriving)
            async with done:
                async for document in documents:
                    await ingesting.take(document)
                await ingesting.look()
                await ingesting.send()
    return ingesting.result


async def _write_each(graph: Graph, arriving: MemoryObjectReceiveStream[Work]) -> None:
    """Does what arrives, in this order."""
    async for work in arriving:
        await work(graph)


async def _write(one: _Cut, graph: Graph) -> None:
    """Writes documents whose chunks fit one transaction, in place of what the graph has of them."""
    documents = [str(row["id"]) for row in one.documents]
    vanished = await _vanished(graph, documents, [str(row["id"]) for row in one.chunks])

    async def work(tx: Transaction) -> None:
        await tx.run("ingest/documents", rows=[*one.documents, *one.metadata])
        await forget_chunks(tx, vanished)
        await tx.run("ingest/unlink", documents=documents)
        await _write_chunks(tx, one.chunks)
        await _link(tx, one.chunks)

    await graph.transact(work)


async def _begin(row: Row, graph: Graph) -> None:
    """Writes a document whose chunks follow in parts. Its hash shows that they are missing."""
    await graph.write("ingest/documents", rows=[{**row, "content_hash": UNFINISHED}])
    await graph.write("ingest/unlink", documents=[row["id"]])


async def _write_part(chunks: Sequence[Row], previous: Row | None, graph: Graph) -> None:
    """Writes some chunks of a document; `previous` is the chunk before them."""

    async def work(tx: Transaction) -> None:
        await _write_chunks(tx, chunks)
        await _link(tx, [previous, *chunks] if previous else chunks)

    await graph.transact(work)


async def _finish(row: Row, now: Collection[str], graph: Graph) -> None:
    """Removes the chunks that a document had and has no more; with its hash it is complete."""
    vanished = await _vanished(graph, [str(row["id"])], now)

    async def work(tx: Transaction) -> None:
        await forget_chunks(tx, vanished)
        await tx.run("ingest/documents", rows=[row])

    await graph.transact(work)


async def _vanished(graph: Graph, documents: Sequence[str], now: Collection[str]) -> list[str]:
    """The ids of the chunks that documents have and that are not in `now`.

    Where these are too many for one transaction, they are removed here, and none is left. A run
    that is killed meanwhile leaves documents that differ from their files.
    """
    before = (await graph.read("ingest/chunks_of", IdsRow, documents=documents))[0]["ids"]
    vanished = sorted(set(before).difference(now))
    if len(vanished) <= REMOVED:
        return vanished
    await graph.write("ingest/unfinished", documents=documents, content_hash=UNFINISHED)
    for start in range(0, len(vanished), REMOVED):
        await graph.transact(partial(forget_chunks, chunks=vanished[start : start + REMOVED]))
    return []


class _Ingesting:
    """One run over documents: it holds those to look up and those to write, and sends these."""

    def __init__(
        self,
        graph: Graph,
        cutting: Cuts,
        listen: Listener,
        recut: bool,
        size_of: Callable[[Document], int],
        *,
        done: MemoryObjectSendStream[Work],
    ) -> None:
        self.graph, self.cutting, self.listen, self.recut = graph, cutting, listen, recut
        self.size_of, self.done = size_of, done
        self.result = Ingested()
        self.seen = KeyCounts()
        self.unknown: list[_Prepared] = []
        self.waiting = 0  # characters of the documents in `unknown`
        self.unsent = _Cut()

    async def take(self, document: Document) -> None:
        share = Share(self.size_of(document), self.listen)
        prepared, replaced = _prepare(document, self.cutting, share)
        if self.seen.add(prepared.id) > 1:
            self.result.repeated.append(document.source)
            return
        self.result.replaced += replaced
        self.unknown.append(prepared)
        self.waiting += len(document.text)
        if len(self.unknown) >= LOOK or self.waiting >= LOOK_CHARACTERS:
            await self.look()

    async def look(self) -> None:
        """Looks up the documents that wait, and cuts those that are new or changed."""
        ids = [prepared.id for prepared in self.unknown]
        known = {
            row["id"]: row
            for row in await self.graph.read("ingest/known", KnownDocumentRow, ids=ids)
        }
        differ = {one.id for one in self.unknown if self._differs(one, known.get(one.id))}
        self.cutting.ahead([one.document for one in self.unknown if one.id in differ])
        for prepared in self.unknown:
            if prepared.id in differ:
                await self._cut(prepared)
            prepared.share(1.0)
        self.unknown, self.waiting = [], 0

    def _differs(self, prepared: _Prepared, known: KnownDocumentRow | None) -> bool:
        if known is None:
            self.result.added += 1
            return True
        same_cut = known["cut_with"] == prepared.row["cut_with"]
        if known["content_hash"] != prepared.row["content_hash"] or (self.recut and not same_cut):
            self.result.changed += 1
            return True
        self.result.cut_otherwise += not same_cut
        self.result.unchanged += 1
        if known["metadata"] != prepared.row["metadata"]:
            self.unsent.metadata.append({**prepared.row, "cut_with": known["cut_with"]})
        return False

    async def _cut(self, prepared: _Prepared) -> None:
        spans = await anyio.to_thread.run_sync(
            self.cutting.spans, prepared.document, prepared.share
        )
        if not spans:
            self.result.empty.append(str(prepared.row["source"]))
        self.result.chunks += len(spans)
        if len(spans) > PART:
            await self._send_in_parts(prepared, spans)
            return
        self.unsent.documents.append(prepared.row)
        self.unsent.chunks += _chunk_rows(prepared, spans)
        if len(self.unsent.chunks) >= WRITE_CHUNKS:
            await self.send()

    async def _send_in_parts(self, prepared: _Prepared, spans: Sequence[Span]) -> None:
        """Hands over a document that is too large for the memory of one transaction of Neo4j.

        A run that is killed meanwhile leaves a document that differs from its file, so the next
        run cuts it again.
        """
        await self.send()
        await self.done.send(partial(_begin, prepared.row))
        rows, previous, ids = _chunk_rows(prepared, spans), None, set[str]()
        while part := list(islice(rows, PART)):
            await self.done.send(partial(_write_part, part, previous))
            previous = part[-1]
            ids.update(str(row["id"]) for row in part)
        await self.done.send(partial(_finish, prepared.row, ids))

    async def send(self) -> None:
        """Hands over what is cut, once what was handed over before is written."""
        if self.unsent.documents or self.unsent.metadata:
            await self.done.send(partial(_write, self.unsent))
        self.unsent = _Cut()


async def delete_documents(graph: Graph, documents: Sequence[str]) -> None:
    """Removes documents by id, with their chunks and all evidence from these chunks alone.

    Reports that may tell what the documents say are marked, so that the next build writes them
    again, however little of their material has changed.
    """
    for document in documents:
        await graph.write("ingest/forget_reports", documents=[document])
        vanished = await _vanished(graph, [document], [])
        await graph.transact(partial(_delete, document, vanished))


async def _delete(document: str, chunks: Sequence[str], tx: Transaction) -> None:
    await forget_chunks(tx, chunks)
    await tx.run("ingest/delete", documents=[document])


async def sources_under(graph: Graph, prefix: str) -> list[str]:
    """The sources that begin with `prefix`, of the documents in the graph, in order."""
    return [row["source"] for row in await graph.read("ingest/sources", DocumentRow, prefix=prefix)]


async def known_sources(
    graph: Graph, sources: Sequence[str], files: Sequence[str] = ()
) -> list[str]:
    """The sources in the graph that are in `sources` or `files`, or are rows of these files."""
    rows = await graph.read("ingest/known_sources", SourceRow, sources=sources, files=files)
    return [row["source"] for row in rows]


async def _write_chunks(tx: Transaction, chunks: Sequence[Row]) -> None:
    refs = await give_refs(tx, "chunk", [str(chunk["id"]) for chunk in chunks])
    for some in _in_parts(chunks):
        await tx.run("ingest/chunks", rows=[{**c, "ref": refs.get(str(c["id"]))} for c in some])


async def _link(tx: Transaction, chunks: Sequence[Row]) -> None:
    """Links chunks that follow each other in a document."""
    neighbours = [
        [one["id"], next_["id"]]
        for one, next_ in pairwise(chunks)
        if one["document"] == next_["document"]
    ]
    await tx.run("ingest/link", pairs=neighbours)


def _in_parts(chunks: Sequence[Row]) -> Iterator[Sequence[Row]]:
    for start in range(0, len(chunks), WRITE_ROWS):
        yield chunks[start : start + WRITE_ROWS]


def _prepare(document: Document, cutting: Cuts, share: Share) -> tuple[_Prepared, int]:
    """A document ready to be written, and the number of its characters that were replaced."""
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
    return _Prepared(id_, row, document, share), replaced


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


def _chunk_rows(prepared: _Prepared, spans: Iterable[Span]) -> Iterator[Row]:
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
