"""The whole index on a real Neo4j: resumed, added to, deleted from, always the same graph."""

from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path

import pytest

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.pipeline import build
from graphrag_neo4j.index.removal import remove
from graphrag_neo4j.index.status import IndexResult, RebuildOptions
from graphrag_neo4j.model import Document
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint

SCROOGE = (
    "Ebenezer Scrooge was a tight-fisted hand at the grindstone. Jacob Marley was his partner. "
    "Marley was dead: to begin with. Scrooge and Marley were partners for many years in London. "
    "In 1843 Bob Cratchit was the clerk of Ebenezer Scrooge in London. "
)
CRATCHIT = (
    "Bob Cratchit lived in Camden Town with Tiny Tim. Tiny Tim was the son of Bob Cratchit. "
    "On 25 December 1843 Ebenezer Scrooge sent a turkey to Camden Town. "
)


def documents(*texts: str) -> list[Document]:
    return [Document(text, f"memory:{i}", f"Tale {i}") for i, text in enumerate(texts)]


async def index(
    graph: Graph,
    what: Sequence[Document],
    settings: Settings,
    *,
    reread: bool = False,
    fresh: bool = False,
) -> IndexResult:
    backends = Backends(settings)
    corpus = Corpus.of_documents(what)
    try:
        rebuild = RebuildOptions(reread, fresh=fresh)
        return await build(graph, corpus, backends, silent, rebuild=rebuild)
    finally:
        await backends.aclose()


async def dumped(graph: Graph, what: Sequence[Document], settings: Settings) -> Dump:
    """The dump of these documents indexed into an empty graph."""
    await graph.run_plain("MATCH (node) DETACH DELETE node")
    assert (await index(graph, what, settings)).complete
    return await dump(graph)


async def test_building_twice_asks_nothing_and_changes_nothing(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    once = await dumped(graph, documents(SCROOGE, CRATCHIT), settings())
    endpoint.reset()
    assert (await index(graph, documents(SCROOGE, CRATCHIT), settings())).complete
    assert endpoint.log == []
    assert await dump(graph) == once


async def test_adding_and_deleting_a_document_leaves_the_graph_as_it_was(
    graph: Graph, settings: Make
) -> None:
    before = await dumped(graph, documents(SCROOGE), settings())
    await index(graph, documents(SCROOGE, CRATCHIT), settings())
    assert await dump(graph) != before
    assert await remove(graph, ["memory:1"]) == ["memory:1"]
    assert (await index(graph, [], settings())).complete
    assert await dump(graph) == before


async def test_one_by_one_in_any_order_is_the_same_as_all_at_once(
    graph: Graph, settings: Make
) -> None:
    tales = documents(SCROOGE, CRATCHIT, SCROOGE + CRATCHIT)
    at_once = await dumped(graph, tales, settings())
    await graph.run_plain("MATCH (node) DETACH DELETE node")
    for tale in reversed(tales):
        await index(graph, [tale], settings())
    assert await dump(graph) == at_once


INITIALS = (
    "B. Cratchit was the clerk of Ebenezer Scrooge in London. Tiny Tim was the son of B. Cratchit. "
)


async def test_names_that_a_model_joins_are_one_entity_in_any_history(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    tales = documents(SCROOGE, INITIALS, CRATCHIT)
    at_once = await dumped(graph, tales, settings())
    compared = [call for call in endpoint.log if call.kind == "json:name_pairs"]
    names = {node["name"] for key, node in at_once.items() if key.startswith("Entity:")}
    assert "Bob Cratchit" in names
    assert "B. Cratchit" not in names
    assert len(compared) == 1
    await graph.run_plain("MATCH (node) DETACH DELETE node")
    for tale in [tales[1], tales[2], tales[0]]:
        await index(graph, [tale], settings())
    assert await dump(graph) == at_once
    only = await dumped(graph, [tales[1]], settings())
    assert (await index(graph, tales, settings())).complete
    assert await dump(graph) == at_once
    await remove(graph, ["memory:0", "memory:2"])
    assert (await index(graph, [], settings())).complete
    assert await dump(graph) == only


async def test_what_failed_is_named_and_done_by_the_next_run(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    tales = documents(*(f"{SCROOGE}{CRATCHIT}This is tale number {n}." for n in range(12)))
    # A gleaning that fails leaves the first list, and is no failure that the next run makes good.
    settings = partial(settings, gleanings=0)
    expected = await dumped(graph, tales, settings())
    await graph.run_plain("MATCH (node) DETACH DELETE node")
    endpoint.change(server_error=0.2, garbage=0.1)
    endpoint.reset()
    first = await index(graph, tales, settings(max_retries=0))
    assert not first.complete
    assert first.status is not None
    assert {failure.stage for failure in first.status.failures} <= {
        "extract",
        "claims",
        "compare",
        "summarize",
        "reports",
        "embed",
    }
    assert all(failure.reason for failure in first.status.failures)
    endpoint.change(server_error=0.0, garbage=0.0)
    endpoint.reset()
    assert (await index(graph, tales, settings())).complete
    assert await dump(graph) == expected


async def test_reading_again_replaces_what_was_read_with_other_settings(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    expected = await dumped(graph, documents(SCROOGE, CRATCHIT), settings(gleanings=2))
    await dumped(graph, documents(SCROOGE, CRATCHIT), settings(gleanings=0))
    endpoint.reset()
    await index(graph, documents(SCROOGE, CRATCHIT), settings(gleanings=2))
    assert endpoint.log == []
    await index(graph, documents(SCROOGE, CRATCHIT), settings(gleanings=2), reread=True)
    assert await dump(graph) == expected


async def test_the_cost_limit_stops_the_run_and_the_next_goes_on(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    tales = documents(*(f"{SCROOGE}{CRATCHIT}This is tale number {n}." for n in range(12)))
    expected = await dumped(graph, tales, settings())
    whole = len(endpoint.log)
    await graph.run_plain("MATCH (node) DETACH DELETE node")
    endpoint.reset()
    built = await index(graph, tales, settings(max_cost=0.004, concurrency=2))
    assert built.stopped
    assert 0 < len(endpoint.log) < whole / 2
    spent = sum(usage.cost for usage in built.usage.values())
    dearest = 0.004
    assert spent < 0.004 + 2 * dearest
    assert (await index(graph, tales, settings())).complete
    assert await dump(graph) == expected


SAMPLE = Path(str(files("graphrag_neo4j") / "data" / "sample"))
LENGTH = 5000  # characters of each transcript: enough for communities inside communities
FOLLOWING = ("Community:", "Finding:", "IN_COMMUNITY:", "PARENT:", "HAS_FINDING:", "CITES:")


def transcripts() -> list[Document]:
    return [Document(p.read_text("utf-8")[:LENGTH], p.name) for p in sorted(SAMPLE.glob("*.txt"))]


def edited(document: Document) -> Document:
    """The document with another paragraph in its middle."""
    text = "Ada Lovelace met Charles Babbage in London. They built the Analytical Engine.\n\n"
    middle = LENGTH // 2
    return Document(document.text[:middle] + text + document.text[middle:], document.source)


def exact(found: Dump) -> Dump:
    """What never stays behind a change: all but communities and reports."""
    return {key: value for key, value in found.items() if not key.startswith(FOLLOWING)}


@pytest.mark.one_release
async def test_after_additions_edits_and_deletions_the_graph_is_that_of_a_fresh_build(
    graph: Graph, settings: Make
) -> None:
    one, two, three, four, *_ = transcripts()
    expected = await dumped(graph, [edited(one), three, four], settings())
    await dumped(graph, [one, two], settings())
    for change in ([three], [four], [edited(one)]):
        assert (await index(graph, change, settings())).complete
    assert await remove(graph, [two.source])
    built = await index(graph, [], settings())
    assert built.complete
    assert exact(await dump(graph)) == exact(expected)
    assert (await index(graph, [], settings(), fresh=True)).complete
    assert await dump(graph) == expected


@pytest.mark.one_release
async def test_communities_that_live_on_keep_their_ids_and_refs(
    graph: Graph, settings: Make
) -> None:
    *most, last = transcripts()
    await dumped(graph, most, settings())
    before = await communities(graph)
    assert (await index(graph, [last], settings())).complete
    after = await communities(graph)
    kept = before.keys() & after.keys()
    assert len(kept) > 0.9 * len(before)
    assert all(before[id_][0] == after[id_][0] for id_ in kept)
    assert (await index(graph, [], settings(), fresh=True)).complete
    fresh = await communities(graph)
    assert len(before.keys() & fresh.keys()) > 0.5 * len(before)


async def communities(graph: Graph) -> dict[str, tuple[int, int]]:
    """The ref and the size of each community."""
    rows = await graph.run_plain("MATCH (c:Community) RETURN c.id AS id, c.ref AS ref, c.size AS n")
    return {row["id"]: (row["ref"], row["n"]) for row in rows}
