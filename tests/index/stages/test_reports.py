"""Reports in a real Neo4j: bottom-up, grounded, made anew only where something changed."""

import re
from itertools import combinations

import pytest

from graphrag_neo4j.graph.connection import Graph, PlainRow
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.index.clustering.tree import HierarchyLimits as TreeLimits
from graphrag_neo4j.index.clustering.tree import Leiden
from graphrag_neo4j.index.stages import StageContext
from graphrag_neo4j.index.stages.communities import find_communities
from graphrag_neo4j.index.stages.reports import ReportLimits, write_reports
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model import FindingText, LLMTask, WrittenReport
from graphrag_neo4j.model.events import Advanced, Event, Started, silent
from graphrag_neo4j.model.material import ReportMaterial
from tests.support.preset_backend import (
    PresetBackend,
    claim,
    describe,
    documents,
    found,
    put,
    read,
    run,
)

# Beside a clique of eight, two triangles with an edge between are one community of level 0, and
# two of level 1; a lone pair is a small one.
CLIQUE = [f"C{n}" for n in range(8)]
CLUSTERS = {
    "One.": found(
        ("A1", "A2", "a", 1.0), ("A2", "A3", "b", 1.0), ("A1", "A3", "c", 1.0),
        ("A1", "person", "First."), ("A2", "person", "Second."), ("A3", "person", "Third."),
    ),
    "Two.": found(
        ("B1", "B2", "d", 1.0), ("B2", "B3", "e", 1.0), ("B1", "B3", "f", 1.0),
        ("A1", "B1", "between", 1.0),
    ),
    "Three.": found(*((a, b, "g", 1.0) for a, b in combinations(CLIQUE, 2))),
    "Four.": found(("D1", "D2", "h", 1.0), ("D1", "place", "A town.")),
}  # fmt: skip


def words(text: str) -> int:
    return len(text.split())


async def fill(graph: Graph, told: PresetBackend | None = None) -> PresetBackend:
    told = told or PresetBackend(CLUSTERS, {"One.": [claim("A1", "A2", "A1 paid A2.")]})
    await put(graph, documents(*told.entities))
    await bring_up_to_date(graph, told)
    return told


async def bring_up_to_date(graph: Graph, told: PresetBackend) -> None:
    await read(graph, told)
    await describe(graph, told, join=100)
    await find_communities(graph, Leiden(TreeLimits(max_size=3)), silent)


async def report(
    graph: Graph, told: PresetBackend, *, budget: int = 1000, smallest: int = 2
) -> list[Event]:
    events: list[Event] = []
    told.reported.clear()
    context = StageContext(graph, told, run, 4, events.append)
    await write_reports(context, ReportLimits(budget, smallest, words))
    return events


async def communities(graph: Graph) -> list[PlainRow]:
    rows = await graph.run_plain(
        "MATCH (c:Community) RETURN properties(c) AS c, "
        "[(c)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(e) | e.name] AS names ORDER BY c.level DESC"
    )
    return [{**row["c"], "names": sorted(row["names"])} for row in rows]


async def test_each_community_gets_a_report_the_deepest_first(graph: Graph) -> None:
    told = await fill(graph)
    events = await report(graph, told)
    kept = await communities(graph)
    assert all(c["report"] and "stale" not in c for c in kept)
    assert {c["origin"]: c["names"] for c in kept if len(c["names"]) == 2} == {
        "elements": ["D1", "D2"]
    }
    assert len(told.reported) == len([c for c in kept if c["origin"] == "model"])
    assert any("A1 paid A2." in context for context in told.reported)
    [small] = [c for c in kept if c["names"] == ["D1", "D2"]]
    assert "A town." in small["summary"]
    assert isinstance(events[0], Started)
    assert events[0].total == len(kept)
    assert sum(e.done for e in events if isinstance(e, Advanced)) == len(kept)


async def test_a_failed_community_is_named_and_stays_pending_while_its_parent_goes_on(
    graph: Graph,
) -> None:
    told = await fill(graph, PresetBackend(CLUSTERS, failing={"| First.": "the reply is empty"}))
    await report(graph, told, budget=85)
    status = await read_status(graph)
    [failure] = status.failures
    assert (failure.stage, failure.reason) == ("reports", "the reply is empty")
    assert status.pending["reports"] == 1
    parent = next(context for context in told.reported if "# Reports" in context)
    assert "A1: First." in parent
    told.failing = {}
    await report(graph, told, budget=85)
    assert not (await read_status(graph)).failures
    healed = await dump(graph)
    await graph.run_plain("MATCH (n) DETACH DELETE n")
    await report(graph, await fill(graph, PresetBackend(CLUSTERS)), budget=85)
    assert await dump(graph) == healed


class Citing(PresetBackend):
    """Reports that cite the first record of each kind, and one that is not there."""

    def report(self, context: str, material: ReportMaterial) -> LLMTask[WrittenReport]:
        written = yield from super().report(context, material)
        refs = {
            kind: re.findall(rf"# {kind}\n[^\n]*\n(\d+) \|", context)
            for kind in ("Entities", "Relationships", "Claims", "Reports")
        }
        named = "; ".join(f"{kind} ({one[0]}, 9999)" for kind, one in refs.items() if one)
        said = f"{written.summary} [Data: {named}]"
        return WrittenReport(written.title, said, [FindingText(said, said)], 1.0, "")


async def test_true_citations_become_relationships_and_invented_ones_go(graph: Graph) -> None:
    told = await fill(graph, Citing(CLUSTERS, {"One.": [claim("A1", "A2", "A1 paid A2.")]}))
    await report(graph, told)
    kept = [c for c in await communities(graph) if c["origin"] == "model"]
    assert all("9999" not in c["report"] for c in kept)
    assert all(c["invented"] in {6, 9} for c in kept)  # of two or three kinds
    rows = await graph.run_plain(
        "MATCH (c:Community {origin: 'model'})-[:HAS_FINDING]->(f:Finding) "
        "RETURN f.explanation AS text, size(f.relationships) AS pairs, "
        "[(f)-[:CITES]->(x) | labels(x)[0] + ' ' + x.ref] AS cited"
    )
    for row in rows:
        named = re.findall(r"(Entities|Claims) \((\d+)\)", row["text"])
        labels = {"Entities": "Entity", "Claims": "Claim"}
        assert sorted(row["cited"]) == sorted(f"{labels[kind]} {ref}" for kind, ref in named)
        assert row["pairs"] == 1
    cites = await graph.run_plain("MATCH ()-[r:CITES]->() RETURN count(r) AS n")
    status = await read_status(graph)
    assert status.reports["citations"] == cites[0]["n"]
    assert status.reports["invented"] == sum(c["invented"] for c in kept)


# Under this budget the triangles' parent is written from their reports.
PACKED = 85


class Ending(PresetBackend):
    """Ends the whole build when it is asked about a community that holds sub-reports."""

    def report(self, context: str, _material: ReportMaterial) -> LLMTask[WrittenReport]:
        if "# Reports" in context:
            raise KeyError("the process dies here")
        return (yield from super().report(context, _material))


async def test_a_kill_between_a_childs_report_and_its_parents_leaves_no_trace(graph: Graph) -> None:
    await report(graph, await fill(graph, PresetBackend(CLUSTERS)), budget=PACKED)
    undisturbed = await dump(graph)
    await graph.run_plain("MATCH (n) DETACH DELETE n")
    with pytest.raises(KeyError):
        await report(graph, await fill(graph, Ending(CLUSTERS)), budget=PACKED)
    left = [c["names"] for c in await communities(graph) if "stale" in c]
    assert ["A1", "A2", "A3", "B1", "B2", "B3"] in left
    assert ["A1", "A2", "A3"] not in left
    told = PresetBackend(CLUSTERS)
    await report(graph, told, budget=PACKED)
    assert sum("# Reports" in context for context in told.reported) == 1
    assert await dump(graph) == undisturbed
