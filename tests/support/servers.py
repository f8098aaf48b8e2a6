"""The Neo4j of a test run: one that is named, the embedded one, or one in a container."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from graphrag_neo4j import embedded
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.driver import connect
from graphrag_neo4j.settings import Neo4jRelease, Settings, load_settings

# Tests empty the graph all the time, and write few rows. Neo4j would take the first for a change of
# its statistics, and would plan each statement again for lists of 1, 10 or 100 rows. Without these
# settings, planning took half of the time that the server needed for the tests.
PLANNED_ONCE = {
    "dbms.cypher.min_replan_interval": "1d",
    "internal.cypher.use_parameter_size": "false",
}


@dataclass(frozen=True, slots=True)
class TestServer:
    """Where the server of this run answers; `kind` says which of the ways it is."""

    __test__ = False

    uri: str
    username: str
    password: str
    kind: str
    database: str | None = None

    @property
    def settings(self) -> dict[str, str | None]:
        """The settings that lead to it."""
        names = ("uri", "username", "password", "database")
        return {f"neo4j_{name}": getattr(self, name) for name in names}

    def connect(self) -> AbstractAsyncContextManager[Graph]:
        """A new connection."""
        return connect(self.uri, self.username, self.password, self.database)


def environment_of(settings: Settings) -> dict[str, str]:
    """Neo4j and the endpoint of these settings, as a user has theirs in the environment."""
    secrets = (settings.neo4j_password, settings.openai_api_key)
    password, key = (secret.get_secret_value() if secret else "" for secret in secrets)
    return {
        "NEO4J_URI": settings.neo4j_uri or "",
        "NEO4J_USERNAME": settings.neo4j_username,
        "NEO4J_PASSWORD": password,
        "NEO4J_DATABASE": settings.neo4j_database or "",
        "OPENAI_BASE_URL": settings.openai_base_url or "",
        "OPENAI_API_KEY": key,
    }


@contextmanager
def any_server(home: Path) -> Iterator[TestServer]:
    """KG_TEST_NEO4J_URI if set, else the embedded server, else a container if that is off."""
    if uri := os.environ.get("KG_TEST_NEO4J_URI"):
        yield TestServer(
            uri,
            os.environ.get("KG_TEST_NEO4J_USERNAME", "neo4j"),
            os.environ.get("KG_TEST_NEO4J_PASSWORD", ""),
            "named",
            os.environ.get("KG_TEST_NEO4J_DATABASE"),
        )
    elif os.environ.get("KG_TEST_EMBEDDED", "yes") != "no":
        yield from _embedded(home)
    else:
        yield from _container()


@contextmanager
def starting_server(home: Path) -> Iterator[None]:
    """Starts the embedded server in the background, if tests use it; `any_server` waits for it."""
    if "KG_TEST_NEO4J_URI" in os.environ or os.environ.get("KG_TEST_EMBEDDED") == "no":
        yield
        return
    home.mkdir()
    lines = [f"{name}={value}\n" for name, value in PLANNED_ONCE.items()]
    (home / "own.conf").write_text("".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "graphrag_neo4j.cli", "--home", str(home)]
    with subprocess.Popen(  # noqa: S603 - our own command
        [*command, "neo4j", "start", "--release", release_under_test()],
        cwd=home.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as start:
        yield
        start.wait()
    embedded.stop(load_settings(home=home, neo4j_release=release_under_test()))


def release_under_test() -> Neo4jRelease:
    """The release of the embedded server that this run is for."""
    release = os.environ.get("KG_TEST_NEO4J_RELEASE")
    return load_settings(neo4j_release=release).neo4j_release


def _embedded(home: Path) -> Iterator[TestServer]:
    settings = load_settings(home=home, neo4j_release=release_under_test())
    server = embedded.start(settings)
    try:
        yield TestServer(server.uri, server.username, server.password, "embedded")
    finally:
        embedded.stop(settings)


def _container() -> Iterator[TestServer]:
    from testcontainers.community.neo4j import Neo4jContainer  # noqa: PLC0415 - needs Docker

    container = Neo4jContainer("neo4j:2026.01.4-community", password="only-for-tests")
    with container.with_env("NEO4J_PLUGINS", '["graph-data-science"]') as neo4j:
        yield TestServer(neo4j.get_connection_url(), "neo4j", "only-for-tests", "container")
