"""What a Python user who awaits imports; `sync_client` has the same for one who does not.

async with AsyncGraphRAG.from_env() as rag:
    await rag.index("docs/")
    print(await rag.query("What is this about?"))
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

import anyio.to_thread

from graphrag_neo4j import embedded
from graphrag_neo4j.arguments import (
    check_flags,
    check_number,
    check_path,
    check_text,
)
from graphrag_neo4j.backends import Backends
from graphrag_neo4j.environment import unknown_names
from graphrag_neo4j.errors import GraphError, GraphStoppedError, InputError
from graphrag_neo4j.events import Listener, Notice, silent
from graphrag_neo4j.graph import Graph, connect
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.status import Status, read_status
from graphrag_neo4j.loaders import ReadOptions, file_of, gone, source_of
from graphrag_neo4j.options import QueryOptions, SearchOptions, SettingsOptions
from graphrag_neo4j.query.answer import Answer, Method
from graphrag_neo4j.query.answer import Source as Place
from graphrag_neo4j.query.engine import answer_question
from graphrag_neo4j.query.lookup import (
    Communities,
    CommunityReport,
    Entity,
    FoundEntity,
    find_entities,
    read_communities,
    read_entity,
    read_report,
    read_sources,
)
from graphrag_neo4j.query.query_context import lucene_query
from graphrag_neo4j.query.question import Question, asked_of
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.text import storable

if TYPE_CHECKING:
    from graphrag_neo4j.importers import ImportSummary, Tables
    from graphrag_neo4j.indexing.result import IndexResult

# What writes is imported where it is used: a question is answered sooner without it.
# ruff: noqa: PLC0415

__all__ = ["AsyncGraphRAG", "AsyncStream", "IndexSource", "by", "start_server"]

DEFAULT = ReadOptions()
IndexSource = str | Path | Sequence[str | Path] | Iterable[object] | Corpus


class AsyncGraphRAG:
    """A graph in Neo4j, and the settings to work on it with, for code that awaits.

    Use it in `async with`, or call `aopen` and `aclose`. All that one client does shares its
    connections, its limits of calls to the model, and its settings, which don't change.
    """

    def __init__(self, settings: Settings, listen: Listener = silent) -> None:
        if not isinstance(settings, Settings):
            raise InputError("A GraphRAG is made from Settings: use from_env, or load_settings.")
        if not callable(listen):
            raise InputError("listen must be a function that takes an event.")
        self.settings = settings
        self._listen = listen
        self._stack = AsyncExitStack()
        self._open: Graph | None = None
        self._backends = Backends(settings)

    @classmethod
    def from_env(cls, listen: Listener = silent, **settings: Unpack[SettingsOptions]) -> Self:
        """A client with these settings, the rest from the environment, from `.env`, or by default.

        `listen`: a function that is given each event (see `Event`) while something is done; it is
        called in the thread that works. `settings`: by the names in docs/settings.md, in lower
        case and without `KG_`; None stands for: not given. A name in the environment that begins
        with KG_ and that no setting has is told to `listen`.

        Raises InputError for a name that no setting has, and for a value that can't be used.
        """
        made = cls(load_settings(**settings), listen)
        for sentence in unknown_names():
            listen(Notice(sentence, warning=True))
        return made

    async def aopen(self) -> Self:
        """Connects to Neo4j, and gives this client; `aclose` ends what this begins.

        Where no NEO4J_URI is set, the embedded server is started, which may take a minute. Raises
        GraphError where Neo4j can't be reached or started, InputError for an address that is
        none, and where this client is open already.
        """
        if self._open is not None:
            raise InputError("This GraphRAG is open already.")
        if notice := self.settings.named_by_env_file():
            self._listen(Notice(notice, warning=True))  # also where little is told
        server = None if self.settings.neo4j_uri else await self._own_server()
        self._open = await self._stack.enter_async_context(self._connection(server))
        if server:
            try:
                self._open = await self._sound(self._open, server)
            except BaseException:
                await self.aclose()
                raise
        return self

    async def aclose(self) -> None:
        """Closes the connections to Neo4j and to the model. Doing so twice does no harm.

        The embedded server goes on running. The client can be opened again.
        """
        self._open = None
        try:
            await self._backends.aclose()
        finally:
            await self._stack.aclose()

    async def __aenter__(self) -> Self:
        return await self.aopen()

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    @property
    def graph(self) -> Graph:
        """The graph that this client is connected to; raises InputError where it is not open."""
        if self._open is None:
            raise InputError(
                "This GraphRAG is not open: use it in a `with` statement, or call aopen first."
            )
        return self._open

    async def index(
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
        from graphrag_neo4j.indexing.pipeline import build
        from graphrag_neo4j.indexing.result import RebuildOptions

        _check_options(options)
        check_flags(reread=reread, reembed=reembed, recluster=recluster, prune=prune)
        corpus = Corpus.of(what, options, self.settings.max_file_mb)
        missing = await self._missing(corpus.paths, options) if prune else []
        return await build(
            self.graph,
            corpus,
            self._backends,
            self._listen,
            rebuild=RebuildOptions(reread, reembed, recluster),
            gone=missing,
        )

    async def delete(
        self, *sources: str | Path, options: ReadOptions = DEFAULT
    ) -> dict[str, list[str]]:
        """Deletes documents, and with them all that is known only from them.

        `sources`: sources of documents, or paths of files; a file is deleted with all its rows.
        `options`: those that the files were read with, of which `source_root` counts here. The
        result holds, for each of `sources`, the sources of the documents that were deleted: none
        if it was not there. Raises InputError for what is no source, GraphBusyError while another
        run writes to this graph, GraphError.
        """
        from graphrag_neo4j.indexing.removal import remove

        _check_options(options)
        for source in sources:
            check_path(source, "A source")
        files = {storable(str(source))[0]: _file(source, options) for source in sources}
        found = await remove(
            self.graph, list(files), [f for f in files.values() if f], self._listen
        )
        return {
            given: [one for one in found if one == given or file_of(one) == file]
            for given, file in files.items()
        }

    async def import_graphrag(self, folder: "str | Path | Tables") -> "ImportSummary":
        """Makes a graph from the parquet tables of microsoft/graphrag 2 or 3; asks no model.

        `folder`: the folder that holds the tables, or what
        `graphrag_neo4j.importers.read_tables` has made of it. The graph must be empty; an import
        that was interrupted goes on. The result counts what became of each table's rows. Raises
        InputError for tables that can't be used and for a graph that is not empty, GraphError.
        """
        from graphrag_neo4j.importers import Tables, import_graphrag, read_tables

        if isinstance(folder, Tables):
            tables = folder
        else:
            path = Path(check_path(folder, "The folder of an import"))
            most = self.settings.max_file_mb
            tables = await anyio.to_thread.run_sync(read_tables, path, most)
        return await import_graphrag(self.graph, tables, self.settings, self._listen)

    def stream(self, question: str | Question, **how: Unpack[QueryOptions]) -> "AsyncStream":
        """The text of an answer piece by piece, for `async for`; after it, `.answer` is the answer.

        `question` and `how` are as for `query`. An option that can't be used is refused at once;
        the other errors of `query` are raised while the pieces are read. Leaving the loop early
        ends the call to the model.
        """
        asked, settings = asked_of(question, how, self.settings)
        pieces = answer_question(self.graph, self._backends, settings, asked, self._listen)
        return AsyncStream(pieces)

    async def query(self, question: str | Question, **how: Unpack[QueryOptions]) -> Answer:
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
        async with self.stream(question, **how) as stream:
            async for _ in stream:
                pass
        return stream.answer

    async def global_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question about the whole, from the reports of one level of communities.

        Each part of the reports gives points, and the answer is made from the best of them: the
        map-reduce of "From Local to Global" (arXiv 2404.16130).

        `how` and the errors are those of `query`, but for `method`.
        """
        return await self.query(question, **by("global", how))

    async def local_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question about some entities, from these and what surrounds them.

        This is the local search of microsoft/graphrag.

        `how` and the errors are those of `query`, but for `method`.
        """
        return await self.query(question, **by("local", how))

    async def drift_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question, from reports first and then from follow-up questions to them.

        This is the DRIFT search of microsoft/graphrag; the settings `drift_depth` (rounds) and
        `drift_calls` (follow-up questions) bound it.

        `how` and the errors are those of `query`, but for `method`.
        """
        return await self.query(question, **by("drift", how))

    async def basic_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question from the chunks that are nearest to it: plain retrieval.

        `how` and the errors are those of `query`, but for `method`.
        """
        return await self.query(question, **by("basic", how))

    async def text_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """The answer to a question from all source text, part by part, without the graph's reports.

        This is the paper's baseline TS. It reads everything, so it costs the most.

        `how` and the errors are those of `query`, but for `method`.
        """
        return await self.query(question, **by("text", how))

    async def communities(self, level: int | None = None) -> Communities:
        """The communities of one level (0 is the coarsest), the largest first; None: of all levels.

        Raises InputError for a level that is no whole number from 0 on, GraphError.
        """
        if level is not None:
            check_number(level, "level", 0)
        return await read_communities(self.graph, level)

    async def report(self, ref: int) -> CommunityReport:
        """The report of the community with this ref, which `communities` and citations give.

        Raises InputError where there is no such community, GraphError.
        """
        return await read_report(self.graph, check_number(ref, "A report's ref", 0))

    async def entity(self, name: str) -> Entity:
        """The entity of this name, in capitals or not, with what it is related to and its claims.

        Raises InputError where there is none, with the nearest names that there are; GraphError.
        """
        return await read_entity(self.graph, check_text(name, "An entity's name"))

    async def find_entities(self, text: str, limit: int = 10) -> list[FoundEntity]:
        """The entities whose name holds some of the words of a text, the best first.

        `limit`: how many at most, from 1 on. Raises InputError for an empty text, GraphError.
        """
        words = lucene_query(check_text(text, "The text to find"), "name")
        return await find_entities(self.graph, words, check_number(limit, "limit", 1))

    async def sources(self, *refs: int) -> list[Place]:
        """The chunks with these refs (as a citation of Sources has them), in the order of the refs.

        Each says where it stands in its document, in characters. What is gone is left out. Raises
        InputError for what is no ref, GraphError.
        """
        return await read_sources(
            self.graph, [check_number(ref, "A source's ref", 0) for ref in refs]
        )

    async def status(self) -> Status:
        """What is in the graph, what is pending by these settings, what failed and why.

        If the settings do not say whether claims are extracted, the last index does.

        Raises GraphError.
        """
        return await read_status(self.graph, claims=self.settings.claims)

    async def _missing(self, paths: Sequence[str | Path], options: ReadOptions) -> list[str]:
        from graphrag_neo4j.indexing.stages.ingest import sources_under

        known = await sources_under(self.graph, "") if paths else []
        missing = dict.fromkeys(s for path in paths for s in gone(known, path, options))
        for source in missing:
            self._listen(Notice(f"{source} is gone and is dropped from the graph.", warning=True))
        return list(missing)

    def _connection(self, server: embedded.Server | None) -> AbstractAsyncContextManager[Graph]:
        """To a server of our own, else to that of the settings."""
        settings = self.settings
        if server:
            uri, user, secret = server.uri, server.username, server.password
        else:
            password = settings.neo4j_password
            uri, user = settings.neo4j_uri or "", settings.neo4j_username
            secret = password.get_secret_value() if password else ""
        return connect(uri, user, secret, settings.neo4j_database, server)

    async def _own_server(self, stopped: embedded.Server | None = None) -> embedded.Server:
        """The embedded server; `stopped`: it runs, but its database works no more."""
        settings = self.settings
        if not settings.embedded:
            raise GraphError("No Neo4j is set: set NEO4J_URI, or KG_EMBEDDED=true.")
        # A start that is left behind does no harm: the next one goes on with it.
        return await anyio.to_thread.run_sync(
            lambda: start_server(settings, self._listen, stopped=stopped), abandon_on_cancel=True
        )

    async def _sound(self, graph: Graph, server: embedded.Server) -> Graph:
        """The graph; if its database works no more, that of a server that was started again."""
        try:
            await graph.refuse_stopped()
        except GraphStoppedError:
            await self._stack.aclose()
            again = await self._own_server(server)
            return await self._stack.enter_async_context(self._connection(again))
        return graph


class AsyncStream:
    """The text of an answer as it comes; when all has come, `.answer` is the answer.

    The call to the model, and its connection, end where the loop is left early, where
    `async with` ends, and with `aclose`; after that the rest of the text can't be read.
    """

    def __init__(self, pieces: AsyncGenerator[str | Answer, None]) -> None:
        self._pieces = pieces
        self._answer: Answer | None = None
        self._closed = False

    async def aclose(self) -> None:
        """Ends the call to the model if it goes on. Doing so twice does no harm."""
        self._closed = True
        await self._pieces.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        """The pieces; a loop that is left closes the stream, since it drops this generator."""
        try:
            while (piece := await anext(self, None)) is not None:
                yield piece
        finally:
            await self.aclose()

    async def __anext__(self) -> str:
        if self._closed and self._answer is None:
            raise InputError("This stream is closed, and its answer is not whole: ask again.")
        piece = await anext(self._pieces)
        if isinstance(piece, str):
            return piece
        self._answer = piece
        return await anext(self)

    @property
    def answer(self) -> Answer:
        """The answer; raises InputError while its text is still coming."""
        if self._answer is None:
            raise InputError("The answer is not whole yet: read the stream to its end.")
        return self._answer


def by(method: Method, how: SearchOptions) -> QueryOptions:
    """`how` with this method; raises InputError where it holds a method already."""
    if "method" in how:
        raise InputError(f"{method}_search has its method already: leave method out, or use query.")
    return {**how, "method": method}


def _check_options(options: object) -> None:
    if not isinstance(options, ReadOptions):
        raise InputError("options must be ReadOptions: leave them out for the usual ones.")


def _file(source: str | Path, options: ReadOptions) -> str | None:
    """The source of the file at a path; None for what is no path, or outside the root."""
    if "://" in str(source):
        return None
    try:
        return source_of(Path(source), options)
    except (InputError, ValueError):
        return None


def start_server(
    settings: Settings,
    listen: Listener = silent,
    *,
    upgrade: bool = False,
    stopped: embedded.Server | None = None,
) -> embedded.Server:
    """The embedded server of the settings' home, started where it does not run yet.

    `upgrade`: a home of 5.26 becomes one of 2026.01, for good. `stopped`: a server whose
    database works no more, and that is to be started again. Raises GraphError.
    """
    heard = embedded.Telling.to(listen)
    if stopped:
        return embedded.restart(settings, stopped, heard)
    return embedded.start(settings, heard, upgrade=upgrade)
