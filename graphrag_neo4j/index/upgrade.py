"""Brings a graph that an earlier release made up to date, step by step and without a model.

Each schema version has one step to the next. A step may be ended anywhere: what it has done it does
not do again, and the version is saved when it is complete.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypedDict

from graphrag_neo4j.backends import is_free
from graphrag_neo4j.documents import name_of
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.lease import Lease, Used, hold_lease
from graphrag_neo4j.graph.rows import MadeWithRow, pages
from graphrag_neo4j.graph.schema import SCHEMA_VERSION, schema_version
from graphrag_neo4j.index.read.documents import WRITE_ROWS
from graphrag_neo4j.index.read.headers import places_and_headers
from graphrag_neo4j.model.events import Listener, Notice, silent
from graphrag_neo4j.model.types import Document, Span
from graphrag_neo4j.text.strings import clean_name, entity_id

DOCUMENTS: Final = 20  # that are read together
BEGUN: Final = (
    "An earlier release made this graph (schema version {}): it is brought up to date, without a "
    "call to a model."
)
PAID: Final = (
    "The vectors of passages were paid for, so they stay; they do not hold the headers of this "
    "release yet. `kg-build index PATHS --again vectors` makes them again."
)


class OldDocumentRow(TypedDict):
    """A document of schema version 1, with its chunks in their order."""

    id: str
    source: str
    title: str | None
    metadata: str | None
    parsed: bool
    header: str | None
    chunks: list[dict[str, Any]]


@asynccontextmanager
async def hold_graph(
    graph: Graph, properties: Mapping[str, object], usage: Used, listen: Listener = silent
) -> AsyncIterator[Lease]:
    """Holds the lease of a graph as `hold_lease` does, and brings the graph up to date first."""
    async with hold_lease(graph, properties, usage, listen) as lease:
        version = await schema_version(graph)
        if version is not None and version < SCHEMA_VERSION:
            listen(Notice(BEGUN.format(version)))
            while version < SCHEMA_VERSION:
                await STEPS[version](graph, listen)
                version += 1
                await graph.write("upgrade/version", version=version)
        yield lease


async def _place_chunks(graph: Graph, listen: Listener) -> None:
    """Gives documents their names, and chunks their headers and places as far as texts tell them.

    Pages and headings come when the files are read. No chunk is read again: evidence of before
    counts as read with any header.
    """
    model = (await graph.read("embed/known", MadeWithRow))[0]["model"]
    embed, after = is_free(model), ""
    while rows := await graph.read(
        "upgrade/documents", OldDocumentRow, after=after, limit=DOCUMENTS
    ):
        for row in rows:
            await _place(graph, row, embed=embed)
        after = rows[-1]["id"]
    if model and not embed:
        listen(Notice(PAID))


async def _place(graph: Graph, old: OldDocumentRow, *, embed: bool) -> None:
    text = ""
    for chunk in old["chunks"]:  # they overlap
        text += chunk["text"][max(0, len(text) - chunk["start"]) :]
    own_lines = not old["parsed"] and "#" not in old["source"]
    document = Document(
        text,
        old["source"],
        old["title"] or "",
        json.loads(old["metadata"] or "{}", parse_constant=str),
        first_line=1 if own_lines else None,
    )
    told = [line.partition(":")[0] for line in (old["header"] or "").splitlines()]
    spans = [Span(one["start"], one["start"], one["end"], 0) for one in old["chunks"]]
    placed = [
        {"id": chunk["id"], "reread": False, "embed": embed, **row}
        for chunk, row in zip(old["chunks"], places_and_headers(document, told, spans), strict=True)
    ]
    for some in pages(placed, WRITE_ROWS):
        await graph.write("ingest/places", rows=some)
        names = [(row["id"], clean_name(str(row["speaker"]))) for row in some if row["speaker"]]
        speakers = [{"chunk": id_, "entity": entity_id(name), "name": name} for id_, name in names]
        await graph.write("upgrade/speakers", rows=speakers)
    await graph.write("upgrade/named", document=old["id"], name=name_of(old["source"]))  # last


STEPS: Final[Mapping[int, Callable[[Graph, Listener], Awaitable[None]]]] = {1: _place_chunks}
"""The step from each schema version to the next."""
