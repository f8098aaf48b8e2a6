"""A relationship is shown in the direction in which most of its statements stand."""

from collections.abc import Mapping
from itertools import combinations

import pytest

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.report_inputs import ReportEdgeRow
from graphrag_neo4j.integrations.explore.map import read_map
from graphrag_neo4j.query.answer import ResolvedRow
from graphrag_neo4j.query.graph_expansion import OneHopRow, RelationshipRow
from graphrag_neo4j.query.lookup import read_entity
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import pair_id
from tests.support.graphrag_tables import brought
from tests.support.preset_backend import PresetBackend, documents, found, put, read

ONE, TWO, THREE = "One.", "Two.", "Three."
TO, FRO = ("Marley", "Scrooge"), ("Scrooge", "Marley")


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
