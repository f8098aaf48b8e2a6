"""The client for code without `await`.

    with GraphRAG.from_env() as rag:
        rag.index("my-documents/")
        print(rag.query("What is this about?"))

It runs AsyncGraphRAG in a thread of its own, so it works in a script, in a notebook with a running
loop and in a thread pool alike.
"""

import weakref
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graphrag_neo4j.client.async_client import DEFAULT, AsyncGraphRAG
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Usage
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.engine import AsyncStream
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.options import QueryOptions, SettingsOptions

if TYPE_CHECKING:
    from graphrag_neo4j.index.status import IndexResult

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(
    method: Callable[Concatenate[AsyncGraphRAG, P], Coroutine[Any, Any, T]],
    *,
    unopened: bool = False,
) -> Callable[Concatenate["GraphRAG", P], T]:
    """A method of GraphRAG that waits for this method of AsyncGraphRAG, with its documentation.

    `unopened`: it needs no graph, so the client need not be open.
    """

    @wraps(method)
    def call(self: "GraphRAG", /, *args: P.args, **kwargs: P.kwargs) -> T:
        def work() -> Awaitable[T]:
            return method(self._async, *args, **kwargs)

        return self._call_unopened(work) if unopened and not self._portal else self._call(work)

    return call


class GraphRAG:
    """A client for one graph in Neo4j, for code without `await`.

    Use it in `with`, or call `open` and `close`. Threads may share one client: they share its
    connections, its limits of calls to the model, and its settings, which do not change. Ctrl-C
    during a call first lets the call save what has arrived, and then raises KeyboardInterrupt.
    Methods without a text of their own are those of AsyncGraphRAG.
    """

    index = _blocking(AsyncGraphRAG.index)
    delete = _blocking(AsyncGraphRAG.delete)
    resolve = _blocking(AsyncGraphRAG.resolve)
    name_decisions = _blocking(AsyncGraphRAG.name_decisions)
    import_graphrag = _blocking(AsyncGraphRAG.import_graphrag)
    import_neo4j = _blocking(AsyncGraphRAG.import_neo4j)
    tune = _blocking(AsyncGraphRAG.tune, unopened=True)
    query = _blocking(AsyncGraphRAG.query)
    global_search = _blocking(AsyncGraphRAG.global_search)
    local_search = _blocking(AsyncGraphRAG.local_search)
    drift_search = _blocking(AsyncGraphRAG.drift_search)
    basic_search = _blocking(AsyncGraphRAG.basic_search)
    text_search = _blocking(AsyncGraphRAG.text_search)
    suggest = _blocking(AsyncGraphRAG.suggest)
    communities = _blocking(AsyncGraphRAG.communities)
    report = _blocking(AsyncGraphRAG.report)
    entity = _blocking(AsyncGraphRAG.entity)
    find_entities = _blocking(AsyncGraphRAG.find_entities)
    embed = _blocking(AsyncGraphRAG.embed)
    sources = _blocking(AsyncGraphRAG.sources)
    status = _blocking(AsyncGraphRAG.status)

    def __init__(self, settings: Settings, listen: Listener = silent) -> None:
        self._async = AsyncGraphRAG(settings, listen)
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None

    @classmethod
    def from_env(cls, listen: Listener = silent, **settings: Unpack[SettingsOptions]) -> Self:
        """Makes a client from `settings` that sends its events to `listen`.

        Both are those of AsyncGraphRAG.from_env. Raises InputError for a wrong setting.
        """
        made = AsyncGraphRAG.from_env(listen, **settings)
        return cls(made.settings, listen)

    def open(self) -> Self:
        """Connects to Neo4j and returns this client. Call `close` when it is no longer needed.

        Raises the errors of AsyncGraphRAG.aopen: GraphError and InputError.
        """
        if self._portal is not None:
            raise InputError("This GraphRAG is open already.")
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(portal.wrap_async_context_manager(self._async))
            self._portal, self._stack = portal, stack.pop_all()
        return self

    def close(self) -> None:
        """Closes the connections to Neo4j and to the model. A second call does nothing.

        The embedded server keeps running. The client can be opened again.
        """
        try:
            self._stack.close()
        finally:
            self._portal = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The calls, tokens and cost of all that this client has done; see AsyncGraphRAG.usage."""
        return self._async.usage

    def watch(
        self, *paths: str | Path, options: ReadOptions = DEFAULT
    ) -> Generator["IndexResult", None, None]:
        """Indexes `paths`, and again whenever files in them change, until it is left.

        Use it in `for`: it gives the result of each build. `options`, the limit of costs and the
        errors are those of AsyncGraphRAG.watch. Raises InputError if a path does not exist.
        """
        results = self._async.watch(*paths, options=options)
        try:
            while True:
                yield self._call(lambda: anext(results))
        finally:
            self._call(results.aclose)

    def stream(self, question: str | Question, **how: Unpack[QueryOptions]) -> "Stream":
        """Returns the text of an answer piece by piece, for use in `for`.

        When all pieces have come, `.answer` of the stream is the complete answer. `question`, `how`
        and the errors are those of `query`.
        """
        stream = self._async.stream(question, **how)
        return Stream(stream, self._call, self._opened())

    def _call_unopened(self, work: Callable[[], Awaitable[T]]) -> T:
        """Runs work that needs no graph, and then closes the connections to the model."""

        async def run() -> T:
            try:
                return await work()
            finally:
                await self._async.aclose()

        with start_blocking_portal() as portal:
            return portal.call(run)

    def _call(self, work: Callable[[], Awaitable[T]]) -> T:
        portal = self._opened()
        ended = Event()

        async def run() -> T:
            try:
                return await work()
            finally:
                ended.set()

        future = portal.start_task_soon(run)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            ended.wait()  # the build saves what has arrived, for which it needs the open graph
            raise

    def _opened(self) -> BlockingPortal:
        if self._portal is None:
            raise InputError(
                "This GraphRAG is not open: use it in a `with` statement, or call open first."
            )
        return self._portal


class Stream:
    """The text of an answer, piece by piece; when all have come, `.answer` is the answer.

    The call to the model and its connection end when the loop is left early, at the end of `with`,
    with `close`, and when the stream is deleted. After that the rest of the text can't be read.
    """

    def __init__(
        self,
        stream: AsyncStream,
        call: Callable[[Callable[[], Awaitable[Any]]], Any],
        portal: BlockingPortal,
    ) -> None:
        self._stream, self._call = stream, call
        self._end = weakref.finalize(self, _start, portal, stream.aclose)

    def close(self) -> None:
        """Ends the call to the model if it still runs. A second call does nothing."""
        if (ending := self._end()) is not None:
            ending.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Generator[str, None, None]:
        """Yields the pieces. Leaving the loop drops this generator, which closes the stream."""
        try:
            while (piece := self._call(self._next)) is not None:
                yield str(piece)
        finally:
            self._end()  # not `close`: a garbage collection must not wait

    def __next__(self) -> str:
        piece = self._call(self._next)
        if piece is None:
            raise StopIteration
        return str(piece)

    async def _next(self) -> str | None:
        return await anext(self._stream, None)

    @property
    def answer(self) -> Answer:
        """The answer. Raises InputError while its text is still coming."""
        return self._stream.answer


def _start(portal: BlockingPortal, end: Callable[[], Awaitable[None]]) -> Future[None] | None:
    """Ends a stream in the client's thread. Returns None in that thread, or after its end.

    A garbage collection in that thread needs nothing more: the event loop closes generators that
    are dropped, also when the loop ends.
    """
    try:
        return portal.start_task_soon(end)
    except RuntimeError:
        return None
