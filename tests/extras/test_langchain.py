"""The retriever as LangChain uses it: invoked, awaited, batched, in a chain."""

from collections.abc import AsyncIterator, Iterator
from typing import Literal

import pytest
from pydantic import ValidationError

from graphrag_neo4j import AsyncGraphRAG, GraphRAG, InputError
from graphrag_neo4j.extras.langchain import GraphRAGRetriever
from tests.support.carol import Indexed, indexed_carol
from tests.support.servers import TestServer

pytestmark = pytest.mark.one_release

QUESTION = "What does Scrooge think of Marley?"


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server) as indexed:
        yield indexed


@pytest.fixture
def rag(carol: Indexed) -> Iterator[GraphRAG]:
    carol.endpoint.reset()
    with GraphRAG(carol.settings) as rag:
        yield rag


@pytest.mark.parametrize("method", ["local", "basic"])
def test_passages_say_where_they_stand(
    carol: Indexed, rag: GraphRAG, method: Literal["local", "basic"]
) -> None:
    found = GraphRAGRetriever(rag=rag, method=method).invoke(QUESTION)
    assert len(found) > 1
    assert [one.metadata["rank"] for one in found] == list(range(1, len(found) + 1))
    for one in found:
        metadata = one.metadata
        assert (metadata["source"], metadata["title"]) == ("carol", "Carol")
        assert carol.text[metadata["start"] : metadata["end"]] == one.page_content
    assert len({one.id for one in found}) == len(found)
    assert any("Marley" in one.page_content for one in found)
    assert {call.kind for call in carol.endpoint.log} == {"embeddings"}
    answer = rag.query(QUESTION, method=method, context_only=True)
    shown = answer.context[0].by_kind()["Sources"]
    assert [one.metadata["chunk"] for one in found] == [record.ref for record in shown]
    assert [one.id for one in found] == [record.id for record in shown]


def test_as_few_as_are_wanted_and_settings_reach_the_search(rag: GraphRAG) -> None:
    every = GraphRAGRetriever(rag=rag).invoke(QUESTION)
    assert GraphRAGRetriever(rag=rag, k=1).invoke(QUESTION) == every[:1]
    small = GraphRAGRetriever(rag=rag, settings={"max_context_tokens": 1500})
    assert 0 < len(small.invoke(QUESTION)) < len(every)
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        GraphRAGRetriever(rag=rag, k=0)
    with pytest.raises(InputError, match="no setting elephants"):
        GraphRAGRetriever(rag=rag, settings={"elephants": 3}).invoke(QUESTION)


async def test_awaited_it_gives_the_same(carol: Indexed, rag: GraphRAG) -> None:
    expected = GraphRAGRetriever(rag=rag).invoke(QUESTION)
    assert await GraphRAGRetriever(rag=rag).ainvoke(QUESTION) == expected
    async with AsyncGraphRAG(carol.settings) as awaited:
        retriever = GraphRAGRetriever(rag=awaited)
        assert await retriever.ainvoke(QUESTION) == expected
        with pytest.raises(InputError, match="call `ainvoke`, or give it a GraphRAG"):
            retriever.invoke(QUESTION)


def test_what_it_shows_of_itself_holds_no_secret(rag: GraphRAG) -> None:
    retriever = GraphRAGRetriever(rag=rag)
    assert "sk-for-tests-only" not in repr(retriever) + str(retriever.to_json())
