"""Files that are written: whole or not at all, never readable by others on the way."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag_neo4j.embedded.home import Home, ServerRecord
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.text.files import make_private_folder, open_private, write_whole

posix_only = pytest.mark.skipif(os.name != "posix", reason="file modes of POSIX")


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
    assert found == {"graphrag-neo4j.json": 0o600, "password": 0o600, "lock": 0o600}
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
