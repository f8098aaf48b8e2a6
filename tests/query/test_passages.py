"""The passages near a question, of which a local answer of quotations is made."""

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.settings import Settings


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
