"""The passages near a question, of which a local answer of quotations is made."""

from typing import Any

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.extractive.query_backend import ExtractiveQueryBackend
from graphrag_neo4j.extractive.static_vectors import static_embedder
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model.concurrency import run_in_thread
from graphrag_neo4j.query.local import search_local
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from tests.support.preset_backend import documents

TEXTS = ("Vera Holm healed Bess, the pony, in Aldby.", "Otto Rand is the mayor of Aldby.")


class Counted(Graph):
    """A graph that keeps which statements have read it, and from which index."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph._driver, graph.address, graph._auth, graph.database, graph.version)
        self.reads: list[tuple[str, object]] = []

    async def read(self, name: str, row: Any = None, /, **parameters: object) -> Any:  # noqa: ANN401 - as Graph.read
        self.reads.append((name, parameters.get("index")))
        return await super().read(name, row, **parameters)


async def test_the_chunks_are_searched_by_vector_once_for_a_question(
    graph: Graph, alone: Settings
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(documents(*TEXTS))).complete
    counted = Counted(graph)
    query = QueryContext(
        counted, alone, ExtractiveQueryBackend(), run_in_thread, static_embedder(),
        tokens.count, "Who healed the pony?",
    )  # fmt: skip
    context, near = (await search_local(query)).contexts
    assert "Vera Holm" in context.text
    assert len(near.records) == len(TEXTS)
    by_vector = [read for read in counted.reads if read[0].startswith("vector_search/")]
    assert len(by_vector) == len(set(by_vector)) == 2  # of entities and of chunks


@pytest.mark.usefixtures("graph")
async def test_the_passage_whose_title_is_the_entity_comes_before_others_that_mention_it(
    alone: Settings,
) -> None:
    titles = ["Aldby (village)", *(f"Notes {number}" for number in range(6))]
    async with AsyncGraphRAG(alone) as rag:
        same = [Document("The pond of Aldby froze over.", title, title) for title in titles]
        assert (await rag.index(same)).complete
        answer = await rag.query("What froze in Aldby?", method="local", context_only=True)
        sources = answer.context[0].by_kind()["Sources"]
        places = await rag.sources(*(record.ref for record in sources))
    assert len(places) == len(titles)
    assert places[0].document == "Aldby (village)"
