"""Reports in a real Neo4j: bottom-up, grounded, made anew only where much has changed."""

import random
import re
from collections.abc import Iterable, Mapping
from itertools import combinations

import pytest

from graphrag_neo4j.graph.connection import Graph, PlainRow
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.communities.stage import find_communities
from graphrag_neo4j.index.communities.tree import HierarchyLimits as TreeLimits
from graphrag_neo4j.index.communities.tree import Leiden
from graphrag_neo4j.index.read.documents import delete_documents, document_id
from graphrag_neo4j.index.reports.stage import ReportLimits, write_reports
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model.events import Advanced, Event, Started, silent
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import Document, Extraction, FindingText, LLMTask, WrittenReport
from tests.support.preset_backend import (
    PresetBackend,
    claim,
    describe,
    documents,
    found,
    put,
    read,
    run,
    words,
)
from tests.support.wiping import emptied

# Beside a clique of eight, two triangles with an edge between are one community of level 0, and
# two of level 1; a lone pair is a small one.
A_EDGES = [("A1", "A2", "a", 1.0), ("A2", "A3", "b", 1.0), ("A1", "A3", "c", 1.0)]
B_EDGES = [("B1", "B2", "d", 1.0), ("B2", "B3", "e", 1.0), ("B1", "B3", "f", 1.0)]
BETWEEN = ("A1", "B1", "between", 1.0)
CLIQUE = found(*((a, b, "g", 1.0) for a, b in combinations([f"C{n}" for n in range(8)], 2)))
SHORT = [("A1", "person", "First."), ("A2", "person", "Second."), ("A3", "person", "Third.")]
CLUSTERS = {
    "One.": found(*A_EDGES, *SHORT),
    "Two.": found(*B_EDGES, BETWEEN),
    "Three.": CLIQUE,
    "Four.": found(("D1", "D2", "h", 1.0), ("D1", "place", "A town.")),
}
# Under this budget the triangles' parent is written from their reports.
PACKED = 85
CLAIMS = {"One.": [claim("A1", "A2", "A1 paid A2.")]}


async def report(graph: Graph, told: PresetBackend, *, budget: int = PACKED) -> list[Event]:
    events: list[Event] = []
    told.reported.clear()
    context = StageContext(graph, told, run, 4, events.append)
    await write_reports(context, ReportLimits(budget, 2, words))
    return events


async def fill(graph: Graph, told: PresetBackend) -> PresetBackend:
    """The backend after all but the reports was made with it."""
    await put(graph, documents(*told.entities))
    await read(graph, told)
    await describe(graph, told, join=100)
    await find_communities(graph, Leiden(TreeLimits(max_size=3)), silent)
    return told


async def undisturbed(graph: Graph) -> Dump:
    """The dump of what all stages make of the clusters; the graph is empty again."""
    await report(graph, await fill(graph, PresetBackend(CLUSTERS)))
    return await emptied(graph)


async def communities(graph: Graph) -> list[PlainRow]:
    rows = await graph.run_plain(
        "MATCH (c:Community) RETURN properties(c) AS c, "
        "[(c)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(e) | e.name] AS names ORDER BY c.level DESC"
    )
    return [{**row["c"], "names": sorted(row["names"])} for row in rows]


async def test_each_community_gets_a_report_the_deepest_first(graph: Graph) -> None:
    told = await fill(graph, PresetBackend(CLUSTERS, CLAIMS))
    events = await report(graph, told, budget=1000)
    kept = await communities(graph)
    assert all(c["report"] and "stale" not in c for c in kept)
    assert len(told.reported) == len([c for c in kept if c["origin"] == "model"])
    assert any("A1 paid A2." in context for context in told.reported)
    [small] = [c for c in kept if c["origin"] == "elements"]
    assert small["names"] == ["D1", "D2"]
    assert "A town." in small["summary"]
    assert events[0] == Started("reports", len(kept))
    assert sum(e.done for e in events if isinstance(e, Advanced)) == len(kept)


@pytest.mark.parametrize("predicate", ["owns", ""])
async def test_a_context_has_a_column_of_predicates_only_if_its_community_has_any(
    graph: Graph, predicate: str
) -> None:
    clusters = {**CLUSTERS, "One.": found((*A_EDGES[0], predicate), *A_EDGES[1:], *SHORT)}
    told = await fill(graph, PresetBackend(clusters))
    await report(graph, told, budget=1000)
    wide = [one for one in told.reported if "id | source | predicate | target |" in one]
    assert [one for one in told.reported if "| A1 |" in one and "# Relations" in one] or wide
    assert all(("| A1 | owns | A2 | a" in one) == bool(predicate) for one in wide)
    assert bool(wide) == bool(predicate)
    assert all("| A2 |  | A3 | b" in one for one in wide)
    assert not [one for one in wide if "| C1 |" in one]


async def test_a_failed_community_is_named_and_stays_pending_while_its_parent_goes_on(
    graph: Graph,
) -> None:
    expected = await undisturbed(graph)
    told = await fill(graph, PresetBackend(CLUSTERS, failing={"| First.": "the reply is empty"}))
    await report(graph, told)
    status = await read_status(graph)
    [failure] = status.failures
    assert (failure.stage, failure.reason) == ("reports", "the reply is empty")
    assert status.pending["reports"] == 1
    parent = next(context for context in told.reported if "# Reports" in context)
    assert "A1: First." in parent
    told.failing = {}
    await report(graph, told)
    assert not (await read_status(graph)).failures
    assert await dump(graph) == expected


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
    await report(graph, await fill(graph, Citing(CLUSTERS, CLAIMS)), budget=1000)
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


class Ending(PresetBackend):
    """Ends the whole build when it is asked about a community that holds sub-reports."""

    def report(self, context: str, _material: ReportMaterial) -> LLMTask[WrittenReport]:
        if "# Reports" in context:
            raise KeyError("the process dies here")
        return (yield from super().report(context, _material))


async def test_a_kill_between_a_childs_report_and_its_parents_leaves_no_trace(graph: Graph) -> None:
    expected = await undisturbed(graph)
    with pytest.raises(KeyError):
        await report(graph, await fill(graph, Ending(CLUSTERS)))
    left = [c["names"] for c in await communities(graph) if "stale" in c]
    assert ["A1", "A2", "A3", "B1", "B2", "B3"] in left
    assert ["A1", "A2", "A3"] not in left
    told = PresetBackend(CLUSTERS)
    await report(graph, told)
    assert sum("# Reports" in context for context in told.reported) == 1
    assert await dump(graph) == expected


# A report stays while little of its material has changed, is marked, and is told of in status.
A, B = ["A1", "A2", "A3"], ["B1", "B2", "B3"]


def long(names: Iterable[str]) -> list[tuple[str, str, str]]:
    told = "Sentence {n} of eight words about the person {name}."
    return [(name, "person", told.format(n=n, name=name)) for name in names for n in range(6)]


TALE = {
    "One.": found(*long(A), *A_EDGES),
    "Two.": found(*long(B), *B_EDGES, BETWEEN),
    "Three.": CLIQUE,
}
BUDGET = 300  # tokens: too few for all elements of both triangles, so a report stands for one


def news(n: int, name: str = "A3") -> dict[str, Extraction]:
    """A document with one line on a person; it changes no community."""
    return {f"News {n}.": found((name, "person", f"News {n} is that {name} sat down."))}


async def index(
    graph: Graph,
    told: Mapping[str, Extraction],
    backend: PresetBackend | None = None,
    *,
    tolerance: float = 0.1,
    budget: int = 1000,
) -> list[str]:
    """Indexes a document for each text, and returns the contexts that reports were written from."""
    backend = backend or PresetBackend()
    backend.entities = {**TALE, **told}
    backend.reported.clear()
    await put(graph, (Document(text, f"memory:{text}") for text in told))
    await read(graph, backend)
    await describe(graph, backend, join=300)
    if "One." in told:  # news changes no community
        await find_communities(graph, Leiden(TreeLimits(max_size=3)), silent)
    limits = ReportLimits(budget, 0, words, tolerance)
    await write_reports(StageContext(graph, backend, run, 4, silent), limits)
    return backend.reported


async def behind(graph: Graph) -> dict[str, float]:
    """How far behind the report of each community is, by the first name in it and its size."""
    return {
        f"{c['names'][0]} {c['size']}": c["behind"]
        for c in await communities(graph)
        if "behind" in c
    }


async def test_a_report_stays_while_little_has_changed_and_says_how_much(graph: Graph) -> None:
    assert len(await index(graph, TALE)) == 4
    before = {c["id"]: c["report"] for c in await communities(graph)}
    assert await index(graph, news(1)) == []
    marks = await behind(graph)
    assert marks.keys() == {"A1 3", "A1 6"}
    assert 0 < marks["A1 6"] < marks["A1 3"] <= 0.1
    after = await communities(graph)
    assert {c["id"]: c["report"] for c in after} == before
    assert not any("stale" in c for c in after)
    status = await read_status(graph)
    assert status.behind == {"reports": 2, "largest": max(marks.values())}
    assert status.pending["reports"] == 0
    assert await index(graph, {}) == []
    assert await behind(graph) == marks


async def test_small_changes_add_up_until_the_report_is_written_again(graph: Graph) -> None:
    await index(graph, TALE)
    marks, written = [0.0], 0
    for n in range(5):
        written += sum("B1" not in context for context in await index(graph, news(n)))
        marks.append((await behind(graph)).get("A1 3", 0.0))
    assert max(marks) <= 0.1
    assert written == 1
    reset = marks.index(0.0, 1)
    assert reset > 2
    assert marks[:reset] == sorted(set(marks[:reset]))


async def test_no_report_tells_what_a_deleted_document_said_however_little_it_was(
    graph: Graph,
) -> None:
    await index(graph, TALE)
    never = await emptied(graph)
    await index(graph, {**TALE, **news(1)})
    await delete_documents(graph, [document_id("memory:News 1.")])
    left = [c for c in await communities(graph) if "forgetting" in c]
    assert {c["size"] for c in left} == {3, 6}
    contexts = await index(graph, {}, tolerance=1)
    assert len(contexts) == 2
    assert not any("News 1" in context for context in contexts)
    assert await dump(graph) == never


async def test_a_report_never_stays_if_it_cites_what_is_gone(graph: Graph) -> None:
    """The relationship goes with an edit, which by itself would be a small change."""
    backend = Citing()
    extra = {"Extra.": found(("A0", "A1", "z", 9.0), ("A0", "A2", "y", 9.0))}
    await index(graph, {**TALE, **extra}, backend)
    cites = await graph.run_plain(
        "MATCH (c:Community {size: 4})-[:HAS_FINDING]->(f) RETURN f.relationships AS pairs"
    )
    pair = cites[0]["pairs"][0]
    await graph.run_plain(
        "MATCH ()-[r:RELATED {id: $pair}]->() SET r.ref = -r.ref "
        "WITH r MATCH (:Community {size: 4})<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-() "
        "MATCH (c:Community {size: 4}) SET c.stale = true, c.report_hash = 'before'",
        pair=pair,
    )
    assert len(await index(graph, {}, backend, tolerance=1)) == 1


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
async def test_any_history_that_ends_fresh_gives_the_reports_of_one_build(
    graph: Graph, seed: int
) -> None:
    chance = random.Random(seed)
    documents = dict(TALE)
    await index(graph, documents, budget=BUDGET)
    stayed = 0
    for n in range(6):
        gone = [text for text in documents if text.startswith("News")]
        if gone and chance.random() < 0.3:
            text = chance.choice(gone)
            del documents[text]
            await delete_documents(graph, [document_id(f"memory:{text}")])
            change: dict[str, Extraction] = {}
        else:
            change = news(n, chance.choice([*A, *B]))
        documents |= change
        await index(graph, change, budget=BUDGET, tolerance=0.2)
        stayed += len(await behind(graph))
    assert stayed
    await index(graph, {}, budget=BUDGET, tolerance=0)
    history = await emptied(graph)
    await index(graph, documents, budget=BUDGET)
    assert await dump(graph) == history
