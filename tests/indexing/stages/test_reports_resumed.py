"""A build that ends between a child's report and its parent's is continued by the next."""

import pytest

from graphrag_neo4j.context.material import ReportMaterial
from graphrag_neo4j.graph import Graph, dump
from graphrag_neo4j.model import LLMTask, WrittenReport
from tests.indexing.stages.test_reports import CLUSTERS, communities, fill, report
from tests.support.preset_backend import PresetBackend

# Under this budget the triangles' parent is written from their reports.
BUDGET = 85


class Ending(PresetBackend):
    """Ends the whole build when it is asked about a community that holds sub-reports."""

    def report(self, context: str, _material: ReportMaterial) -> LLMTask[WrittenReport]:
        if "# Reports" in context:
            raise KeyError("the process dies here")
        return (yield from super().report(context, _material))


async def test_a_kill_between_a_childs_report_and_its_parents_leaves_no_trace(
    graph: Graph,
) -> None:
    await report(graph, await fill(graph, PresetBackend(CLUSTERS)), budget=BUDGET)
    undisturbed = await dump(graph)
    await graph.run_plain("MATCH (n) DETACH DELETE n")
    with pytest.raises(KeyError):
        await report(graph, await fill(graph, Ending(CLUSTERS)), budget=BUDGET)
    left = [c["names"] for c in await communities(graph) if "stale" in c]
    assert ["A1", "A2", "A3", "B1", "B2", "B3"] in left
    assert ["A1", "A2", "A3"] not in left
    told = PresetBackend(CLUSTERS)
    await report(graph, told, budget=BUDGET)
    assert sum("# Reports" in context for context in told.reported) == 1
    assert await dump(graph) == undisturbed


async def test_what_lost_its_parts_is_reported_anew(graph: Graph) -> None:
    told = await fill(graph, PresetBackend(CLUSTERS))
    await report(graph, told, budget=BUDGET)
    parts = await graph.run_plain("MATCH (c:Community)-[:PARENT]->() RETURN c.id AS id")
    await graph.write("communities/delete", rows=[{"id": part["id"]} for part in parts])
    assert [c["size"] for c in await communities(graph) if "stale" in c] == [6]
