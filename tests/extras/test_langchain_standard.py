"""LangChain's tests of any retriever, on a small graph that was made without a model."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from graphrag_neo4j import AsyncGraphRAG, Document, GraphRAG, InputError
from graphrag_neo4j.extras.langchain import GraphRAGRetriever
from graphrag_neo4j.settings import Settings
from tests.support.carol import BOOK
from tests.support.servers import TestServer
from tests.support.wiping import wipe

pytestmark = pytest.mark.one_release

QUESTION = "What does Scrooge think of Marley?"


@pytest.fixture(scope="module")
async def extractive(checked_server: TestServer, alone: Settings) -> AsyncIterator[Settings]:
    async with checked_server.connect() as graph, AsyncGraphRAG(alone) as rag:
        await wipe(graph)
        book = BOOK.read_text("utf-8")
        parts = [
            Document(book[start : start + 6_000], f"part:{start}", metadata={"start": start})
            for start in (0, 6_000, 12_000)
        ]
        assert (await rag.index(parts)).complete
        yield alone
        await wipe(graph)


@pytest.fixture
def rag(extractive: Settings) -> Iterator[GraphRAG]:
    with GraphRAG(extractive) as opened:
        yield opened


class TestRetriever(RetrieversIntegrationTests):
    rag: GraphRAG

    @pytest.fixture(autouse=True)
    def opened(self, rag: GraphRAG) -> None:
        self.rag = rag

    @property
    def retriever_constructor(self) -> type[GraphRAGRetriever]:
        return GraphRAGRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, object]:
        return {"rag": self.rag}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


async def test_a_call_has_its_own_number_method_and_conditions(
    rag: GraphRAG, extractive: Settings
) -> None:
    retriever = GraphRAGRetriever(rag=rag, k=2, method="basic")
    every = GraphRAGRetriever(rag=rag).invoke(QUESTION)
    assert len(every) > 3
    assert retriever.invoke(QUESTION, method="local", k=None) == every
    assert retriever.bind(k=1, method="local").invoke(QUESTION) == every[:1]
    of_one: dict[str, Any] = {"where": "start=6000", "k": 9}
    found = retriever.invoke(QUESTION, **of_one)
    assert {one.metadata["source"] for one in found} == {"part:6000"}
    assert await retriever.ainvoke(QUESTION, **of_one) == found
    async with AsyncGraphRAG(extractive) as awaited:
        assert await GraphRAGRetriever(rag=awaited).ainvoke(QUESTION, None, k=1) == every[:1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"top_k": 1}, "There is no argument of `invoke` top_k."),
        ({"methd": "local"}, "methd. Did you mean method?"),
        ({"k": 0}, "k must be a whole number from 1 on"),
        ({"k": "1"}, "k must be a whole number"),
        ({"method": "global"}, "method must be one of local, basic"),
        ({"where": "start"}, "start"),
    ],
)
async def test_what_a_call_can_not_use_is_refused(
    rag: GraphRAG, given: dict[str, object], said: str
) -> None:
    retriever = GraphRAGRetriever(rag=rag)
    with pytest.raises(InputError, match=said):
        retriever.invoke(QUESTION, None, **given)
    with pytest.raises(InputError, match=said):
        await retriever.ainvoke(QUESTION, None, **given)
