"""Whatever the history of a graph: it is that of one fresh build of the documents it holds."""

from importlib.resources import files
from pathlib import Path

import pytest

from graphrag_neo4j.graph import Graph, dump
from graphrag_neo4j.graph.dump import Dump
from graphrag_neo4j.index.removal import remove
from graphrag_neo4j.model import Document
from tests.conftest import Make
from tests.index.test_pipeline import dumped, index

pytestmark = pytest.mark.one_release

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
