"""Chooses the backends: a model at an endpoint, or the extractive backends without a model.

The choice is made here and nowhere else, from the settings. A client owns one `Backends` from its
opening to its closing. All its calls share one endpoint: one pool of connections, one limit of
concurrent calls and of calls a minute, and one meter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from graphrag_neo4j import tokens
from graphrag_neo4j.concurrency import run_in_thread
from graphrag_neo4j.extractive import DESCRIBED, STATIC_VECTORS
from graphrag_neo4j.model import Origin, Usage
from graphrag_neo4j.protocols import Embedder, IndexBackend, QueryBackend, RunTask
from graphrag_neo4j.settings import STATIC, Settings

if TYPE_CHECKING:
    from graphrag_neo4j.llm import Endpoint

# Importing a backend or the endpoint takes a moment, and a command may need only one of them.
# ruff: noqa: PLC0415

__all__ = ["Backends", "IndexSetup", "QuerySetup"]

EXTRACTIVE_WORKERS = 2


@dataclass(frozen=True, slots=True)
class IndexSetup:
    """The backend, the embedder and the endpoint of one run of the index.

    `run` runs the tasks of `backend`, `workers` of them at the same time. `endpoint` is None
    where the index is extractive.
    """

    backend: IndexBackend
    run: RunTask
    workers: int
    embedder: Embedder
    endpoint: "Endpoint | None"

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The calls, tokens and cost of this run, by step."""
        return _usage(self.endpoint)


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
        return _usage(self.endpoint)


def _usage(endpoint: "Endpoint | None") -> Mapping[str, Usage]:
    return dict(endpoint.meter.steps) if endpoint else {}


class Backends:
    """Makes the backends of a client from its settings. The endpoint is opened at its first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._endpoint: Endpoint | None = None

    @property
    def origin(self) -> Origin:
        """The origin: "model" if a model reads and answers, "extractive" if all text is quoted."""
        return "model" if self.settings.has_model else "extractive"

    async def aclose(self) -> None:
        """Closes the connections of the endpoint."""
        if self._endpoint:
            await self._endpoint.aclose()
            self._endpoint = None

    def for_indexing(self) -> IndexSetup:
        """The setup of a run of the index.

        Raises InputError if a prompt file can't be used, or if a cost limit is set and the price
        is not known.
        """
        settings = self.settings
        if self.origin == "extractive":
            from graphrag_neo4j.extractive.index_backend import ExtractiveIndexBackend

            count = partial(tokens.count, encoding_name=settings.encoding)
            rules = ExtractiveIndexBackend(min(settings.description_tokens, DESCRIBED), count)
            return IndexSetup(rules, run_in_thread, EXTRACTIVE_WORKERS, _static_embedder(), None)
        from graphrag_neo4j.llm import LLMIndexBackend

        endpoint = self._shared_endpoint().metered(settings)
        backend = LLMIndexBackend.from_settings(settings)
        embedder = _model_embedder(settings, endpoint)
        return IndexSetup(backend, endpoint.run, settings.concurrency, embedder, endpoint)

    def for_question(
        self, settings: Settings, *, context_only: bool, vectors_by: str | None
    ) -> QuerySetup:
        """The setup of a question; `settings` are the client's, or changed for this question.

        With `context_only`, no model is asked except an embedding model. `vectors_by` names the
        embedding model of the graph's vectors, None if it has no vectors. Raises
        InputError as `for_indexing` does.
        """
        static = vectors_by in {None, STATIC_VECTORS}
        endpoint = None
        if self.origin == "model" and not (context_only and static):
            endpoint = self._shared_endpoint().metered(settings)
        embedder = _embedder(settings, endpoint, vectors_by)
        if endpoint is None or context_only:
            from graphrag_neo4j.extractive.query_backend import ExtractiveQueryBackend

            return QuerySetup(ExtractiveQueryBackend(), run_in_thread, embedder, endpoint)
        from graphrag_neo4j.llm import LLMQueryBackend

        backend = LLMQueryBackend.from_settings(settings)
        return QuerySetup(backend, endpoint.run, embedder, endpoint)

    def _shared_endpoint(self) -> "Endpoint":
        from graphrag_neo4j.llm import Endpoint

        if self._endpoint is None:
            self._endpoint = Endpoint(self.settings)
        return self._endpoint


def _embedder(
    settings: Settings, endpoint: "Endpoint | None", vectors_by: str | None
) -> Embedder | None:
    if vectors_by == STATIC_VECTORS:
        return _static_embedder()
    if endpoint is None or vectors_by is None or vectors_by != settings.embedding_model:
        return None
    return _model_embedder(settings, endpoint)


def _model_embedder(settings: Settings, endpoint: "Endpoint") -> Embedder:
    if settings.embedding_model == STATIC:
        return _static_embedder()
    return Embedder(settings.embedding_model, settings.embedding_dimensions, endpoint.embed)


def _static_embedder() -> Embedder:
    from graphrag_neo4j.extractive.static_vectors import static_embedder

    return static_embedder()
