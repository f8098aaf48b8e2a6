"""What an operator relies on: probes, log, metrics, a prefix of paths, and lost connections."""

import asyncio
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.types import Receive, Scope, Send

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.serve.logs import Exchange, Logged
from graphrag_neo4j.extras.serve.server import check_prefix, log_format
from graphrag_neo4j.graph import driver
from tests.support.carol import Indexed, indexed_carol
from tests.support.servers import TestServer
from tests.support.serving import Served, served

pytestmark = [pytest.mark.slow, pytest.mark.one_release]

QUESTION = "What does Scrooge think\u2028of Marley?\nInjected"


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server) as indexed:
        yield indexed


def ask(
    running: Served, path: str, body: object = None, **headers: str
) -> tuple[int, str, dict[str, str]]:
    """The status of a response, its text and its headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(  # noqa: S310 - our server
        f"{running.url}{path}", data, {"Content-Type": "application/json", **named}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 - our server
            return response.status, response.read().decode(), lowered(response)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), lowered(error)


def lowered(response: Any) -> dict[str, str]:  # noqa: ANN401 - or an error
    """The headers of a response, by their names in lower case."""
    return {name.lower(): value for name, value in response.headers.items()}


class Proxy:
    """A TCP proxy to a server, which can stop forwarding in silence, as a firewall does."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname, parts.port
        self._forgotten = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []

    @property
    def connections(self) -> int:
        """How many connections there have been."""
        return len(self.tasks)

    def forget(self) -> None:
        """Forwards nothing more on the connections that there are; new ones pass."""
        self._forgotten.set()
        self._forgotten = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves a connection."""
        self.tasks.append(cast("asyncio.Task[None]", asyncio.current_task()))
        forgotten = self._forgotten
        behind, to = await asyncio.open_connection(self._host, self._port)

        async def pump(one: asyncio.StreamReader, other: asyncio.StreamWriter) -> None:
            while data := await one.read(65_536):
                if not forgotten.is_set():
                    other.write(data)

        try:
            await asyncio.gather(pump(reader, to), pump(behind, writer))
        finally:
            for one in (to, writer):
                one.close()


@asynccontextmanager
async def proxy_to(address: str) -> AsyncIterator[tuple[Proxy, str]]:
    """A proxy to a server, and its address."""
    proxy = Proxy(address)
    listening = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    try:
        yield proxy, f"bolt://127.0.0.1:{port}"
    finally:
        listening.close()
        for task in proxy.tasks:
            task.cancel()
        await asyncio.gather(*proxy.tasks, return_exceptions=True)


async def test_a_connection_that_was_dropped_in_silence_is_not_waited_for(
    checked_server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "CONNECTION_SECONDS", 2)
    login = (checked_server.username, checked_server.password)
    async with (
        proxy_to(checked_server.uri) as (proxy, address),
        driver.connect(address, *login) as graph,
    ):
        assert await graph.run_plain("RETURN 1 AS n") == [{"n": 1}]
        before = proxy.connections
        proxy.forget()
        await anyio.sleep(2.1)
        with anyio.fail_after(10):  # the driver itself waits for a minute
            assert await graph.run_plain("RETURN 1 AS n") == [{"n": 1}]
        assert proxy.connections == before + 1


async def test_probes_need_no_token_and_tell_no_more_than_words(
    carol: Indexed, tmp_path: Path
) -> None:
    def probed(proxy: Proxy, address: str, loop: asyncio.AbstractEventLoop) -> None:
        environment = {**carol.environment, "NEO4J_URI": address}
        with served(tmp_path, environment) as running:
            assert ask(running, "/healthz", Host="10.1.2.3:8321")[:2] == (200, "ok")
            status, text, _ = ask(running, "/readyz", Host="10.1.2.3:8321")
            assert (status, json.loads(text)) == (
                200,
                {"neo4j": "ok", "graph": "ok", "model": "ok"},
            )
            before = proxy.connections
            for _ in range(20):
                ask(running, "/readyz")
            assert proxy.connections == before  # within the 2 seconds, nothing is asked
            time.sleep(2.1)
            loop.call_soon_threadsafe(proxy.forget)
            began = time.monotonic()
            status, text, _ = ask(running, "/readyz")
            assert time.monotonic() - began < 10
            words = {"neo4j": "failed", "graph": "unknown", "model": "ok"}
            assert (status, json.loads(text)) == (503, words)
            assert ask(running, "/healthz")[0] == 200

    async with proxy_to(str(carol.settings.neo4j_uri)) as (proxy, address):
        await anyio.to_thread.run_sync(probed, proxy, address, asyncio.get_running_loop())


def logged(log: Path) -> list[dict[str, Any]]:
    """The lines of a log in JSON."""
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("with_questions", [False, True])
def test_a_request_is_a_line_with_the_id_of_its_error(
    with_questions: bool, carol: Indexed, tmp_path: Path
) -> None:
    log, asked = tmp_path / "log", {"question": QUESTION, "method": "local"}
    options = ["--log", "json", *(["--log-questions"] if with_questions else [])]
    with served(tmp_path, carol.environment, *options, log=log) as running:
        ask(running, "/healthz")
        ask(running, "/api/entity?name=Secret", X_Request_Id="from-proxy.1")
        _, _, headers = ask(running, "/api/state", **running.headers, X_Request_Id="bad id\u00e4")
        ask(running, "/api/ask", asked, **running.headers)
        carol.endpoint.change(half=1.0, only=("answer",))
        try:
            _, events, told = ask(running, "/api/ask", asked, **running.headers)
            whole = {**asked, "stream": False}
            status, text, _ = ask(running, "/api/ask", whole, **running.headers)
        finally:
            carol.endpoint.change(half=0.0, only=())
        _, metrics, _ = ask(running, "/metrics", **running.headers)
        assert ask(running, "/metrics")[0] == 401
    lines = logged(log)
    assert [(one["route"], one["status"], one["ended"]) for one in lines[:5]] == [
        ("/api/entity", 401, "done"),
        ("/api/state", 200, "done"),
        ("/api/ask", 200, "done"),
        ("/api/ask", 200, "failed"),
        ("/api/ask", status, "failed" if status >= 500 else "done"),
    ]
    assert lines[0]["id"] == "from-proxy.1"
    assert lines[1]["id"] == headers["x-request-id"] != "bad id\u00e4"
    assert told["x-accel-buffering"] == "no"
    error = json.loads(events.rstrip().rpartition("data: ")[2])["error"]
    assert error["message"].endswith(f"(request {told['x-request-id']})")
    assert error["request_id"] == told["x-request-id"] == lines[3]["id"]
    if status >= 500:
        assert json.loads(text)["error"]["request_id"] == lines[4]["id"]
    said = log.read_text()
    assert "Secret" not in said
    assert ("Scrooge" in said) == with_questions
    if with_questions:
        assert lines[2]["question"] == "What does Scrooge think of Marley? Injected"
        assert lines[2]["search"] == "local"
    families = {one.name: one.samples for one in text_string_to_metric_families(metrics)}
    outcomes = {one.labels["outcome"]: one.value for one in families["kg_questions"]}
    assert outcomes["answered"] >= 1
    assert outcomes["failed"] >= 1
    assert families["kg_questions_running"][0].value == 0
    [calls] = [one for one in families["kg_model_calls"] if one.labels == {"outcome": "answered"}]
    assert calls.value > 0
    assert {one.labels["route"] for one in families["kg_requests"]} == {
        "/healthz",
        "/api/entity",
        "/api/state",
        "/api/ask",
    }


async def test_an_error_of_the_program_is_logged_with_its_traceback_under_the_id(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended = list[Exchange]()

    async def fails(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise KeyError("oops")

    async def unused(*_: object) -> Any:  # noqa: ANN401 - of ASGI
        raise AssertionError

    app = Logged(fails, [(re.compile("/api/x"), "/api/{x}")], ended.append, questions=False)
    headers = [(b"x-request-id", b"seen-by-a-proxy")]
    scope = {"type": "http", "method": "ODD", "path": "/api/x", "headers": headers}
    await app(scope, unused, unused)
    [error] = [one for one in caplog.records if one.exc_info]
    assert "seen-by-a-proxy" in error.getMessage()
    assert "KeyError" in json.loads(log_format("json").format(error))["traceback"]
    [one] = ended
    assert (one.method, one.route, one.ended, one.error) == (
        "other",
        "/api/{x}",
        "failed",
        "KeyError",
    )


def test_a_prefix_works_whether_a_proxy_takes_it_away_or_not(
    carol: Indexed, tmp_path: Path
) -> None:
    with served(tmp_path, carol.environment, "--path-prefix", "/kg/") as given:
        bare = Served(given.url.removesuffix("/kg"), given.headers)
        assert given.url == f"{bare.url}/kg"
        for running in (given, bare):
            assert 'src="static/page.js"' in ask(running, "/")[1]
            assert ask(running, "/static/page.css")[0] == 200
            assert ask(running, "/api/state")[0] == 401
            assert ask(running, "/api/state", **running.headers)[0] == 200
            _, text, _ = ask(running, "/models", **running.headers, X_Forwarded_Proto="https")
            base = given.url.replace("http:", "https:")
            assert f"chat clients is {base}/v1." in json.loads(text)["error"]["message"]
            body = {"model": "kg-basic", "messages": [{"role": "user", "content": "Marley?"}]}
            _, text, _ = ask(running, "/v1/chat/completions", body, **running.headers)
            content = json.loads(text)["choices"][0]["message"]["content"]
            assert re.search(rf"\({re.escape(given.url)}/source/\d+-\d+-\d+\)", content)
            described = json.loads(ask(running, "/openapi.json", **running.headers)[1])
            assert described["servers"] == [{"url": "/kg"}]


@pytest.mark.parametrize("prefix", ["kg", "/api", "/v1/x", "//kg", "/k g", "/../x", "http://x"])
def test_a_prefix_that_paths_can_not_begin_with_is_refused(prefix: str) -> None:
    with pytest.raises(InputError, match="--path-prefix"):
        check_prefix(prefix)
