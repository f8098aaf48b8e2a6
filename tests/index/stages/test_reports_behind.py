"""A report stays while little of its material has changed, is marked, and is told of in status."""

import random
from collections.abc import Iterable, Mapping

import pytest

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.clustering.tree import HierarchyLimits as TreeLimits
from graphrag_neo4j.index.clustering.tree import Leiden
from graphrag_neo4j.index.documents import delete_documents, document_id
from graphrag_neo4j.index.stages import StageContext
from graphrag_neo4j.index.stages.communities import find_communities
from graphrag_neo4j.index.stages.reports import ReportLimits, write_reports
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model import Document, Extraction
from graphrag_neo4j.model.events import silent
from tests.index.stages.test_reports import Citing, communities, words
from tests.support.preset_backend import PresetBackend, describe, found, put, read, run

TOLD = "Sentence {n} of eight words about the person {name}."


def long(name: str) -> Iterable[tuple[str, str, str]]:
    return [(name, "person", TOLD.format(n=n, name=name)) for n in range(6)]


# Two triangles with an edge between: one community of level 0, and two of level 1.
TALE = {
    "One.": found(
        *long("A1"), *long("A2"), *long("A3"),
        ("A1", "A2", "a", 1.0), ("A2", "A3", "b", 1.0), ("A1", "A3", "c", 1.0),
    ),
    "Two.": found(
        *long("B1"), *long("B2"), *long("B3"),
        ("B1", "B2", "d", 1.0), ("B2", "B3", "e", 1.0), ("B1", "B3", "f", 1.0),
        ("A1", "B1", "between", 1.0),
    ),
    "Three.": found(*((f"C{n}", f"C{m}", "g", 1.0) for n in range(8) for m in range(n))),
}  # fmt: skip
A, B = ["A1", "A2", "A3"], ["B1", "B2", "B3"]
BUDGET = 300  # tokens: too few for all elements of both triangles, so a report stands for one


def news(n: int, name: str = "A3") -> dict[str, Extraction]:
    """A document with one line on a person; it changes no community."""
    return {f"News {n}.": found((name, "person", f"News {n} is that {name} sat down."))}


async def index(
    graph: Graph,
    told: Mapping[str, Extraction],
    backend: PresetBackend | None = None,
    *,
    drift: float = 0.1,
    budget: int = 1000,
    moving: bool = False,
) -> list[str]:
    """Indexes a document for each text, and returns the contexts that reports were written from."""
    backend = backend or PresetBackend()
    backend.entities = {**TALE, **told}
    backend.reported.clear()
    await put(graph, (Document(text, f"memory:{text}") for text in told))
    await read(graph, backend)
    await describe(graph, backend, join=300)
    if "One." in told or moving:  # news changes no community
        await find_communities(graph, Leiden(TreeLimits(max_size=3)), silent)
    context = StageContext(graph, backend, run, 4, silent)
    await write_reports(context, ReportLimits(budget, 0, words, drift))
    return backend.reported


async def behind(graph: Graph) -> dict[str, float]:
    """How far behind the report of each community is, by the first name in it and its size."""
    return {
        f"{c['names'][0]} {c['size']}": c["behind"]
        for c in await communities(graph)
        if "behind" in c
    }


async def emptied(graph: Graph) -> Dump:
    """The dump of a graph, which is then emptied."""
    held = await dump(graph)
    await graph.run_plain("MATCH (n) DETACH DELETE n")
    return held


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
    await index(graph, TALE, drift=0.1)
    marks, written = [0.0], 0
    for n in range(5):
        contexts = await index(graph, news(n), drift=0.1)
        written += sum("B1" not in context for context in contexts)
        marks.append((await behind(graph)).get("A1 3", 0.0))
    assert max(marks) <= 0.1
    assert written == 1
    reset = marks.index(0.0, 1)
    assert marks[:reset] == sorted(set(marks[:reset]))
    assert reset > 2


async def test_no_report_tells_what_a_deleted_document_said_however_little_it_was(
    graph: Graph,
) -> None:
    await index(graph, TALE)
    never = await emptied(graph)
    await index(graph, {**TALE, **news(1)})
    await delete_documents(graph, [document_id("memory:News 1.")])
    left = [c for c in await communities(graph) if "forgetting" in c]
    assert {c["size"] for c in left} == {3, 6}
    contexts = await index(graph, {}, drift=1)
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
    contexts = await index(graph, {}, backend, drift=1)
    assert len(contexts) == 1


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
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
        await index(graph, change, budget=BUDGET, drift=0.2)
        stayed += len(await behind(graph))
    assert stayed
    await index(graph, {}, budget=BUDGET, drift=0)
    history = await emptied(graph)
    await index(graph, documents, budget=BUDGET)
    assert await dump(graph) == history
