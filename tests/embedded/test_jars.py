"""The embedded server's jars: by lock, in parallel, checked, and gone on with."""

import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event as Flag

import pytest

from graphrag_neo4j.embedded.jars import complete, jars_folder
from graphrag_neo4j.embedded.releases import RELEASES, Release, read_lock
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.model.events import Advanced, Event, Notice, Started, silent
from tests.support.embedded_maven import Repository, running_repository

Steps = list[tuple[int, int]]
Download = Callable[[], Steps]


@pytest.fixture
def repository() -> Iterator[Repository]:
    with running_repository() as running:
        yield running


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def download(repository: Repository, tmp_path: Path, told: list[str]) -> Download:
    """Completes `tmp_path` by a lock of the repository's first state; gives the progress."""
    jars = repository.jars()

    def run() -> Steps:
        steps: Steps = []

        def listen(event: Event) -> None:
            if isinstance(event, Started) and event.total:
                steps.append((0, event.total))
            elif isinstance(event, Advanced):
                steps.append((steps[-1][0] + event.done, steps[-1][1]))
            elif isinstance(event, Notice):
                told.append(event.text)

        complete(jars, tmp_path, repository.url, listen)
        return steps

    return run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*/*"))


def test_jars_stand_in_the_folder_of_their_kind_and_are_asked_for_once(
    repository: Repository, download: Download, tmp_path: Path, told: list[str]
) -> None:
    steps = download()
    for jar in repository.jars():
        assert (tmp_path / jar.kind / jar.name).read_bytes() == repository.files[jar.path]
    total = sum(len(content) for content in repository.files.values())
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1] == (total, total)
    before = repository.asked.copy(), list(told)
    assert download() == []
    assert (repository.asked, told) == before


def test_progress_counts_what_has_arrived_of_a_jar(tmp_path: Path) -> None:
    arrived: list[int] = []
    with running_repository(0) as repository:
        repository.files["org/large/large.jar"] = bytes(4_000_000)
        repository.half = Flag()

        def listen(event: Event) -> None:
            if isinstance(event, Advanced):
                arrived.append(event.done)
                if repository.half:
                    repository.half.set()

        complete(repository.jars(), tmp_path, repository.url, listen)
    assert 0 < arrived[0] < 4_000_000
    assert sum(arrived) == 4_000_000


def test_an_interrupted_download_goes_on_with_what_is_missing(
    repository: Repository, download: Download, tmp_path: Path
) -> None:
    content = repository.files.pop("org/jar-4/jar-4.jar")
    with pytest.raises(EmbeddedError, match=r"404 for org/jar-4/jar-4\.jar"):
        download()
    finished = set(names(tmp_path)) - {"jar-4.jar.part"}
    repository.files["org/jar-4/jar-4.jar"] = content
    repository.asked.clear()
    download()
    assert not {path.rpartition("/")[2] for path in repository.asked} & finished
    assert names(tmp_path) == [f"jar-{i}.jar" for i in range(5)]


def test_a_jar_that_was_cut_off_or_has_another_hash_never_stands_under_its_name(
    repository: Repository, download: Download, tmp_path: Path
) -> None:
    repository.cut = {"org/jar-2/jar-2.jar"}
    with pytest.raises(EmbeddedError, match="KG_MAVEN_URL"):
        download()
    assert not (tmp_path / "lib" / "jar-2.jar").exists()
    repository.cut = set()
    right, repository.files["org/jar-3/jar-3.jar"] = (
        repository.files["org/jar-3/jar-3.jar"],
        b"x" * 103,
    )
    shutil.rmtree(tmp_path)
    with pytest.raises(EmbeddedError, match=r"^jar-3\.jar from .* is not the file that the lock"):
        download()
    assert not list(tmp_path.glob("*/jar-3*"))
    repository.files["org/jar-3/jar-3.jar"] = right
    download()
    assert names(tmp_path) == [f"jar-{i}.jar" for i in range(5)]


def test_a_jar_damaged_in_the_cache_is_named_and_fetched_again(
    repository: Repository, download: Download, tmp_path: Path, told: list[str]
) -> None:
    download()
    damaged = tmp_path / "plugins" / "jar-1.jar"
    damaged.write_bytes(b"x" * 101)
    repository.asked.clear()
    download()
    assert any(line.startswith("jar-1.jar in") and "damaged" in line for line in told)
    assert list(repository.asked) == ["org/jar-1/jar-1.jar"]
    assert damaged.read_bytes() == repository.files["org/jar-1/jar-1.jar"]


def test_a_repository_that_is_busy_for_a_moment_is_asked_again(
    repository: Repository, download: Download, tmp_path: Path
) -> None:
    repository.busy.release(2)
    download()
    assert len(names(tmp_path)) == 5
    assert repository.asked.total() == 7


def test_two_downloads_at_once_fetch_each_jar_once(
    repository: Repository, download: Download
) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda run: run(), [download, download]))
    assert set(repository.asked.values()) == {1}


def test_without_a_network_the_error_names_the_setting_for_a_mirror(
    repository: Repository, tmp_path: Path
) -> None:
    closed = "http://127.0.0.1:1/maven2"
    with pytest.raises(EmbeddedError, match=r"maven2 can't be reached .* mirror .* KG_MAVEN_URL"):
        complete(repository.jars(), tmp_path, closed, silent)


def test_without_the_extra_the_error_names_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, repository: Repository, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "filelock", None)
    with pytest.raises(EmbeddedError, match=r"pip install .*\[local\]"):
        complete(repository.jars(), tmp_path, repository.url, silent)


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is of Linux")
def test_a_cache_folder_that_neo4j_can_not_run_from_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/home/jürgen/.cache")
    with pytest.raises(EmbeddedError, match="XDG_CACHE_HOME"):
        jars_folder(RELEASES["2026.01"])


@pytest.mark.parametrize("release", RELEASES.values(), ids=lambda release: release.name)
def test_a_release_s_lock_names_each_jar_once_and_gds_among_them(release: Release) -> None:
    jars = read_lock(release.lock())
    places = [(jar.kind, jar.name) for jar in jars]
    assert len(set(places)) == len(places)
    assert {jar.kind for jar in jars} == {"lib", "plugins"}
    assert ("lib", f"neo4j-{release.version}.jar") in places
    assert any(jar.path.startswith("org/neo4j/gds/") for jar in jars)
    assert all(jar.size > 0 and len(bytes.fromhex(jar.sha256)) == 32 for jar in jars)
