"""The input of every search (`QueryContext`) and its output (`SearchResult`)."""

import math
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypedDict, TypeVar

import anyio

from graphrag_neo4j.backends import is_free
from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import IndexedKind, flaw_of, refuse_length, vector_search
from graphrag_neo4j.graph.rows import IdRow, ScoredRow
from graphrag_neo4j.model.citations import CitationKind, neutralised
from graphrag_neo4j.model.context import (
    ContextRecord,
    ContextTable,
    citing_itself,
    record_of,
    report_line,
    report_pieces,
)
from graphrag_neo4j.model.contracts import Embedder, QueryBackend, RunTask
from graphrag_neo4j.model.events import Listener, Notice, silent
from graphrag_neo4j.model.quotation import Period
from graphrag_neo4j.model.types import FinalTask, Message
from graphrag_neo4j.query.selection import Selection
from graphrag_neo4j.rules.ranking import content_words
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.languages import ABOUT
from graphrag_neo4j.text.strings import flat, legible, searched_words
from graphrag_neo4j.text.tokens import CountTokens

NEAREST: Final = 20
OF_WORDS = 0.5  # what the best match of words counts, where the nearest vector counts 1
LONGEST_QUERY = 64  # words of a question that a full-text query uses at most
ENTITY_NAMES = ("name", "aliases")  # the properties that hold names of entities

A = TypeVar("A")
R = TypeVar("R", bound=IdRow)
T = TypeVar("T")


class ChunkRow(TypedDict):
    """A chunk; its header and who goes on to speak at its beginning, if it has them."""

    id: str
    ref: int
    text: str
    header: str | None
    speaker: str | None


class ReportRow(TypedDict):
    """A community that has a report; `n_tokens`: of the report."""

    id: str
    ref: int
    title: str
    summary: str
    report: str
    n_tokens: int | None


@dataclass(frozen=True, slots=True)
class QueryContext:
    """A question and everything that is needed to answer it.

    `embedder` is None where no vectors can be computed; then full-text search is used. `history`
    holds the messages before the question. `stands_alone` says whether the question can be
    understood without them. With `context_only` the result is the contexts, and no model writes an
    answer. With a `selection` only evidence of its documents is read. `period` is the time that the
    question is about, if documents of it were selected. With `all_passages` an answer of quotations
    has all that answer. `dimensions` are those of the
    graph's vectors. `listen` receives the events of the search. `vectorless` holds the reason
    why the embedding model gives no vectors, once it has refused to. `_found` keeps what `nearest`
    has found, and `_vectors` the vectors, because several parts of a search ask for the same.
    """

    graph: Graph
    settings: Settings
    backend: QueryBackend
    run: RunTask
    embedder: Embedder | None
    count: CountTokens
    question: str
    history: Sequence[Message] = ()
    stands_alone: bool = False
    context_only: bool = False
    selection: Selection | None = None
    period: Period | None = None
    all_passages: bool = False
    dimensions: int | None = None
    listen: Listener = silent
    vectorless: list[str] = field(default_factory=list)
    _found: dict[object, Sequence[ScoredRow]] = field(default_factory=dict)
    _vectors: dict[tuple[str, str], list[float] | None] = field(default_factory=dict)

    @property
    def documents(self) -> Sequence[str] | None:
        """The ids of the documents that the question is about; None for all."""
        return self.selection.documents if self.selection else None

    async def vector(
        self, text: str | None = None, kind: IndexedKind = "chunk"
    ) -> list[float] | None:
        """Returns the vector of a text, by default of the question, to search nodes of a kind.

        A question that does not stand alone counts together with the questions before it.
        Returns None if there is no embedder, no text, or no usable vector. If the endpoint answers,
        but gives no vector, the listener is told once, and this search goes on without vectors.
        Raises InputError for a vector of another length than those of the graph.
        """
        asked = [message.content for message in self.history if message.role == "user"]
        earlier = () if self.stands_alone else asked
        text = (text or "\n".join([*earlier, self.question])).strip()
        if self.embedder is None or not text or self.vectorless:
            return None
        embedder = self.embedder.of(kind)
        if (key := (embedder.model, text)) in self._vectors:
            return self._vectors[key]
        try:
            vector = await embedder.embed_question(text)
        except (ModelError, ReplyError) as error:
            if not (error.reached if isinstance(error, ReplyError) else error.missing):
                raise
            if not self.vectorless:  # several vectors may have been asked for at the same time
                reason = str(error).rstrip(".")
                self.warn(
                    f"The question has no vector: {reason}. The search uses full-text search "
                    "instead of vector search."
                )
            self.vectorless.append(str(error))
            return None
        if not self.embedder.elements:  # otherwise the embedders are our own
            refuse_length(embedder.model, len(vector), self.dimensions, None)
        # A vector index refuses, for example, zeros.
        self._vectors[key] = None if flaw_of(vector) else vector
        return self._vectors[key]

    def warn(self, *notices: str) -> None:
        """Tells the listener what a person should know, one sentence in each notice."""
        for notice in notices:
            self.listen(Notice(notice, warning=True))

    @property
    def content_words(self) -> str:
        """A full-text query without the stop words of the question, which are in every text."""
        content = " ".join(sorted(content_words(self.question) - ABOUT))
        return lucene_query(content or self.question)

    async def nearest(
        self, kind: IndexedKind, vector: Sequence[float] | None, k: int = NEAREST
    ) -> Sequence[ScoredRow]:
        """Returns the `k` nodes of a kind nearest to a vector, the nearest first.

        Without a vector, nothing is near.
        """
        if vector is None:
            return []
        key = (kind, k, *vector)
        if key not in self._found:
            nearest = (
                self.selection.nearest if self.selection else partial(vector_search, self.graph)
            )
            self._found[key] = await nearest(kind, vector, k)
        return self._found[key]

    async def by_words(self, statement: str, row: type[R], words: str, k: int) -> Sequence[R]:
        """Returns the best `k` rows of a full-text search. A query without words finds nothing."""
        if words and self.selection:
            return await self.selection.by_words(statement, row, words, k)
        return await self.graph.read(statement, row, words=words, k=k) if words else []

    async def near_chunks(self, k: int) -> list[str]:
        """Returns the ids of the `k` chunks nearest to the question, the nearest first.

        Without a vector of the question they are found by its words. Where the vectors were made on
        this machine, by a small model, the words also count: names are what it knows least.
        """
        vector = await self.vector()
        found = await self.nearest("chunk", vector, k)
        if vector is not None and self.embedder and not is_free(self.embedder.model):
            return [row["id"] for row in found]
        worded = await self.by_words("search/fulltext_chunks", ScoredRow, self.content_words, k)
        least = min((row["score"] for row in found), default=0.0)
        score = defaultdict[str, float](float)
        for row in found:
            score[row["id"]] += (row["score"] - least) / (found[0]["score"] - least or 1)
        for row in worded:
            score[row["id"]] += OF_WORDS * row["score"] / worded[0]["score"]
        return sorted(score, key=lambda id_: (-score[id_], id_))[:k]

    def table(self, budget: float) -> ContextTable:
        """Returns an empty context table for at most `budget` tokens."""
        return ContextTable(budget, self.count)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The contexts that a search found, and the task that writes the answer from them.

    `answer` is None if there is no answer to write. `notices` holds a sentence for each thing that
    a reader of the answer must know, such as contexts that were left out.
    """

    contexts: Sequence[ContextTable]
    answer: FinalTask | None = None
    notices: Sequence[str] = ()


async def side_by_side(
    work: Callable[[A], Awaitable[T]], items: Iterable[A], limit: float = math.inf
) -> list[T]:
    """Calls `work` with each item, at most `limit` at the same time; returns the results in order.

    The order is that of the items.
    """
    limiter = anyio.CapacityLimiter(limit)
    found: dict[int, T] = {}

    async def keep(n: int, item: A) -> None:
        async with limiter:
            found[n] = await work(item)

    with first_error():
        async with anyio.create_task_group() as tasks:
            for n, item in enumerate(items):
                tasks.start_soon(keep, n, item)
    return [found[n] for n in sorted(found)]


async def gather(**reads: Callable[[], Awaitable[Any]]) -> dict[str, Any]:
    """Runs several reads at the same time, and returns their results by name."""
    return dict(zip(reads, await side_by_side(lambda read: read(), reads.values()), strict=True))


def lucene_query(text: str, *fields: str) -> str:
    """Returns the words of a text as a Lucene query without operators, quotes and wildcards.

    With `fields`, only these properties are searched.

    >>> lucene_query('What is "AI? (and why', "name")
    'name:What name:is name:AI name:and name:why'
    """
    prefixes = [f"{field}:" for field in fields] or [""]
    return " ".join(p + word for word in searched_words(text)[:LONGEST_QUERY] for p in prefixes)


def lucene_phrase(text: str) -> str:
    """Returns the words of a text as a Lucene query for this phrase.

    >>> lucene_phrase("self-driving cars")
    '"self driving cars"'
    """
    return '"' + " ".join(re.findall(r"\w+", legible(text))) + '"'


def report_record(row: ReportRow, *, short: bool = False) -> ContextRecord:
    """Returns a community's report as a record. With `short` it is only the title and summary."""
    own = citing_itself((row["summary"] if short else row["report"]) or "", row["ref"])
    text = flat(f"{row['title']}: {own}") if short else report_line(own)
    tokens = None if short else row["n_tokens"]
    return ContextRecord("Reports", row["ref"], row["id"], text, tokens, report_pieces(own))


def source_record(row: ChunkRow) -> ContextRecord:
    """Returns a chunk as a record, which begins with its header if it has one."""
    record = record_of("Sources", row["ref"], row["id"], row["text"])
    header = neutralised(flat(row["header"]))
    return replace(record, text=f"({header}) {record.text}") if header else record


def known_refs(contexts: Iterable[ContextTable]) -> set[tuple[CitationKind, int]]:
    """Returns the (kind, ref) pairs that an answer from these contexts may cite."""
    return {ref for table in contexts for ref in table.refs}
