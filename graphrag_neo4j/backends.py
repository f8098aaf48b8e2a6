"""Chooses the backends: a model at an endpoint, or the extractive backends without a model.

The choice is made here and nowhere else, from the settings. A client owns one `Backends` from its
opening to its closing. All its calls share one endpoint: one pool of connections, one limit of
concurrent calls and of calls a minute, and one meter.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from graphrag_neo4j.concurrency import run_in_thread
from graphrag_neo4j.model.contracts import Embedder, IndexBackend, QueryBackend, RunTask
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.model.types import Document, Origin, Usage
from graphrag_neo4j.rules import DESCRIBED
from graphrag_neo4j.settings import LOCAL, STATIC, WITHOUT_ENDPOINT, Settings
from graphrag_neo4j.settings.installing import refuse_without_index
from graphrag_neo4j.text import tokens
from graphrag_neo4j.vectors.encoder import ENCODERS, Encoder, encoder_named, load_encoder
from graphrag_neo4j.vectors.static import STATIC_VECTORS, static_embedder

if TYPE_CHECKING:
    from graphrag_neo4j.documents import ReadOptions, Remark, Unreadable
    from graphrag_neo4j.documents.chunking import Cuts
    from graphrag_neo4j.llm.endpoint import Endpoint
    from graphrag_neo4j.llm.endpoint.cost import Meter

# Importing a backend or the endpoint takes a moment, and a command may need only one of them.
# ruff: noqa: PLC0415

EXTRACTIVE_WORKERS = 2  # threads
ENCODED_AT_ONCE = 16  # texts; they take a second or two, and what is embedded is saved so often


class WorkerPool(Protocol):
    """The workers of a cluster: `run` runs up to `in_flight` tasks of `backend` on them."""

    @property
    def backend(self) -> IndexBackend: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def run(self) -> RunTask: ...
    def opened(self, listen: Listener, /) -> AbstractAsyncContextManager[object]: ...


class Cluster(Protocol):
    """Machines that read files, cut documents and run tasks, while this process writes the graph.

    `make` makes the backend of a worker from settings without secrets. Without an `endpoint` it
    asks no model.
    """

    def read_files(
        self,
        files: Iterable[Path],
        options: "ReadOptions",
        tell: "Callable[[Path, Remark], None]",
        /,
    ) -> Iterator[tuple[Path, "Iterable[Document | Unreadable]"]]: ...
    def cutting(self, cuts: "Cuts", /) -> "Cuts": ...
    def pool(
        self, make: Callable[[Settings], IndexBackend], endpoint: "Endpoint | None", /
    ) -> WorkerPool: ...


@dataclass(frozen=True, slots=True)
class IndexSetup:
    """The backend, the embedder and the endpoint of one run of the index.

    `run` runs the tasks of `backend`, `workers` of them at the same time. `endpoint` is None
    where the index is extractive. `encoder` says whether a sentence encoder replaces the embedder
    when the language of the corpus is known: it is wanted where it can be had, or required. `pool`
    is the workers of a Ray cluster; it is None where this process runs the tasks.
    """

    backend: IndexBackend
    run: RunTask
    workers: int
    embedder: Embedder
    endpoint: "Endpoint | None"
    encoder: Literal["no", "wanted", "required"] = "no"
    pool: "WorkerPool | None" = None

    def opened(self, listen: Listener) -> AbstractAsyncContextManager[object]:
        """Allows the pool to start its workers, and stops them at the end."""
        return self.pool.opened(listen) if self.pool else nullcontext()

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The calls, tokens and cost of this run, by step."""
        return dict(self.endpoint.meter.steps) if self.endpoint else {}

    @property
    def remarks(self) -> Sequence[str]:
        """What was odd in the replies of the endpoint, a sentence each."""
        return [*self.endpoint.remarks] if self.endpoint else []


@dataclass(frozen=True, slots=True)
class QuerySetup:
    """The backend, the embedder and the endpoint of one question.

    `embedder` uses the embedding model of the graph's vectors; it is None where that model is not
    available. `endpoint` is None where no model is asked.
    """

    backend: QueryBackend
    run: RunTask
    embedder: Embedder | None
    endpoint: "Endpoint | None"

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The calls, tokens and cost of this question, by step."""
        return dict(self.endpoint.meter.steps) if self.endpoint else {}

    @property
    def remarks(self) -> Sequence[str]:
        """What was odd in the replies of the endpoint, a sentence each."""
        return [*self.endpoint.remarks] if self.endpoint else []


def is_free(model: str | None) -> bool:
    """Returns whether the vectors of this embedding model need no endpoint, so none was paid."""
    return model == STATIC_VECTORS or (model is not None and encoder_named(model) is not None)


class Backends:
    """Makes the backends of a client from its settings. The endpoint is opened at its first use.

    An `endpoint` that is given is used instead; `aclose` also closes it. A `meter` counts the calls
    of several clients together.
    """

    def __init__(self, settings: Settings, endpoint: "Endpoint | None" = None) -> None:
        self.settings = settings
        self.meter: Meter | None = None
        self._endpoint = endpoint
        self._used = endpoint.meter if endpoint else None  # it outlives the connections

    @property
    def origin(self) -> Origin:
        """The origin: "model" if a model reads and answers, "extractive" if all text is quoted."""
        return "model" if self.settings.has_model else "extractive"

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The calls, tokens and cost of all runs and questions since the endpoint was opened."""
        return dict(self._used.steps) if self._used else {}

    async def aclose(self) -> None:
        """Closes the connections of the endpoint."""
        if self._endpoint:
            await self._endpoint.aclose()
            self._endpoint = None

    def for_indexing(self, origin: Origin, cluster: "Cluster | None" = None) -> IndexSetup:
        """The setup of a run of the index, whose tasks the workers of a `cluster` run.

        Raises InputError if a prompt file can't be used, or if a cost limit is set and the price
        is not known.
        """
        settings = self.settings
        local = settings.embedding_model == LOCAL
        make: Callable[[Settings], IndexBackend] = _rules
        use: Literal["no", "wanted", "required"] = "required" if local else "no"
        if origin == "extractive":
            endpoint, embedder = None, static_embedder()
            run, n = run_in_thread, EXTRACTIVE_WORKERS
            if not local and settings.embedding_model != STATIC:
                use = "wanted"
        else:
            from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend

            make, endpoint = LLMIndexBackend, self.endpoint_for(settings)
            embedder = _model_embedder(settings, endpoint)
            run, n = endpoint.run, settings.concurrency
        if cluster is None:
            return IndexSetup(make(settings), run, n, embedder, endpoint, use)
        pool = cluster.pool(make, endpoint)
        return IndexSetup(pool.backend, pool.run, pool.in_flight, embedder, endpoint, use, pool)

    def local_embedder(self, language: str, listen: Listener = silent) -> Embedder | None:
        """The embedder with the sentence encoder for a language, None if there is no encoder.

        It may take a while, because it downloads the encoder at its first use. Raises InputError
        where packages are missing or the download fails.
        """
        encoder = ENCODERS.get(language)
        return _encoding(encoder, self.settings, listen) if encoder else None

    def embedder_of_vectors(self, name: str, listen: Listener = silent) -> Embedder | None:
        """The embedder of a graph whose vectors are computed on this machine, None for others.

        It loads a sentence encoder, and raises InputError as `local_embedder` does.
        """
        if name == STATIC_VECTORS:
            refuse_without_index("The search by vectors of words needs")
            return static_embedder()
        encoder = encoder_named(name)
        return _encoding(encoder, self.settings, listen) if encoder else None

    def for_question(
        self,
        settings: Settings,
        *,
        context_only: bool,
        vectors_by: str | None,
        today: date | None = None,
    ) -> QuerySetup:
        """The setup of a question; `settings` are the client's, or changed for this question.

        `today` is the day that a model is told; by default it is the present one.

        With `context_only`, no model is asked except an embedding model. `vectors_by` names the
        embedding model of the graph's vectors, None if it has no vectors. What computes vectors on
        this machine comes from `embedder_of_vectors`. Raises InputError as
        `for_indexing` does, and where the rules lack packages.
        """
        free = vectors_by is None or is_free(vectors_by)
        endpoint = None
        if self.origin == "model" and not (context_only and free):
            endpoint = self._shared_endpoint().metered(settings)
        embedder = None
        if not free and endpoint and vectors_by == settings.embedding_model:
            embedder = _model_embedder(settings, endpoint)
        if endpoint is None and not context_only:
            refuse_without_index("An answer without a model needs")
        if endpoint is None or context_only:
            from graphrag_neo4j.rules.query_backend import ExtractiveQueryBackend

            return QuerySetup(ExtractiveQueryBackend(), run_in_thread, embedder, endpoint)
        from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend

        backend = LLMQueryBackend(settings, today)
        return QuerySetup(backend, endpoint.run, embedder, endpoint)

    def endpoint_for(self, settings: Settings) -> "Endpoint":
        """The endpoint of the client for one run, with its own meter and cost limit.

        Raises InputError if no model is set.
        """
        return self._shared_endpoint().metered(settings)

    def _shared_endpoint(self) -> "Endpoint":
        from graphrag_neo4j.llm.endpoint import Endpoint

        if self._endpoint is None:
            # A limit of the settings is that of each run and each question.
            unlimited = self.settings.model_copy(update={"max_cost": None})
            self._endpoint = Endpoint(unlimited, self.meter)
            self._used = self._endpoint.meter
        return self._endpoint


def _model_embedder(settings: Settings, endpoint: "Endpoint") -> Embedder:
    if settings.embedding_model in WITHOUT_ENDPOINT:
        return static_embedder()
    return Embedder(
        settings.embedding_model,
        settings.embedding_dimensions,
        endpoint.embed,
        endpoint.embed_questions,
    )


def _rules(_: Settings) -> IndexBackend:
    from graphrag_neo4j.rules.index_backend import ExtractiveIndexBackend

    return ExtractiveIndexBackend(DESCRIBED, tokens.count)


def _encoding(encoder: Encoder, settings: Settings, listen: Listener) -> Embedder:
    """An embedder of chunks by the encoder, and of other texts by static vectors.

    The encoder embeds about 5 chunks of 500 tokens in a second on one core. There are several
    times as many entities and reports as chunks, and they are also found by their words.
    """
    model = load_encoder(encoder, settings.maven_url, listen)
    return Embedder(
        encoder.name,
        encoder.dimensions,
        model.embed,
        model.embed_questions,
        static_embedder(),
        ENCODED_AT_ONCE,
        encoder.meant,
    )
