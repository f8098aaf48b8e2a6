"""What the page looks up: the list of documents, page by page."""

from typing import Final, get_args

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.extras.serve.lookup import FIRST_KEY, Order, list_documents
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.settings import Settings

TALE: Final = "Marley was dead. "
DOCUMENTS: Final = (
    Document(TALE, "tales/a", metadata={"date": "2021"}),
    Document(TALE * 2, "tales/B", metadata={"date": "2023-05-01"}),
    Document(TALE * 3, "news/b"),
    Document(TALE, "tales/copy of a", metadata={"date": "2021"}),
)
STATES: Final = """MATCH (d:Document {source: $source})<-[:PART_OF]-(chunk:Chunk)
SET chunk.extraction = $state"""
ORDERS: Final[dict[Order, str]] = {
    "name": "tales/a, news/b, tales/B, tales/copy of a",
    "date": "tales/B, tales/a, tales/copy of a, news/b",
    "size": "news/b, tales/B, tales/a, tales/copy of a",
    "state": "tales/B, tales/a, tales/copy of a, news/b",
}


async def listed(graph: Graph, sort: Order, after: str = "") -> list[str]:
    """The sources of all documents after a key, in pages of one document."""
    found = []
    while page := await list_documents(graph, after, 1, sort, ""):
        found += [one.source for one in page]
        after = page[-1].key
    return found


async def test_pages_of_documents_are_in_order_and_lose_none(graph: Graph, alone: Settings) -> None:
    assert ORDERS.keys() == set(get_args(Order))
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(DOCUMENTS)
        await graph.run_plain(STATES, source="tales/B", state="failed")
        await graph.run_plain(STATES, source="tales/a", state="pending")
        for sort, sources in ORDERS.items():
            assert ", ".join(await listed(graph, sort)) == sources
            assert await listed(graph, sort, FIRST_KEY) == sources.split(", ")
        [_, _, copy] = await list_documents(graph, "", 3, "date", "")
        assert (copy.state, copy.characters) == ("pending", len(TALE))
        await rag.delete(copy.source)
        assert await listed(graph, "date", copy.key) == ["news/b"]
