"""What a Python user who awaits imports; `blocking` has the same for one who does not.

async with AsyncGraphRAG.from_env() as rag:
    await rag.index("docs/")
    print(await rag.query("What is this about?"))
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import anyio.to_thread

from graphrag_neo4j import embedded
from graphrag_neo4j.answering import Question, answering
from graphrag_neo4j.answers import Answer
from graphrag_neo4j.answers import Source as Place
from graphrag_neo4j.asking import escaped
from graphrag_neo4j.corpus import Corpus
from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.events import Advanced, Listener, Said, Started, silent
from graphrag_neo4j.graph import Graph, connect
from graphrag_neo4j.looking import (
    Communities,
    Entity,
    FoundEntity,
    Report,
    find_entities,
    read_communities,
    read_entity,
    read_report,
    read_sources,
)
from graphrag_neo4j.reading import ReadOptions, file_of, gone, source_of
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.status import Status, read_status
from graphrag_neo4j.text import storable

if TYPE_CHECKING:
    from graphrag_neo4j.importing import Imported
    from graphrag_neo4j.pipeline import Built

# What writes is imported where it is used: a question is answered sooner without it.
# ruff: noqa: PLC0415

__all__ = ["AsyncGraphRAG", "AsyncStream", "start_server"]

QUESTION = frozenset(field.name for field in fields(Question)) - {"text"}
DEFAULT = ReadOptions()
Source = str | Path | Sequence[str | Path] | Iterable[object]


class AsyncGraphRAG:
    """A graph and the settings to work on it with; an asynchronous context manager."""

    def __init__(self, settings: Settings, listen: Listener = silent) -> None:
        self.settings = settings
        self._listen = listen
        self._stack = AsyncExitStack()
        self._open: Graph | None = None

    @classmethod
    def from_env(cls, listen: Listener = silent, **settings: Any) -> Self:  # noqa: ANN401 - any setting
        """With settings by name, from the environment and from `.env`; raises InputError."""
        return cls(load_settings(**settings), listen)

    async def __aenter__(self) -> Self:
        """Connects; starts the embedded server if no other one is set. Raises GraphError."""
        uri, username, password = await self._address()
        graph = connect(uri, username, password, self.settings.neo4j_database)
        self._open = await self._stack.enter_async_context(graph)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()
        self._open = None

    @property
    def graph(self) -> Graph:
        """The open graph."""
        if self._open is None:
            raise InputError("This GraphRAG is not open: use it in a `with` statement.")
        return self._open

    async def index(
        self,
        what: Source,
        *,
        options: ReadOptions = DEFAULT,
        reread: bool = False,
        reembed: bool = False,
        recluster: bool = False,
        prune: bool = False,
    ) -> "Built":
        """Brings the graph up to date with paths, or with Documents (ours or LangChain's).

        `reread`: what was read with other settings is read again. `reembed`: all vectors are
        made anew. `recluster`: the communities are, imported ones too. `prune`: documents under
        the paths whose file is gone are deleted. Raises InputError, GraphError, ModelError.
        """
        from graphrag_neo4j.pipeline import Redo, build

        paths = _paths(what)
        corpus = Corpus.of_documents(what) if paths is None else Corpus.of_paths(paths, options)  # type: ignore[arg-type] # else they are paths
        missing = await self._missing(paths or (), options) if prune else []
        return await build(
            self.graph,
            corpus,
            self.settings,
            self._listen,
            redo=Redo(reread, reembed, recluster),
            gone=missing,
        )

    async def delete(
        self, *sources: str | Path, options: ReadOptions = DEFAULT
    ) -> dict[str, list[str]]:
        """Deletes documents, by source or path; a file with all its rows.

        For each of `sources`, the sources of what was deleted: none if it was not there.
        """
        from graphrag_neo4j.pipeline import remove

        files = {storable(str(source))[0]: _file(source, options) for source in sources}
        found = await remove(
            self.graph, list(files), [f for f in files.values() if f], self._listen
        )
        return {
            given: [one for one in found if one == given or file_of(one) == file]
            for given, file in files.items()
        }

    async def import_graphrag(self, folder: str | Path) -> "Imported":
        """Reads the parquet tables of microsoft/graphrag 2 or 3 in a folder; asks no model.

        Into an empty graph only; one that was interrupted goes on. Raises InputError, GraphError.
        """
        from graphrag_neo4j.importing import import_graphrag

        return await import_graphrag(self.graph, Path(folder), self.settings, self._listen)

    def stream(self, question: str | Question, **how: Any) -> "AsyncStream":  # noqa: ANN401
        """The text of an answer piece by piece, for `async for`; then `.answer` is the answer.

        `how`: fields of Question (method, level, context_only, history, …), and settings by name
        (top_k_entities, response_type, …). Raises InputError, GraphError, ModelError, ReplyError.
        """
        fields = {name: how.pop(name) for name in list(how) if name in QUESTION}
        asked = Question(question) if isinstance(question, str) else question
        settings = self.settings.changed(**how)
        pieces = answering(self.graph, settings, replace(asked, **fields), self._listen)
        return AsyncStream(pieces)

    async def query(self, question: str | Question, **how: Any) -> Answer:  # noqa: ANN401
        """The answer to a question; `how` and errors as those of `stream`."""
        stream = self.stream(question, **how)
        async for _ in stream:
            pass
        return stream.answer

    async def global_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from the reports of one level."""
        return await self.query(question, method="global", **how)

    async def local_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from the entities that the question is about."""
        return await self.query(question, method="local", **how)

    async def drift_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from reports and follow-up questions."""
        return await self.query(question, method="drift", **how)

    async def basic_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from the chunks nearest to the question."""
        return await self.query(question, method="basic", **how)

    async def text_search(self, question: str, **how: Any) -> Answer:  # noqa: ANN401
        """As `query`, from all source text."""
        return await self.query(question, method="text", **how)

    async def communities(self, level: int | None = None) -> Communities:
        """The communities of a level (0 is the coarsest), the largest first; or all."""
        return await read_communities(self.graph, level)

    async def report(self, ref: int) -> Report:
        """The report of the community with that ref; raises InputError where there is none."""
        return await read_report(self.graph, ref)

    async def entity(self, name: str) -> Entity:
        """The entity of that name, in any spelling; raises InputError where there is none."""
        return await read_entity(self.graph, name)

    async def find_entities(self, text: str, limit: int = 10) -> list[FoundEntity]:
        """The entities whose name holds some of the words of a text, the best first."""
        return await find_entities(self.graph, escaped(text, "name"), limit)

    async def sources(self, *refs: int) -> list[Place]:
        """The chunks with these refs and where they stand; those that are gone are left out."""
        return await read_sources(self.graph, refs)

    async def status(self) -> Status:
        """What is in the graph, what is pending, what failed and why."""
        return await read_status(self.graph)

    async def _missing(self, paths: Sequence[str | Path], options: ReadOptions) -> list[str]:
        from graphrag_neo4j.stages.ingest import sources_under

        known = await sources_under(self.graph, "") if paths else []
        missing = dict.fromkeys(s for path in paths for s in gone(known, path, options))
        for source in missing:
            self._listen(Said(f"{source} is gone and is dropped from the graph.", warning=True))
        return list(missing)

    async def _address(self) -> tuple[str, str, str]:
        settings = self.settings
        if settings.neo4j_uri:
            password = settings.neo4j_password
            secret = password.get_secret_value() if password else ""
            return settings.neo4j_uri, settings.neo4j_username, secret
        if not settings.embedded:
            raise GraphError("No Neo4j is set: set NEO4J_URI, or KG_EMBEDDED=true.")
        # A start that is left behind does no harm: the next one goes on with it.
        server = await anyio.to_thread.run_sync(
            lambda: start_server(settings, self._listen), abandon_on_cancel=True
        )
        return server.uri, server.username, server.password


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


def _paths(what: Source) -> list[str | Path] | None:
    """The paths that `what` is, None if it holds documents."""
    if isinstance(what, str | Path):
        return [what]
    if isinstance(what, Sequence) and all(isinstance(one, str | Path) for one in what):
        return list(what)
    return None


def _file(source: str | Path, options: ReadOptions) -> str | None:
    """The source of the file at a path; None for what is no path, or outside the root."""
    if "://" in str(source):
        return None
    try:
        return source_of(Path(source), options)
    except (InputError, ValueError):
        return None


def start_server(
    settings: Settings, listen: Listener = silent, *, upgrade: bool = False
) -> embedded.Server:
    """The embedded server of the settings' home, started where it does not run yet.

    `upgrade`: a home of 5.26 becomes one of 2026.01, for good. Raises EmbeddedError.
    """
    before = 0

    def progress(done: int, total: int) -> None:
        nonlocal before
        if before == 0:
            listen(Started("download", total))
        listen(Advanced(done - before))
        before = done

    return embedded.start(
        settings, tell=lambda text: listen(Said(text)), progress=progress, upgrade=upgrade
    )
