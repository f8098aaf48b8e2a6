"""Entities are found by name: an entity with the very name comes first."""

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import await_indexes, ensure_fulltext_indexes
from graphrag_neo4j.query.lookup import find_entities
from tests.support.preset_backend import PresetBackend, documents, found, put, read

NAMES = ["C", "C++", "C#", "C Standard", ".NET", "NET", "Node.js", "Node", "JS Node"]
TEXT = "On languages."


async def test_the_entity_with_the_very_name_comes_first(graph: Graph) -> None:
    told = {TEXT: found(*((one, "technology", "A language.") for one in NAMES))}
    await put(graph, documents(TEXT))
    await read(graph, PresetBackend(told))
    await ensure_fulltext_indexes(graph, "standard-no-stop-words")
    await await_indexes(graph)
    for name in (*NAMES, "node.JS"):
        hits = await find_entities(graph, name, 3)
        assert hits[0].name.casefold() == name.casefold()
        assert 1 < len({one.ref for one in hits}) == len(hits) <= 3
    assert await find_entities(graph, "?!*", 3) == []
