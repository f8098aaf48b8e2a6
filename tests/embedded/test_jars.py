"""The embedded server's jars: by lock, in parallel, checked, and gone on with."""

import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphrag_neo4j.embedded.jars import fetch_missing, jars_folder
from graphrag_neo4j.embedded.releases import RELEASES, Release, read_lock
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.model.events import Advanced, Event, Notice, Started, silent
from tests.support.embedded_maven import Repository, running_repository

Download = Callable[[], list[Event]]


@pytest.fixture
def repository() -> Iterator[Repository]:
    with running_repository() as running:
        yield running


@pytest.fixture
def download(repository: Repository, tmp_path: Path) -> Download:
    """Completes `tmp_path` by a lock of the repository's first state; gives the events."""
    jars = repository.jars()

    def run() -> list[Event]:
        told: list[Event] = []
        fetch_missing(jars, tmp_path, repository.url, told.append)
        return told

    return run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*/*"))


def test_each_jar_is_asked_for_once(
    repository: Repository, download: Download, tmp_path: Path
) -> None:
    repository.busy.release(2)  # one that is busy for a moment is asked again
    told = download()
    assert repository.asked.total() == 7
    for jar in repository.jars():
        assert (tmp_path / jar.kind / jar.name).read_bytes() == repository.files[jar.path]
    total = sum(len(content) for content in repository.files.values())
    assert [one.total for one in told if isinstance(one, Started)] == [total]
    assert sum(one.done for one in told if isinstance(one, Advanced)) == total
    assert not [one for one in download() if isinstance(one, Started | Notice)]
    assert repository.asked.total() == 7


def test_a_download_goes_on(repository: Repository, download: Download, tmp_path: Path) -> None:
    content = repository.files.pop("org/jar-4/jar-4.jar")
    with pytest.raises(EmbeddedError, match=r"404 for org/jar-4/jar-4\.jar"):
        download()
    finished = set(names(tmp_path)) - {"jar-4.jar.part"}
    repository.files["org/jar-4/jar-4.jar"] = content
    repository.asked.clear()
    download()
    assert not {path.rpartition("/")[2] for path in repository.asked} & finished
    assert names(tmp_path) == [f"jar-{i}.jar" for i in range(5)]


def test_a_jar_that_is_not_whole_never_stands_under_its_name(
    repository: Repository, download: Download, tmp_path: Path
) -> None:
    repository.cut = {"org/jar-2/jar-2.jar"}
    with pytest.raises(EmbeddedError, match="KG_MAVEN_URL"):
        download()
    assert not (tmp_path / "lib" / "jar-2.jar").exists()
    repository.cut = set()
    right = repository.files["org/jar-3/jar-3.jar"]
    repository.files["org/jar-3/jar-3.jar"] = b"x" * 103
    shutil.rmtree(tmp_path)
    with pytest.raises(EmbeddedError, match=r"^jar-3\.jar from .* is not the file that the lock"):
        download()
    assert not list(tmp_path.glob("*/jar-3*"))
    repository.files["org/jar-3/jar-3.jar"] = right
    download()
    assert names(tmp_path) == [f"jar-{i}.jar" for i in range(5)]


def test_two_downloads_at_once_share_the_work_and_a_damaged_jar_is_fetched_again(
    repository: Repository, download: Download, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda run: run(), [download, download]))
    assert set(repository.asked.values()) == {1}
    damaged = tmp_path / "plugins" / "jar-1.jar"
    damaged.write_bytes(b"x" * 101)
    repository.asked.clear()
    said = " ".join(one.text for one in download() if isinstance(one, Notice))
    assert "jar-1.jar" in said
    assert "damaged" in said
    assert list(repository.asked) == ["org/jar-1/jar-1.jar"]
    assert damaged.read_bytes() == repository.files["org/jar-1/jar-1.jar"]


def test_without_a_network_the_error_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, repository: Repository, tmp_path: Path
) -> None:
    with pytest.raises(EmbeddedError, match=r"maven2 can't be reached .* mirror .* KG_MAVEN_URL"):
        fetch_missing(repository.jars(), tmp_path, "http://127.0.0.1:1/maven2", silent)
    monkeypatch.setitem(sys.modules, "jgo.constants", None)
    with pytest.raises(EmbeddedError, match=r"pip install .*\[local\]"):
        fetch_missing(repository.jars(), tmp_path, None, silent)


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is of Linux")
def test_an_unusable_cache_folder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/home/jürgen/.cache")
    with pytest.raises(EmbeddedError, match="XDG_CACHE_HOME"):
        jars_folder(RELEASES["2026.09"])


@pytest.mark.parametrize("release", RELEASES.values(), ids=lambda release: release.name)
def test_a_release_s_lock_names_each_jar_once_and_gds_among_them(release: Release) -> None:
    jars = read_lock(release.lock())
    places = [(jar.kind, jar.name) for jar in jars]
    assert len(set(places)) == len(places)
    assert {jar.kind for jar in jars} == {"lib", "plugins"}
    assert ("lib", f"neo4j-{release.version}.jar") in places
    assert any(jar.path.startswith("org/neo4j/gds/") for jar in jars)
    assert all(jar.size > 0 and len(bytes.fromhex(jar.sha256)) == 32 for jar in jars)
