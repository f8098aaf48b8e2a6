"""A change is followed in the part of the graph that it touches, as the whole graph tells it."""

import random
from collections.abc import Iterable

import pytest

from graphrag_neo4j.graph.connection import Graph, PlainRow, Transaction
from graphrag_neo4j.index.communities import run
from graphrag_neo4j.index.communities.saved import Places, SavedTree, read_tree
from graphrag_neo4j.index.communities.stage import find_communities
from graphrag_neo4j.index.communities.tree import HierarchyLimits, Leiden
from graphrag_neo4j.index.evidence import mark_changed, sweep_entities, sweep_pairs
from graphrag_neo4j.model.events import silent
from tests.index.communities.test_communities import Pair, carol, fill
from tests.support.wiping import wipe

LEIDEN = Leiden(HierarchyLimits(max_size=5))
CHANGES = 10
TREE = """
MATCH (c:Community) OPTIONAL MATCH (c)-[:PARENT]->(parent)
RETURN c.id AS id, c.level AS level, c.size AS size, c.unchecked AS unchecked, c.lost AS lost,
       parent.id AS parent,
       COLLECT { MATCH (c)<-[:IN_COMMUNITY]-(e) RETURN e.id ORDER BY e.id } AS members
ORDER BY id
"""
STATE = """
MATCH (s:State {id: 'graph'})
RETURN s.communities_unchecked AS unchecked, s.communities_degree AS degree,
       COLLECT { MATCH (e:Entity) RETURN [e.id, e.placed_weight, e.unplaced] ORDER BY e.id }
         AS placed,
       2 * reduce(sum = 0, one IN COLLECT { MATCH ()-[p:RELATED]->() RETURN p.weight } | sum + one)
         AS real
"""


def changes(entities: Iterable[str], pairs: list[Pair]) -> Iterable[tuple[list[Pair], list[str]]]:
    """Small changes one after the other: pairs that are new or heavier, and entities that go."""
    chance = random.Random(5)
    left = sorted(entities)
    for number in range(CHANGES):
        new, gone = f"new {number}", chance.sample(left, 2) if number % 2 else []
        heavier = [(a, b, w + 3) for a, b, w in chance.sample(pairs, 2) if {a, b} <= {*left}]
        near = [(min(new, e), max(new, e), 2.0) for e in chance.sample(left, 2)]
        yield [pair for pair in (*heavier, *near) if not {*pair[:2]} & {*gone}], gone
        left = sorted({*left, new} - {*gone})


async def delete(graph: Graph, entities: list[str]) -> None:
    """Deletes entities with their pairs, and marks the other ends, as a deleted document does."""
    [row] = await graph.run_plain(
        "MATCH (e:Entity)-[pair:RELATED]-(other) WHERE e.id IN $ids "
        "RETURN collect(DISTINCT pair.id) AS pairs, collect(DISTINCT other.id) AS others",
        ids=entities,
    )
    others = sorted({*row["others"]} - {*entities})

    async def work(tx: Transaction) -> None:
        await sweep_pairs(tx, row["pairs"])
        await sweep_entities(tx, entities)
        await tx.run("merge/save_entities", rows=[{"id": id_, "name": id_} for id_ in others])
        await mark_changed(tx)

    await graph.transact(work)


async def trees(graph: Graph, *, whole: bool) -> list[list[PlainRow]]:
    """The tree after each change. `whole`: the whole graph is read, as if no part were known."""
    entities, pairs = carol()
    await fill(graph, entities, pairs)
    await find_communities(graph, LEIDEN, silent)
    found = []
    for changed, gone in changes(entities, pairs):
        await fill(graph, {end for pair in changed for end in pair[:2]}, changed)
        await delete(graph, gone)
        if whole:
            await graph.run_plain("MATCH (s:State {id: 'graph'}) REMOVE s.communities_degree")
        await find_communities(graph, LEIDEN, silent)
        found.append(await graph.run_plain(TREE) + await graph.run_plain(STATE))
    await wipe(graph)
    return found


async def test_a_part_of_the_graph_gives_the_tree_of_the_whole(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_reads: list[float] = []

    async def counted(graph: Graph, unchecked: float) -> tuple[SavedTree, Places]:
        whole_reads.append(unchecked)
        return await read_tree(graph, unchecked)

    monkeypatch.setattr(run, "read_tree", counted)
    expected = await trees(graph, whole=True)
    assert len(whole_reads) == 1 + CHANGES
    assert await trees(graph, whole=False) == expected
    assert len(whole_reads) < 2 + CHANGES + CHANGES // 2
    for state in (tree[-1] for tree in expected):
        assert state["degree"] == state["real"]
        assert all(mark is None for *_, mark in state["placed"])
