"""Several spellings of one thing become one entity, and several again."""

from collections.abc import Mapping, Sequence

import pytest

from graphrag_neo4j.events import silent
from graphrag_neo4j.graph import Graph, dump
from graphrag_neo4j.graph.dump import Dump
from graphrag_neo4j.indexing.stages.ingest import delete_documents, document_id
from graphrag_neo4j.indexing.stages.merge import merge
from graphrag_neo4j.indexing.stages.resolve import resolve
from graphrag_neo4j.model import ClaimRecord, Extraction
from tests.support.preset_backend import PresetBackend, claim, describe, documents, found, put, read

TEXTS = {
    "One.": found(
        ("computer", "concept", "A machine."),
        ("Ada", "person", "A mathematician."),
        ("Ada", "computer", "Ada programs it.", 4.0),
    ),
    "Two.": found(
        ("Computers", "concept", "Machines."),
        ("computer", "concept", "A thing."),
        ("Computers", "computer", "These are the same.", 1.0),
        ("Babbage", "Computers", "Babbage builds them.", 3.0),
    ),
    "Three.": found(("computers", "technology", "They compute."), ("E-mail", "technology", "Mail.")),
    "Four.": found(
        ("email", "technology", "Post."), ("email", "computers", "It runs on them.", 2.0)
    ),
}
CLAIMS = {
    "One.": [claim("Ada", "computer")],
    "Two.": [claim("Computers", None, "They are many."), claim("e-mail", "computer", "It is used.")],
}


async def resolved(graph: Graph, *, rules: bool = True) -> None:
    while await resolve(graph, silent, rules=rules):
        await merge(graph, silent)


async def built(
    graph: Graph,
    texts: Mapping[str, Extraction],
    claims: Mapping[str, Sequence[ClaimRecord]] = CLAIMS,
    *,
    rules: bool = True,
) -> Dump:
    """The dump of these texts, one document each, read into the graph and resolved."""
    await put(graph, documents(*texts))
    await finish(graph, texts, claims, rules=rules)
    return await dump(graph)


async def finish(
    graph: Graph,
    texts: Mapping[str, Extraction],
    claims: Mapping[str, Sequence[ClaimRecord]] = CLAIMS,
    *,
    rules: bool = True,
) -> None:
    await read(graph, PresetBackend(texts, claims))
    await resolved(graph, rules=rules)
    await describe(graph, PresetBackend(), join=500)


async def names(graph: Graph) -> dict[str, int]:
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name, e.degree AS degree")
    return {row["name"]: row["degree"] for row in rows}


async def wiped(graph: Graph) -> None:
    await graph.run_plain("MATCH (n) DETACH DELETE n")


async def test_spellings_of_one_thing_become_one_entity(graph: Graph) -> None:
    await built(graph, TEXTS)
    assert await names(graph) == {"computer": 3, "Ada": 1, "Babbage": 1, "E-mail": 1}


async def test_without_rules_nothing_is_joined(graph: Graph) -> None:
    await built(graph, TEXTS, rules=False)
    assert sorted(await names(graph)) == ["Ada", "Babbage", "Computers", "E-mail", "computer", "email"]


@pytest.mark.parametrize("order", [[3, 2, 1, 0], [1, 3, 0, 2]])
async def test_one_after_the_other_in_any_order_gives_the_graph_of_one_build(
    graph: Graph, order: list[int]
) -> None:
    expected = await built(graph, TEXTS)
    await wiped(graph)
    tales = documents(*TEXTS)
    for n in order:
        await put(graph, [tales[n]])
        await finish(graph, TEXTS)
    assert await dump(graph) == expected


@pytest.mark.parametrize("gone", range(4))
async def test_a_deleted_document_leaves_the_graph_as_if_it_had_never_been(
    graph: Graph, gone: int
) -> None:
    rest = [one for n, one in enumerate(documents(*TEXTS)) if n != gone]
    await put(graph, rest)
    await finish(graph, TEXTS)
    expected = await dump(graph)
    await put(graph, documents(*TEXTS))
    await finish(graph, TEXTS)
    assert await dump(graph) != expected
    await delete_documents(graph, [document_id(f"memory:{gone}")])
    await merge(graph, silent)
    await finish(graph, TEXTS)
    assert await dump(graph) == expected


async def test_a_change_of_rules_splits_what_they_had_joined(graph: Graph) -> None:
    expected = await built(graph, TEXTS, rules=False)
    await wiped(graph)
    assert await built(graph, TEXTS) != expected
    await graph.run_plain("MATCH (e:Entity) SET e.unresolved = true")
    await finish(graph, TEXTS, rules=False)
    assert await dump(graph) == expected
