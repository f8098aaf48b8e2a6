"""The client for asynchronous code; `sync_client` has the same one for code without `await`.

async with AsyncGraphRAG.from_env() as rag:
    await rag.index("my-documents/")
    print(await rag.query("What is this about?"))
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, nullcontext, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias, Unpack, get_args
from urllib.parse import unquote

import anyio.to_thread

from graphrag_neo4j import embedded
from graphrag_neo4j.backends import Backends
from graphrag_neo4j.errors import GraphError, GraphStoppedError, InputError, NotFoundError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import INDEXED_KINDS, IndexedKind
from graphrag_neo4j.model.events import Event, Listener, Notice, silent
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.query.answer import Answer, Method
from graphrag_neo4j.query.answer import Source as Place
from graphrag_neo4j.query.engine import AsyncStream, answer_question, vector_of
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
from graphrag_neo4j.query.question import Question, asked_of
from graphrag_neo4j.settings import Settings, load_settings, unknown_names
from graphrag_neo4j.settings.checks import (
    check_choice,
    check_flags,
    check_number,
    check_path,
    check_text,
    check_word,
)
from graphrag_neo4j.settings.installing import needing, refuse_without_index
from graphrag_neo4j.settings.options import QueryOptions, SearchOptions, SettingsOptions
from graphrag_neo4j.settings.reading import ReadOptions
from graphrag_neo4j.text.strings import storable

if TYPE_CHECKING:
    from graphrag_neo4j.extras.importing import ImportSummary, Tables
    from graphrag_neo4j.extras.ray import RayCluster
    from graphrag_neo4j.extras.tune import Tuning
    from graphrag_neo4j.index.corpus import Corpus
    from graphrag_neo4j.index.entities.people import NameDecision
    from graphrag_neo4j.index.entities.resolve import Verdict
    from graphrag_neo4j.index.forgotten import ForgottenCheck
    from graphrag_neo4j.index.status import Again, IndexResult, Status
    from graphrag_neo4j.llm.endpoint.cost import Meter
    from graphrag_neo4j.query.contradictions import Contradiction
    from graphrag_neo4j.query.suggestions import Suggestions
    from graphrag_neo4j.query.why import Why

# What writes is imported where it is used: a question is answered sooner without it.
# ruff: noqa: PLC0415

DEFAULT = ReadOptions()
PASSAGES = 16  # of a corpus, from which `tune` chooses
FORKED = "This GraphRAG was opened before a fork: open a new one in each process."
OTHER_LOOP = "This GraphRAG was opened in another event loop: open one in each, or use GraphRAG."
NOTHING_FROM = "{} matches no file, and the graph has no document from it: check the path."
IMPORTING = "The import needs"
IndexSource: TypeAlias = "str | Path | Sequence[str | Path] | Iterable[object] | Corpus"


class AsyncGraphRAG:
    """A client for one graph in Neo4j, for asynchronous code.

    Use it in `async with`, or call `aopen` and `aclose`. All calls of one client share its
    connections, its limits of calls to the model, and its settings, which do not change.
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
        self._process = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._backends = Backends(settings)

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
        made = cls(load_settings(**settings), listen)
        for sentence in unknown_names():
            listen(Notice(sentence, warning=True))
        return made

    async def aopen(self) -> Self:
        """Connects to Neo4j and returns this client. Call `aclose` when it is no longer needed.

        If NEO4J_URI is not set, the embedded server is started, which may take a minute. Raises
        GraphError if Neo4j can't be reached or started, and InputError if NEO4J_URI is not an
        address or if this client is already open.
        """
        if self._open is not None:
            self._refuse_elsewhere()
            raise InputError("This GraphRAG is open already.")
        if notice := self.settings.named_by_env_file():
            self._listen(Notice(notice, warning=True))  # also shown with --quiet
        server = None if self.settings.neo4j_uri else await self._own_server()
        self._process, self._loop = os.getpid(), asyncio.get_running_loop()
        self._open = await self._stack.enter_async_context(self._connection(server))
        if server:
            try:
                self._open = await self._sound(self._open, server)
            except BaseException:
                await self.aclose()
                raise
        return self

    async def aclose(self) -> None:
        """Closes the connections to Neo4j and to the model. A second call does nothing.

        The embedded server keeps running. The client can be opened again. A fork of the process
        closes nothing. Raises InputError in another event loop than that of `aopen`, unless that
        one is closed.
        """
        if self._open is not None and os.getpid() != self._process:
            return
        if self._loop and not self._loop.is_closed():
            self._refuse_elsewhere()
        self._open = self._loop = None
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
        """The graph that this client has open.

        Raises InputError if it is not open, or was opened in another event loop or process.
        """
        if self._open is None:
            raise InputError("This GraphRAG is not open: use it in `with`, or call aopen first.")
        self._refuse_elsewhere()
        return self._open

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The calls, tokens and cost by step of all that this client has done since it was opened.

        What was stopped counts, too: the text that was sent, and the part of the reply that came.
        """
        return self._backends.usage

    async def index(
        self,
        what: IndexSource,
        *,
        options: ReadOptions = DEFAULT,
        again: "Again | Collection[Again]" = (),
        fresh: bool = False,
        with_model: bool = False,
        prune: bool = False,
        batch: bool = False,
        wait: bool = False,
        ray: str | None = None,
    ) -> "IndexResult":
        """Brings the graph up to date with documents, and returns what was done.

        `what` is the path of a file or folder, a list of paths, an iterable of Documents (ours or
        LangChain's), or a Corpus. Documents of the graph that are not in `what` stay in the graph.
        `options` says how files are read. `again` names what is made again: "extraction" what was
        read or written with other prompts, models or settings, "vectors" all vectors, "communities"
        the communities, even if they were imported. With `fresh`, communities and reports become
        those of a fresh build. A graph that was made without a model stays so, until `with_model`
        has the model read all of it. With `prune`, documents are deleted if their file was under
        the given paths and no longer exists, or if their row is no longer in its file. A given path
        may itself be gone, if the graph has documents from it. The rows of a file stay if some of
        its rows can't be read, or if it holds none at all. Notices count the files of the graph
        that are gone, and name what deletes their documents.

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
        from graphrag_neo4j.index.corpus import Corpus

        refuse_without_index()
        from graphrag_neo4j.index.pipeline import build
        from graphrag_neo4j.index.removal import lost_notice
        from graphrag_neo4j.index.status import Again, RebuildOptions
        from graphrag_neo4j.index.uploads import Uploads

        _check_options(options)
        parts = [again] if isinstance(again, str) or not isinstance(again, Collection) else [*again]
        for part in parts:
            check_choice("again", part, get_args(Again))
        check_flags(fresh=fresh, with_model=with_model, prune=prune, batch=batch, wait=wait)
        if wait and not batch:
            raise InputError("Only batches are waited for: give wait together with batch.")
        if batch and ray is not None:
            raise InputError("Give batch or ray: batches need no workers.")
        corpus = Corpus.of(what, options, self.settings, may_be_gone=prune)
        deleted = await Uploads(self.settings).delete_marked(self.graph, self._listen)
        missing = await self._missing(corpus, options) if prune else []
        if corpus.paths:
            corpus.find_lost = partial(
                lost_notice, self.graph, corpus.paths, options, self.settings
            )
        async with _cluster(ray, self.settings, self._listen) as cluster:
            built = await build(
                self.graph,
                corpus,
                self._backends,
                self._listen,
                rebuild=RebuildOptions(parts, fresh, with_model),
                gone=missing,
                prune_rows=prune,
                batches="wait" if wait else "send" if batch else "no",
                cluster=cluster,
            )
        built.dropped = [*deleted, *built.dropped]
        return built

    def watch(
        self, *paths: str | Path, options: ReadOptions = DEFAULT
    ) -> AsyncGenerator["IndexResult", None]:
        """Indexes files and folders, and again whenever files in them change, until it is left.

        Use it in `async for`: it gives the result of each build. Documents are deleted when their
        file or their row is gone, as `index` does with `prune`, but never because a path itself is
        gone or holds no file any more. The builds have separate connections, so this client
        need not be open. `paths` are files, folders or patterns, and `options` says how files are
        read. If the setting `max_cost_a_day` is
        reached, the build goes on the next day. Raises InputError if a path does not exist, and
        the errors of `index` if the first build fails; after a later error the build is tried again
        with growing pauses.
        """
        from graphrag_neo4j.index.watch import DayMeter, watch

        _check_options(options)
        checked = [Path(check_path(path, "A path to watch")) for path in paths]
        day = DayMeter(lambda: self.settings.max_cost_a_day)
        return watch(checked, self.settings, options, self._listen, metered_client, day=day)

    async def delete(
        self, *sources: str | Path, options: ReadOptions = DEFAULT
    ) -> dict[str, list[str]]:
        """Deletes documents, and everything that no other document supports.

        `sources` are sources of documents, or paths of files or folders; with a file, all documents
        from its rows are deleted, and with a folder, all that were read from files in it. Neither
        need exist any more. Where both could be meant, a source is the one of a document. The file
        of an upload (see `kg-build serve --write`) is deleted, too, and
        no row of it can be deleted alone. `options` are the options that the files were read with;
        only `source_root` matters here. The result holds, for each of `sources`, the sources of the
        documents that were deleted; this list is empty if the graph had none, of which a notice
        tells. Raises InputError for a value that is not a source, GraphBusyError while another run
        writes to this graph, and GraphError if Neo4j fails.
        """
        from graphrag_neo4j.documents import file_of
        from graphrag_neo4j.index.removal import documents_of, not_there, remove
        from graphrag_neo4j.index.uploads import Uploads

        _check_options(options)
        uploads = Uploads(self.settings)
        for source in sources:
            check_path(source, "A source")
            if "#" in str(source) and uploads.path_of(str(source)):
                raise InputError(
                    f"{source} is a part of a file that was uploaded: delete the whole file, "
                    f"{file_of(str(source))}."
                )
        files = {storable(str(source))[0]: _file(source, options) for source in sources}
        named = {given: await documents_of(self.graph, given, files[given]) for given in files}
        every = [*chain.from_iterable(named.values())]
        found = set(await remove(self.graph, every, listen=self._listen))
        for path in filter(None, map(uploads.path_of, found)):
            path.unlink(missing_ok=True)  # else the next server would read it again
        deleted = {given: [one for one in named[given] if one in found] for given in files}
        if missing := [given for given, sources in deleted.items() if not sources]:
            self._listen(Notice(await not_there(self.graph, missing), warning=True))
        return deleted

    async def check_forgotten(
        self, *sources: str | Path, options: ReadOptions = DEFAULT
    ) -> "ForgottenCheck":
        """Looks for what is left of documents that were deleted, and changes nothing.

        `sources` and `options` are those of `delete`. A file that still exists is read, or a copy
        of it if its path is given, so that its words can be looked for in all texts of the graph
        and in files beside it; `options` say how. Otherwise only what belongs to the ids of the
        documents is looked for. Nothing is left if `left` of the result is empty. Raises InputError
        for a value that is not a source and for a file of a kind that can't be read, and GraphError
        if Neo4j fails.
        """
        from graphrag_neo4j.index.forgotten import look_for_leftovers

        _check_options(options)
        for source in sources:
            check_path(source, "A source")
        files = {storable(str(source))[0]: _file(source, options) for source in sources}
        return await look_for_leftovers(self.graph, files, options, self.settings, self._listen)

    async def resolve(
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
        from graphrag_neo4j.index.entities.people import compare_all, decide
        from graphrag_neo4j.index.entities.people import split as split_name
        from graphrag_neo4j.index.entities.people import undo as undo_decision

        if sum(given is not None for given in (same, different, split, undo)) > 1:
            raise InputError("Give only one of same, different, split and undo.")
        if (split is None) != (not types and documents is None):
            raise InputError("Give split together with types, with documents, or with both.")
        rules = self.settings.resolve != "off"
        if undo is not None:
            ref = check_number(undo, "The ref of a decision", 1)
            await undo_decision(self.graph, ref, self._listen, rules=rules)
        elif split is not None:
            await split_name(
                self.graph,
                check_text(split, "A name"),
                self._listen,
                types=[check_text(one, "A type") for one in types or ()],
                documents=documents and check_text(documents, "A glob"),
                label=label and check_text(label, "A label"),
                rules=rules,
            )
        elif given := same or different:
            one, other = (check_text(name, "A name") for name in given)
            verdict: Verdict = "same" if same else "different"
            await decide(self.graph, one, other, verdict, self._listen, rules=rules)
        else:
            await compare_all(self.graph, self._listen, rules=rules)

    async def name_decisions(self) -> "list[NameDecision]":
        """Returns all decisions about names, the newest first. Raises GraphError if Neo4j fails."""
        from graphrag_neo4j.index.entities.people import read_decisions

        return await read_decisions(self.graph)

    async def import_graphrag(self, folder: "str | Path | Tables") -> "ImportSummary":
        """Imports the Parquet tables of microsoft/graphrag 2 or 3 into an empty graph.

        No model is asked. `folder` is the folder of the tables, or the tables that
        `graphrag_neo4j.extras.importing.read_tables` has read. The same call continues an import
        that was interrupted. The result counts what became of the rows of each table. Raises
        InputError for tables that can't be used and for a graph that is not empty, GraphBusyError
        while another run writes to this graph, and GraphError if Neo4j fails.
        """
        with needing("index", IMPORTING):
            from graphrag_neo4j.extras.importing import Tables, import_graphrag, read_tables

        if isinstance(folder, Tables):
            tables = folder
        else:
            path = Path(check_path(folder, "The folder of an import"))
            most = self.settings.max_file_mb
            tables = await anyio.to_thread.run_sync(read_tables, path, most)
        return await import_graphrag(self.graph, tables, self.settings, self._listen)

    async def import_neo4j(
        self,
        mapping: str | Path,
        place: str,
        *,
        username: str = "neo4j",
        password: str = "",
        database: str | None = None,
        options: ReadOptions = DEFAULT,
    ) -> "IndexResult":
        """Imports a graph from another Neo4j, and brings this graph up to date with it.

        `mapping` is the path of a mapping file (see docs/import.md). `place` is the address of the
        other Neo4j, with `username`, `password` and `database` (None: its default), or the home of
        another embedded server. It is only read. Of `options` only `source_root` matters, for the
        names of the documents that the nodes become. The same call again brings what has changed,
        and deletes what is gone. Texts of nodes are read as documents are; for the rest see
        `index`. Raises InputError for a mapping or a place that can't be used, and the errors of
        `index`.
        """
        from graphrag_neo4j.documents import source_of
        from graphrag_neo4j.index.corpus import Corpus

        with needing("index", IMPORTING):
            from graphrag_neo4j.extras.importing import NodeImport, OtherNeo4j, read_mapping
            from graphrag_neo4j.index.pipeline import build

        _check_options(options)
        path = Path(check_path(mapping, "A mapping"))
        other = OtherNeo4j(check_text(place, "A place"), username, password, database)
        nodes = NodeImport(source_of(path, options), read_mapping(path), other, self.settings)
        return await build(self.graph, Corpus(nodes=nodes), self._backends, self._listen)

    async def tune(
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
        from graphrag_neo4j.extras.tune import Wishes, check_tuning, read_sample, tune
        from graphrag_neo4j.index.corpus import Corpus

        _check_options(options)
        check_number(passages, "passages", 1)
        wishes = Wishes(domain, language, persona, tuple(entity_types))
        check_tuning(self.settings)
        corpus = Corpus.of(what, options, self.settings)
        sample = await read_sample(corpus, passages, self._listen)
        # No one else would close the connections of a client that is not open.
        async with nullcontext(self.graph) if self._open else aclosing(self._backends):
            return await tune(sample, self._backends, wishes, self._listen)

    def stream(
        self,
        question: str | Question,
        *,
        listen: Listener | None = None,
        **how: Unpack[QueryOptions],
    ) -> AsyncStream:
        """Returns the text of an answer piece by piece, for use in `async for`.

        When all pieces have come, `.answer` of the stream is the complete answer. `question` and
        `how` are those of `query`. An option that can't be used is refused at once; the other
        errors of `query` are raised while the pieces are read. If you leave the loop early, the
        call to the model ends. `listen` gets the events of this question, as the listener of the
        client does.
        """

        def both(event: Event) -> None:
            self._listen(event)
            if listen:
                listen(event)

        asked, settings = asked_of(question, how, self.settings)
        check_word(asked.text, "The question")
        pieces = answer_question(self.graph, self._backends, settings, asked, both)
        return AsyncStream(pieces)

    async def query(self, question: str | Question, **how: Unpack[QueryOptions]) -> Answer:
        """Answers a question, and returns the answer with its citations.

        `question` is a text of at most 20,000 characters, or a Question. `how` holds these options,
        all by name:

        - `method`: "global", "local", "drift", "basic" or "text". With "auto" (the default) the
          model chooses between global and local search.
        - `level` (0 is the coarsest), `dynamic` and `max_calls` (a number of calls) determine which
          reports a global search reads.
        - `where`: a condition such as "author=Ada", or several. Only evidence of the documents that
          meet all of them is read.
        - `as_of`: a day, month or year such as "2024-03": only documents dated up to then are read,
          and the question is answered as if asked on its last day.
        - `all_passages`: with True, an answer of quotations has all that answer the question, and
          not only the best; `more` of the answer is the number of those left out.
        - `context_only`: with True, no model writes an answer; `context` of the result holds the
          texts that the model would receive.
        - `history`: the (question, answer) pairs before this question, the oldest first. The model
          rewrites the question so that it can be understood without them; `question` of the answer
          is the rewritten question.
        - settings that can have another value for one question, such as `response_type` (a text),
          `max_context_tokens` (tokens), `drift_calls` (a number), `answer_model` (a name),
          `max_cost` (US dollars). `SearchOptions` lists all of them.

        The answer also holds its usage (calls, tokens and US dollars by step) and the seconds that
        it took. Raises InputError for an option or setting that can't be used, and if the graph
        holds nothing that the method can search; GraphError if Neo4j fails; ModelError if the model
        endpoint can't be used at all; ReplyError if a reply of the model can't be used;
        BudgetSpentError if `max_cost` is reached.
        """
        async with self.stream(question, **how) as stream:
            async for _ in stream:
                pass
        return stream.answer

    async def global_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question about the whole collection from the reports of a level of communities.

        The model takes rated points from each part of the reports, and writes the answer from the
        points with the highest ratings. This is the map-reduce of "From Local to Global" (arXiv
        2404.16130).

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return await self.query(question, **by("global", how))

    async def local_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question about entities from these entities and the graph around them.

        This is the local search of microsoft/graphrag.

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return await self.query(question, **by("local", how))

    async def drift_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question from community reports, and then from follow-up questions.

        This is the DRIFT search of microsoft/graphrag. The setting `drift_calls` limits the
        follow-up questions.

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return await self.query(question, **by("drift", how))

    async def basic_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question from the chunks that are most similar to it: plain vector search.

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return await self.query(question, **by("basic", how))

    async def text_search(self, question: str, **how: Unpack[SearchOptions]) -> Answer:
        """Answers a question from all chunks, part by part, without the reports.

        This is the baseline TS of the paper. It reads all text, so it costs the most.

        `how` and the errors are those of `query`, except that `method` is not an option.
        """
        return await self.query(question, **by("text", how))

    async def why(
        self,
        question: str | Question,
        source: str | Path,
        sentence: str,
        **how: Unpack[QueryOptions],
    ) -> "Why":
        """Tells at which step the search for a question loses a passage that it should find.

        The passage is the one of `source`, a source of a document, a path or the name of a file,
        that has the `sentence`; white space and case make no difference. `question` and `how` are
        those of `query`. No model writes an answer. The method "auto" is local search where a model
        would choose, and the steps of drift search are those of local search, which it begins with.
        Raises InputError for a value that can't be used, NotFoundError if the graph has no such
        document or sentence, and the errors of `query`.
        """
        from graphrag_neo4j.documents import file_of
        from graphrag_neo4j.index.removal import documents_of, not_there, sources_under
        from graphrag_neo4j.query.why import trace_passage

        asked, settings = asked_of(question, how, self.settings)
        check_word(asked.text, "The question")
        check_path(source, "A source")
        check_word(check_text(sentence, "The sentence"), "The sentence")
        given = storable(str(source))[0]
        found = await documents_of(self.graph, given, _file(source, DEFAULT)) or [
            one
            for one in await sources_under(self.graph, "")
            if any(f"/{unquote(name)}".endswith(f"/{given}") for name in (one, file_of(one)))
        ]
        if not found:
            raise NotFoundError(await not_there(self.graph, [given]))
        search = (self.graph, self._backends, settings, asked, self._listen)
        return await trace_passage(search, found, sentence)

    async def suggest(
        self, n: int = 6, *, after: Answer | None = None, history: Sequence[str] = ()
    ) -> "Suggestions":
        """Suggests questions that are worth asking of this graph, and that it can answer.

        `n` is the largest number of questions. By default one half is on the whole corpus, and the
        other on particular entities. With `after`, they follow on an answer; `history` then holds
        the questions before it. A model is asked once; without a model, rules make the questions.
        Each question is checked against the graph, and the result says which were left out.

        Raises InputError for a value that can't be used and if the graph holds no entities,
        GraphError if Neo4j fails, ModelError if the model endpoint can't be used at all, and
        ReplyError if the reply of the model can't be used.
        """
        check_number(n, "n", 1)
        from graphrag_neo4j.query.suggestions import suggest

        return await suggest(
            self.graph, self._backends, n, self._listen, after=after, history=history
        )

    async def communities(self, level: int | None = None) -> Communities:
        """Returns the communities of one level, the largest first.

        `level` 0 is the coarsest; None stands for all levels. Raises InputError if `level` is not a
        whole number of 0 or more, and GraphError if Neo4j fails.
        """
        if level is not None:
            check_number(level, "level", 0)
        return await read_communities(self.graph, level)

    async def report(self, ref: int) -> CommunityReport:
        """Returns the report of a community.

        `ref` is the number that `communities` and citations of Reports give. Raises NotFoundError
        if there is no such community, and GraphError if Neo4j fails.
        """
        return await read_report(self.graph, check_number(ref, "A report's ref", 0))

    async def entity(self, name: str) -> Entity:
        """Returns an entity with its relationships, claims and communities.

        `name` may be in upper or lower case. If there is no such entity, this raises
        NotFoundError, which lists the most similar names. Raises GraphError if Neo4j fails.
        """
        return await read_entity(self.graph, check_text(name, "An entity's name"))

    async def find_entities(self, name: str, limit: int = 10) -> list[FoundEntity]:
        """Returns the entities whose names hold words of `name`, the best match first.

        `limit` is the largest number of entities, at least 1. Raises InputError for an empty
        `name`, and GraphError if Neo4j fails.
        """
        check_text(name, "The name to find")
        return await find_entities(self.graph, name, check_number(limit, "limit", 1))

    async def embed(self, question: str, kind: IndexedKind = "chunk") -> list[float]:
        """Returns the vector of a question, with which other programs can search the graph.

        It is for the vector index of a `kind` of node: "chunk", "entity" or "community". Raises
        InputError if the graph has no vectors or their embedding model is not set, GraphError if
        Neo4j fails, ModelError if the endpoint can't be used at all, and ReplyError if it gives no
        vector.
        """
        check_text(question, "The question")
        check_choice("kind", kind, INDEXED_KINDS)
        return await vector_of(self.graph, self._backends, question, kind, self._listen)

    async def sources(self, *refs: int) -> list[Place]:
        """Returns chunks by their refs, in the order of the refs.

        `refs` are the numbers in citations of Sources. Each result gives the place of the chunk in
        its document, in characters. A chunk that is no longer in the graph is left out. Raises
        InputError for a value that is not a ref, and GraphError if Neo4j fails.
        """
        return await read_sources(
            self.graph, [check_number(ref, "A source's ref", 0) for ref in refs]
        )

    async def status(self, *, metadata: bool = False) -> "Status":
        """Returns what the graph holds, what is pending, and what failed and why.

        With `metadata`, the result also holds the fields of the documents' metadata, by which a
        question can select documents: of at most 20,000 documents.

        What is pending depends on the settings of this client. If they do not say whether claims
        are extracted, the last index decides. Raises GraphError if Neo4j fails.
        """
        from graphrag_neo4j.index.status import read_status

        return await read_status(self.graph, claims=self.settings.claims, metadata=metadata)

    async def contradictions(
        self, limit: int = 10, *, with_model: bool = False
    ) -> "list[Contradiction]":
        """Returns at most `limit` pairs of statements that seem to contradict each other.

        They are of different documents on one entity; the most likely come first. Rules compare the
        words of all statements. With `with_model`, the model judges at most three times as many
        pairs, in a call each. Raises InputError for a value that can't be used and if no model is
        set, GraphError if Neo4j fails, ModelError if the model endpoint can't be used, ReplyError
        if a call fails, and BudgetSpentError if `max_cost` is reached.
        """
        from graphrag_neo4j.query.contradictions import find_contradictions

        check_flags(with_model=with_model)
        judge = None
        if with_model:
            if not self.settings.has_model:
                raise InputError("No model is set that could judge: set KG_MODEL and its endpoint.")
            judge = self._backends.for_question(self.settings, context_only=False, vectors_by=None)
        return await find_contradictions(self.graph, check_number(limit, "limit", 1), judge)

    async def _missing(self, corpus: "Corpus", options: ReadOptions) -> list[str]:
        from graphrag_neo4j.documents import find_files, gone
        from graphrag_neo4j.index.removal import sources_under

        known = await sources_under(self.graph, "") if corpus.paths else []
        for path in corpus.gone:
            if gone(known, path, options):
                continue
            if len(corpus.gone) == len(corpus.paths):
                find_files([path])  # raises that nothing matches
            self._listen(Notice(NOTHING_FROM.format(path), warning=True))
        missing = dict.fromkeys(s for path in corpus.paths for s in gone(known, path, options))
        return list(missing)

    def _refuse_elsewhere(self) -> None:
        """Raises InputError in another process or event loop than that of `aopen`."""
        if os.getpid() != self._process:
            raise InputError(FORKED)
        with suppress(RuntimeError):  # no loop runs here
            if asyncio.get_running_loop() is not self._loop:
                raise InputError(OTHER_LOOP)

    def _connection(self, server: embedded.Server | None) -> AbstractAsyncContextManager[Graph]:
        """Connects to the embedded server, or to the server of the settings."""
        settings = self.settings
        if server:
            uri, user, secret = server.uri, server.username, server.password
        else:
            password = settings.neo4j_password
            uri, user = settings.neo4j_uri or "", settings.neo4j_username
            secret = password.get_secret_value() if password else ""
        from graphrag_neo4j.graph.driver import connect  # slow to import

        return connect(uri, user, secret, settings.neo4j_database, server)

    async def _own_server(self, stopped: embedded.Server | None = None) -> embedded.Server:
        """Starts the embedded server. `stopped` is that server if its database works no more."""
        settings = self.settings
        if not settings.embedded:
            raise GraphError("No Neo4j is set: set NEO4J_URI, or KG_EMBEDDED=true.")
        # A start that is left behind does no harm: the next one goes on with it.
        return await anyio.to_thread.run_sync(
            lambda: (
                embedded.restart(settings, stopped, self._listen)
                if stopped
                else embedded.start(settings, self._listen)
            ),
            abandon_on_cancel=True,
        )

    async def _sound(self, graph: Graph, server: embedded.Server) -> Graph:
        """Returns the graph; if its database works no more, the server is restarted first."""
        try:
            await graph.refuse_stopped()
        except GraphStoppedError:
            await self._stack.aclose()
            again = await self._own_server(server)
            return await self._stack.enter_async_context(self._connection(again))
        return graph


def by(method: Method, how: SearchOptions) -> QueryOptions:
    """Returns `how` with this method. Raises InputError if it holds a method already."""
    if "method" in how:
        raise InputError(f"{method}_search has its method already: leave method out, or use query.")
    return {**how, "method": method}


def _cluster(
    address: str | None, settings: Settings, listen: Listener
) -> "AbstractAsyncContextManager[RayCluster | None]":
    """The connection to a Ray cluster, if there is an address."""
    if address is None:
        return nullcontext()
    from graphrag_neo4j.extras.ray import connected

    return connected(address, settings, listen)


def _check_options(options: object) -> None:
    if not isinstance(options, ReadOptions):
        raise InputError("options must be ReadOptions: leave them out for the usual ones.")


def _file(source: str | Path, options: ReadOptions) -> str | None:
    """The source of a file. None if it is not a file, or outside the root."""
    if "://" in str(source):
        named = str(source).startswith("file://") and "#" not in str(source)
        return str(source) if named else None
    from graphrag_neo4j.documents import source_of

    try:
        return source_of(Path(source), options)
    except (InputError, ValueError):
        return None


def metered_client(meter: "Meter", settings: Settings, listen: Listener = silent) -> AsyncGraphRAG:
    """Makes a client whose calls count in a meter, and keep to its limit.

    Several clients of one event loop may share the meter.
    """
    client = AsyncGraphRAG(settings, listen)
    client._backends.meter = meter  # noqa: SLF001 - no part of the public API
    return client
