"""KG_GDS: the same communities wherever they are computed, and a sentence where they can't be."""

from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import create_autospec

import pytest
from graphdatascience import GraphDataScience
from graphdatascience.session import AuraApiError, AuraGraphDataScience, GdsSessions
from graphdatascience.session.session_sizes import SessionMemory

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.graph import Graph, connect, dump
from graphrag_neo4j.index.clustering import gds_client
from graphrag_neo4j.index.clustering.tree import Leiden
from graphrag_neo4j.index.stages.communities import find_communities
from graphrag_neo4j.model.events import Event, Notice, silent
from graphrag_neo4j.settings import Settings
from tests.index.stages.test_communities import CAROL_TREE, carol, fill
from tests.support.server_without_gds import server_without_gds
from tests.support.servers import TestServer, release_under_test
from tests.support.wiping import wipe

Make = Callable[..., Settings]

AURA = {
    "gds": "session",
    "aura_client_id": "id",
    "aura_client_secret": "not-a-secret",
    "aura_location": "gcp/europe-west1",
}


async def tree_hash(graph: Graph, settings: Settings, heard: list[Event]) -> str:
    """All ids of the tree of A Christmas Carol, hashed as in CAROL_TREE."""
    from graphrag_neo4j.text import identify  # noqa: PLC0415

    await fill(graph, *carol())
    await find_communities(graph, Leiden(), heard.append, settings=settings)
    rows = await graph.run_plain("MATCH (c:Community) RETURN c.id AS id")
    return identify("tree", *sorted(row["id"] for row in rows))


@pytest.fixture(scope="module")
def no_gds(server: TestServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server without GDS."""
    if server.kind == "container":
        pytest.skip("Neo4j without GDS is started from the embedded server's jars")
    with server_without_gds(release_under_test(), tmp_path_factory.mktemp("no_gds")) as uri:
        yield uri


@pytest.mark.slow
async def test_without_gds_all_works_and_the_graph_is_the_same(
    graph: Graph, alone: Settings, no_gds: str, tmp_path: Path
) -> None:
    """The embedded server computes the communities, in a home of its own, and is stopped then."""
    documents = [
        Document(f"Ada Lovelace met Charles Babbage in {place}. {place} was cold.", f"{place}.txt")
        for place in ("London", "Turin", "Paris", "Geneva")
    ]
    elsewhere = alone.model_copy(
        update={
            "neo4j_uri": no_gds,
            "home": tmp_path / "home",
            "neo4j_release": release_under_test(),
        }
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
    assert not embedded.running(elsewhere.model_copy(update={"home": tmp_path / "home-gds"}))


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
        assert await tree_hash(graph, given, []) == CAROL_TREE
        await wipe(graph)
        await fill(graph, {"a", "b"}, [("a", "b", 1.0)])
        wrong = given.changed(gds_password=None)  # then it is that of the database
        with pytest.raises(GraphError, match="set KG_GDS_USERNAME and KG_GDS_PASSWORD"):
            await find_communities(graph, Leiden(), silent, settings=wrong)
        lacking = given.changed(gds=no_gds)
        with pytest.raises(GraphError, match=r"KG_GDS.*graph-data-science"):
            await find_communities(graph, Leiden(), silent, settings=lacking)
        off = given.changed(gds="auto", embedded=False)
        with pytest.raises(GraphError, match="KG_GDS=embedded"):
            await find_communities(graph, Leiden(), silent, settings=off)


async def test_a_place_that_can_not_be_used_is_told_before_anything_is_read(
    graph: Graph, settings: Make
) -> None:
    tale = Document("Ann met Bob in London.", "a tale")
    async with AsyncGraphRAG(settings(gds="session")) as rag:
        with pytest.raises(InputError, match="KG_GDS=session needs KG_AURA_CLIENT_ID"):
            await rag.index([tale])
    assert await graph.run_plain("MATCH (d:Document) RETURN d") == []
    told: list[Event] = []
    async with AsyncGraphRAG(settings(gds="bolt://127.0.0.1:9"), told.append) as rag:
        with pytest.raises(GraphError, match="does not answer"):
            await rag.index([tale])
    texts = [event.text for event in told if isinstance(event, Notice) and event.warning]
    assert texts[0].startswith("Neo4j at bolt://127.0.0.1:9 does not answer")
    assert texts[0].endswith("The run goes on, but it may need this server to compute communities.")


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of the client of the GDS here
async def test_a_session_computes_the_same_tree_and_is_deleted(
    graph: Graph, settings: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Aura is not there: its client's own classes check each call, and the GDS here computes."""
    with graph.lend_driver() as driver:
        here = GraphDataScience(driver, database=graph.database, arrow=False)
        session = create_autospec(AuraGraphDataScience, instance=True)
        session.graph, session.leiden = here.graph, here.leiden
        sessions = create_autospec(GdsSessions, instance=True)
        sessions.estimate.return_value = SessionMemory.m_2GB
        sessions.get_or_create.return_value = session
        made = create_autospec(GdsSessions, return_value=sessions)
        monkeypatch.setattr(gds_client, "GdsSessions", made)
        assert await tree_hash(graph, settings(**AURA), []) == CAROL_TREE
        left = here.run_cypher("CALL gds.graph.list() YIELD graphName RETURN graphName")
    assert left.empty
    credentials = made.call_args.kwargs["api_credentials"]
    assert (credentials.client_id, credentials.client_secret) == ("id", "not-a-secret")
    assert sessions.estimate.call_args.kwargs["algorithms"] == ["leiden"]
    asked = sessions.get_or_create.call_args.kwargs
    assert (asked["memory"], asked["cloud_location"].region) == (
        SessionMemory.m_2GB,
        "europe-west1",
    )
    sessions.get_or_create.assert_called_once()
    session.delete.assert_called_once_with()


async def test_a_session_that_aura_refuses_or_that_lacks_a_setting_is_one_sentence(
    graph: Graph, settings: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(graph, {"a", "b"}, [("a", "b", 1.0)])
    with pytest.raises(InputError, match="KG_GDS=session needs KG_AURA_CLIENT_ID"):
        await find_communities(graph, Leiden(), silent, settings=settings(gds="session"))
    refused = create_autospec(GdsSessions, side_effect=AuraApiError("401 Unauthorized", 401))
    monkeypatch.setattr(gds_client, "GdsSessions", refused)
    with pytest.raises(GraphError, match=r"Aura Graph Analytics failed: 401.*KG_AURA_CLIENT_ID"):
        await find_communities(graph, Leiden(), silent, settings=settings(**AURA))
