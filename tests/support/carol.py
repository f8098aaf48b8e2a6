"""The beginning of A Christmas Carol, indexed once for a module of tests that only read."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import DATA
from tests.support.servers import TestServer, environment_of
from tests.support.wiping import wipe

BOOK = DATA / "christmas_carol" / "book.txt"


@dataclass(frozen=True, slots=True)
class Indexed:
    """The text that was indexed as the document `carol`, with what, and the graph of it."""

    text: str
    settings: Settings
    endpoint: FakeEndpoint
    graph: Graph

    @property
    def environment(self) -> dict[str, str]:
        """The settings as environment variables, for a program of its own."""
        return environment_of(self.settings)


@asynccontextmanager
async def indexed_carol(
    server: TestServer,
    *,
    characters: int = 10_000,
    title: str = "Carol",
    **changed: Any,  # noqa: ANN401 - checked by pydantic
) -> AsyncIterator[Indexed]:
    """The graph is emptied before and after; `changed`: settings."""
    with FakeEndpoint() as endpoint:
        settings = load_settings(
            **server.settings,
            openai_base_url=endpoint.url,
            openai_api_key="sk-for-tests-only",
            **{"gleanings": 0, "max_cluster_size": 6, "claims": True, **changed},
        )
        text = BOOK.read_text("utf-8")[:characters]
        async with server.connect() as graph:
            await wipe(graph)
            async with AsyncGraphRAG(settings) as rag:
                assert (await rag.index([Document(text, "carol", title)])).complete
            yield Indexed(text, settings, endpoint, graph)
            await wipe(graph)
