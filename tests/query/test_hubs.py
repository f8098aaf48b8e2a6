"""A hub is an entity with very many relationships: a question reads only a part of them."""

from typing import Any

import pytest

from graphrag_neo4j.files import read_statement
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.index.entities import merge as merging
from graphrag_neo4j.index.entities.merge import HUB, KEPT, merge
from graphrag_neo4j.index.read.documents import delete_documents, document_id
from graphrag_neo4j.query.graph_expansion import SIZE, NeighbourhoodRow, SurroundingsRow
from graphrag_neo4j.query.local import MOST
from graphrag_neo4j.text.strings import entity_id, pair_id
from tests.support.preset_backend import PresetBackend, claim, documents, found, put, read

TEXTS = ["Sun and Earth.", "Sun, Earth and Moon.", "Sun and Mars.", "Sun and Venus.", "Sun, Io."]
SAID = {
    TEXTS[0]: found(("Sun", "star", "hot"), ("Sun", "Earth", "warms it", 1.0)),
    TEXTS[1]: found(("Sun", "Earth", "lights it", 1.0), ("Earth", "Moon", "holds it", 1.0)),
    TEXTS[2]: found(("Sun", "star", "hot"), ("Sun", "star", "old"), ("Sun", "Mars", "warms", 1.0)),
    TEXTS[3]: found(("Sun", "Venus", "warms it", 1.0)),
    TEXTS[4]: found(("Sun", "Io", "warms it", 1.0)),
}
CLAIMS = {text: [claim("Sun", None, text)] for text in TEXTS}
SUN = entity_id("Sun")
LISTS = """MATCH (e:Entity)
RETURN e.name AS name, e.top_pairs AS pairs, e.top_chunks AS chunks, e.top_claims AS claims"""
CHUNK = "MATCH (x:Chunk {id: $id}) RETURN x.text AS text"
# Hubs whose neighbours are each mentioned together with them, as if a stage had read many chunks.
MADE_UP = """UNWIND range(1, $degree) AS i
MERGE (hub:Entity:KgBuild {id: 'hub'}) SET hub.name = 'hub', hub.stale = true
CREATE (n:Entity:KgBuild {id: 'n' + i, name: 'n' + i, degree: 1}),
       (hub)-[:RELATED {id: 'r' + i, weight: i % 7}]->(n),
       (d:Document:KgBuild {id: 'd' + i, title: 't'}),
       (c:Chunk:KgBuild {id: 'c' + i, text: 'x'})-[:PART_OF]->(d),
       (c)-[:MENTIONS {names: ['hub'], types: [], descriptions: []}]->(hub),
       (c)-[:MENTIONS {names: ['n' + i], types: [], descriptions: []}]->(n),
       (k:Claim:KgBuild {id: 'k' + i, description: 'x', type: 'y'}),
       (k)-[:SUBJECT {name: 'hub'}]->(hub)"""


def hits(profile: dict[str, Any]) -> int:
    """The number of times that the plan of a query reads something of the database."""
    return int(profile.get("dbHits", 0)) + sum(map(hits, profile.get("children", [])))


async def read_around_hub(graph: Graph, degree: int) -> dict[str, int]:
    """What each statement of a local context reads, around a hub of this degree."""
    await graph.run_plain("MATCH (n) WHERE n.id <> 'graph' DETACH DELETE n")
    await graph.run_plain(MADE_UP, degree=degree)
    await merge(graph, lambda _: None)
    # Neo4j counts what an index holds some time later, and plans with the old number until then.
    await graph.run_plain("CALL db.prepareForReplanning(60)")
    ids = ["hub", "n1", "n2"]
    asked: dict[str, dict[str, object]] = {
        "search/neighbourhood": {"ids": ids, **MOST},
        "search/surroundings": {"entities": ids, "chunks": ["c1"], **SIZE},
    }
    with graph.lend_driver() as driver, driver.session(database=graph.database) as session:
        profiles = {
            name: session.run(f"PROFILE {read_statement(name)}", given).consume().profile
            for name, given in asked.items()
        }
    return {name: hits(profile or {}) for name, profile in profiles.items()}


async def test_a_larger_hub_costs_a_question_nothing_more(graph: Graph) -> None:
    small = await read_around_hub(graph, HUB + 1)
    large = await read_around_hub(graph, 3 * HUB)
    assert all(0 < large[name] <= 1.1 * small[name] for name in large), (small, large)


async def lists_of_sun(graph: Graph) -> tuple[list[str], list[str], list[str]]:
    """What the hub keeps; no other entity keeps anything."""
    rows = {row["name"]: row for row in await graph.run_plain(LISTS)}
    sun = rows.pop("Sun")
    assert all(row[kind] is None for row in rows.values() for kind in ("pairs", "chunks", "claims"))
    return sun["pairs"], sun["chunks"], sun["claims"]


def with_planet(name: str) -> str:
    return pair_id(SUN, entity_id(name))


async def test_a_hub_keeps_what_counts_most(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "HUB", 3)
    monkeypatch.setattr(merging, "KEPT", 2)
    await put(graph, documents(*TEXTS))
    await read(graph, PresetBackend(SAID, CLAIMS))
    pairs, chunks, claims = await lists_of_sun(graph)
    others = sorted(map(with_planet, ("Mars", "Venus", "Io")))
    assert pairs == [with_planet("Earth"), others[0]]  # two statements, then one each
    texts = [(await graph.run_plain(CHUNK, id=id_))[0]["text"] for id_ in chunks]
    assert texts == [TEXTS[2], TEXTS[0]]  # two descriptions, then one
    every = await graph.run_plain("MATCH (x:Claim) RETURN x.id AS id ORDER BY id")
    assert claims == [row["id"] for row in every[:2]]


async def test_what_a_hub_keeps_follows_evidence(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "HUB", 2)
    monkeypatch.setattr(merging, "KEPT", 2)
    backend = PresetBackend(SAID, CLAIMS)
    await put(graph, documents(*TEXTS[:2]))
    await read(graph, backend)
    before = await dump(graph)
    await put(graph, documents(*TEXTS))
    await read(graph, backend)
    assert (await lists_of_sun(graph))[0][0] == with_planet("Earth")
    await delete_documents(graph, [document_id(f"memory:{number}") for number in (2, 3, 4)])
    await read(graph, backend)
    assert [row["pairs"] for row in await graph.run_plain(LISTS)] == [None] * 3
    assert await dump(graph) == before


async def contexts(graph: Graph) -> tuple[NeighbourhoodRow, SurroundingsRow]:
    """What is read around the Sun and the Earth."""
    ids = [SUN, entity_id("Earth")]
    [known] = await graph.read("search/neighbourhood", NeighbourhoodRow, ids=ids, **MOST)
    rows = await graph.read("search/surroundings", SurroundingsRow, entities=ids, chunks=[], **SIZE)
    return known, rows[0]


def in_any_order(walk: SurroundingsRow) -> list[list[tuple[object, ...]]]:
    related, mentions = walk["related"].values(), walk["mentions"].values()
    return [sorted(zip(*columns, strict=True)) for columns in (related, mentions)]


async def test_a_hub_that_keeps_all_is_as_no_hub(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(graph, documents(*TEXTS))
    await read(graph, PresetBackend(SAID, CLAIMS))
    known, walk = await contexts(graph)
    assert len(walk["related"]["id"]) == 5
    assert len(known["claims"]) == len(TEXTS)
    monkeypatch.setattr(merging, "HUB", 1)
    await graph.run_plain("MATCH (e:Entity) SET e.stale = true")
    await merge(graph, lambda _: None)
    kept = await graph.run_plain("MATCH (e:Entity) WHERE e.top_pairs IS NOT NULL RETURN e.name")
    assert len(kept) == 2 < KEPT
    other_known, other_walk = await contexts(graph)
    assert other_known == known
    assert in_any_order(other_walk) == in_any_order(walk)
