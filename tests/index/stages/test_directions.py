"""A relationship is shown in the direction in which most of its statements stand."""

import re
from collections.abc import Mapping
from itertools import combinations

import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.graph import Graph, dump
from graphrag_neo4j.index.documents import delete_documents, document_id
from graphrag_neo4j.index.report_inputs import ReportEdgeRow
from graphrag_neo4j.integrations.explore.map import read_map
from graphrag_neo4j.query.lookup import read_entity
from graphrag_neo4j.query.rows import OneHopRow, RelationshipRow, ResolvedRow
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import pair_id
from tests.support.graphrag_tables import brought
from tests.support.preset_backend import PresetBackend, describe, documents, found, put, read

ONE, TWO, THREE = "One.", "Two.", "Three."
TO, FRO = ("Marley", "Scrooge"), ("Scrooge", "Marley")

# What statements say, by pair: in how many descriptions the direction from start to end stands.
STATED = """
MATCH (a:Entity)-[pair:RELATED]->(b:Entity)
CALL (a, pair) {
  MATCH (source)-[stated:STATED {pair: pair.id}]->()
  RETURN sum(CASE WHEN source = a THEN size(stated.descriptions) ELSE 0 END) AS forward,
         sum(size(stated.descriptions)) AS total
}
RETURN pair.id AS id, a.name AS a, b.name AS b, forward, total
"""


async def shown(graph: Graph) -> Mapping[str, tuple[str, str, int | None]]:
    """The relationships as reports and answers show them: source, target, and how many go back."""
    ids = [row["id"] for row in await graph.run_plain("MATCH ()-[r:RELATED]->() RETURN r.id AS id")]
    rows = await graph.read("search/relationships", RelationshipRow, ids=ids)
    return {row["id"]: (row["source"], row["target"], row["opposite"]) for row in rows}


def stated(*pairs: tuple[str, str]) -> PresetBackend:
    """Each text states one pair, with a description of its own."""
    return PresetBackend(
        {
            text: found((source, target, f"They met {text}", 1.0))
            for text, (source, target) in zip((ONE, TWO, THREE), pairs, strict=False)
        }
    )


@pytest.mark.parametrize("pairs", [(TO, TO, FRO), (FRO, FRO, TO)])
async def test_the_majority_of_the_statements_decides_and_the_others_are_counted(
    graph: Graph, pairs: tuple[tuple[str, str], ...]
) -> None:
    await put(graph, documents(ONE, TWO, THREE))
    await read(graph, stated(*pairs))
    assert list((await shown(graph)).values()) == [(*pairs[0], 1)]


@pytest.mark.parametrize("pairs", [(TO, TO, FRO), (FRO, FRO, TO)])
async def test_an_entity_tells_who_acts(graph: Graph, pairs: tuple[tuple[str, str], ...]) -> None:
    await put(graph, documents(ONE, TWO, THREE))
    await read(graph, stated(*pairs))
    source, target = pairs[0]
    of_source, of_target = await read_entity(graph, source), await read_entity(graph, target)
    assert [(name, way) for name, _, way in of_source.related] == [(target, "to")]
    assert [(name, way) for name, _, way in of_target.related] == [(source, "from")]
    assert f"- to **{target}**: " in of_source._repr_markdown_()
    assert f"- from **{source}**: " in of_target._repr_markdown_()


async def test_a_deleted_document_takes_its_vote_with_it(graph: Graph) -> None:
    told = stated(TO, FRO, FRO)
    await put(graph, documents(ONE, TWO, THREE))
    await read(graph, told)
    await describe(graph, told, join=100)
    await delete_documents(graph, [document_id("memory:1"), document_id("memory:2")])
    await read(graph, told)
    await describe(graph, told, join=100)
    assert list((await shown(graph)).values()) == [(*TO, 0)]
    left = await dump(graph)
    await graph.run_plain("MATCH (node) DETACH DELETE node")
    await put(graph, documents(ONE))
    await read(graph, told)
    await describe(graph, told, join=100)
    assert await dump(graph) == left


@pytest.mark.slow
async def test_no_pair_of_a_real_index_is_shown_against_most_of_its_statements(
    graph: Graph, alone: Settings
) -> None:
    """Without this, 441 of the 935 pairs were."""
    await brought(alone)
    pairs = {row["id"]: row for row in await graph.run_plain(STATED)}
    assert len(pairs) == 935
    against = [row for row in pairs.values() if 2 * row["forward"] < row["total"]]
    assert len(against) == 441
    found_there = await shown(graph)
    for id_, row in pairs.items():
        backward = row["total"] - row["forward"]
        ends = (row["b"], row["a"]) if backward > row["forward"] else (row["a"], row["b"])
        assert found_there[id_] == (*ends, min(row["forward"], backward))


@pytest.mark.slow
async def test_reports_answers_and_the_map_show_the_same_direction(
    graph: Graph, alone: Settings
) -> None:
    await brought(alone)
    directed = {(source, target) for source, target, _ in (await shown(graph)).values()}
    ids = [row["id"] for row in await graph.run_plain("MATCH (c:Community) RETURN c.id AS id")]
    edges = await graph.read("reports/edges", ReportEdgeRow, ids=ids)
    assert {(row["source_name"], row["target_name"]) for row in edges} <= directed
    names = {row["id"]: row["name"] for row in await graph.run_plain(
        "MATCH (e:Entity) RETURN e.id AS id, e.name AS name"
    )}  # fmt: skip
    assert all(names[row["source"]] == row["source_name"] for row in edges)
    entities = sorted(names)[:200]
    most = {"inner": 900, "outward": 900, "chunks": 1}
    pairs = [pair_id(*two) for two in combinations(entities, 2)]
    [hop] = await graph.read("search/one_hop", OneHopRow, ids=entities, pairs=pairs, **most)
    for row in [*hop["inner"], *hop["outward"]]:
        assert (row["source"], row["target"]) in directed
    cited = [{"kind": "Relationships", "ref": row["ref"], "said": []} for row in edges]
    places = await graph.read("search/resolve", ResolvedRow, citations=cited, places=1)
    assert {row["title"] for row in places} <= {f"{one} – {other}" for one, other in directed}
    for name in sorted(names.values())[:40]:
        one = await read_entity(graph, name)
        assert len(one.related) == one.degree
        for other, _, way in one.related:
            assert ((name, other) if way == "to" else (other, name)) in directed
    page = await read_map(graph)
    named = {row[0]: row[1] for row in page.entities}
    assert {(named[row[1]], named[row[2]]) for row in page.relationships} == directed


@pytest.mark.slow
async def test_a_context_says_how_many_statements_go_the_other_way(
    graph: Graph, alone: Settings
) -> None:
    await brought(alone)
    async with AsyncGraphRAG(alone) as rag:
        answer = await rag.query("Who is Scrooge?", method="local", context_only=True)
    records = answer.context[0].by_kind()["Relationships"]
    counts = {id_: opposite for id_, (_, _, opposite) in (await shown(graph)).items()}
    assert any(counts[record.id] for record in records)
    for record in records:
        note = re.search(r"\((\d+) of \d+ statements go from target to source\)$", record.text)
        assert int(note[1] if note else 0) == counts[record.id]
        assert not any("go from target" in piece for piece in record.pieces)
