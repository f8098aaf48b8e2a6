"""What the page looks up beside what the Python client has: passages and documents."""

from typing import Any, Final, TypedDict

from pydantic import BaseModel

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.passage import Passage

AROUND: Final = 10  # chunks before and after a passage


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


class ListedDocumentRow(TypedDict):
    """A document, and the numbers of its chunks by state."""

    source: str
    title: str
    chunks: int
    pending: int
    failed: int
    reasons: list[str]


class ListedDocument(BaseModel):
    """A document: `state` is "read", "pending" or "failed"; `reasons` say why."""

    source: str
    title: str
    chunks: int
    state: str
    reasons: list[str]


async def read_passage_around(graph: Graph, ref: int, at: int | None) -> ShownPassage | None:
    """Reads a passage with the text around it; None if there is no such chunk.

    Its place is that of the character `at` of its document, None for its beginning.
    """
    rows = await graph.read("serve/passage", PassageRow, ref=ref, around=AROUND)
    if not rows:
        return None
    row, passage = rows[0], Passage.of(rows[0]["passage"])
    start = passage.start if at is None else at
    text, end = "", row["near"][0]["start"]
    for chunk in row["near"]:  # chunks overlap
        text += chunk["text"][max(0, end - chunk["start"]) :]
        end = max(end, chunk["end"])
    return ShownPassage(
        ref=passage.chunk,
        start=passage.start,
        end=passage.end,
        document=passage.document,
        title=passage.title,
        place=passage.place_of(start, start + 1),
        text=text,
        text_start=row["near"][0]["start"],
        entities=[MentionedEntity(**one) for one in row["entities"]],
        before=row["before"],
        after=row["after"],
    )


async def list_documents(graph: Graph, after: str, limit: int) -> list[ListedDocument]:
    """Reads documents after a source, in the order of their sources."""
    rows = await graph.read("serve/documents", ListedDocumentRow, after=after, limit=limit)
    return [
        ListedDocument(
            source=row["source"],
            title=row["title"],
            chunks=row["chunks"],
            state="failed" if row["failed"] else "pending" if row["pending"] else "read",
            reasons=row["reasons"] if row["chunks"] else ["it holds no text"],
        )
        for row in rows
    ]
