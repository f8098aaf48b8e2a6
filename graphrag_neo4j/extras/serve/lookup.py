"""What the page looks up beside what the Python client has: passages and documents."""

import json
from collections.abc import Sequence
from typing import Any, Final, Literal, TypedDict
from urllib.parse import unquote

from pydantic import BaseModel

from graphrag_neo4j.documents import file_of
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.passage import Passage

AROUND: Final = 10  # chunks before and after a passage
READ_AT_ONCE: Final = 40  # chunks of a document that are read at once
PARAGRAPH: Final = "\n\n"
KEY_PATTERN: Final = "^([0-9]{12}|$)"
FIRST_KEY: Final = "0" * 12  # before those of all documents

Order = Literal["name", "date", "size", "state"]


class MentionedEntity(BaseModel):
    """An entity that a chunk mentions."""

    ref: int
    name: str
    type: str | None


class NearChunkRow(TypedDict):
    """A chunk near a passage, at characters [start, end) of its document."""

    ref: int
    start: int
    end: int
    text: str


class PassageRow(TypedDict):
    """A passage, and the chunks of its document around it in order, itself among them."""

    passage: dict[str, Any]
    near: list[NearChunkRow]
    entities: list[dict[str, Any]]
    before: int
    after: int


class ShownPassage(BaseModel):
    """A passage: characters [start, end) of a document; `place` says where a person finds it.

    `text` is the part of the document that begins at `text_start`, and `before` and `after` are the
    numbers of chunks of the document that it leaves out.
    """

    ref: int
    start: int
    end: int
    document: str
    title: str
    place: str
    text: str
    text_start: int
    entities: list[MentionedEntity]
    before: int
    after: int


class DocumentRow(TypedDict):
    """A document with the numbers of its chunks and characters."""

    source: str
    name: str
    title: str
    date: str | None
    chunks: int
    characters: int


class ListedDocumentRow(DocumentRow):
    """A document with its key in an order, and the numbers of its chunks by state."""

    key: str
    pending: int
    failed: int
    reasons: list[str]


class TextChunkRow(NearChunkRow):
    """A chunk with its place, whose columns are those of `Passage`."""

    line: int | None
    parts: list[str] | None
    part_starts: list[int] | None


class DocumentTextRow(DocumentRow):
    """A document, its metadata as JSON, and some of its chunks in order."""

    metadata: str
    near: list[TextChunkRow]


class NamedDocument(BaseModel):
    """A document as people call it: `name` is that of its file, `folder` where this is.

    The document of a row has the title of the row as its name.
    """

    source: str
    name: str
    title: str
    folder: str
    date: str | None
    chunks: int
    characters: int

    @staticmethod
    def named(row: DocumentRow) -> dict[str, Any]:
        """The fields of a document."""
        source, title = row["source"], row["title"]
        fields = {key: row[key] for key in ("source", "title", "date", "chunks", "characters")}
        name = title if file_of(source) != source and title else row["name"]
        return {**fields, "name": name, "folder": folder_of(source)}


class ListedDocument(NamedDocument):
    """A document: `state` is "read", "pending" or "failed"; `reasons` say why.

    `key` is its place in the order of the list.
    """

    key: str
    state: str
    reasons: list[str]


class DocumentPart(BaseModel):
    """A page or heading of a document, and the character where it begins."""

    start: int
    label: str


class DocumentText(NamedDocument):
    """A part of a document: `text` begins at the character `text_start`, and `next` is where the
    rest begins, None at the end.

    `parts` are the pages and headings in it. The lines of the text are those of the file if
    `keeps_lines`; else they are blocks of a page, a list or a table.
    """

    metadata: dict[str, Any]
    keeps_lines: bool
    text: str
    text_start: int
    parts: list[DocumentPart]
    next: int | None


async def read_passage_around(graph: Graph, ref: int, at: int | None) -> ShownPassage | None:
    """Reads a passage with the text around it; None if there is no such chunk.

    Its place is that of the character `at` of its document, None for its beginning.
    """
    rows = await graph.read("serve/passage", PassageRow, ref=ref, around=AROUND)
    if not rows:
        return None
    row, passage = rows[0], Passage.of(rows[0]["passage"])
    start = passage.start if at is None else at
    text_start = row["near"][0]["start"]
    return ShownPassage(
        ref=passage.chunk,
        start=passage.start,
        end=passage.end,
        document=passage.document,
        title=passage.title,
        place=passage.place_of(start, start + 1),
        text=text_of(row["near"], text_start),
        text_start=text_start,
        entities=[MentionedEntity(**one) for one in row["entities"]],
        before=row["before"],
        after=row["after"],
    )


async def read_document(graph: Graph, source: str, at: int) -> DocumentText | None:
    """Reads the text of a document from a character on; None if there is no such document."""
    rows = await graph.read("serve/text", DocumentTextRow, source=source, at=at, limit=READ_AT_ONCE)
    if not rows:
        return None
    row, near = rows[0], rows[0]["near"]
    text, parts = text_of(near, at), dict[int, str]()
    if near and near[-1]["end"] < row["characters"]:  # the next part begins with a paragraph
        text = text[: text.rfind(PARAGRAPH) + len(PARAGRAPH)] if PARAGRAPH in text else text
    end = at + len(text)
    for chunk in near:
        parts |= zip(chunk["part_starts"] or (), chunk["parts"] or (), strict=True)
    return DocumentText(
        **NamedDocument.named(row),
        metadata=json.loads(row["metadata"] or "{}"),
        keeps_lines=any(chunk["line"] is not None for chunk in near),
        text=text,
        text_start=at,
        parts=[DocumentPart(start=n, label=it) for n, it in sorted(parts.items()) if at <= n < end],
        next=end if near and end < row["characters"] else None,
    )


def text_of(chunks: Sequence[NearChunkRow], start: int) -> str:
    """The text of chunks, which overlap, from the character `start` on."""
    text, end = "", start
    for chunk in chunks:
        text += chunk["text"][max(0, end - chunk["start"]) :]
        end = max(end, chunk["end"])
    return text


async def list_documents(
    graph: Graph, after: str, limit: int, sort: Order, find: str
) -> list[ListedDocument]:
    """Reads documents after the key `after`, in an order, those with `find` in name or title."""
    how = {"after": after, "limit": limit, "sort": sort, "find": find.lower()}
    rows = await graph.read("serve/documents", ListedDocumentRow, **how)
    return [
        ListedDocument(
            **NamedDocument.named(row),
            key=row["key"],
            state="failed" if row["failed"] else "pending" if row["pending"] else "read",
            reasons=row["reasons"] if row["chunks"] else ["it holds no text"],
        )
        for row in rows
    ]


def folder_of(source: str) -> str:
    """The folder of a file as people write it, "" for what is no file in a folder."""
    return unquote(file_of(source).rpartition("/")[0].removeprefix("file://"))
