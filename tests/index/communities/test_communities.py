"""Communities by the real GDS Leiden: a strict tree, repeatable, that keeps what did not change."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable

from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.index.communities.gds_client import LIST, Gds, detector, projections_of
from graphrag_neo4j.index.communities.hierarchy import Edges, community_tree
from graphrag_neo4j.index.communities.stage import find_communities
from graphrag_neo4j.index.communities.tree import HierarchyLimits, Leiden
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.text.strings import entity_id, identify
from tests.support.paths import DATA

CAROL = DATA / "christmas_carol" / "index.json"
# All ids of the tree of A Christmas Carol, hashed: the same on every run and release.
CAROL_TREE = "c626f27263c9c6486a3f360e519c63cf"

Pair = tuple[str, str, float]


def carol() -> tuple[set[str], list[Pair]]:
    """The entities and weighted pairs that a real model found in the book."""
    index = json.loads(CAROL.read_text(encoding="utf-8"))
    weights: Counter[tuple[str, str]] = Counter()
    for one in index["relationships"]:
        a, b = sorted((entity_id(one["source"]), entity_id(one["target"])))
        weights[a, b] += len(one["units"])
    entities = {entity_id(entity["name"]) for entity in index["entities"]}
    pairs = [(a, b, float(w)) for (a, b), w in sorted(weights.items()) if a != b]
    return entities | {end for a, b, _ in pairs for end in (a, b)}, pairs


async def fill(graph: Graph, entities: Iterable[str], pairs: Iterable[Pair]) -> None:
    """Writes entities and pairs, and marks both as the stages do."""

    async def write(tx: Transaction) -> None:
        rows = [{"id": id_, "name": id_, "ref": None} for id_ in entities]
        await tx.run("extract/entities", rows=rows)
        pair_rows = [
            {"id": identify("related", a, b), "start": a, "end": b, "ref": None}
            for a, b, _ in pairs
        ]
        await tx.run("extract/pairs", rows=pair_rows)
        weights = [
            {"id": identify("related", a, b), "weight": w, "strength": 1.0} for a, b, w in pairs
        ]
        await tx.run("merge/save_pairs", rows=weights)
        changed = [
            {"id": id_, "name": id_} for id_ in {*entities, *(e for p in pairs for e in p[:2])}
        ]
        await tx.run("merge/save_entities", rows=changed)
        await tx.run("graph/changed")

    await graph.transact(write)


async def tree(graph: Graph) -> dict[str, dict[str, object]]:
    await find_communities(graph, Leiden(), silent)
    rows = await graph.run_plain(
        "MATCH (c:Community) OPTIONAL MATCH (c)-[:PARENT]->(p:Community) "
        "RETURN c.id AS id, c.ref AS ref, c.level AS level, c.size AS size, p.id AS parent"
    )
    return {row["id"]: row for row in rows}


async def tree_anew(graph: Graph) -> dict[str, dict[str, object]]:
    await graph.run_plain("MATCH (c:Community) DETACH DELETE c")
    await graph.write("graph/changed")
    return await tree(graph)


async def test_the_real_graph_gives_a_strict_tree_the_same_on_every_run_and_release(
    graph: Graph,
) -> None:
    entities, pairs = carol()
    await fill(graph, entities, pairs)
    found = await tree(graph)
    leaves = await graph.run_plain(
        "MATCH (e:Entity) RETURN e.id AS id, [(e)-[:IN_COMMUNITY]->(c) | c.id] AS leaves"
    )
    assert {row["id"] for row in leaves} == entities
    assert all(len(row["leaves"]) == 1 for row in leaves)
    parents = {community["parent"] for community in found.values()}
    assert not {row["leaves"][0] for row in leaves} & parents
    children: defaultdict[object, int] = defaultdict(int)
    for community in found.values():
        children[community["parent"]] += int(str(community["size"]))
    assert children.pop(None) == len(entities)
    assert {id_: found[str(id_)]["size"] for id_ in children} == dict(children)
    levels = Counter(community["level"] for community in found.values())
    assert levels[0] > 10
    assert levels[1] > 30
    assert identify("tree", *sorted(found)) == CAROL_TREE
    assert found.keys() == (await tree_anew(graph)).keys()


async def test_projections_of_builds_that_died_are_dropped_and_those_of_others_kept(
    graph: Graph,
) -> None:
    await fill(graph, {"a", "b"}, [("a", "b", 1.0)])
    for name in (f"{projections_of(graph)}dead", "mine"):
        await graph.run_plain(
            "MATCH (a:Entity)-[:RELATED]->(b) RETURN gds.graph.project($name, a, b)", name=name
        )
    await tree(graph)
    left = await graph.run_plain("CALL gds.graph.list() YIELD graphName RETURN graphName")
    await graph.run_plain("CALL gds.graph.drop('mine') YIELD graphName RETURN graphName")
    assert [row["graphName"] for row in left] == ["mine"]


async def test_where_all_moves_are_worth_the_same_the_tree_is_the_same_again(graph: Graph) -> None:
    side = 30
    grid = {(x, y): f"{x:02d}{y:02d}" for x in range(side) for y in range(side)}
    pairs = [
        (name, grid[near], 1.0)
        for (x, y), name in grid.items()
        for near in ((x + 1, y), (x, y + 1))
        if near in grid
    ]
    await fill(graph, grid.values(), pairs)
    trees = [{id_: one["level"] for id_, one in (await tree_anew(graph)).items()} for _ in range(4)]
    assert trees == trees[:1] * 4


async def test_edges_that_travel_in_pages_give_the_communities_of_one_piece(
    connected: Graph,
) -> None:
    entities, pairs = carol()
    edges = Edges.of(sorted(pairs), entities)
    with connected.lend_driver() as driver:
        gds = Gds(driver, connected.database)
        trees = [
            community_tree(edges, detector(gds, Leiden(), page=page), HierarchyLimits())
            for page in (len(edges), 100)
        ]
        left = gds.run(LIST)
    assert len(trees[0]) > 40
    assert trees[0] == trees[1]
    assert left == []


async def test_an_unchanged_community_keeps_its_node(graph: Graph) -> None:
    entities, pairs = carol()
    await fill(graph, entities, pairs)
    before = await tree(graph)
    await graph.run_plain("MATCH (c:Community) SET c.report = 'of ' + c.id")
    await fill(graph, {"new one", "new two"}, [("new one", "new two", 3.0)])
    after = await tree(graph)
    kept = before.keys() & after.keys()
    assert len(kept) > len(before) * 0.9
    assert all(before[id_]["ref"] == after[id_]["ref"] for id_ in kept)
    reports = await graph.run_plain("MATCH (c:Community) WHERE c.report = 'of ' + c.id RETURN c.id")
    assert len(reports) == len(kept)
