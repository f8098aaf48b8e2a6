"""One life of an embedded Neo4j: two starts at once, an upgrade, a failed start, a wipe.

Starts are slow, so the tests share one home and stand in the order of its life.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Event as Flag
from threading import Thread
from typing import LiteralString

import psutil
import pytest
from anyio.from_thread import start_blocking_portal
from click.testing import CliRunner
from neo4j import GraphDatabase, Record

from graphrag_neo4j import AsyncGraphRAG, GraphBusyError, embedded
from graphrag_neo4j.cli import commands
from graphrag_neo4j.embedded import archive
from graphrag_neo4j.embedded.home import Home
from graphrag_neo4j.embedded.process import find_server
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.graph.lease import hold_lease
from graphrag_neo4j.model.events import Event
from graphrag_neo4j.settings import Neo4jRelease, Settings, load_settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.environ.get("KG_TEST_EMBEDDED") == "no", reason="KG_TEST_EMBEDDED=no"),
]

KEY = "sk-none-of-the-business-of-neo4j"


@dataclass(frozen=True)
class Life:
    """A home, what its two first starts printed, and Neo4j's command lines and environments."""

    home: Home
    printed: list[str]
    commands: set[str]

    def settings(self, release: Neo4jRelease = "2026.09") -> Settings:
        return load_settings(home=self.home.path, neo4j_release=release)

    def server(self) -> embedded.Server:
        """The one that runs."""
        running = embedded.running(self.settings())
        assert running is not None
        return running

    def command(self, *arguments: str) -> str:
        """What `kg-build neo4j` prints."""
        done = CliRunner().invoke(commands, ["--home", str(self.home.path), "neo4j", *arguments])
        assert done.exit_code == 0
        return done.output


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """A new home of 5.26, that two processes have started at once and left."""
    home = Home(tmp_path_factory.mktemp("embedded") / "Hänsels home")
    command = [sys.executable, "-m", "graphrag_neo4j.cli", "--home", str(home.path)]
    with _commands_of_neo4j() as commands:
        env = {**os.environ, "OPENAI_API_KEY": KEY, "DATABASE_PASSWORD": KEY}
        command += ["neo4j", "start", "--release", "5.26"]
        starts = [
            subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours
            for _ in range(2)
        ]
        printed = [start.communicate()[0] for start in starts]
    assert [start.returncode for start in starts] == [0, 0]
    life = Life(home, printed, commands)
    yield life
    embedded.stop(life.settings())


@contextmanager
def _commands_of_neo4j() -> Iterator[set[str]]:
    """The command lines and environments of Neo4j and its tools."""
    seen: set[str] = set()
    over = Flag()

    def look() -> None:
        while not over.wait(0.1):
            for process in psutil.process_iter(["cmdline"]):
                line = " ".join(process.info["cmdline"] or ())
                if "org.neo4j." in line:
                    seen.add(line)
                    with suppress(psutil.Error):
                        seen.update(f"{name}={value}" for name, value in process.environ().items())

    thread = Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


@contextmanager
def indexing(settings: Settings) -> Iterator[None]:
    """A run that writes to the graph of a home, as long as the block lasts."""
    with start_blocking_portal() as portal:
        opened = portal.wrap_async_context_manager(AsyncGraphRAG(settings))
        with (
            opened as rag,
            portal.wrap_async_context_manager(hold_lease(rag.graph, {"command": "index"}, dict)),
        ):
            yield


def ask(server: embedded.Server, query: LiteralString) -> list[Record]:
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        return driver.execute_query(query).records


def test_two_starts_at_once_end_with_one_server_that_outlives_them(life: Life) -> None:
    first, second = (re.findall(r"is running \(process (\d+)\)", text) for text in life.printed)
    server = life.server()
    assert first == second == [str(server.pid)]
    assert (server.version, server.home) == ("5.26.31", life.home.path)
    assert ask(server, "RETURN gds.version() AS version")[0]["version"] == "2.13.9"
    if os.name == "posix":
        assert os.getsid(server.pid) == server.pid
    told: list[Event] = []
    assert embedded.start(life.settings("5.26"), told.append) == server  # it runs already
    assert told == []


def test_it_listens_on_loopback_only(life: Life) -> None:
    server = life.server()
    sockets = psutil.Process(server.pid).net_connections("tcp")
    listening = {one.laddr for one in sockets if one.status == psutil.CONN_LISTEN}
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    addresses = {f"127.0.0.1:{address.port}" for address in listening}
    assert addresses == {url.partition("//")[2] for url in (server.uri, server.http_url)}


def test_the_password_and_keys_are_on_no_command_line_and_in_no_environment(life: Life) -> None:
    server, status = life.server(), life.command("status")
    password = server.password
    assert any("set-initial-password" in line or "AdminTool" in line for line in life.commands)
    for part in (server.uri, server.browser_url, "5.26.31", str(life.home.password_path)):
        assert part in status
    last = life.home.log_path.read_text(encoding="utf-8").splitlines()[-2:]
    assert life.command("logs", "-n", "2").splitlines() == last
    shown = [*life.commands, *life.printed, status, repr(server)]
    assert not [text for text in shown if password in text]
    assert any(line.startswith(f"NEO4J_HOME={life.home.path}") for line in life.commands)
    assert any(line.startswith("PATH=") for line in life.commands)
    assert not [line for line in life.commands if KEY in line]
    assert KEY not in psutil.Process(life.server().pid).environ().values()


def test_an_upgrade_refuses_while_a_run_writes(life: Life) -> None:
    old = life.server()
    words = ["--home", str(life.home.path), "neo4j", "start", "--upgrade"]
    with indexing(life.settings("5.26")):
        refused = CliRunner().invoke(commands, words)
    assert isinstance(refused.exception, GraphBusyError), refused.output
    assert life.server() == old


def test_data_and_ports_survive_a_stop_and_an_upgrade(life: Life) -> None:
    old = life.server()
    ask(old, "CREATE (:Kept {name: 'Gretel'})-[:LIKES]->(:Kept {name: 'Hänsel'})")
    assert life.command("stop") == "Neo4j has stopped. Its data is kept.\n"
    assert find_server(life.home, old.pid) is None
    with pytest.raises(EmbeddedError, match="--upgrade"):
        embedded.start(life.settings())
    conf = life.home.path / "conf"
    (conf / "server-logs.xml").write_text("<Configuration/>")  # of the release before
    told: list[Event] = []
    new = embedded.start(life.settings(), told.append, upgrade=True)
    assert f"Neo4j 5.26.31 is kept in {life.home.before_upgrade_path}" in str(told)
    assert [one.name for one in conf.iterdir()] == ["neo4j.conf"]
    assert (new.version, new.uri, new.password) == ("2026.09.0", old.uri, old.password)
    kept = "MATCH (one:Kept)-[:LIKES]->(other) RETURN one.name, other.name"
    assert [row.values() for row in ask(new, kept)] == [["Gretel", "Hänsel"]]
    assert ask(new, "RETURN gds.version() AS version")[0]["version"] == "2.26.0"
    settings = "SHOW SETTINGS YIELD name, value WHERE name ENDS WITH '.enabled' AND value = 'true'"
    assert not [row["name"] for row in ask(new, settings) if "fleet" in row["name"]]
    with pytest.raises(EmbeddedError, match="can't read"):
        embedded.start(life.settings("5.26"), upgrade=True)  # there is no way back
    assert life.server().version == "2026.09.0"
    before = life.settings("5.26").model_copy(update={"home": life.home.path.with_name("before")})
    archive.load(before, life.home.before_upgrade_path)
    try:
        assert [row.values() for row in ask(embedded.start(before), kept)] == [["Gretel", "Hänsel"]]
    finally:
        embedded.stop(before)


def test_a_start_that_fails_says_what_neo4j_said(life: Life) -> None:
    other = life.home.path.with_name("failing")
    other.mkdir()
    (other / "own.conf").write_text("server.memory.heap.max_size=9m\n")
    with pytest.raises(EmbeddedError, match=r"could not start. It said:\n(.*\n)*.*heap size"):
        embedded.start(life.settings().model_copy(update={"home": other}))


def test_a_server_is_found_whose_start_was_killed_before_it_was_recorded(life: Life) -> None:
    server, record = life.server(), life.home.read()
    assert record is not None
    unrecorded = replace(record, pid=0, ready=False)
    life.home.write(unrecorded)
    assert embedded.start(life.settings()) == server
    life.home.write(unrecorded)
    assert embedded.stop(life.settings())
    assert find_server(life.home, server.pid) is None
    embedded.start(life.settings())


def test_wipe_stops_the_server_and_leaves_an_empty_home(life: Life) -> None:
    server = life.server()
    (life.home.path / ".before-upgrade.dump.abcdefgh.unfinished").touch()  # of a killed upgrade
    assert "was deleted" in life.command("wipe", "--yes")
    assert find_server(life.home, server.pid) is None
    left = sorted(path.name for path in life.home.path.iterdir())
    assert left == ["graphrag-neo4j.json", "lock", "tool"]
