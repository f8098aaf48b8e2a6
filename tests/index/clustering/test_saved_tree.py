"""A tree is saved in one transaction, or in several if it is large; killed in between, it heals."""

import pytest

from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.clustering import saved_tree
from graphrag_neo4j.index.clustering.tree import Leiden
from graphrag_neo4j.index.stages.communities import find_communities
from graphrag_neo4j.model.events import silent
from tests.index.stages.test_communities import carol, fill


class KilledError(Exception):
    """Stands for a kill: nothing of the transaction is saved."""


async def whole(graph: Graph) -> Dump:
    """The dump of a graph whose tree was saved in one transaction; the graph is empty again."""
    await fill(graph, *carol())
    await find_communities(graph, Leiden(), silent)
    expected = await dump(graph)
    await graph.run_plain("MATCH (n) DETACH DELETE n")
    return expected


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_tree, "PAGE", 50)
    monkeypatch.setattr(saved_tree, "TOGETHER", 50)


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("pages", [1, 4, 9, 17])
async def test_a_large_tree_that_was_saved_in_part_is_saved_whole_by_the_next_run(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    with monkeypatch.context() as before:
        before.setattr(saved_tree, "TOGETHER", 1_000_000)
        expected = await whole(graph)
    await fill(graph, *carol())
    written = saved_tree._write
    saved = 0

    async def dying(page: saved_tree.Page, tx: Transaction) -> None:
        nonlocal saved
        if saved == pages:
            raise KilledError
        await written(page, tx)
        saved += 1

    with monkeypatch.context() as killed:
        killed.setattr(saved_tree, "_write", dying)
        with pytest.raises(KilledError):
            await find_communities(graph, Leiden(), silent)
    rows = await graph.run_plain("MATCH (s:State {id: 'graph'}) RETURN s.communities_with AS made")
    assert rows[0]["made"] == saved_tree.UNFINISHED
    await find_communities(graph, Leiden(), silent)
    assert await dump(graph) == expected


async def test_a_small_tree_is_saved_in_one_transaction(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(graph, *carol())
    written = saved_tree._write

    async def dying(page: saved_tree.Page, tx: Transaction) -> None:
        await written(page, tx)
        if page[0] == "communities/join":
            raise KilledError

    with monkeypatch.context() as killed:
        killed.setattr(saved_tree, "_write", dying)
        with pytest.raises(KilledError):
            await find_communities(graph, Leiden(), silent)
    assert await graph.run_plain("MATCH (c:Community) RETURN c") == []
