"""What a Python user who awaits imports; `blocking` has the same for one who does not.

async with AsyncGraphRAG.from_env() as rag:
    await rag.index("docs/")
    print(await rag.query("What is this about?"))
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

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
from graphrag_neo4j.query.answer import Answer
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

__all__ = ["AsyncGraphRAG", "AsyncStream", "by", "start_server"]

DEFAULT = ReadOptions()
IndexSource = str | Path | Sequence[str | Path] | Iterable[object] | Corpus


class AsyncGraphRAG:
    """A graph and the settings to work on it with; an asynchronous context manager."""

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
    def from_env(cls, listen: Listener = silent, **settings: Any) -> Self:  # noqa: ANN401 - any setting
        """With settings by name, from the environment and from `.env`; raises InputError.

        A name in the environment that begins with KG_ and that no setting has is said to `listen`.
        """
        made = cls(load_settings(**settings), listen)
        for sentence in unknown_names():
            listen(Notice(sentence, warning=True))
        return made

    async def __aenter__(self) -> Self:
        """Connects; starts the embedded server if no other one is set. Raises GraphError."""
        if notice := self.settings.named_by_env_file():
            self._listen(Notice(notice, warning=True))  # also where little is told
        server = None if self.settings.neo4j_uri else await self._own_server()
        self._open = await self._stack.enter_async_context(self._connection(server))
        if server:
            self._open = await self._sound(self._open, server)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._open = None
        await self._backends.aclose()
        await self._stack.aclose()

    @property
    def graph(self) -> Graph:
        """The open graph."""
        if self._open is None:
            raise InputError("This GraphRAG is not open: use it in a `with` statement.")
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
        """Brings the graph up to date with paths, with Documents (ours or LangChain's), or with a
        Corpus of either.

        `reread`: what was read with other settings is read again. `reembed`: all vectors are
        made anew. `recluster`: the communities are, imported ones too. `prune`: documents under
        the paths whose file is gone are deleted. Raises InputError, GraphError, ModelError.
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
        """Deletes documents, by source or path; a file with all its rows.

        For each of `sources`, the sources of what was deleted: none if it was not there.
        Raises InputError for what is no source, GraphError.
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
        """Reads the parquet tables of microsoft/graphrag 2 or 3 in a folder; asks no model.

        Into an empty graph only; one that was interrupted goes on. The tables may have been read
        already, by `importing.read_tables`. Raises InputError, GraphError.
        """
        from graphrag_neo4j.importers import Tables, import_graphrag, read_tables

        if isinstance(folder, Tables):
            tables = folder
        else:
            path = Path(check_path(folder, "The folder of an import"))
            most = self.settings.max_file_mb
            tables = await anyio.to_thread.run_sync(read_tables, path, most)
        return await import_graphrag(self.graph, tables, self.settings, self._listen)

    def stream(self, question: str | Question, **how: Any) -> "AsyncStream":  # noqa: ANN401
        """The text of an answer piece by piece, for `async for`; then `.answer` is the answer.

        `how`: fields of Question (method, level, context_only, history, …), and settings by name
        (top_k_entities, response_type, …). Raises InputError, GraphError, ModelError, ReplyError.
        """
        asked, settings = asked_of(question, how, self.settings)
        pieces = answer_question(self.graph, self._backends, settings, asked, self._listen)
        return AsyncStream(pieces)

    async def query(self, question: str | Question, **how: Any) -> Answer:  # noqa: ANN401
        """The answer to a question; `how` and errors as those of `stream`."""
        stream = self.stream(question, **how)
        async for _ in stream:
            pass
        return stream.answer

    async def global_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from the reports of one level."""
        return await self.query(question, **by("global", how))

    async def local_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from the entities that the question is about."""
        return await self.query(question, **by("local", how))

    async def drift_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from reports and follow-up questions."""
        return await self.query(question, **by("drift", how))

    async def basic_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from the chunks nearest to the question."""
        return await self.query(question, **by("basic", how))

    async def text_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from all source text."""
        return await self.query(question, **by("text", how))

    async def communities(self, level: int | None = None) -> Communities:
        """The communities of a level (0 is the coarsest), the largest first; or all."""
        if level is not None:
            check_number(level, "level", 0)
        return await read_communities(self.graph, level)

    async def report(self, ref: int) -> CommunityReport:
        """The report of the community with that ref; raises InputError where there is none."""
        return await read_report(self.graph, check_number(ref, "A report's ref", 0))

    async def entity(self, name: str) -> Entity:
        """The entity of that name, in capitals or not; raises InputError where there is none, with
        the nearest names that there are."""
        return await read_entity(self.graph, check_text(name, "An entity's name"))

    async def find_entities(self, text: str, limit: int = 10) -> list[FoundEntity]:
        """The entities whose name holds some of the words of a text, the best first."""
        words = lucene_query(check_text(text, "The text to find"), "name")
        return await find_entities(self.graph, words, check_number(limit, "limit", 1))

    async def sources(self, *refs: int) -> list[Place]:
        """The chunks with these refs and where they stand; those that are gone are left out."""
        return await read_sources(
            self.graph, [check_number(ref, "A source's ref", 0) for ref in refs]
        )

    async def status(self) -> Status:
        """What is in the graph, what is pending by these settings, what failed and why."""
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
    """An answer's text as it comes; when it has come, `.answer` is the whole answer."""

    def __init__(self, pieces: AsyncIterator[str | Answer]) -> None:
        self._pieces = pieces
        self._answer: Answer | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
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


def by(method: str, how: Mapping[str, Any]) -> dict[str, Any]:
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
