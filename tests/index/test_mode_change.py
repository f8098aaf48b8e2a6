"""From an extractive index to a model's and back: what is read again, and what is refused."""

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.index.preparation import mark_read_without_model, refuse_to_lose_model
from tests.support.extractive_index import index_extractively
from tests.support.preset_backend import PresetBackend, claim, documents, found, put, read

TEXT = "Microsoft acquired LinkedIn in 2016."
READ = found(("Microsoft", "organization", "It bought LinkedIn."))


async def names(graph: Graph) -> list[str]:
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name ORDER BY name")
    return [row["name"] for row in rows]


async def test_a_model_reads_again_what_was_read_without_one_and_nothing_else(graph: Graph) -> None:
    await index_extractively(graph, documents(TEXT))
    assert await names(graph) == ["LinkedIn", "Microsoft"]
    assert await mark_read_without_model(graph) == 1
    assert await names(graph) == ["LinkedIn", "Microsoft"]
    told = PresetBackend({TEXT: READ}, {TEXT: [claim("Microsoft")]})
    await read(graph, told)
    assert await names(graph) == ["Microsoft"]
    rows = await graph.run_plain("MATCH (c:Claim) RETURN c.description AS said")
    assert [row["said"] for row in rows] == ["It is so."]
    assert await mark_read_without_model(graph) == 0


async def test_what_a_model_has_read_is_not_given_up_by_accident(graph: Graph) -> None:
    await index_extractively(graph, documents(TEXT))
    await refuse_to_lose_model(graph)
    await put(graph, [*documents(TEXT), *documents("", "Another one.")[1:]])
    await refuse_to_lose_model(graph)
    await read(graph, PresetBackend({"Another one.": READ}))
    with pytest.raises(InputError, match="--reread"):
        await refuse_to_lose_model(graph)
