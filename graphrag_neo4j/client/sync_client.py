"""The client for code without `await`.

    with GraphRAG.from_env() as rag:
        rag.index("my-documents/")
        print(rag.query("What is this about?"))

It runs AsyncGraphRAG in a separate thread, so it works in a script, in a notebook with a running
loop and in a thread pool alike.
"""

import asyncio
import atexit
import sys
import threading
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, aclosing, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from anyio import move_on_after
from anyio.from_thread import BlockingPortal, start_blocking_portal

from graphrag_neo4j.client.async_client import DEFAULT, FORKED, AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.engine import AsyncStream
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.options import QueryOptions, SettingsOptions
from graphrag_neo4j.settings.reading import ReadOptions

if TYPE_CHECKING:
    from graphrag_neo4j.index.status import IndexResult

P = ParamSpec("P")
T = TypeVar("T")
LONGEST_END = 5.0  # seconds that clients and streams may take to end before they are left behind


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

        if unopened and self._thread is None:
            with start_blocking_portal() as portal:
                return portal.call(work)
        return self._call(work)

    return call


class GraphRAG:
    """A client for one graph in Neo4j, for code without `await`.

    Use it in `with`, or call `open` and `close`. Threads may share one client: they share its
    connections, its limits of calls to the model, and its settings, which do not change. Ctrl-C
    during a call first lets the call save what has arrived, and then raises KeyboardInterrupt.
    Methods without a docstring are those of AsyncGraphRAG.
    """

    index = _blocking(AsyncGraphRAG.index)
    delete = _blocking(AsyncGraphRAG.delete)
    check_forgotten = _blocking(AsyncGraphRAG.check_forgotten)
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
    why = _blocking(AsyncGraphRAG.why)
    suggest = _blocking(AsyncGraphRAG.suggest)
    communities = _blocking(AsyncGraphRAG.communities)
    report = _blocking(AsyncGraphRAG.report)
    entity = _blocking(AsyncGraphRAG.entity)
    find_entities = _blocking(AsyncGraphRAG.find_entities)
    embed = _blocking(AsyncGraphRAG.embed)
    sources = _blocking(AsyncGraphRAG.sources)
    status = _blocking(AsyncGraphRAG.status)
    contradictions = _blocking(AsyncGraphRAG.contradictions)

    def __init__(self, settings: Settings, listen: Listener = silent) -> None:
        self._async = AsyncGraphRAG(settings, listen)
        self._thread: _ClientThread | None = None

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
        if self._thread is not None:
            self._opened()
            raise InputError("This GraphRAG is open already.")
        self._thread = thread = _ClientThread(self._async)
        self._end = weakref.finalize(self, thread.end)
        self._end.atexit = False  # handlers of the caller may still use the client
        thread.start()
        with ExitStack() as at_failure:
            at_failure.callback(self.close)
            self._call(self._async.aopen)
            at_failure.pop_all()
        return self

    def close(self) -> None:
        """Closes the connections to Neo4j and to the model. A second call does nothing.

        A call that another thread still waits for saves what has arrived and raises InputError. The
        embedded server keeps running. The client can be opened again.
        """
        thread, self._thread = self._thread, None
        if thread is not None:
            self._end.detach()
            thread.end()
            thread.join()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The calls, tokens and cost of all that this client has done; see AsyncGraphRAG.usage.

        An abandoned stream also counts.
        """
        if (thread := self._thread) and thread is not threading.current_thread():
            wait(list(thread.ending), LONGEST_END)
        return self._async.usage

    def watch(
        self, *paths: str | Path, options: ReadOptions = DEFAULT
    ) -> Generator["IndexResult", None, None]:
        """Indexes `paths`, and again whenever files in them change, until it is left.

        Use it in `for`: it gives the result of each build. `options`, the limit of costs and the
        errors are those of AsyncGraphRAG.watch. Raises InputError if a path does not exist.
        """
        results, thread = self._async.watch(*paths, options=options), self._opened()
        thread.streams.add(results)
        try:
            while True:
                yield self._call(lambda: anext(results))
        finally:
            if ending := thread.begin_end(results):
                ending.result()

    def stream(
        self,
        question: str | Question,
        *,
        listen: Listener | None = None,
        **how: Unpack[QueryOptions],
    ) -> "Stream":
        """Returns the text of an answer piece by piece, for use in `for`.

        When all pieces have come, `.answer` of the stream is the complete answer. `question`, `how`
        and the errors are those of `query`. `listen` gets the events of this question, as the
        listener of the client does, in another thread.
        """

        async def begun() -> AsyncStream:
            return self._async.stream(question, listen=listen, **how)

        stream, thread = self._call(begun), self._opened()
        thread.streams.add(stream)
        return Stream(stream, self._call, thread.begin_end)

    def _call(self, work: Callable[[], Awaitable[T]]) -> T:
        thread, ended = self._opened(), threading.Event()

        async def run() -> T:
            try:
                return await work()
            finally:
                ended.set()

        future = thread.portal.result().start_task_soon(run)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            ended.wait()  # the build saves what has arrived, for which it needs the open graph
            raise
        except CancelledError:
            if self._thread is thread and thread.stopped.is_set():
                raise SystemExit from None  # the process ends, and so does this thread of it
            raise InputError("This GraphRAG was closed before the call had ended.") from None

    def _opened(self) -> "_ClientThread":
        if self._thread is None:
            raise InputError("This GraphRAG is not open: use it in `with`, or call open first.")
        if not self._thread.is_alive():
            raise InputError(FORKED)
        return self._thread


class _Executor(ThreadPoolExecutor):
    """Runs work in threads, and at once where the process ends, when no thread is started."""

    def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Runs work. The driver looks up the address of Neo4j so, also to save what has arrived."""
        try:
            return super().submit(work, *args, **kwargs)
        except RuntimeError:
            done: Future[T] = Future()
            done.set_result(work(*args, **kwargs))
            return done


class _ClientThread(threading.Thread):
    """The thread of an open client: an event loop, and a portal through which others use it.

    It lives until `end` is called, or until the process ends, which it does not keep from ending.
    Then its work is cancelled, which saves what has arrived, and the client is closed. It is not
    alive in a fork of the process.
    """

    def __init__(self, client: AsyncGraphRAG) -> None:
        super().__init__(name="GraphRAG", daemon=True)
        self.portal: Future[BlockingPortal] = Future()
        self.streams = weakref.WeakSet[AsyncStream | AsyncGenerator[Any]]()  # that may be open
        self.ending: set[Future[None]] = set()  # of streams that were left
        self._client, self._loop = client, asyncio.new_event_loop()
        self._loop.set_default_executor(_Executor())
        self.stopped = asyncio.Event()

    def run(self) -> None:
        """Works until the end, and closes the client."""
        self._loop.run_until_complete(self._work())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()  # not by a Runner, which starts a thread: Python ends without new ones

    async def _work(self) -> None:
        async with aclosing(self._client):
            async with BlockingPortal() as portal:
                self.portal.set_result(portal)
                await self.stopped.wait()
                await portal.stop(cancel_remaining=True)
            begun = asyncio.all_tasks() - {asyncio.current_task()}
            closing = [stream.aclose() for stream in self.streams]
            with move_on_after(LONGEST_END):
                await asyncio.gather(*begun, *closing, return_exceptions=True)  # some close already

    def end(self) -> None:
        """Begins the end of the thread, and does not wait: a garbage collection may call this."""
        with suppress(RuntimeError):  # its loop has ended
            self._loop.call_soon_threadsafe(self.stopped.set)

    def begin_end(self, stream: AsyncStream | AsyncGenerator[Any]) -> Future[None] | None:
        """Begins the end of a stream, also in a garbage collection.

        Returns None in this thread, which must not wait for itself, and where no loop runs any
        more: a loop that ends has closed all streams.
        """
        if not self.is_alive() or sys.is_finalizing():
            return None
        ending = asyncio.run_coroutine_threadsafe(stream.aclose(), self._loop)
        self.ending.add(ending)
        ending.add_done_callback(self.ending.discard)
        return None if self is threading.current_thread() else ending


@atexit.register
def _end_all() -> None:
    """Closes the clients that are still open when the process ends."""
    threads = [one for one in threading.enumerate() if isinstance(one, _ClientThread)]
    for thread in threads:
        thread.end()
    for thread in threads:
        thread.join(LONGEST_END / len(threads))


class Stream:
    """The text of an answer, piece by piece; when all have come, `.answer` is the answer.

    The call to the model and its connection end when the loop is left early, at the end of `with`,
    with `close`, and when the stream is deleted. After that the rest of the text can't be read.
    """

    def __init__(
        self,
        stream: AsyncStream,
        call: Callable[[Callable[[], Awaitable[Any]]], Any],
        begin_end: Callable[[AsyncStream], Future[None] | None],
    ) -> None:
        self._stream, self._call = stream, call
        self._end = weakref.finalize(self, begin_end, stream)

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
