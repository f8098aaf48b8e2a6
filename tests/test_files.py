"""Files that are written: whole or not at all, never readable by others on the way."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag_neo4j.embedded.home import Home, ServerRecord
from graphrag_neo4j.files import (
    make_private_folder,
    open_private,
    remove_unfinished,
    whole_file,
    write_whole,
)
from graphrag_neo4j.model.events import silent

posix_only = pytest.mark.skipif(os.name != "posix", reason="file modes and locks of POSIX")
# A program that begins a file, and waits.
BEGINS = """
import sys
from pathlib import Path
from graphrag_neo4j.files import whole_file
with whole_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("begun", flush=True)
    input()
"""


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A umask that takes no right from anybody."""
    before = os.umask(0)
    yield
    os.umask(before)  # also where a test has set another


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix_only
@pytest.mark.usefixtures("open_umask")
def test_what_is_private_is_so_under_an_open_umask(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "cache" / "jars")
    with open_private(tmp_path / "cache" / "part") as file:
        file.write(b"half")
    home = Home(tmp_path / "home")
    home.make_folder()
    with home.locked(silent):
        home.write(ServerRecord())
        assert home.password() == home.password()
        assert len(home.password()) >= 32
        found = {path.name: rights(path) for path in home.path.iterdir()}
    locks = dict.fromkeys(("lock", "tool"), 0o600)
    assert found == {"graphrag-neo4j.json": 0o600, "password": 0o600, **locks}
    assert rights(home.path) == 0o700
    assert rights(tmp_path / "cache") == rights(tmp_path / "cache" / "jars") == 0o700
    assert rights(tmp_path / "cache" / "part") == 0o600


@posix_only
def test_an_open_file_of_another_is_not_written_into(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    (tmp_path / "part").symlink_to(elsewhere)
    with open_private(tmp_path / "part") as file:
        file.write(b"ours")
    assert elsewhere.read_text() == "theirs"
    assert (tmp_path / "part").read_text() == "ours"


@posix_only
@pytest.mark.usefixtures("open_umask")
def test_a_file_for_the_user_has_the_usual_rights_and_keeps_those_it_had(tmp_path: Path) -> None:
    path = tmp_path / "map.html"
    os.umask(0o027)
    write_whole(path, b"first")
    assert rights(path) == 0o640
    path.chmod(0o600)
    write_whole(path, b"second")
    assert (path.read_bytes(), rights(path)) == (b"second", 0o600)
    assert [one.name for one in tmp_path.iterdir()] == ["map.html"]


@posix_only
def test_a_link_stays_one_and_what_is_no_ordinary_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
    write_whole(Path("/dev/null"), b"gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", b"no file")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "folder", "link"]


def begun(path: Path) -> "subprocess.Popen[str]":
    """A process that writes a file, and has not finished."""
    writer = subprocess.Popen(  # noqa: S603 - ours
        [sys.executable, "-c", BEGINS, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout
    assert writer.stdout.readline() == "begun\n"
    return writer


@posix_only
def test_the_next_writer_removes_what_a_killed_one_has_left(tmp_path: Path) -> None:
    path, other = tmp_path / "x.dump", tmp_path / "other"
    with begun(path) as killed, begun(path) as living, begun(other) as elsewhere:
        killed.kill()
        killed.wait()
        assert len(list(tmp_path.iterdir())) == 3
        write_whole(path, b"whole")
        assert len(list(tmp_path.iterdir())) == 3  # its own, and two that are still being written
        living.communicate("\n")
        assert path.read_bytes() == b"half"
        elsewhere.kill()
    (tmp_path / ".tables.abcdefgh.unfinished").mkdir()
    (tmp_path / ".unfinished").touch()
    write_whole(path, b"whole")
    assert len(list(tmp_path.iterdir())) == 4
    remove_unfinished(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == [".unfinished", "x.dump"]


def test_a_file_takes_its_name_when_it_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path = tmp_path / "file"
    write_whole(path, b"old")
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output error"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@posix_only
def test_a_pipe_is_written_directly_also_as_standard_output(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(pipe) as file:
        file.write(b"through")
    assert os.read(reader, 99) == b"through"
    os.close(reader)
    assert pipe.is_fifo()
    writes = "from graphrag_neo4j.files import *; write_whole(Path('/dev/stdout'), b'out')"
    command = [sys.executable, "-c", writes]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"out"  # noqa: S603
