"""Model servers on this machine are found at their ports, and nothing else is taken for one."""

import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

import pytest

from graphrag_neo4j.llm import local_servers
from graphrag_neo4j.llm.local_servers import find_local_servers
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.odd_endpoint import nothing_listens, odd_endpoint


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may need more than half a second for an answer."""
    monkeypatch.setattr(local_servers, "SECONDS", 30.0)


def port_of(url: str) -> int:
    return urlsplit(url).port or 0


@pytest.mark.usefixtures("patient")
async def test_a_server_is_found_with_the_lines_that_use_it() -> None:
    models = ("llama3.1:8b", "nomic-embed-text:latest")
    with FakeEndpoint(models=models) as endpoint, nothing_listens() as silent:
        ports = {port_of(silent): "LM Studio", port_of(endpoint.url): "Ollama"}
        [server] = await find_local_servers(ports)
    assert server.url == endpoint.url
    assert f"answers at {endpoint.url} (the usual port of Ollama)" in server.says
    assert server.lines == (
        f"export OPENAI_BASE_URL={endpoint.url}",
        "export KG_MODEL=llama3.1:8b",
        "export KG_EMBEDDING_MODEL=nomic-embed-text:latest",
    )


@pytest.mark.usefixtures("patient")
async def test_what_is_no_model_server_is_passed_over() -> None:
    odd: Sequence[object] = (
        "<html>",
        [],
        {},
        {"data": None},
        {"data": [7]},
        {"data": [{"id": "$(rm x)"}]},
    )
    for body in odd:
        with odd_endpoint(body) as (url, came):
            assert await find_local_servers({port_of(url): "vLLM"}) == []
            assert [(one.method, one.path) for one in came] == [("GET", "/v1/models")]


async def test_a_server_that_accepts_and_stays_silent_is_not_waited_for() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert await find_local_servers({silent.getsockname()[1]: "llama.cpp"}) == []
