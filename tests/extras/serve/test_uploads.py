"""What people upload and delete through `kg-build serve`: what was answered is kept."""

import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.extras.serve.test_serve import ask, state_of_run
from tests.index.test_removal import documents_of
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.servers import environment_of
from tests.support.serving import Served, served

pytestmark = [pytest.mark.slow, pytest.mark.one_release]

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
BUSY = {"command": "kg-build index", "host": "elsewhere", "process": 1, "born": 0.0}


@pytest.fixture
def given(settings: Make, tmp_path: Path) -> Settings:
    return settings(home=tmp_path / "home", claims=False, gleanings=0)


@pytest.fixture
def environment(given: Settings) -> dict[str, str]:
    ours = {"KG_HOME": str(given.home), "KG_CLAIMS": "false", "KG_GLEANINGS": "0"}
    return {**environment_of(given), **ours}


def upload(writing: Served, name: str, text: str = TALE) -> None:
    path = f"/api/documents/{quote(name)}"
    assert ask(writing, path, text.encode(), "PUT", **writing.headers)[0] == 202


def delete(writing: Served, source: str) -> tuple[int, Any]:
    path = f"/api/documents?source={quote(source, safe='')}"
    return ask(writing, path, None, "DELETE", **writing.headers)[:2]


def until_read(writing: Served) -> list[str]:
    """What went wrong, when all is read."""
    problems: list[str] = state_of_run(writing, lambda state: not state["running"])["problems"]
    return problems


def listed(writing: Served) -> list[str]:
    return [one["title"] for one in ask(writing, "/api/documents", **writing.headers)[1]]


async def builds(graph: Graph) -> int:
    rows = await graph.run_plain("MATCH (b:Build) RETURN count(b) AS n")
    return CountRow(n=rows[0]["n"])["n"]


async def test_what_was_answered_survives_a_server_that_is_killed(
    graph: Graph, given: Settings, environment: dict[str, str], tmp_path: Path
) -> None:
    async with AsyncGraphRAG(given) as rag:
        await rag.index(
            [Document(TALE, "elsewhere:1", "One"), Document(TALE, "elsewhere:2", "Two")]
        )
    with served(tmp_path, environment, "--write") as writing:
        upload(writing, "ada.txt")
        assert until_read(writing) == []
    ada = (Uploads(given).folder / "ada.txt").as_uri()
    await graph.write("build/start", build="another", properties=BUSY)
    with served(tmp_path, environment, "--write", killed=True) as writing:
        assert delete(writing, ada)[0] == 202
        assert delete(writing, "elsewhere:1")[0] == 202
        upload(writing, "eve.txt")
        state_of_run(writing, lambda state: "Another run writes" in state["waiting"])
    assert await documents_of(graph) == ["elsewhere:1", "elsewhere:2", "ada.txt"]
    await graph.write("build/finish", build="another", usage={}, outcome="done")
    with served(tmp_path, environment, "--write") as writing:
        state_of_run(writing, lambda state: state["running"])
        assert until_read(writing) == []
        assert sorted(listed(writing)) == ["Two", "eve.txt"]
    assert Uploads(given).marks() == {}


async def test_an_index_carries_out_what_a_server_has_left(
    graph: Graph, given: Settings, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    async with AsyncGraphRAG(given) as rag:
        await rag.index([Document(TALE, "elsewhere:1")])
        Uploads(given).mark("elsewhere:1")
        built = await rag.index(tmp_path / "docs")
        assert built.dropped == ["elsewhere:1"]
        await rag.index([Document(TALE, "elsewhere:1")])  # it may come back
    assert await documents_of(graph) == ["elsewhere:1"]


async def test_files_that_are_chosen_at_once_are_one_build_and_a_question_tells_how_far_it_is(
    graph: Graph, environment: dict[str, str], endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    asked = {"question": "Whom did Scrooge meet?", "stream": False}
    with served(tmp_path, environment, "--write") as writing:
        said = ask(writing, "/api/ask", asked, **writing.headers)[1]["error"]["message"]
        assert said == "There are no documents yet: add some first."
        endpoint.change(latency=1.0)
        for n in range(40):
            upload(writing, f"{n}.txt", f"{TALE} {n}")
        state_of_run(writing, lambda state: state["stage"])
        said = ask(writing, "/api/ask", asked, **writing.headers)[1]["error"]["message"]
        assert said.startswith("The documents are still being read (")
        endpoint.change(latency=0.0)
        assert until_read(writing) == []
        assert len(listed(writing)) == 40
    assert await builds(graph) == 1


@pytest.mark.usefixtures("graph")
def test_a_run_that_is_stopped_goes_on_with_the_next_upload(
    environment: dict[str, str], endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    with served(tmp_path, environment, "--write") as writing:
        endpoint.change(latency=2.0)
        upload(writing, "one.txt")
        state_of_run(writing, lambda state: state["stage"] == "extraction")
        assert ask(writing, "/api/run", None, "DELETE", **writing.headers)[0] == 202
        [stopped] = until_read(writing)
        assert stopped.startswith("The run was stopped.")
        endpoint.change(latency=0.0)
        upload(writing, "two.txt", f"{TALE} 2")
        assert until_read(writing) == []
        states = [one["state"] for one in ask(writing, "/api/documents", **writing.headers)[1]]
    assert states == ["read", "read"]


@pytest.mark.usefixtures("graph")
def test_people_join_names_and_tell_them_apart(environment: dict[str, str], tmp_path: Path) -> None:
    def say(verdict: str, other: str = "Jacob Marley") -> tuple[int, Any]:
        said = {"one": "Ebenezer Scrooge", "other": other, "verdict": verdict}
        return ask(writing, "/api/names", said, "PUT", **writing.headers)[:2]

    with served(tmp_path, environment, "--write") as writing:
        upload(writing, "one.txt")
        assert until_read(writing) == []
        for verdict, together in (("same", True), ("different", False)):
            status, entity = say(verdict)
            assert (status, entity["name"]) == (200, "Ebenezer Scrooge")
            path = f"/api/names?name={quote('Jacob Marley')}&name=x"
            [decided] = ask(writing, path, **writing.headers)[1]
            assert (decided["verdict"], decided["together"]) == (verdict, together)
        status, refused = say("same", "Tiny Tim")
        assert status == 400
        assert "'Tiny Tim'" in refused["error"]["message"]
    with served(tmp_path, environment) as reading:
        body = {"one": "a", "other": "b", "verdict": "same"}
        assert ask(reading, "/api/names", body, "PUT", **reading.headers)[0] == 403


async def test_an_upload_that_is_replaced_while_it_is_read_is_read_again(
    graph: Graph,
    given: Settings,
    environment: dict[str, str],
    endpoint: FakeEndpoint,
    tmp_path: Path,
) -> None:
    with served(tmp_path, environment, "--write") as writing:
        endpoint.change(latency=2.0)
        upload(writing, "ada.txt")
        state_of_run(writing, lambda state: state["stage"] == "extraction")
        upload(writing, "ada.txt", "Ada met Charles in Paris.")
        upload(writing, "bob.txt")
        assert delete(writing, (Uploads(given).folder / "bob.txt").as_uri())[0] == 202
        endpoint.change(latency=0.0)
        assert until_read(writing) == []
    rows = await graph.run_plain("MATCH (c:Chunk) RETURN c.text AS text")
    assert "Ada met Charles in Paris." in [row["text"] for row in rows]
    assert await documents_of(graph) == ["ada.txt"]


async def test_a_deletion_beats_a_file(
    graph: Graph, given: Settings, environment: dict[str, str], tmp_path: Path
) -> None:
    uploads, followed = Uploads(given), tmp_path / "followed"
    followed.mkdir()
    (followed / "tim.txt").write_text("Tiny Tim met Fred.")
    with served(tmp_path, environment, "--write") as writing:
        upload(writing, "ada.txt")
        upload(writing, "a b#1.csv", "text,title\nAda met Charles in London.,One\nEve met Bob.,Two")
        assert until_read(writing) == []
    csv = next(uploads.folder.glob("*.csv"))
    async with AsyncGraphRAG(given) as rag:
        with pytest.raises(InputError, match="delete the whole file"):
            await rag.delete(f"{csv.as_uri()}#1")
        await rag.delete(csv.as_uri())
    ada = str(uploads.folder / "ada.txt")
    command = [sys.executable, "-m", "graphrag_neo4j.cli", "delete", ada]
    await anyio.run_process(command, env=environment, cwd=tmp_path)
    with served(tmp_path, environment, str(followed), "--write") as writing:
        state_of_run(writing, lambda state: state["running"])
        assert until_read(writing) == []
        assert listed(writing) == ["tim.txt"]
        status, reply = delete(writing, (followed / "tim.txt").resolve().as_uri())
        assert (status, "delete the file itself" in reply["error"]["message"]) == (400, True)
    assert [path.name for path in uploads.folder.iterdir()] == []
    assert await documents_of(graph) == ["tim.txt"]


@pytest.mark.usefixtures("graph")
def test_odd_sources_are_not_found_and_an_empty_folder_deletes_nothing(
    environment: dict[str, str], given: Settings, tmp_path: Path
) -> None:
    with served(tmp_path, environment, "--write") as writing:
        upload(writing, "ada.txt")
        assert until_read(writing) == []
        folder = Uploads(given).folder
        for odd in ("..", ".", "", ".deleted", "a\0.txt", "x" * 300, "../home", "%2e%2e"):
            assert delete(writing, f"file://{folder}/{odd}")[0] == 404, odd
            assert delete(writing, f"{folder}/{odd}")[0] == 404, odd
        (folder / "ada.txt").unlink()
    left = folder / ".big.txt.abcdefgh.unfinished"  # of a server that was killed
    left.touch()
    with served(tmp_path, environment, "--write") as writing:
        assert listed(writing) == ["ada.txt"]
        assert not left.exists()
        assert delete(writing, (folder / "ada.txt").as_uri())[0] == 202
        assert until_read(writing) == []
        assert listed(writing) == []
