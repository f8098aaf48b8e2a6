"""The MCP server as assistants use it: `kg-build mcp` in its own process, the official client."""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import METHOD_NOT_FOUND, CallToolResult, TextContent
from pydantic_core import to_json
from starlette.testclient import TestClient

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.cli import main
from graphrag_neo4j.extras.serve.app import _tools
from graphrag_neo4j.extras.serve.mcp import (
    MEMBERS,
    QUOTED_TO_TOOLS,
    ToolAnswer,
    ToolCitation,
    ToolPassage,
    fitted,
)
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.settings.installing import install_command
from tests.support.carol import Indexed, indexed_carol
from tests.support.servers import TestServer
from tests.support.serving import served

pytestmark = [pytest.mark.slow, pytest.mark.one_release]

QUESTION = "What does Scrooge think of Marley?"
COMMAND = [sys.executable, "-m", "graphrag_neo4j.cli", "mcp"]
TOOLS = {
    "global_search",
    "local_search",
    "find_entities",
    "suggest_questions",
    "read_report",
    "read_source",
}

NO_MODEL = {"OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""}

Over = Callable[[Path, dict[str, str]], AbstractAsyncContextManager[Client]]


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server) as indexed:
        yield indexed


@asynccontextmanager
async def over_stdio(
    folder: Path, environment: dict[str, str], mode: Literal["auto", "legacy"] = "auto"
) -> AsyncIterator[Client]:
    told = folder / "stderr"
    server = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=environment, cwd=folder
    )
    with told.open("w") as errors:
        async with Client(stdio_client(server, errors), mode=mode) as client:
            yield client
    assert "Traceback" not in told.read_text()


@asynccontextmanager
async def over_http(folder: Path, environment: dict[str, str]) -> AsyncIterator[Client]:
    """As `kg-build serve` serves it."""
    with served(folder, environment) as running:
        # A tool may take more than the usual 5 seconds on a slow machine.
        async with httpx2.AsyncClient(headers=running.headers, timeout=60) as http:
            transport = streamable_http_client(f"{running.url}/mcp", http_client=http)
            async with Client(transport) as client:
                yield client


@pytest.fixture(scope="module", params=[over_stdio, over_http])
async def client(
    request: pytest.FixtureRequest, carol: Indexed, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Client]:
    """The official client, connected over stdio and over HTTP."""
    over: Over = request.param
    async with over(tmp_path_factory.mktemp("mcp"), carol.environment) as connected:
        yield connected


async def call(client: Client, tool: str, **arguments: object) -> Any:  # noqa: ANN401 - any JSON
    """What a tool replies, the same as text and as structured content."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert json.loads(text_of(result)) == result.structured_content
    return result.structured_content


def text_of(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def test_what_questions_cost_counts_for_the_limit_of_a_day(
    carol: Indexed, tmp_path: Path
) -> None:
    """A question may cost $0.3 at most, and costs some cents."""
    prices = {"KG_INPUT_PRICE": "10", "KG_OUTPUT_PRICE": "10"}
    environment = {**carol.environment, **prices, "KG_MAX_COST_A_DAY": "0.4"}
    async with over_http(tmp_path, environment) as client:
        answered = 0
        while not (await client.call_tool("local_search", {"question": QUESTION})).is_error:
            answered += 1
        assert 1 <= answered < 40


async def test_questions_count_for_the_cost_of_a_day(carol: Indexed, tmp_path: Path) -> None:
    environment = {**carol.environment, "KG_MAX_COST_A_DAY": "0"}
    async with over_http(tmp_path, environment) as client:
        for tool in ("local_search", "global_search", "suggest_questions"):
            asked = {} if tool == "suggest_questions" else {"question": QUESTION}
            refused = await client.call_tool(tool, asked)
            assert refused.is_error
            assert "The limit of $0 a day" in text_of(refused)
        assert await call(client, "find_entities", name="Scrooge")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_only_what_is_there_is_offered(
    carol: Indexed, tmp_path: Path, mode: Literal["auto", "legacy"]
) -> None:
    """In both generations of the protocol: with a handshake, and without one."""
    async with over_stdio(tmp_path, carol.environment, mode=mode) as client:
        assert client.server_capabilities.tools
        assert not client.server_capabilities.prompts
        assert not client.server_capabilities.resources
        for asked in (
            client.list_prompts(),
            client.get_prompt("elephant"),
            client.list_resources(),
            client.read_resource("graph://elephant"),
        ):
            with pytest.raises(MCPError, match="This server has only tools") as refused:
                await asked
            assert refused.value.code == METHOD_NOT_FOUND
        unknown = await client.call_tool("elephant", {})
        assert unknown.is_error
        assert text_of(unknown) == "Unknown tool: elephant"


async def test_a_client_hears_that_a_search_goes_on(client: Client, carol: Indexed) -> None:
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        heard.append((progress, message))

    carol.endpoint.change(latency=1.5)
    try:
        asked = {"question": "What does Scrooge think of Fred?"}
        result = await client.call_tool("global_search", asked, progress_callback=hear)
    finally:
        carol.endpoint.change(latency=0)
    assert not result.is_error
    assert heard[0][1] == "global_search runs for 2 seconds."
    assert [progress for progress, _ in heard] == list(range(1, len(heard) + 1))


async def test_a_long_result_is_cut_and_says_how_to_get_more(client: Client) -> None:
    for tool, asked in (
        ("find_entities", {"name": "scrooge marley the", "limit": 100}),
        ("local_search", {"question": QUESTION}),
    ):
        whole = await call(client, tool, **asked, max_length=1_000_000)
        short = await client.call_tool(tool, {**asked, "max_length": 2_500})
        assert len(text_of(short)) <= 2_500 < len(json.dumps(whole))
        note = (short.structured_content or {})["note"]
        enough = re.search(r"max_length=(\d+) gives all of it", note)
        assert enough
        assert await call(client, tool, **asked, max_length=int(enough[1])) == whole


def test_a_text_is_cut_at_its_end_if_no_list_is_left() -> None:
    passage = ToolPassage("a.txt", 1, "a", "A", 0, 9_000, 'He said "no". ' * 1_000)
    cut = fitted(passage, 5_000)
    assert 4_900 < len(to_json(cut, indent=2).decode()) <= 5_000
    assert cut.text.endswith('"no".…')
    assert fitted(passage, 20_000) is passage
    cited = [ToolCitation("Sources (1)", "A" * 1_000, True, [])] * 9
    answer = ToolAnswer("a" * 4_000, False, "It is late.", cited)
    few = fitted(answer, 7_000)
    assert (few.text, few.sources) == (answer.text, cited[:2])
    assert re.fullmatch(
        r"It is late. This result is cut: max_length=\d+ gives all of it.", few.note
    )


async def test_six_tools_are_listed_and_none_writes(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert client.instructions
    assert "global_search" in client.instructions
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.annotations
        assert tool.annotations.read_only_hint
        assert tool.description
        assert "\n " not in tool.description
        assert "\n " not in json.dumps(tool.output_schema)
        assert tool.output_schema
        assert all(one["description"] for one in tool.input_schema["properties"].values())


@pytest.mark.parametrize("tool", ["global_search", "local_search"])
async def test_an_answer_comes_with_its_sources(client: Client, carol: Indexed, tool: str) -> None:
    reply = await call(client, tool, question=QUESTION)
    assert "[Data:" in reply["text"]
    assert not reply["context_only"]
    assert reply["sources"]
    places = [place for source in reply["sources"] for place in source["places"]]
    assert places
    for place in places:
        assert (place["document"], place["title"]) == ("carol", "Carol")
        said = " ".join(carol.text[place["start"] : place["end"]].split())
        assert len(place["quote"]) <= QUOTED_TO_TOOLS  # none where no sentence says it
        assert said.startswith(place["quote"])


async def test_without_a_model_the_material_is_given(carol: Indexed, tmp_path: Path) -> None:
    carol.endpoint.reset()
    async with over_stdio(tmp_path, {**carol.environment, **NO_MODEL}) as client:
        near = await call(client, "local_search", question="Who was Marley?")
        whole = await call(client, "global_search", question=QUESTION)
        coarsest = await call(client, "global_search", question=QUESTION, level=0)
    assert "full-text search instead of vector search" in (tmp_path / "stderr").read_text()
    for reply in (near, whole, coarsest):
        assert reply["context_only"]
        assert reply["note"].startswith("No model is set")
        assert reply["sources"] == []
    assert "# Entities\n" in near["text"]
    assert "Marley" in near["text"]
    assert "# Reports\n" in whole["text"]
    assert "# Reports\n" in coarsest["text"]
    assert carol.endpoint.log == []


async def test_entities_are_found_by_name(client: Client) -> None:
    found = (await call(client, "find_entities", name="scrooge"))["entities"]
    one = (await call(client, "find_entities", name="scrooge", limit=1))["entities"]
    none = (await call(client, "find_entities", name="?!*"))["entities"]
    assert all("scrooge" in entity["name"].casefold() for entity in found)
    assert {"ref", "name", "type", "description", "degree"} == found[0].keys()
    assert one == found[:1]
    assert none == []


async def test_what_an_answer_cites_can_be_read(client: Client, carol: Indexed) -> None:
    async with AsyncGraphRAG(carol.settings) as rag:
        community = (await rag.communities(level=0))[0]
        report = await rag.report(community.ref)
    [row] = await carol.graph.run_plain(
        "MATCH (c:Chunk) RETURN c.ref AS ref, c.text AS text LIMIT 1"
    )
    read = await call(client, "read_report", ref=community.ref)
    source = await call(client, "read_source", ref=row["ref"])
    assert (read["text"], read["title"]) == (report.text, report.title)
    assert read["size"] == community.size
    assert read["entities"] == list(report.entities[:MEMBERS])
    assert source["text"] == row["text"] == carol.text[source["start"] : source["end"]]
    assert source["document"] == "carol"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_report", {"ref": 999_999}, "Community 999999 is no longer in the graph"),
        ("read_source", {"ref": 999_999}, "Source 999999 is no longer in the graph"),
        ("read_source", {"ref": -1}, "read_source can't use its arguments: ref must be 0 or more"),
        ("read_report", {"ref": None}, "ref"),
        ("find_entities", {"name": "x", "limit": "many"}, "limit"),
        ("local_search", {"question": ""}, "at least 1 character"),
        ("local_search", {}, "question"),
        ("local_search", {"query": "Who?"}, "local_search has no argument query"),
    ],
)
async def test_an_error_is_a_sentence(
    client: Client, tool: str, arguments: dict[str, object], said: str
) -> None:
    result = await client.call_tool(tool, arguments)
    assert (await call(client, "find_entities", name="Marley"))["entities"]
    assert result.is_error
    told = text_of(result)
    assert said in told
    assert told.endswith(".")
    assert not any(word in told for word in ("\n", "Traceback", "pydantic", "input_value"))


async def test_a_refused_key_is_a_sentence(client: Client, carol: Indexed) -> None:
    carol.endpoint.change(key="sk-another")
    result = await client.call_tool("local_search", {"question": QUESTION})
    carol.endpoint.change(key="")
    assert result.is_error
    assert "OPENAI_API_KEY" in text_of(result)


async def test_nothing_in_the_graph_is_changed(client: Client, carol: Indexed) -> None:
    everything = "MATCH (x) RETURN count(x) AS n, count{ MATCH ()-->() } AS m"
    before = await dump(carol.graph), await carol.graph.run_plain(everything)
    await call(client, "global_search", question=QUESTION)
    await call(client, "local_search", question=QUESTION)
    assert (await dump(carol.graph), await carol.graph.run_plain(everything)) == before


def test_the_extra_mcp_brings_all_that_the_tools_import() -> None:
    code = (
        "import sys, graphrag_neo4j.extras.serve.mcp\n"
        "sys.exit(bool({'fastapi', 'prometheus_client'} & {*sys.modules}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own code


def test_without_the_package_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr("graphrag_neo4j.extras.serve.mcp", raising=False)
    monkeypatch.delitem(sys.modules, "graphrag_neo4j.extras.serve.mcp", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.setattr(sys, "argv", ["kg-build", "mcp"])
    with pytest.raises(SystemExit, match="1"):
        main()
    printed = capsys.readouterr()
    assert printed.out == ""
    assert install_command("mcp") in printed.err
    nothing: Any = None
    refused = TestClient(_tools(nothing)).post("/mcp", json={})
    assert (refused.status_code, install_command("mcp") in refused.text) == (404, True)
