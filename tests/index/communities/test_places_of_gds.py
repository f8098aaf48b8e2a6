"""KG_GDS: the same communities wherever they are computed, and a sentence where they can't be."""

from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.cli.doctor import check_neo4j
from graphrag_neo4j.errors import EmbeddedError, GraphError, InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.driver import connect
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.index.communities.stage import find_communities
from graphrag_neo4j.index.communities.tree import Leiden
from graphrag_neo4j.model.events import Event, Notice, silent
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.text.strings import identify
from tests.conftest import Make
from tests.index.communities.test_communities import CAROL_TREE, carol, fill
from tests.support.servers import TestServer, release_under_test
from tests.support.wiping import wipe


@pytest.mark.slow
async def test_without_gds_all_works_and_the_graph_is_the_same(
    graph: Graph, alone: Settings, no_gds: str, tmp_path: Path
) -> None:
    """The embedded server computes the communities, in a home of its own, and is stopped then."""
    documents = [
        Document(f"Ada Lovelace met Charles Babbage in {place}. {place} was cold.", f"{place}.txt")
        for place in ("London", "Turin", "Paris", "Geneva")
    ]
    elsewhere = alone.changed(
        neo4j_uri=no_gds, home=tmp_path / "home", neo4j_release=release_under_test()
    )
    heard: list[Event] = []
    async with AsyncGraphRAG(elsewhere, heard.append) as rag:
        await wipe(rag.graph)
        result = await rag.index(documents)
        assert result.complete
        answer = await rag.query("Who met Charles Babbage?", method="local")
        assert "Ada" in answer.text
        found = await dump(rag.graph)
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(documents)
        assert await dump(graph) == found
    assert any("Community" in line for line in found)
    said = [event.text for event in heard if isinstance(event, Notice)]
    assert any("computed by the embedded server" in text for text in said)
    assert (tmp_path / "home-gds" / "graphrag-neo4j.json").exists()
    assert not (tmp_path / "home").exists()
    assert not embedded.running(elsewhere.changed(home=tmp_path / "home-gds"))


@pytest.mark.slow
async def test_a_server_at_an_address_computes_the_same_tree(
    no_gds: str, settings: Make, server: TestServer
) -> None:
    given = settings(
        neo4j_uri=no_gds,
        neo4j_password="of the database",
        gds=server.uri,
        gds_username=server.username,
        gds_password=server.password,
    )
    async with connect(no_gds, "neo4j", "any") as graph:
        await wipe(graph)
        await fill(graph, *carol())
        await find_communities(graph, Leiden(), silent, settings=given)
        rows = await graph.run_plain("MATCH (c:Community) RETURN c.id AS id ORDER BY id")
        assert identify("tree", *(row["id"] for row in rows)) == CAROL_TREE
        await wipe(graph)
        await fill(graph, {"a", "b"}, [("a", "b", 1.0)])
        for said, changed in (
            # Without a password of its own, it is that of the database.
            ("set KG_GDS_USERNAME and KG_GDS_PASSWORD", given.changed(gds_password=None)),
            (r"KG_GDS.*graph-data-science", given.changed(gds=no_gds)),
            ("KG_GDS=embedded", given.changed(gds="auto", embedded=False)),
        ):
            with pytest.raises(GraphError, match=said):
                await find_communities(graph, Leiden(), silent, settings=changed)


async def test_a_place_that_is_no_address_or_does_not_answer_or_can_not_start_is_named(
    graph: Graph, settings: Make, tmp_path: Path
) -> None:
    await fill(graph, {"a", "b"}, [("a", "b", 1.0)])
    (tmp_path / "home-gds").mkdir()
    (tmp_path / "home-gds" / "letter.txt").write_text("hello")
    given = settings(home=tmp_path / "home")
    for place, error, said in (
        ("bolt://127.0.0.1:9", GraphError, r"127\.0\.0\.1:9 does not answer.*set KG_GDS "),
        ("http://localhost:7474", InputError, "KG_GDS=http://localhost"),
        ("embedded", EmbeddedError, r"can't compute the communities: .*holds other files"),
    ):
        with pytest.raises(error, match=said):
            await find_communities(graph, Leiden(), silent, settings=given.changed(gds=place))
    with pytest.raises(InputError, match="KG_GDS must be auto, embedded or an address"):
        load_settings(gds="embeded")


@pytest.mark.usefixtures("graph")
async def test_a_place_that_can_not_be_used_is_told_before_anything_is_read(settings: Make) -> None:
    tale = Document("Ann met Bob in London.", "a tale")
    told: list[Event] = []
    async with AsyncGraphRAG(settings(gds="bolt://127.0.0.1:9"), told.append) as rag:
        with pytest.raises(GraphError, match="does not answer"):
            await rag.index([tale])
    texts = [event.text for event in told if isinstance(event, Notice) and event.warning]
    assert texts[0].startswith("Neo4j at bolt://127.0.0.1:9 does not answer")
    assert texts[0].endswith("The run goes on, but it may need this server to compute communities.")


async def test_the_doctor_says_where_communities_are_computed(
    server: TestServer, settings: Make
) -> None:
    place = {"gds_username": server.username, "gds_password": server.password}
    for given, said, ok in (
        ({}, "Graph Data Science 2", True),
        ({"gds": server.uri, **place}, f"the Neo4j at that address (KG_GDS={server.uri}).", True),
        ({"gds": "bolt://127.0.0.1:9"}, "does not answer", False),
    ):
        checks = await check_neo4j(settings(**given), silent)
        [found] = [check for check in checks if check.name == "Communities"]
        assert said in found.says
        assert found.ok is ok


@pytest.mark.slow
async def test_without_gds_the_doctor_tries_the_embedded_server_or_says_what_is_missing(
    no_gds: str, tmp_path: Path
) -> None:
    given = load_settings(neo4j_uri=no_gds, neo4j_password="any", home=tmp_path / "home")
    given = given.changed(neo4j_release=release_under_test())
    found = {check.name: check for check in await check_neo4j(given, silent)}
    assert found["Communities"].ok, found["Communities"].says
    assert "embedded server" in found["Communities"].says
    async with connect(no_gds, "neo4j", "any") as graph:  # what other tests left is wrong, too
        await wipe(graph)
    checks = await check_neo4j(given.changed(embedded=False), silent)
    [wrong] = [check for check in checks if check.ok is False]
    assert wrong.name == "Communities"
    assert "graph-data-science" in wrong.fix
