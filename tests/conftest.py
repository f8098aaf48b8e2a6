"""One Neo4j for the whole run, empty before each test; settings that come from the test alone.

With pytest-xdist each worker has a server of its own, and runs whole files (`--dist loadfile`).
"""

import copy
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage, rmtree
from tempfile import mkdtemp
from typing import Any

import hypothesis
import pytest
from selenium.webdriver import Chrome

from graphrag_neo4j.cli import main
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import ensure_schema
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.chromium import Page, chromium, new_page
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.server_without_gds import server_without_gds
from tests.support.servers import (
    TestServer,
    any_server,
    environment_of,
    release_under_test,
    starting_server,
)
from tests.support.wiping import wipe

# Machines are slow at times, and a failure should come again.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.load_profile("repeatable")

# Servers of tests live for minutes: Java compiles their code quickly rather than well.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")

OURS = ("KG_", "NEO4J_", "OPENAI_")
KEY = "sk-for-tests-only"
MEMORY = Path("/dev/shm")  # noqa: S108 - the folder below it is new and private
ROOM = 4 * 2**30  # bytes


# What begins: first what needs no graph, while the servers start, then files that take long.
FIRST = (
    "tests/llm/",
    "tests/embedded/",
    "tests/extras/explore/",
    "tests/extras/serve/",
    "tests/query/",
)
# What ends, the longest first: files that make or drop indexes. After that, Neo4j plans every
# statement again.
LAST = (
    "tests/extras/serve/test_serve.py",
    "tests/graph/test_guests.py",
    "tests/graph/test_releases.py",
    "tests/graph/test_statements.py",
    "tests/index/describe/test_embed.py",
    "tests/index/read/test_documents_read_before.py",
    "tests/rules/test_answers_from_the_graph.py",
    "tests/cli/test_doctor.py",
    "tests/index/entities/test_label.py",
    "tests/index/test_language.py",
    "tests/graph/test_graph.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What uses the server is marked, so that another release can be tested by `-m graph`."""
    for item in items:
        if "server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.graph)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    """Below 0 for what begins, above 0 for what ends."""
    for turn, file in enumerate(LAST, 1):
        if item.nodeid.startswith(file):
            return turn
    for turn, folder in enumerate(FIRST, -len(FIRST)):
        if item.nodeid.startswith(folder):
            return turn
    return 0


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def only_settings_of_the_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the user's settings, server or .env."""
    for name in os.environ:
        if name.startswith(OURS) and not name.startswith("KG_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def chrome() -> Iterator[Chrome]:
    with chromium() as running:
        yield running


@pytest.fixture
def page(chrome: Chrome) -> Iterator[Page]:
    """A page in Chromium; the test is marked by `needs_chromium`."""
    with new_page(chrome) as opened:
        yield opened


@pytest.fixture(scope="session", autouse=True)
def server_home(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The folder of the run's own server, which starts while tests without a graph run."""
    # In memory where there is room, since Neo4j waits for the disk in each transaction.
    roomy = MEMORY.is_dir() and disk_usage(MEMORY).free > ROOM
    folder = Path(mkdtemp(dir=MEMORY)) if roomy else tmp_path_factory.mktemp("neo4j")
    home = folder / "home"
    needed = any(item.get_closest_marker("graph") for item in request.session.items)
    with starting_server(home) if needed else nullcontext():
        yield home
    rmtree(folder)


@pytest.fixture(scope="session")
def server(server_home: Path) -> Iterator[TestServer]:
    with any_server(server_home) as running:
        yield running


@pytest.fixture(scope="session")
async def connected(
    server: TestServer,
    anyio_backend: str,  # noqa: ARG001 - named, it serves tests that do not await, too
) -> AsyncIterator[Graph]:
    """One connection for the run; refused if the database holds anything: tests would wipe it."""
    async with server.connect() as graph:
        rows = await graph.run_plain("MATCH (node) RETURN count(node) AS n")
        if rows[0]["n"]:
            pytest.exit(f"The database at {server.uri} is not empty: tests would wipe it.", 1)
        await ensure_schema(graph)
        yield graph


@pytest.fixture(scope="session")
def checked_server(server: TestServer, connected: Graph) -> TestServer:  # noqa: ARG001 - it checks
    """The server, which was empty and has the schema."""
    return server


@pytest.fixture(scope="session")
def no_gds(server: TestServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a second server, which lets anyone in and has no GDS."""
    if server.kind == "container":
        pytest.skip("the second Neo4j is started from the embedded server's jars")
    with server_without_gds(release_under_test(), tmp_path_factory.mktemp("no_gds")) as uri:
        yield uri


@pytest.fixture
async def graph(connected: Graph) -> AsyncIterator[Graph]:
    """An empty graph."""
    await wipe(connected)
    yield copy.copy(connected)  # a lease that a test sets is its own
    await wipe(connected)


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as running:
        yield running


Make = Callable[..., Settings]


@pytest.fixture
def settings(checked_server: TestServer, endpoint: FakeEndpoint) -> Make:
    """Settings for the test's graph and endpoint, with claims, and whatever else is given."""

    def make(**given: object) -> Settings:
        asked = {"openai_base_url": endpoint.url, "openai_api_key": KEY, **given}
        return _settings(checked_server, **asked)

    return make


@pytest.fixture(scope="session")
def alone(checked_server: TestServer) -> Settings:
    """Settings without a model, with static vectors, which are quicker than a sentence encoder."""
    return _settings(checked_server, embedding_model="static")


def _settings(server: TestServer, **given: object) -> Settings:
    return load_settings(
        **{
            **server.settings,
            "openai_base_url": None,
            "openai_api_key": None,
            "concurrency": 8,
            "claims": True,
            **given,
        }
    )


@pytest.fixture
def environment(settings: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's graph and endpoint in the environment, as a user has theirs."""
    ours = {"KG_CONCURRENCY": "8", "KG_CLAIMS": "true"}
    for name, value in {**environment_of(settings()), **ours}.items():
        monkeypatch.setenv(name, value)


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def kg(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], settings: Make) -> Run:
    """Runs kg-build with arguments; whatever it prints holds neither the key nor the password."""
    password = settings().neo4j_password
    return _runner(monkeypatch, capsys, KEY, password.get_secret_value() if password else KEY)


@pytest.fixture
def kg_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs kg-build with arguments as `kg` does, for commands that need no Neo4j."""
    return _runner(monkeypatch, capsys, KEY)


def _runner(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *secrets: str
) -> Run:
    def run(*arguments: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["kg-build", *map(str, arguments)])
        capsys.readouterr()
        # In a thread of its own, since pytest's holds the loop of the fixtures.
        with ThreadPoolExecutor(1) as thread, pytest.raises(SystemExit) as ended:
            thread.submit(main).result()
        printed = capsys.readouterr()
        assert not any(secret in printed.out + printed.err for secret in secrets)
        code = ended.value.code or 0
        assert isinstance(code, int)
        return Ran(code, printed.out, printed.err)

    return run
