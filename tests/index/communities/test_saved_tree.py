"""A tree is saved in one transaction, or in several if it is large; killed in between, it heals."""

import pytest

from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.index.communities import saved as saved_tree
from graphrag_neo4j.index.communities.stage import find_communities
from graphrag_neo4j.index.communities.tree import Leiden
from graphrag_neo4j.model.events import silent
from tests.index.communities.test_communities import carol, fill
from tests.support.wiping import emptied


class KilledError(Exception):
    """Stands for a kill: nothing of the transaction is saved."""


async def killed_in_page(graph: Graph, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Communities are looked for, and the run dies at the end of a page."""
    whole, written = saved_tree._write, 0

    async def dying(page_: saved_tree.Page, tx: Transaction) -> None:
        nonlocal written
        await whole(page_, tx)
        written += 1
        if written == page:
            raise KilledError

    with monkeypatch.context() as killed:
        killed.setattr(saved_tree, "_write", dying)
        with pytest.raises(KilledError):
            await find_communities(graph, Leiden(), silent)


async def test_a_large_tree_that_was_saved_in_part_is_saved_whole_by_the_next_run(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(graph, *carol())
    await find_communities(graph, Leiden(), silent)
    expected = await emptied(graph)
    monkeypatch.setattr(saved_tree, "ROW_PAGE", 50)
    monkeypatch.setattr(saved_tree, "TOGETHER", 50)
    for page in (2, 10, 18):
        await fill(graph, *carol())
        await killed_in_page(graph, page, monkeypatch)
        made = "MATCH (s:State {id: 'graph'}) RETURN s.communities_with AS made"
        assert await graph.run_plain(made) == [{"made": saved_tree.UNFINISHED}]
        await find_communities(graph, Leiden(), silent)
        assert await emptied(graph) == expected


async def test_a_small_tree_is_saved_in_one_transaction(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(graph, *carol())
    await killed_in_page(graph, 3, monkeypatch)  # when entities have joined
    assert await graph.run_plain("MATCH (c:Community) RETURN c") == []
