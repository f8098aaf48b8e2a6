"""What the page looks up beside what the Python client has: passages and documents."""

from typing import Any, Final, TypedDict

from pydantic import BaseModel

from graphrag_neo4j.graph.connection import Graph

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

    ref: int
    start: int
    end: int
    document: str
    title: str
    near: list[NearChunkRow]
    entities: list[dict[str, Any]]
    before: int
    after: int


class ShownPassage(BaseModel):
    """A passage: characters [start, end) of a document.

    `text` is the part of the document that begins at `text_start`, and `before` and `after` are the
    numbers of chunks of the document that it leaves out.
    """

    ref: int
    start: int
    end: int
    document: str
    title: str
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


async def read_passage_around(graph: Graph, ref: int) -> ShownPassage | None:
    """Reads a passage with the text around it; None if there is no such chunk."""
    rows = await graph.read("serve/passage", PassageRow, ref=ref, around=AROUND)
    if not rows:
        return None
    row = rows[0]
    text, end = "", row["near"][0]["start"]
    for chunk in row["near"]:  # chunks overlap
        text += chunk["text"][max(0, end - chunk["start"]) :]
        end = max(end, chunk["end"])
    return ShownPassage(
        ref=row["ref"],
        start=row["start"],
        end=row["end"],
        document=row["document"],
        title=row["title"],
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
