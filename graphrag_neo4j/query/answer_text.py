"""The text of an answer: streamed from a model, or composed of verified quotations.

Before quotations are composed, the graph is asked where each of them stands. The number of
documents that hold its beginning says whether it is boilerplate, such as the opening of every
episode of a series.
"""

import re
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypedDict

import anyio.from_thread
import anyio.to_thread

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.model.citations import CitationKind, cited, made_explicit, neutralised
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.quotation import (
    Draft,
    DraftedQuotation,
    Provenance,
    Reach,
    Similar,
    Verified,
)
from graphrag_neo4j.model.types import ComposedTask, FinalTask, StreamedTask
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.text.strings import find_quote

if TYPE_CHECKING:
    from graphrag_neo4j.llm.endpoint import Endpoint

RESTARTED: Final = (
    "The model's reasoning was shown before the answer, because the endpoint did not mark where it "
    "begins. It is no part of the answer."
)
NO_SOURCES: Final = (
    "The answer has no sources, because the model cites none of the records that it read in a form "
    "that can be read: use a model that follows instructions better, or ask again."
)
UNREAD: Final = (
    "Citations of the answer that can't be read: {:,}. It is not clear which records they mean."
)
NOTHING: Final = "No answer to this question was found."
TRY_LOCAL: Final = (
    "Local search may find an answer, because it begins with what the question names: use the "
    "method local for it."
)
TRY_GLOBAL: Final = (
    "Global search may find an answer, because it reads reports on all documents: use the method "
    "global for it."
)
INCOMPLETE: Final = (
    "The answer is not complete, because {}. Ask again, ask a narrower question, or ask for a "
    "shorter answer with the response type."
)


@dataclass(slots=True)
class AnswerText:
    """The text that a task writes: a model, whose reply is streamed, or the rules.

    `text` is what was yielded so far. `found` says whether it is an answer, and not the sentence
    that there is none. `more` is the number of quotations that are left out and would answer as
    well. `incomplete` is a sentence with the reason if a model's text does not come to its end,
    else None. `notices` holds what a reader of the pieces must know. Nothing is yielded if no text
    is `wanted`.
    """

    query: QueryContext
    task: FinalTask | None
    endpoint: "Endpoint | None"
    wanted: bool
    text: str = ""
    found: bool = False
    more: int = 0
    incomplete: str | None = None
    notices: list[str] = field(default_factory=list)

    async def pieces(self) -> AsyncGenerator[str, None]:
        """Yields the text piece by piece. If there is no answer, it says so.

        Raises ReplyError if the model's text is not an answer.
        """
        if not self.wanted:
            return
        async with aclosing(self._written()) as pieces:
            async for piece in pieces:
                self.text += piece
                yield piece
        self.found = bool(self.text)
        if not self.found:
            self.text = NOTHING
            yield NOTHING

    def read_citations(self, contexts: Iterable[ContextTable]) -> None:
        """Brings citations that a model wrote in another form into the usual one, or says so."""
        if not (self.found and isinstance(self.task, StreamedTask)):
            return
        known: dict[CitationKind, set[int]] = {}
        tables = list(contexts)
        for record in (record for table in tables for record in table.records.values()):
            known.setdefault(record.kind, set()).add(record.ref)
        material = "\n".join(table.text for table in tables)
        self.text, unread = made_explicit(self.text, known, material)
        if not cited(self.text):
            self.notices.append(NO_SOURCES)
        elif unread:
            self.notices.append(UNREAD.format(unread))

    async def _written(self) -> AsyncGenerator[str, None]:
        match self.task:
            case ComposedTask() as task:
                draft = await anyio.to_thread.run_sync(task.draft)
                verified = await _verified(self.query, draft)
                composed = await anyio.to_thread.run_sync(draft.compose, verified)
                self.more = composed.more
                if composed.text:
                    yield composed.text
            case StreamedTask() as task:
                if self.endpoint is None:
                    raise AssertionError("A backend without a model has given a request.")

                def cut(reason: str) -> None:
                    self.incomplete = INCOMPLETE.format(reason)

                reply = self.endpoint.stream(task.request, cut, self._restart)
                async with aclosing(reply) as pieces:
                    async for piece in pieces:
                        yield piece
                task.check(self.text)

    def _restart(self) -> None:
        if self.text:
            self.text = ""
            self.notices.append(RESTARTED)


class RepeatedRow(TypedDict):
    """The number of documents that hold a phrase; `number` is the number of the phrase."""

    number: int
    documents: int


PLACES_READ: Final = 6  # chunks in which a quotation is looked for, at most
FOLLOWING: Final = 400  # characters after a quotation in its chunk that are enough
LEAST, MOST_PLACES = 4, 10  # words of the beginning of a quotation that make a phrase
REPEATED_IN: Final = 30  # chunks that are counted for a phrase, at most


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


async def _verified(query: QueryContext, draft: Draft) -> Verified:
    """Reads the provenance of the quotations of a draft, and the reach of its reports."""
    known = Verified(
        similar=_similar(query),
        meant=query.embedder.meant if query.embedder else 1.0,
        period=query.period,
        whole=query.all_passages,
    )
    if not (draft.quotations or draft.reports):
        return known
    graph, documents = query.graph, query.documents
    places = await _places(graph, draft.quotations, documents)
    phrases = [
        {"number": number, "words": f'"{" ".join(words[:MOST_PLACES])}"'}
        for number, one in enumerate(draft.quotations)
        if len(words := re.findall(r"\w+", one.text)) >= LEAST
    ]
    given = {"phrases": phrases, "most": REPEATED_IN, "documents": documents}
    rows = await graph.read("search/repeated", RepeatedRow, **given)
    # The number of documents that hold the first words of a quotation.
    repeated = {draft.quotations[row["number"]]: row["documents"] for row in rows}
    reach = await graph.read("search/reach", Reach, refs=list(draft.reports))
    if documents is None:
        n = (await graph.read("search/number_of_documents", CountRow))[0]["n"]
    else:
        n = len(documents)
    return replace(
        known,
        provenance={one: replace(at, documents=repeated.get(one, 1)) for one, at in places.items()},
        reach={one.ref: one for one in reach},
        documents=n,
    )


class ProvenanceRow(TypedDict):
    """A chunk, as `Passage.of` takes it, that may hold the quotation of this number in a draft."""

    number: int
    passage: dict[str, Any]


async def _places(
    graph: Graph, quotations: Sequence[DraftedQuotation], documents: Sequence[str] | None
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
        most=PLACES_READ,
        documents=documents,
    )
    found: dict[DraftedQuotation, Provenance] = {}
    following: dict[DraftedQuotation, int] = {}
    for row in rows:
        one = quotations[row["number"]]
        if following.get(one, -1) == FOLLOWING:
            continue
        text = neutralised(row["passage"]["text"])
        place = find_quote(one.text, text)
        after = min(len(text) - place[1], FOLLOWING) if place else -1
        if following.get(one, -1) < after:
            following[one] = after
            found[one] = Provenance.of(row["passage"], text=text)
    return found
