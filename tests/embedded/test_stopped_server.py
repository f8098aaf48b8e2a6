"""A server of our own that is killed, and a database that stops since its disk is full."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from neo4j.exceptions import Neo4jError

from graphrag_neo4j import AsyncGraphRAG, EmbeddedError, GraphError, GraphStoppedError
from graphrag_neo4j.embedded import running, stop
from graphrag_neo4j.graph.driver import translated
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.servers import release_under_test
from tests.support.serving import Served, served

Test = Callable[..., Awaitable[None]]
SIZE = 400_000_000  # bytes of the small file system
RECORDED = {  # as Neo4j has said them, of a full disk
    "Transaction.TransactionStartFailed": (
        "The database has encountered a critical error, and needs to be restarted."
    ),
    "General.UnknownError": "java.io.IOException: No space left on device",
}


# What is known of a server of ours whose disk is full.
FULL: Any = SimpleNamespace(address=lambda: None, stopped=lambda: "The disk is full.")


@pytest.mark.parametrize(("code", "message"), RECORDED.items())
def test_what_neo4j_says_of_a_stopped_database_is_understood(code: str, message: str) -> None:
    error = Neo4jError._hydrate_neo4j(code=f"Neo.DatabaseError.{code}", message=message)
    with pytest.raises(GraphStoppedError, match=r"make room, start that Neo4j again"):  # noqa: SIM117
        with translated("bolt://elsewhere"):
            raise error
    with pytest.raises(GraphStoppedError, match=r"^The disk is full\.$"):  # noqa: SIM117
        with translated("bolt://127.0.0.1", FULL):
            raise error


def test_too_many_wrong_logins_are_one_sentence() -> None:
    code = "Neo.ClientError.Security.AuthenticationRateLimit"
    error = Neo4jError._hydrate_neo4j(code=code, message="Too many times in a row.")
    with pytest.raises(GraphError, match=r"every login for some seconds.*in a minute\.$"):  # noqa: SIM117
        with translated("bolt://elsewhere"):
            raise error


def embedded_only(test: Test) -> Test:
    """A slow test of the embedded server, on one release."""
    off = os.environ.get("KG_TEST_EMBEDDED") == "no"
    skipped = pytest.mark.skipif(off, reason="KG_TEST_EMBEDDED=no")
    return pytest.mark.slow(pytest.mark.one_release(skipped(test)))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own; skipped where this user may not mount one."""
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(command, check=False).returncode:  # noqa: S603
        pytest.skip("a small file system can't be mounted here: needs root on Linux")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)  # noqa: S603, S607


def settings_of(home: Path) -> Settings:
    return load_settings(home=home, neo4j_release=release_under_test(), model="extractive")


async def write_until_stopped(settings: Settings) -> str:
    """The sentence that a command ends with which writes more than there is room for."""
    statement = "UNWIND range(1, 500) AS i CREATE (:Filler {text: $text})"
    try:
        async with AsyncGraphRAG(settings) as rag:
            for _ in range(100):
                await rag.graph.run_plain(statement, text="x" * 2000)
    except GraphStoppedError as stopped:
        return str(stopped)
    return "100 MB were written where there was no room"


@embedded_only
async def test_a_full_disk_is_said_and_with_room_neo4j_is_started_again(small: Path) -> None:
    settings = settings_of(small / "home")
    told: list[Event] = []
    try:
        async with AsyncGraphRAG(settings) as rag:
            await rag.graph.run_plain("CREATE (:Kept)")
        filler = small / "filler"
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(small).free - 3_000_000)
        assert "is full" in await write_until_stopped(settings)
        with pytest.raises(GraphStoppedError, match=r"is full \(\d MB are free\): make room there"):
            await AsyncGraphRAG(settings).__aenter__()
        filler.unlink()
        async with AsyncGraphRAG(settings, told.append) as rag:
            rows = await rag.graph.run_plain("MATCH (k:Kept) RETURN count(k) AS n")
        assert rows == [{"n": 1}]
        said = [event.text for event in told if isinstance(event, Notice)]
        assert "is started again" in said[0]
    finally:
        stop(settings)


@embedded_only
async def test_a_command_whose_server_is_killed_ends_at_once(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "home")
    try:
        async with AsyncGraphRAG(settings) as rag:
            server = running(settings)
            assert server
            os.kill(server.pid, signal.SIGKILL)
            began = time.monotonic()
            with pytest.raises(EmbeddedError, match=r"has ended.*starts Neo4j again"):
                await rag.graph.write("graph/name_types", names=["KILLED"])
            with rag.graph.lend_driver() as lent, pytest.raises(EmbeddedError, match="has ended"):
                lent.verify_connectivity()
            assert time.monotonic() - began < 20  # without our asking, 30 seconds and more
        assert running(settings) is None
    finally:
        stop(settings)


def state_of(page: Served) -> int:
    """The status with which a server says how its graph is."""
    with closing(HTTPConnection(page.url.partition("//")[2])) as client:
        client.request("GET", "/api/state", headers=page.headers)
        return client.getresponse().status


@embedded_only
async def test_open_clients_connect_again_after_another_command_has_restarted_neo4j(
    tmp_path: Path,
) -> None:
    home, file = tmp_path / "home", tmp_path / "data.dump"
    settings = settings_of(home)
    environment = {
        **os.environ,
        "KG_HOME": str(home),
        "KG_NEO4J_RELEASE": settings.neo4j_release,
        "KG_MODEL": "extractive",
    }

    def command(*words: str) -> None:
        neo4j = [sys.executable, "-m", "graphrag_neo4j.cli", "neo4j", *words]
        subprocess.run(neo4j, env=environment, check=True, capture_output=True)  # noqa: S603 - ours

    try:
        async with AsyncGraphRAG(settings) as rag:
            await rag.graph.run_plain("CREATE (:Kept)")
            with served(tmp_path, environment) as page:

                async def all_answer() -> None:
                    # The first with statements that the driver does not try again by itself.
                    assert await rag.graph.run_plain("MATCH (k:Kept) RETURN count(k) AS n")
                    assert [row async for row in rag.graph.stream("state/version", dict)] == []
                    assert (await rag.status()).counts["documents"] == 0
                    with rag.graph.lend_driver() as lent:
                        lent.verify_connectivity()
                    assert state_of(page) == 200

                await all_answer()
                old = running(settings)
                command("dump", str(file))
                await all_answer()
                for n in range(3):  # the loaded data knows nothing of these transactions
                    await rag.graph.run_plain("CREATE (:Later {n: $n})", n=n)
                command("stop")
                with pytest.raises(EmbeddedError, match=r"has ended.*`kg-build neo4j start`"):
                    await rag.status()
                assert state_of(page) == 503
                taken = int(old.uri.rpartition(":")[2]) if old else 0
                with socket.create_server(("127.0.0.1", taken)):
                    command("load", str(file), "--yes")
                    command("start")
                    await all_answer()
    finally:
        stop(settings)


@embedded_only
async def test_a_server_out_of_memory_ends_and_says_how_to_give_it_more(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "home")
    own = tmp_path / "home" / "own.conf"
    own.parent.mkdir()
    # Neo4j guards its memory by itself, but for what plugins such as GDS take.
    unguarded = "dbms.memory.transaction.total.max=0\ndb.memory.transaction.max=0\n"
    own.write_text(f"{unguarded}server.memory.heap.max_size=600m\n", encoding="utf-8")
    try:
        async with AsyncGraphRAG(settings) as rag:
            much = "UNWIND range(1, 100000000) AS n RETURN size(collect(toString(n))) AS n"
            with pytest.raises(EmbeddedError, match=r"run out of memory.*max_size=8g in .*own"):
                await rag.graph.run_plain(much)
        assert running(settings) is None
    finally:
        stop(settings)
