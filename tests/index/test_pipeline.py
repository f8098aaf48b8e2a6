"""The whole index on a real Neo4j: resumed, added to, deleted from, always the same graph."""

from collections.abc import Collection, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.removal import remove
from graphrag_neo4j.index.status import Again, IndexResult
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.preset_backend import documents
from tests.support.wiping import wipe

SCROOGE = (
    "Ebenezer Scrooge was a tight-fisted hand at the grindstone. Jacob Marley was his partner. "
    "Marley was dead: to begin with. Scrooge and Marley were partners for many years in London. "
    "In 1843 Bob Cratchit was the clerk of Ebenezer Scrooge in London. "
)
CRATCHIT = (
    "Bob Cratchit lived in Camden Town with Tiny Tim. Tiny Tim was the son of Bob Cratchit. "
    "On 25 December 1843 Ebenezer Scrooge sent a turkey to Camden Town. "
)


TALES = documents(*(f"{SCROOGE}{CRATCHIT}This is tale number {n}." for n in range(12)))


async def index(
    what: Sequence[Document],
    settings: Settings,
    *,
    again: Collection[Again] = (),
    fresh: bool = False,
) -> IndexResult:
    async with AsyncGraphRAG(settings) as rag:
        return await rag.index(iter(what), again=again, fresh=fresh)


async def dumped(graph: Graph, what: Sequence[Document], settings: Settings) -> Dump:
    """The dump of these documents indexed into an empty graph."""
    await wipe(graph)
    assert (await index(what, settings)).complete
    return await dump(graph)


async def test_building_again_changes_nothing_and_a_document_comes_and_goes_without_a_trace(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    before = await dumped(graph, documents(SCROOGE), settings())
    endpoint.reset()
    assert (await index(documents(SCROOGE), settings())).complete
    assert endpoint.log == []
    assert await dump(graph) == before
    await index(documents(SCROOGE, CRATCHIT), settings())
    assert await dump(graph) != before
    assert await remove(graph, ["memory:1"]) == ["memory:1"]
    assert (await index([], settings())).complete
    assert await dump(graph) == before


INITIALS = (
    "B. Cratchit was the clerk of Ebenezer Scrooge in London. Tiny Tim was the son of B. Cratchit. "
) * 5  # long enough to be gleaned


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
    await wipe(graph)
    for tale in [tales[1], tales[2], tales[0]]:
        await index([tale], settings())
    assert await dump(graph) == at_once
    only = await dumped(graph, [tales[1]], settings())
    assert (await index(tales, settings())).complete
    assert await dump(graph) == at_once
    await remove(graph, ["memory:0", "memory:2"])
    assert (await index([], settings())).complete
    assert await dump(graph) == only


async def test_what_failed_is_named_and_done_by_the_next_run(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    # A gleaning that fails leaves the first list, and isn't a failure that the next run makes good.
    settings = partial(settings, gleanings=0)
    expected = await dumped(graph, TALES, settings())
    await wipe(graph)
    faults = {"server_error": 0.2, "too_many": 0.05, "cut": 0.03, "half": 0.02, "garbage": 0.1}
    endpoint.change(**faults)
    first = await index(TALES, settings(max_retries=0))
    assert not first.complete
    assert first.status is not None
    stages = {failure.stage for failure in first.status.failures}
    assert {"extract", "claims"} <= stages
    assert stages <= {"extract", "claims", "compare", "summarize", "reports", "embed"}
    assert all("the " in failure.reason for failure in first.status.failures)
    endpoint.change(**dict.fromkeys(faults, 0.0))
    assert (await index(TALES, settings())).complete
    assert await dump(graph) == expected


async def test_reading_again_replaces_what_was_read_with_other_settings(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    expected = await dumped(graph, documents(SCROOGE, CRATCHIT), settings(gleanings=2))
    await dumped(graph, documents(SCROOGE, CRATCHIT), settings(gleanings=0))
    endpoint.reset()
    await index(documents(SCROOGE, CRATCHIT), settings(gleanings=2))
    assert endpoint.log == []
    await index(documents(SCROOGE, CRATCHIT), settings(gleanings=2), again=["extraction"])
    assert await dump(graph) == expected


async def test_the_cost_limit_stops_the_run_and_the_next_goes_on(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    expected = await dumped(graph, TALES, settings())
    whole = len(endpoint.log)
    await wipe(graph)
    endpoint.reset()
    built = await index(TALES, settings(max_cost=0.012, concurrency=2))
    assert built.stopped
    assert 1 < len(endpoint.log) < whole
    assert 0.002 < sum(usage.cost for usage in built.usage.values()) <= 0.012
    assert (await index(TALES, settings())).complete
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


async def test_reports_in_another_language_are_written_again_on_demand(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    await dumped(graph, TALES[:2], settings())
    french = settings(language="French")
    runs: Sequence[tuple[Settings, Collection[Again], bool, bool]] = (
        (french, (), False, False),
        (french, ["communities"], False, True),
        (french, (), True, False),
        (settings(), (), True, True),
    )
    for settings_, again, fresh, written in runs:
        endpoint.reset()
        assert (await index(TALES[:2], settings_, again=again, fresh=fresh)).complete
        assert (endpoint.log != []) is written


async def communities(graph: Graph) -> set[tuple[str, int]]:
    """The id and the ref of each community."""
    rows = await graph.run_plain("MATCH (c:Community) RETURN c.id AS id, c.ref AS ref")
    return {(row["id"], row["ref"]) for row in rows}


@pytest.mark.one_release
async def test_after_additions_edits_and_deletions_the_graph_is_that_of_a_fresh_build(
    graph: Graph, settings: Make
) -> None:
    """Most communities live on through a change, with their ids and refs."""
    one, two, three, four, *_ = transcripts()
    expected = await dumped(graph, [edited(one), three, four], settings())
    await dumped(graph, [one, two], settings())
    for change in ([three], [four], [edited(one)]):
        before = await communities(graph)
        assert (await index(change, settings())).complete
        after = await communities(graph)
        assert len(before & after) > 0.9 * len(before)
    assert await remove(graph, [two.source])
    assert (await index([], settings())).complete
    assert exact(await dump(graph)) == exact(expected)
    before = await communities(graph)
    assert (await index([], settings(), fresh=True)).complete
    after = await communities(graph)
    assert len(before & after) > 0.5 * len(before)
    assert await dump(graph) == expected
