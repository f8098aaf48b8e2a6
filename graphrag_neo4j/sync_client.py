"""What a Python user who does not await imports.

    with GraphRAG.from_env() as rag:
        rag.index("docs/")
        print(rag.query("What is this about?"))

It runs AsyncGraphRAG in a thread of its own, so it works in a script, in a notebook with a running
loop and in a thread pool alike.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graphrag_neo4j.client import DEFAULT, AsyncGraphRAG, AsyncStream, IndexSource, by
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.indexing.status import Status
from graphrag_neo4j.loaders import ReadOptions
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.answer import Source as Place
from graphrag_neo4j.query.lookup import Communities, CommunityReport, Entity, FoundEntity
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.settings import Settings

if TYPE_CHECKING:
    from graphrag_neo4j.importers import ImportSummary, Tables
    from graphrag_neo4j.indexing.result import IndexResult

__all__ = ["GraphRAG", "Stream"]

T = TypeVar("T")


class GraphRAG:
    """AsyncGraphRAG for code that does not await; a context manager."""

    def __init__(self, settings: Settings, listen: Listener = silent) -> None:
        self._async = AsyncGraphRAG(settings, listen)
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None

    @classmethod
    def from_env(cls, listen: Listener = silent, **settings: Any) -> Self:  # noqa: ANN401 - any setting
        """As AsyncGraphRAG.from_env."""
        made = AsyncGraphRAG.from_env(listen, **settings)
        return cls(made.settings, listen)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(portal.wrap_async_context_manager(self._async))
            self._portal, self._stack = portal, stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        self._portal = None

    def index(
        self,
        what: IndexSource,
        *,
        options: ReadOptions = DEFAULT,
        reread: bool = False,
        reembed: bool = False,
        recluster: bool = False,
        prune: bool = False,
    ) -> "IndexResult":
        """As AsyncGraphRAG.index."""
        return self._call(
            lambda: self._async.index(
                what,
                options=options,
                reread=reread,
                reembed=reembed,
                recluster=recluster,
                prune=prune,
            )
        )

    def delete(self, *sources: str | Path, options: ReadOptions = DEFAULT) -> dict[str, list[str]]:
        """As AsyncGraphRAG.delete."""
        return self._call(lambda: self._async.delete(*sources, options=options))

    def import_graphrag(self, folder: "str | Path | Tables") -> "ImportSummary":
        """As AsyncGraphRAG.import_graphrag."""
        return self._call(lambda: self._async.import_graphrag(folder))

    def stream(self, question: str | Question, **how: Any) -> "Stream":  # noqa: ANN401
        """As AsyncGraphRAG.stream, for a plain `for`."""
        return Stream(self._async.stream(question, **how), self._call)

    def query(self, question: str | Question, **how: Any) -> Answer:  # noqa: ANN401
        """As AsyncGraphRAG.query."""
        return self._call(lambda: self._async.query(question, **how))

    def global_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As AsyncGraphRAG.global_search."""
        return self.query(question, **by("global", how))

    def local_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As AsyncGraphRAG.local_search."""
        return self.query(question, **by("local", how))

    def drift_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As AsyncGraphRAG.drift_search."""
        return self.query(question, **by("drift", how))

    def basic_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As AsyncGraphRAG.basic_search."""
        return self.query(question, **by("basic", how))

    def text_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As AsyncGraphRAG.text_search."""
        return self.query(question, **by("text", how))

    def communities(self, level: int | None = None) -> Communities:
        """As AsyncGraphRAG.communities."""
        return self._call(lambda: self._async.communities(level))

    def report(self, ref: int) -> CommunityReport:
        """As AsyncGraphRAG.report."""
        return self._call(lambda: self._async.report(ref))

    def entity(self, name: str) -> Entity:
        """As AsyncGraphRAG.entity."""
        return self._call(lambda: self._async.entity(name))

    def find_entities(self, text: str, limit: int = 10) -> list[FoundEntity]:
        """As AsyncGraphRAG.find_entities."""
        return self._call(lambda: self._async.find_entities(text, limit))

    def sources(self, *refs: int) -> list[Place]:
        """As AsyncGraphRAG.sources."""
        return self._call(lambda: self._async.sources(*refs))

    def status(self) -> Status:
        """As AsyncGraphRAG.status."""
        return self._call(self._async.status)

    def _call(self, work: Callable[[], Awaitable[T]]) -> T:
        if self._portal is None:
            raise InputError("This GraphRAG is not open: use it in a `with` statement.")
        ended = Event()

        async def run() -> T:
            try:
                return await work()
            finally:
                ended.set()

        future = self._portal.start_task_soon(run)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            ended.wait()  # the build saves what has arrived, for which it needs the open graph
            raise


class Stream(Iterator[str]):
    """AsyncStream for a plain `for`."""

    def __init__(
        self, stream: AsyncStream, call: Callable[[Callable[[], Awaitable[Any]]], Any]
    ) -> None:
        self._stream, self._call = stream, call

    def __next__(self) -> str:
        piece = self._call(self._next)
        if piece is None:
            raise StopIteration
        return str(piece)

    async def _next(self) -> str | None:
        return await anext(self._stream, None)

    @property
    def answer(self) -> Answer:
        """The answer; raises InputError while its text is still coming."""
        return self._stream.answer
