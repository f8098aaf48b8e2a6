"""Reads from the graph what an extractive answer says about its quotations: where each stands.

A quotation is looked up by the elements that it is cited from. The number of documents that hold
its beginning tells whether it is boilerplate, such as the opening of every episode of a series.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import anyio.from_thread
import anyio.to_thread

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.model import ComposedTask
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.model.quotation import (
    Draft,
    DraftedQuotation,
    Provenance,
    Reach,
    Similar,
    Verified,
)
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.query.rows import ProvenanceRow, ReachRow, RepeatedRow
from graphrag_neo4j.text import find_quote, flat

__all__ = ["composed", "verified"]

PLACES: Final = 6  # chunks in which a quotation is looked for, at most
FOLLOWING: Final = 400  # characters after a quotation in its chunk that are enough
LEAST, MOST = 6, 10  # words of the beginning of a quotation that make a phrase
REPEATED_IN: Final = 30  # chunks that are counted for a phrase, at most


async def composed(query: QueryContext, task: ComposedTask) -> str:
    """Returns the text of an extractive answer: drafts it, verifies the draft, and composes it."""
    draft = await anyio.to_thread.run_sync(task.draft)
    found = replace(await verified(query.graph, draft), similar=_similar(query))
    return await anyio.to_thread.run_sync(draft.compose, found)


def _similar(query: QueryContext) -> Similar | None:
    """Returns what compares texts with the question, None without a sentence encoder.

    It is called in a worker thread, while the event loop runs.
    """
    embedder = query.embedder
    if embedder is None or embedder.elements is None:  # an endpoint would take money for it
        return None

    async def cosines(texts: Sequence[str]) -> Sequence[float]:
        vector = await query.vector()
        return await embedder.cosines(vector, texts) if vector else [0.0] * len(texts)

    return lambda texts: anyio.from_thread.run(cosines, texts)


async def verified(graph: Graph, draft: Draft) -> Verified:
    """Reads the provenance of the quotations of a draft, and the reach of its reports."""
    if not (draft.quotations or draft.reports):
        return Verified()
    places = await _places(graph, draft.quotations)
    repeated = await _repeated(graph, draft.quotations)
    reach = await graph.read("search/reach", ReachRow, refs=list(draft.reports))
    documents = await graph.read("search/number_of_documents", CountRow)
    return Verified(
        {one: replace(at, documents=repeated.get(one, 1)) for one, at in places.items()},
        {row["ref"]: Reach(row["members"], row["documents"]) for row in reach},
        documents[0]["n"],
    )


async def _places(
    graph: Graph, quotations: Sequence[DraftedQuotation]
) -> dict[DraftedQuotation, Provenance]:
    """Returns a chunk that holds each quotation word for word: the first with text after it.

    Chunks overlap. What stands at the end of one stands in the next one, too, with what follows.
    """
    rows = await graph.read(
        "search/provenance",
        ProvenanceRow,
        quotations=[
            {
                "number": number,
                "text": one.text,
                "citations": [{"kind": kind, "ref": ref} for kind, ref in one.citations],
            }
            for number, one in enumerate(quotations)
        ],
        most=PLACES,
    )
    found: dict[DraftedQuotation, Provenance] = {}
    following: dict[DraftedQuotation, int] = {}
    for row in rows:
        one = quotations[row["number"]]
        if following.get(one, -1) == FOLLOWING:
            continue
        place = find_quote(one.text, row["text"])
        after = min(len(row["text"]) - place[1], FOLLOWING) if place else -1
        if following.get(one, -1) < after:
            found[one], following[one] = _provenance(row), after
    return found


def _provenance(row: ProvenanceRow) -> Provenance:
    return Provenance(
        row["ref"],
        neutralised(row["text"]),
        row["start"],
        row["document"],
        neutralised(flat(row["title"])),
        tuple(row["earlier"]),
    )


async def _repeated(
    graph: Graph, quotations: Sequence[DraftedQuotation]
) -> dict[DraftedQuotation, int]:
    """Returns the number of documents that hold the first words of a quotation."""
    phrases = [
        {"number": number, "words": f'"{" ".join(words[:MOST])}"'}
        for number, one in enumerate(quotations)
        if len(words := re.findall(r"\w+", one.text)) >= LEAST
    ]
    rows = await graph.read("search/repeated", RepeatedRow, phrases=phrases, most=REPEATED_IN)
    return {quotations[row["number"]]: row["documents"] for row in rows}
