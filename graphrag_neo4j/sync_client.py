"""What a Python user who does not await imports.

    with GraphRAG.from_env() as rag:
        rag.index("docs/")
        print(rag.query("What is this about?"))

It runs AsyncGraphRAG in a thread of its own, so it works in a script, in a notebook with a running
loop and in a thread pool alike.
"""

import weakref
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graphrag_neo4j.client import DEFAULT, AsyncGraphRAG, AsyncStream, IndexSource, by
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.indexing.status import Status
from graphrag_neo4j.loaders import ReadOptions
from graphrag_neo4j.options import QueryOptions, SearchOptions, SettingsOptions
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
    """A graph in Neo4j, and the settings to work on it with, for code that does not await.

    Use it in `with`, or call `open` and `close`. Threads may share one client: they share its
    connections, its limits of calls to the model, and its settings, which don't change. Ctrl-C
    during a call lets it save what has arrived, and then raises KeyboardInterrupt.
    """

    def __init__(self, settings: Settings, listen: Listener = silent) -> None:
        self._async = AsyncGraphRAG(settings, listen)
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None

    @classmethod
    def from_env(cls, listen: Listener = silent, **settings: Unpack[SettingsOptions]) -> Self:
        """A client with these settings, the rest from the environment, from `.env`, or by default.

        `listen`: a function that is given each event (see `Event`) while something is done; it is
        called in the thread that works. `settings`: by the names in docs/settings.md, in lower
        case and without `KG_`; None stands for: not given. A name in the environment that begins
        with KG_ and that no setting has is told to `listen`.

        Raises InputError for a name that no setting has, and for a value that can't be used.
        """
        made = AsyncGraphRAG.from_env(listen, **settings)
        return cls(made.settings, listen)

    def open(self) -> Self:
        """Connects to Neo4j, and gives this client; `close` ends what this begins.

        Where no NEO4J_URI is set, the embedded server is started, which may take a minute. Raises
        GraphError where Neo4j can't be reached or started, InputError for an address that is
        none, and where this client is open already.
        """
        if self._portal is not None:
            raise InputError("This GraphRAG is open already.")
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(portal.wrap_async_context_manager(self._async))
            self._portal, self._stack = portal, stack.pop_all()
        return self

    def close(self) -> None:
        """Closes the connections to Neo4j and to the model. Doing so twice does no harm.

        The embedded server goes on running. The client can be opened again.
        """
        try:
            self._stack.close()
        finally:
            self._portal = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *error: object) -> None:
        self.close()

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
        """Brings the graph up to date with documents, and says what was done.

        `what`: the path of a file or a folder, a list of paths, an iterable of Documents (ours or
        LangChain's), or a Corpus. Documents that are in the graph and not in `what` stay there.
        `options`: how files are read. `reread`: chunks and reports that were read or written
        with other settings are read or written again. `reembed`: all vectors are made anew.
        `recluster`: the communities are found anew, imported ones too. `prune`: documents whose
        file was under the given paths, and is gone, are deleted.

        Where it is interrupted, the same call goes on where it ended. A chunk or report that
        failed is named in the result and tried again by the next call. Raises InputError for what
        can't be used, GraphBusyError while another run writes to this graph, GraphError,
        ModelError where the model can't be used at all.
        """
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
        """Deletes documents, and with them all that is known only from them.

        `sources`: sources of documents, or paths of files; a file is deleted with all its rows.
        `options`: those that the files were read with, of which `source_root` counts here. The
        result holds, for each of `sources`, the sources of the documents that were deleted: none
        if it was not there. Raises InputError for what is no source, GraphBusyError while another
        run writes to this graph, GraphError.
        """
        return self._call(lambda: self._async.delete(*sources, options=options))

    def import_graphrag(self, folder: "str | Path | Tables") -> "ImportSummary":
        """Makes a graph from the parquet tables of microsoft/graphrag 2 or 3; asks no model.

        `folder`: the folder that holds the tables, or what
        `graphrag_neo4j.importers.read_tables` has made of it. The graph must be empty; an import
        that was interrupted goes on. The result counts what became of each table's rows. Raises
        InputError for tables that can't be used and for a graph that is not empty, GraphError.
        """
        return self._call(lambda: self._async.import_graphrag(folder))

    def stream(self, question: str | Question, **how: Unpack[QueryOptions]) -> "Stream":
        """The text of an answer piece by piece, for `for`; after it, `.answer` is the answer.

        `question` and `how` are as for `query`. An option that can't be used is refused at once;
        the other errors of `query` are raised while the pieces are read. Leaving the loop early
        ends the call to the model.
        """
        stream = self._async.stream(question, **how)
        return Stream(stream, self._call, self._opened())

    def query(self, question: str | Question, **how: Unpack[QueryOptions]) -> Answer:
        """The answer to a question, with what it cites.

        `question`: a text of at most 20,000 characters, or a Question. `how`, all by name:

        - `method`: "global", "local", "drift", "basic" or "text"; "auto" (the default) lets the
          model choose between global and local search.
        - `level` (0 is the coarsest), `dynamic` and `prefilter` (a number of reports): which
          reports a global search reads.
        - `expand`: "hop" or "ppr" (personalised PageRank): how a local or drift search finds what
          surrounds an entity.
        - `context_only`: True asks no model for an answer; `context` of the result holds the
          texts that it would be given.
        - `history`: pairs (question, answer) that came before, the oldest first. A model rewrites
          the question so that it can be understood without them; see `question` of the answer.
        - settings that can differ for one question, such as `response_type` (a text),
          `max_context_tokens` (tokens), `top_k_entities` (a number), `answer_model` (a name),
          `max_cost` (US dollars). `SearchOptions` has them all.

        The answer has its usage (calls, tokens, US dollars by step) and the seconds it took.
        Raises InputError for an option or a setting that can't be used, and where the graph has
        nothing to search in; GraphError; ModelError where the model can't be used at all;
        ReplyError where its reply can't; BudgetSpentError where `max_cost` is reached.
        """
        return self._call(lambda: self._async.query(question, **how))

    def global_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question about the whole, from the reports of one level of communities.

        Each part of the reports gives points, and the answer is made from the best of them: the
        map-reduce of "From Local to Global" (arXiv 2404.16130).

        `how` and the errors are those of `query`, but for `method`.
        """
        return self.query(question, **by("global", how))

    def local_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question about some entities, from these and what surrounds them.

        This is the local search of microsoft/graphrag.

        `how` and the errors are those of `query`, but for `method`.
        """
        return self.query(question, **by("local", how))

    def drift_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question, from reports first and then from follow-up questions to them.

        This is the DRIFT search of microsoft/graphrag; the settings `drift_depth` (rounds) and
        `drift_calls` (follow-up questions) bound it.

        `how` and the errors are those of `query`, but for `method`.
        """
        return self.query(question, **by("drift", how))

    def basic_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question from the chunks that are nearest to it: plain retrieval.

        `how` and the errors are those of `query`, but for `method`.
        """
        return self.query(question, **by("basic", how))

    def text_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question from all source text, part by part, without the graph's reports.

        This is the paper's baseline TS. It reads everything, so it costs the most.

        `how` and the errors are those of `query`, but for `method`.
        """
        return self.query(question, **by("text", how))

    def communities(self, level: int | None = None) -> Communities:
        """The communities of one level (0 is the coarsest), the largest first; None: of all levels.

        Raises InputError for a level that is no whole number from 0 on, GraphError.
        """
        return self._call(lambda: self._async.communities(level))

    def report(self, ref: int) -> CommunityReport:
        """The report of the community with this ref, which `communities` and citations give.

        Raises InputError where there is no such community, GraphError.
        """
        return self._call(lambda: self._async.report(ref))

    def entity(self, name: str) -> Entity:
        """The entity of this name, in capitals or not, with what it is related to and its claims.

        Raises InputError where there is none, with the nearest names that there are; GraphError.
        """
        return self._call(lambda: self._async.entity(name))

    def find_entities(self, text: str, limit: int = 10) -> list[FoundEntity]:
        """The entities whose name holds some of the words of a text, the best first.

        `limit`: how many at most, from 1 on. Raises InputError for an empty text, GraphError.
        """
        return self._call(lambda: self._async.find_entities(text, limit))

    def sources(self, *refs: int) -> list[Place]:
        """The chunks with these refs (as a citation of Sources has them), in the order of the refs.

        Each says where it stands in its document, in characters. What is gone is left out. Raises
        InputError for what is no ref, GraphError.
        """
        return self._call(lambda: self._async.sources(*refs))

    def status(self) -> Status:
        """What is in the graph, what is pending by these settings, what failed and why.

        Raises GraphError.
        """
        return self._call(self._async.status)

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
    """The text of an answer as it comes; when all has come, `.answer` is the answer.

    The call to the model, and its connection, end where the loop is left early, where `with` ends,
    with `close`, and where the stream is deleted; after that the rest of the text can't be read.
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
        """Ends the call to the model if it goes on. Doing so twice does no harm."""
        if (ending := self._end()) is not None:
            ending.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Generator[str, None, None]:
        """The pieces; a loop that is left closes the stream, since it drops this generator."""
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
        """The answer; raises InputError while its text is still coming."""
        return self._stream.answer


def _start(portal: BlockingPortal, end: Callable[[], Awaitable[None]]) -> Future[None] | None:
    """Ends a stream in the client's thread; None where that thread itself asks, or is no more.

    A garbage collection in that thread needs no more: its loop closes the generators that are
    dropped, as it does when it ends.
    """
    try:
        return portal.start_task_soon(end)
    except RuntimeError:
        return None
