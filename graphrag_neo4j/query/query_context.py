"""What every search is given, and what it finds: contexts, and the last step that answers."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

import anyio

from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.context.citations import CitationKind, cited
from graphrag_neo4j.context.context_table import (
    ContextRecord,
    ContextTable,
    record_of,
    report_line,
    report_pieces,
)
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.graph import Graph, flaw_of
from graphrag_neo4j.model import FinalTask, Message, T
from graphrag_neo4j.protocols import Embedder, QueryBackend, RunTask
from graphrag_neo4j.query.rows import ChunkRow, ReportRow
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import flat
from graphrag_neo4j.tokens import CountTokens

__all__ = [
    "QueryContext",
    "SearchResult",
    "gather",
    "known_refs",
    "lucene_query",
    "report_record",
    "source_record",
]

LONGEST_QUERY = 64  # words of a question that the full-text index is asked for


@dataclass(frozen=True, slots=True)
class QueryContext:
    """A question and all that is needed to answer it.

    `embedder`: None where vectors can't be made; then words lead. `history`: the messages before
    the question. `context_only`: no model is to be asked, the contexts are wanted themselves.
    `listen`: is told each step of the way.
    """

    graph: Graph
    settings: Settings
    backend: QueryBackend
    run: RunTask
    embedder: Embedder | None
    count: CountTokens
    question: str
    history: Sequence[Message] = ()
    context_only: bool = False
    listen: Listener = silent

    async def vector(self, text: str | None = None) -> list[float] | None:
        """The vector of a text, by default of the question with those asked before it."""
        asked = [message.content for message in self.history if message.role == "user"]
        wanted = (text or "\n".join([*asked, self.question])).strip()
        if self.embedder is None or not wanted:
            return None
        vector = (await self.embedder.embed([wanted]))[0]
        return None if flaw_of(vector) else vector  # an index takes no zeros: words lead then

    def table(self, budget: float) -> ContextTable:
        """An empty context."""
        return ContextTable(budget, self.count)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The contexts of a search, and the step that writes the answer; None: there is none."""

    contexts: Sequence[ContextTable]
    answer: FinalTask | None = None


async def gather(**reads: Callable[[], Awaitable[T]]) -> dict[str, T]:
    """What several reads find, made at once."""
    found: dict[str, T] = {}

    async def keep(name: str, read: Callable[[], Awaitable[T]]) -> None:
        found[name] = await read()

    with first_error():
        async with anyio.create_task_group() as tasks:
            for name, read in reads.items():
                tasks.start_soon(keep, name, read)
    return found


def lucene_query(text: str, field: str | None = None) -> str:
    """The words of a text as a Lucene query: no operator, quote or wildcard of it survives.

    >>> lucene_query('What is "AI? (and why', "name")
    'name:what name:is name:ai name:and name:why'
    """
    words = dict.fromkeys(word.casefold() for word in re.findall(r"\w+", text))
    prefix = f"{field}:" if field else ""
    return " ".join(prefix + word for word in list(words)[:LONGEST_QUERY])


def report_record(row: ReportRow, *, short: bool = False) -> ContextRecord:
    """A community's report as a record; `short`: its title and summary."""
    if short:
        title, summary = row["title"], row["summary"]
        pieces = report_pieces(summary or "")
        return ContextRecord(
            "Reports", row["ref"], row["id"], flat(f"{title}: {summary}"), pieces=pieces
        )
    report, pieces = report_line(row["report"]), report_pieces(row["report"])
    return ContextRecord("Reports", row["ref"], row["id"], report, row["n_tokens"], pieces)


def source_record(row: ChunkRow) -> ContextRecord:
    """A chunk as a record."""
    return record_of("Sources", row["ref"], row["id"], row["text"])


def known_refs(contexts: Iterable[ContextTable]) -> set[tuple[CitationKind, int]]:
    """All that answers from these contexts may cite."""
    records = [record for table in contexts for record in table.records.values()]
    own = {(record.kind, record.ref) for record in records}
    return own | {one for r in records if r.kind == "Reports" for one in cited(r.text)}
