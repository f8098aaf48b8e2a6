"""The client for code without `await`.

    with GraphRAG.from_env() as rag:
        rag.index("docs/")
        print(rag.query("What is this about?"))

It runs AsyncGraphRAG in a thread of its own, so it works in a script, in a notebook with a running
loop and in a thread pool alike.
"""

import weakref
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graphrag_neo4j.client import DEFAULT, PASSAGES, AsyncGraphRAG, IndexSource, by
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.indexing.status import Status
from graphrag_neo4j.loaders import ReadOptions
from graphrag_neo4j.options import QueryOptions, SearchOptions, SettingsOptions
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.answer import Source as Place
from graphrag_neo4j.query.engine import AsyncStream
from graphrag_neo4j.query.lookup import Communities, CommunityReport, Entity, FoundEntity
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.query.suggestions import Suggestions
from graphrag_neo4j.settings import Settings

if TYPE_CHECKING:
    from graphrag_neo4j.importers import ImportSummary, Tables
    from graphrag_neo4j.indexing.resolution.decisions import NameDecision
    from graphrag_neo4j.indexing.result import IndexResult
    from graphrag_neo4j.tuning import Tuning

__all__ = ["GraphRAG", "Stream"]

T = TypeVar("T")


class GraphRAG:
    """A client for one graph in Neo4j, for code without `await`.

    Use it in `with`, or call `open` and `close`. Threads may share one client: they share its
    connections, its limits of calls to the model, and its settings, which do not change. Ctrl-C
    during a call first lets the call save what has arrived, and then raises KeyboardInterrupt.
    """

    def __init__(self, settings: Settings, listen: Listener = silent) -> None:
        self._async = AsyncGraphRAG(settings, listen)
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None

    @classmethod
    def from_env(cls, listen: Listener = silent, **settings: Unpack[SettingsOptions]) -> Self:
        """Makes a client from settings.

        A setting that is not given here is read from the environment, then from the file `.env`;
        else it has its default. `listen` is a function that receives each event (see `Event`) while
        the client works; it is called in the thread that does the work. `settings` have the names
        in docs/settings.md, in lower case and without `KG_`; None means that a setting is not
        given. `listen` also receives a notice for each name in the environment that begins with
        `KG_` and is not the name of a setting.

        Raises InputError for a name that is not the name of a setting, and for a value that can't
        be used.
        """
        made = AsyncGraphRAG.from_env(listen, **settings)
        return cls(made.settings, listen)

    def open(self) -> Self:
        """Connects to Neo4j and returns this client. Call `close` when it is no longer needed.

        If NEO4J_URI is not set, the embedded server is started, which may take a minute. Raises
        GraphError if Neo4j can't be reached or started, and InputError if NEO4J_URI is not an
        address or if this client is already open.
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

    def index(
        self,
        what: IndexSource,
        *,
        options: ReadOptions = DEFAULT,
        reread: bool = False,
        reembed: bool = False,
        recluster: bool = False,
        fresh: bool = False,
        prune: bool = False,
        batch: bool = False,
        wait: bool = False,
        ray: str | None = None,
    ) -> "IndexResult":
        """Brings the graph up to date with documents, and returns what was done.

        `what` is the path of a file or folder, a list of paths, an iterable of Documents (ours or
        LangChain's), or a Corpus. Documents of the graph that are not in `what` stay in the graph.
        `options` says how files are read. With `reread`, chunks are read and reports are written
        again if this was done with other settings. With `reembed`, all vectors are computed again.
        With `recluster`, the communities are detected again, even if they were imported. With
        `fresh`, communities and reports become those of a fresh build. With
        `prune`, documents are deleted if their file was under the given paths and no longer exists,
        or if their row is no longer in its file. The rows of a file stay if some of its rows can't
        be read, or if it holds none at all.

        With `batch`, requests go to the model in batches of the provider, at half the price; they
        take up to 24 hours. The call returns when they are sent, with the reason in `stopped`, and
        the same call later continues. With `wait`, too, it waits for them.

        `ray` is the address of a Ray cluster whose workers read the files and run the tasks: host
        and port, "auto" for the cluster that runs on this machine, "local" to start Ray here, or ""
        for RAY_ADDRESS or else "local".

        If a run is interrupted, the same call continues it. The result names each chunk or report
        that failed, and the next call tries it again. Raises InputError for an argument that can't
        be used, GraphBusyError while another run writes to this graph, GraphError if Neo4j fails,
        and ModelError if the model endpoint can't be used at all.
        """
        return self._call(
            lambda: self._async.index(
                what,
                options=options,
                reread=reread,
                reembed=reembed,
                recluster=recluster,
                fresh=fresh,
                prune=prune,
                batch=batch,
                wait=wait,
                ray=ray,
            )
        )

    def watch(
        self, *paths: str | Path, options: ReadOptions = DEFAULT
    ) -> Generator["IndexResult", None, None]:
        """Indexes files and folders, and again whenever files in them change, until it is left.

        Use it in `for`: it gives the result of each build. Documents are deleted when their file or
        their row is gone, as `index` does with `prune`, but never because a path itself is gone or
        holds no file any more. `paths` are files, folders or patterns, and `options` says how files
        are read. If the setting `max_cost_a_day` is reached, the next build starts the next day.
        Raises InputError if a path does not exist, and the errors of `index` if the first build
        fails; after a later error the build is tried again with growing pauses.
        """
        results = self._async.watch(*paths, options=options)
        try:
            while True:
                yield self._call(lambda: anext(results))
        finally:
            self._call(results.aclose)

    def delete(self, *sources: str | Path, options: ReadOptions = DEFAULT) -> dict[str, list[str]]:
        """Deletes documents, and everything that no other document supports.

        `sources` are sources of documents, or paths of files; with a file, all documents from its
        rows are deleted. `options` are the options that the files were read with; only
        `source_root` matters here. The result holds, for each of `sources`, the sources of the
        documents that were deleted; this list is empty if the graph had none. Raises InputError for
        a value that is not a source, GraphBusyError while another run writes to this graph, and
        GraphError if Neo4j fails.
        """
        return self._call(lambda: self._async.delete(*sources, options=options))

    def resolve(
        self,
        *,
        same: tuple[str, str] | None = None,
        different: tuple[str, str] | None = None,
        split: str | None = None,
        types: Sequence[str] | None = None,
        documents: str | None = None,
        label: str | None = None,
        undo: int | None = None,
    ) -> None:
        """Compares all names of the graph again, or acts on what a person says about two names.

        `same` and `different` are two names each, which are one thing or two. `split` is a name
        that means two things: its mentions with one of `types` (None: any), in documents whose
        source matches the glob `documents` (None: any), get the name with `label` in brackets, by
        default with the types or the glob. All this stays until it is undone, whatever is indexed
        or deleted. `undo` is the ref of a decision (see `name_decisions`). Without any of them, the
        rules compare all names again. The next call of `index` renews the descriptions, communities
        and reports that this changes. Raises InputError for a name or ref that the graph does not
        know and for what contradicts other decisions of people, GraphBusyError while another run
        writes to this graph, and GraphError if Neo4j fails.
        """
        self._call(
            lambda: self._async.resolve(
                same=same,
                different=different,
                split=split,
                types=types,
                documents=documents,
                label=label,
                undo=undo,
            )
        )

    def name_decisions(self) -> "list[NameDecision]":
        """Returns all decisions about names, the newest first. Raises GraphError if Neo4j fails."""
        return self._call(self._async.name_decisions)

    def import_graphrag(self, folder: "str | Path | Tables") -> "ImportSummary":
        """Imports the Parquet tables of microsoft/graphrag 2 or 3 into an empty graph.

        No model is asked. `folder` is the folder of the tables, or the tables that
        `graphrag_neo4j.importers.read_tables` has read. The same call continues an import that was
        interrupted. The result counts what became of the rows of each table. Raises InputError for
        tables that can't be used and for a graph that is not empty, GraphBusyError while another
        run writes to this graph, and GraphError if Neo4j fails.
        """
        return self._call(lambda: self._async.import_graphrag(folder))

    def tune(
        self,
        what: IndexSource,
        *,
        options: ReadOptions = DEFAULT,
        domain: str | None = None,
        language: str | None = None,
        persona: str | None = None,
        entity_types: Sequence[str] = (),
        passages: int = PASSAGES,
    ) -> "Tuning":
        """Chooses prompts that fit documents, and returns what was chosen. It needs no graph.

        A model reads `passages` passages of the documents and finds their `domain`, their
        `language`, the `persona` of a reader, types of entities with definitions, and examples.
        What you give here is kept; the model only defines your `entity_types`. `write` of the
        result writes the files for the setting `prompts`. `what` and `options` are those of
        `index`. The client need not be open.

        Raises InputError for an argument that can't be used, if the documents hold no text and if
        no model is set; ModelError if the model endpoint can't be used at all; ReplyError if a
        reply of the model can't be used; BudgetSpentError if `max_cost` is reached.
        """

        def work() -> Awaitable["Tuning"]:
            return self._async.tune(
                what,
                options=options,
                domain=domain,
                language=language,
                persona=persona,
                entity_types=entity_types,
                passages=passages,
            )

        return self._call(work) if self._portal else self._call_unopened(work)

    def stream(self, question: str | Question, **how: Unpack[QueryOptions]) -> "Stream":
        """Returns the text of an answer piece by piece, for use in `for`.

        When all pieces have come, `.answer` of the stream is the complete answer. `question` and
        `how` are those of `query`. An option that can't be used is refused at once; the other
        errors of `query` are raised while the pieces are read. If you leave the loop early, the
        call to the model ends.
        """
        stream = self._async.stream(question, **how)
        return Stream(stream, self._call, self._opened())

    def query(self, question: str | Question, **how: Unpack[QueryOptions]) -> Answer:
        """Answers a question, and returns the answer with its citations.

        `question` is a text of at most 20,000 characters, or a Question. `how` holds these options,
        all by name:

        - `method`: "global", "local", "drift", "basic" or "text". With "auto" (the default) the
          model chooses between global and local search.
        - `level` (0 is the coarsest), `dynamic` and `prefilter` (a number of reports) determine
          which reports a global search reads.
        - `expand`: "hop" or "ppr" (personalised PageRank) determines how a local or drift search
          explores the graph around an entity.
        - `context_only`: with True, no model writes an answer; `context` of the result holds the
          texts that the model would receive.
        - `history`: the (question, answer) pairs before this question, the oldest first. The model
          rewrites the question so that it can be understood without them; `question` of the answer
          is the rewritten question.
        - settings that can have another value for one question, such as `response_type` (a text),
          `max_context_tokens` (tokens), `top_k_entities` (a number), `answer_model` (a name),
          `max_cost` (US dollars). `SearchOptions` lists all of them.

        The answer also holds its usage (calls, tokens and US dollars by step) and the seconds that
        it took. Raises InputError for an option or setting that can't be used, and if the graph
        holds nothing that the method can search; GraphError if Neo4j fails; ModelError if the model
        endpoint can't be used at all; ReplyError if a reply of the model can't be used;
        BudgetSpentError if `max_cost` is reached.
        """
        return self._call(lambda: self._async.query(question, **how))

    def global_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question about the whole collection from the reports of a level of communities.

        The model takes rated points from each part of the reports, and writes the answer from the
        points with the highest ratings. This is the map-reduce of "From Local to Global" (arXiv
        2404.16130).

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return self.query(question, **by("global", how))

    def local_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question about entities from these entities and the graph around them.

        This is the local search of microsoft/graphrag.

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return self.query(question, **by("local", how))

    def drift_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question from community reports, and then from follow-up questions.

        This is the DRIFT search of microsoft/graphrag. The settings `drift_depth` (rounds) and
        `drift_calls` (follow-up questions) limit it.

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return self.query(question, **by("drift", how))

    def basic_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question from the chunks that are most similar to it: plain vector search.

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return self.query(question, **by("basic", how))

    def text_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question from all chunks, part by part, without the reports.

        This is the baseline TS of the paper. It reads all text, so it costs the most.

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return self.query(question, **by("text", how))

    def suggest(
        self, n: int = 6, *, after: Answer | None = None, history: Sequence[str] = ()
    ) -> Suggestions:
        """Suggests questions that are worth asking of this graph, and that it can answer.

        `n` is the largest number of questions. By default one half is on the whole corpus, and the
        other on particular entities. With `after`, they follow on an answer; `history` then holds
        the questions before it. A model is asked once; without a model, rules make the questions.
        Each question is checked against the graph, and the result says which were left out.

        Raises InputError for a value that can't be used and if the graph holds no entities,
        GraphError if Neo4j fails, ModelError if the model endpoint can't be used at all, and
        ReplyError if the reply of the model can't be used.
        """
        return self._call(lambda: self._async.suggest(n, after=after, history=history))

    def communities(self, level: int | None = None) -> Communities:
        """Returns the communities of one level, the largest first.

        `level` 0 is the coarsest; None stands for all levels. Raises InputError if `level` is not a
        whole number of 0 or more, and GraphError if Neo4j fails.
        """
        return self._call(lambda: self._async.communities(level))

    def report(self, ref: int) -> CommunityReport:
        """Returns the report of a community.

        `ref` is the number that `communities` and citations of Reports give. Raises InputError if
        there is no such community, and GraphError if Neo4j fails.
        """
        return self._call(lambda: self._async.report(ref))

    def entity(self, name: str) -> Entity:
        """Returns an entity with its relationships, claims and communities.

        `name` may be in upper or lower case. If there is no such entity, this raises InputError,
        which lists the most similar names. Raises GraphError if Neo4j fails.
        """
        return self._call(lambda: self._async.entity(name))

    def find_entities(self, text: str, limit: int = 10) -> list[FoundEntity]:
        """Returns the entities whose names hold words of a text, the best match first.

        `limit` is the largest number of entities, at least 1. Raises InputError for an empty
        `text`, and GraphError if Neo4j fails.
        """
        return self._call(lambda: self._async.find_entities(text, limit))

    def sources(self, *refs: int) -> list[Place]:
        """Returns chunks by their refs, in the order of the refs.

        `refs` are the numbers in citations of Sources. Each result gives the place of the chunk in
        its document, in characters. A chunk that is no longer in the graph is left out. Raises
        InputError for a value that is not a ref, and GraphError if Neo4j fails.
        """
        return self._call(lambda: self._async.sources(*refs))

    def status(self) -> Status:
        """Returns what the graph holds, what is pending, and what failed and why.

        What is pending depends on the settings of this client. If they do not say whether claims
        are extracted, the last index decides. Raises GraphError if Neo4j fails.
        """
        return self._call(self._async.status)

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
