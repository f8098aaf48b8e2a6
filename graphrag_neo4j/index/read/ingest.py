"""Cuts documents that are new or changed, and writes them with their chunks.

For an unchanged document only a hash is compared. The chunks of a changed document are replaced,
apart from those whose text did not change.
"""

from collections import Counter
from collections.abc import AsyncIterable, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Self, TypedDict

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectSendStream

from graphrag_neo4j.backends import is_free
from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.documents.chunking import Cuts
from graphrag_neo4j.files import KeyCounts
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import CountRow, MadeWithRow, pages
from graphrag_neo4j.index.read.documents import (
    UNFINISHED,
    Again,
    CutDocuments,
    PreparedDocument,
    begin_document,
    chunk_rows,
    finish_document,
    place_chunks,
    prepare_document,
    write_documents,
    write_part,
)
from graphrag_neo4j.model.events import Listener, Notice, Share
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import identify

Work = Callable[[Graph], Awaitable[None]]
LOOK = 100  # documents whose hashes are looked up together
LOOK_CHARACTERS = 2_000_000  # characters of documents that wait for this look-up, at most
UNWRITTEN = 2000  # documents of this run that may not be in the graph yet; WRITTEN is far less
PART = 4000  # chunks of a document in one transaction, at most; a larger one has several


class KnownDocumentRow(TypedDict):
    """What the graph knows of a document."""

    id: str
    content_hash: str | None
    cut_with: str | None
    metadata: str | None
    title: str | None
    places_hash: str | None
    id_header: str | None
    id_document: str | None
    copy_hash: str | None
    is_copy: bool
    file_hash: str | None
    reader: int
    since: int


class OriginalRow(TypedDict):
    """A document that is to be written. `original`: another one with its text and headers.

    `taken`: its chunks need other ids, for another document has taken over those that it had.
    """

    id: str
    original: str | None
    taken: bool


@dataclass(slots=True)
class Ingested:
    """The result of the stage ingest: numbers of documents and chunks.

    `added`, `changed` and `unchanged` count documents, `chunks` the chunks that were written.
    `empty` names the sources of documents without text, `repeated` sources that came more than
    once. `replaced` counts characters that can't be stored. `cut_otherwise` counts documents whose
    chunks were cut with other settings. `read_before` holds the sources of documents that keep the
    text that an earlier version of their reader gave of the same file. `unkept` counts by name the
    documents with metadata that can't be kept. `moved` holds the sources of
    documents that the graph had before, whose file is gone and whose text another file has.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    chunks: int = 0
    empty: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    replaced: int = 0
    cut_otherwise: int = 0
    read_before: list[str] = field(default_factory=list)
    unkept: Counter[str] = field(default_factory=Counter)
    moved: list[str] = field(default_factory=list)

    def add(self, more: Self) -> None:
        """Adds the result of a further part of the documents."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(more, one.name))


async def ingest(
    graph: Graph,
    documents: AsyncIterable[tuple[Document, Share]],
    cuts: Cuts,
    *,
    recut: bool = False,
    reread: bool = False,
    seen: KeyCounts | None = None,
    copies: bool = True,
) -> Ingested:
    """Writes the documents that are new or changed, a few in each transaction.

    Each document comes with its share of the progress. The next documents are cut while the last
    ones are written. With `recut` True, documents that were cut with other settings are cut again,
    and with `reread` True those that an earlier version of their reader has read. `seen` receives
    the id of each document. With `copies`, a document with the text and headers of another one
    shares its chunks.
    """
    seen = KeyCounts() if seen is None else seen
    to_write, arriving = anyio.create_memory_object_stream[Work](0)

    async def write_each() -> None:
        async for work in arriving:
            await work(graph)

    free = is_free((await graph.read("embed/known", MadeWithRow))[0]["model"])
    ingesting = _Ingesting(graph, cuts, recut, reread, to_write, free=free, copies=copies)
    result, waiting = ingesting.result, 0
    with first_error():
        async with arriving, anyio.create_task_group() as tasks:
            tasks.start_soon(write_each)
            async with to_write:
                async for document, share in documents:
                    prepared = prepare_document(document, cuts)
                    if seen.add(prepared.id) > 1:
                        result.repeated.append(document.source)
                        continue
                    result.replaced += prepared.replaced
                    result.unkept.update(prepared.unkept)
                    ingesting.unknown.append((prepared, share))
                    waiting += len(document.text)
                    if len(ingesting.unknown) >= LOOK or waiting >= LOOK_CHARACTERS:
                        await ingesting.look()
                        waiting = 0
                await ingesting.look()
                await ingesting.send()
    return result


class _Ingesting:
    """Holds the documents to look up and those to write, and hands these over to be written."""

    def __init__(
        self,
        graph: Graph,
        cuts: Cuts,
        recut: bool,
        reread: bool,
        to_write: MemoryObjectSendStream[Work],
        *,
        free: bool,
        copies: bool,
    ) -> None:
        self.graph, self.cuts, self.to_write = graph, cuts, to_write
        self.recut, self.reread, self.free, self.copies = recut, reread, free, copies
        self.result = Ingested()
        self.unknown: list[tuple[PreparedDocument, Share]] = []
        self.unsent = CutDocuments()
        # The ids of documents that the graph may not hold yet, by what makes a copy of them.
        self.written: dict[str, str] = {}
        self.unplaced: list[tuple[PreparedDocument, Again]] = []

    async def look(self) -> None:
        """Looks up the documents that wait, and cuts those that are new or changed."""
        ids = [one.id for one, _ in self.unknown]
        rows = await self.graph.read("ingest/known", KnownDocumentRow, ids=ids)
        known = {row["id"]: row for row in rows}
        differ = {one.id for one, _ in self.unknown if self._differs(one, known.get(one.id))}
        self.cuts.ahead([one.document for one, _ in self.unknown if one.id in differ])
        originals = await self._originals(differ, known)
        # New documents are written first: a known one that changes leaves its chunks to its copy.
        self.unknown.sort(key=lambda one: one[0].id in known)
        for prepared, share in self.unknown:
            if prepared.id in known and self.unsent.copies:
                await self.send()
            if prepared.id in differ:
                await self._write(prepared, share, known.get(prepared.id), originals)
            if self.unsent.is_full:
                await self.send()
            share(1.0)
        for prepared, again in self.unplaced:
            await self.to_write.send(partial(place_chunks, prepared, self.cuts.prepend, again))
        self.unknown, self.unplaced = [], []

    def _differs(self, prepared: PreparedDocument, known: KnownDocumentRow | None) -> bool:
        if known is None:
            self.result.added += 1
            return True
        of_ids = {"id_header": known["id_header"], "id_document": known["id_document"]}
        row = {**prepared.row, **of_ids, "cut_with": known["cut_with"]}
        cut_otherwise = row["cut_with"] != prepared.row["cut_with"]
        if self._keeps_text(prepared, known):
            self.result.read_before.append(prepared.document.source)
            for kept in ("content_hash", "places_hash", "copy_hash", "title", "reader"):
                row[kept] = known[kept]
        if known["content_hash"] != row["content_hash"] or (self.recut and cut_otherwise):
            self.result.changed += 1
            return True
        self.result.cut_otherwise += cut_otherwise
        self.result.unchanged += 1
        if known["is_copy"] and known["copy_hash"] != row["copy_hash"]:
            return True  # it has the text of its original, but no longer the headers
        if known["places_hash"] != row["places_hash"]:
            self.unplaced.append((replace(prepared, row=row), self._again(known)))
        elif any(known[name] != row[name] for name in ("metadata", "file_hash")):
            self.unsent.metadata.append(row)
        return False

    def _keeps_text(self, prepared: PreparedDocument, known: KnownDocumentRow) -> bool:
        """Whether an earlier version of the reader gave another text of the same file.

        Of graphs without hashes of files, a file is the same that was last changed before the last
        build.
        """
        reading = prepared.document.reading
        if self.reread or not reading or known["reader"] >= reading.reader:
            return False
        if known["content_hash"] in (UNFINISHED, prepared.row["content_hash"]):
            return False
        if known["file_hash"]:
            return known["file_hash"] == reading.file_hash
        return reading.changed < known["since"]

    def _again(self, known: KnownDocumentRow | None) -> Again:
        placed = known is not None and known["places_hash"] is not None
        return Again(reread=placed, embed=placed or self.free)

    async def _originals(
        self, differ: Collection[str], known: Mapping[str, KnownDocumentRow]
    ) -> dict[str, OriginalRow]:
        """What is known of others by the ids of the documents that are to be written."""
        rows = []
        for prepared, _ in self.unknown:
            if prepared.id in differ:
                row = prepared.row
                if before := known.get(prepared.id):
                    row |= {name: before[name] for name in ("id_header", "id_document")}
                asked = {"id_document": row["id_document"] or prepared.id, "is_new": not before}
                rows.append({"id": prepared.id, "copy_hash": row["copy_hash"], **asked})
        found = await self.graph.read("ingest/originals", OriginalRow, rows=rows, ids=list(differ))
        originals = {row["original"] for row in found if self.copies}
        # What is about to change leaves its chunks to its copy, and gets others.
        return {
            row["id"]: {**row, "taken": row["taken"] or row["id"] in originals} for row in found
        }

    async def _write(
        self,
        prepared: PreparedDocument,
        share: Share,
        known: KnownDocumentRow | None,
        originals: Mapping[str, OriginalRow],
    ) -> None:
        """Makes a document a copy where another one, also of this run, has its text and headers."""
        found, key = originals[prepared.id], str(prepared.row["copy_hash"])
        original = found["original"] or self.written.get(key)
        if self.copies and original and prepared.document.text.strip():
            self.unsent.documents.append(prepared.row)
            self.unsent.copies.append({"copy": prepared.id, "original": original})
            return
        if found["taken"]:
            prepared.row["id_document"] = identify("document", prepared.id, key)
        self.written[key] = prepared.id
        if len(self.written) > UNWRITTEN:
            del self.written[next(iter(self.written))]
        await self._cut(prepared, share, known)

    async def _cut(
        self, prepared: PreparedDocument, share: Share, known: KnownDocumentRow | None
    ) -> None:
        spans = await anyio.to_thread.run_sync(self.cuts.spans, prepared.document, share)
        if not spans:
            self.result.empty.append(str(prepared.row["source"]))
        self.result.chunks += len(spans)
        rows = chunk_rows(prepared, spans, self.cuts.prepend, self._again(known))
        if len(spans) <= PART:
            self.unsent.documents.append(prepared.row)
            self.unsent.chunks += rows
            return
        # The document is too large for the memory of one transaction of Neo4j.
        await self.send()
        await self.to_write.send(partial(begin_document, prepared.row))
        previous, ids = None, set[str]()
        for part in pages(rows, PART):
            await self.to_write.send(partial(write_part, part, previous))
            previous = part[-1]
            ids.update(str(row["id"]) for row in part)
        await self.to_write.send(partial(finish_document, prepared.row, ids))

    async def send(self) -> None:
        """Hands over what is cut, once what was handed over before is written."""
        if self.unsent.documents or self.unsent.metadata:
            await self.to_write.send(partial(write_documents, self.unsent))
        self.unsent = CutDocuments()


async def tell_of_others(
    graph: Graph, places: Sequence[str], settings: Settings, listen: Listener
) -> None:
    """Sends a notice where the graph holds documents, but none of a source that begins so."""
    if n := (await graph.read("ingest/elsewhere", CountRow, places=places))[0]["n"]:
        held = "a document" if n == 1 else f"{n:,} documents"
        apart = "give another folder by `kg-build --home FOLDER index`"
        if settings.neo4j_uri:
            apart = (
                "set NEO4J_DATABASE to another database or, if this server has only one, give "
                "--home FOLDER without NEO4J_URI"
            )
        listen(
            Notice(
                f"This graph already holds {held} from another folder; the new ones are added to "
                f"it. To keep them apart, {apart}."
            )
        )
