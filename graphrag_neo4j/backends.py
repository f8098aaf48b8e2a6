"""What indexes and what answers: a model at an endpoint, or rules and quotations without a model.

This is decided here and nowhere else, from the settings. A client owns one `Backends` from its
opening to its closing. All that it does shares one endpoint: one pool of connections, one limit of
calls at the same time and a minute, one meter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from graphrag_neo4j import tokens
from graphrag_neo4j.concurrency import run_in_thread
from graphrag_neo4j.extractive import STATIC_VECTORS
from graphrag_neo4j.model import Origin, Usage
from graphrag_neo4j.protocols import Embedder, IndexBackend, QueryBackend, RunTask
from graphrag_neo4j.settings import Settings

if TYPE_CHECKING:
    from graphrag_neo4j.llm import Endpoint

# Importing a backend or the endpoint takes a moment, and a command may need only one of them.
# ruff: noqa: PLC0415

__all__ = ["Backends", "IndexSetup", "QuerySetup"]

EXTRACTIVE_WORKERS = 2


@dataclass(frozen=True, slots=True)
class IndexSetup:
    """What one run of the index works with.

    `run` drives the tasks of `backend`, `workers` of them at the same time. `endpoint` is None
    where the index is extractive.
    """

    backend: IndexBackend
    run: RunTask
    workers: int
    embedder: Embedder
    endpoint: "Endpoint | None"

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What the calls of this run have used, by step."""
        return dict(self.endpoint.meter.steps) if self.endpoint else {}


@dataclass(frozen=True, slots=True)
class QuerySetup:
    """What one question is answered with.

    `embedder` makes vectors by the model that made those of the graph; it is None where that model
    is not to be had. `endpoint` is None where no model is asked.
    """

    backend: QueryBackend
    run: RunTask
    embedder: Embedder | None
    endpoint: "Endpoint | None"

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What the calls of this question have used, by step."""
        return dict(self.endpoint.meter.steps) if self.endpoint else {}


class Backends:
    """The backends of a client, made from its settings; the endpoint is opened at its first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._endpoint: Endpoint | None = None

    @property
    def origin(self) -> Origin:
        """Who reads and answers: a model, or nobody, because all that is said is quoted."""
        return "model" if self.settings.has_model else "extractive"

    async def aclose(self) -> None:
        """Closes the endpoint's connections."""
        if self._endpoint:
            await self._endpoint.aclose()
            self._endpoint = None

    def for_indexing(self) -> IndexSetup:
        """What a run of the index works with.

        Raises InputError where a prompt file can't be used, or where a cost limit is set and no
        price is known.
        """
        settings = self.settings
        if self.origin == "extractive":
            from graphrag_neo4j.extractive.index_backend import ExtractiveIndexBackend

            count = partial(tokens.count, encoding_name=settings.encoding)
            rules = ExtractiveIndexBackend(settings.description_tokens, count)
            return IndexSetup(rules, run_in_thread, EXTRACTIVE_WORKERS, _static_embedder(), None)
        from graphrag_neo4j.llm import LLMIndexBackend

        endpoint = self._shared_endpoint().metered(settings)
        backend = LLMIndexBackend.from_settings(settings)
        embedder = _model_embedder(settings, endpoint)
        return IndexSetup(backend, endpoint.run, settings.concurrency, embedder, endpoint)

    def for_question(
        self, settings: Settings, *, context_only: bool, vectors_by: str | None
    ) -> QuerySetup:
        """What a question is answered with, under the client's settings or some changed for it.

        `context_only`: no model is asked, apart from an embedding model. `vectors_by` names the
        embedding model that made the vectors of the graph; None says that there are none. Raises
        InputError as `for_indexing` does.
        """
        extractive = self.origin == "extractive" or context_only
        static = vectors_by in {None, STATIC_VECTORS}
        endpoint = None
        if self.origin == "model" and not (context_only and static):
            endpoint = self._shared_endpoint().metered(settings)
        embedder = _embedder(settings, endpoint, vectors_by)
        if extractive or endpoint is None:
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
    return Embedder(settings.embedding_model, settings.embedding_dimensions, endpoint.embed)


def _static_embedder() -> Embedder:
    from graphrag_neo4j.extractive.static_vectors import static_embedder

    return static_embedder()
