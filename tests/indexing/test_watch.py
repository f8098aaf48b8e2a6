"""When a watch builds, and from which files: real folders, and builds that only take notes."""

from collections.abc import Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from graphrag_neo4j.errors import GraphBusyError, GraphError, GraphRAGError
from graphrag_neo4j.events import Event, Notice
from graphrag_neo4j.indexing.result import IndexResult
from graphrag_neo4j.indexing.watch import Pace, Watch

FAST = Pace(rest=0.05, hold_up=0.4, look=0.3, retry=0.05, longest_retry=0.2, ceiling=0.05)
Answer = IndexResult | GraphRAGError | None


@dataclass
class Notes:
    """Takes notes of the builds, and answers as it is told; without an answer, all is done."""

    answers: list[Answer] = field(default_factory=list)
    built: list[tuple[list[str], list[str]]] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    during: Callable[[], object] = lambda: None

    async def build(self, paths: Sequence[Path], leave_out: Collection[Path]) -> IndexResult | None:
        self.built.append((names(paths), names(leave_out)))
        self.during()
        answer = self.answers.pop(0) if self.answers else IndexResult()
        if isinstance(answer, GraphRAGError):
            raise answer
        return answer

    def listen(self, event: Event) -> None:
        assert isinstance(event, Notice)
        assert event.warning
        self.heard.append(event.text)


def names(paths: Collection[Path]) -> list[str]:
    return sorted(path.name for path in paths)


def watch(notes: Notes, *paths: Path, resumes: bool = False) -> aclosing[Watch]:
    made = Watch(paths, notes.build, notes.listen, resumes=resumes, pace=FAST)
    return aclosing(made)


async def nothing_is_built(
    watching: Watch, seconds: float = 0.6, until: Callable[[], object] = lambda: True
) -> None:
    """There is no build until something is so, nor in the seconds after that."""

    async def wait() -> None:
        with anyio.fail_after(60):
            while not until():  # noqa: ASYNC110 - no event says so
                await anyio.sleep(0.01)
        await anyio.sleep(seconds)
        quiet.cancel()

    with anyio.CancelScope() as quiet:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await watching.next_build()
            raise AssertionError("there was a build")
    assert quiet.cancelled_caught


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("Marley was dead.")
    return tmp_path / "docs"


async def test_it_begins_with_a_build_and_builds_again_when_a_file_changes(docs: Path) -> None:
    notes = Notes()
    async with watch(notes, docs) as watching:
        await watching.next_build()
        (docs / "a.txt").write_text("Marley was as dead as a nail.")
        await watching.next_build()
        (docs / "new").mkdir()
        (docs / "new" / "b.txt").write_text("Scrooge knew it.")
        await watching.next_build()
        (docs / "a.txt").unlink()
        await watching.next_build()
    assert notes.built == [(["docs"], [])] * 4
    assert notes.heard == []


async def test_hidden_files_and_files_of_editors_cause_no_build(docs: Path) -> None:
    notes = Notes()
    async with watch(notes, docs) as watching:
        await watching.next_build()
        for name in (".a.txt.swp", "a.txt~", "#a.txt#", ".hidden.txt", "a.tmp"):
            (docs / name).write_text("Scrooge")
        (docs / ".git").mkdir()
        (docs / ".git" / "x.txt").write_text("Scrooge")
        await nothing_is_built(watching)


async def test_what_changes_during_a_build_is_in_the_next_one(docs: Path) -> None:
    notes = Notes(during=lambda: (docs / "b.txt").write_text("x" * len(notes.built)))
    async with watch(notes, docs) as watching:
        await watching.next_build()
        notes.during = lambda: None
        await watching.next_build()
        await nothing_is_built(watching)
    assert len(notes.built) == 2


async def test_a_file_that_keeps_growing_is_left_out_until_it_is_at_rest(docs: Path) -> None:
    notes = Notes()
    async with watch(notes, docs) as watching, anyio.create_task_group() as tasks:
        growing = anyio.CancelScope()
        tasks.start_soon(grow, docs / "growing.txt", growing)
        await watching.next_build()
        growing.cancel()
        assert notes.built == [(["docs"], ["growing.txt"])]
        await watching.next_build()
    assert notes.built[1:] == [(["docs"], [])]
    told = f"{docs / 'growing.txt'} keeps changing. It is left out until it is at rest."
    assert notes.heard == [told]


async def grow(file: Path, growing: anyio.CancelScope) -> None:
    with growing, file.open("a") as text:
        while True:
            text.write("Marley was dead. ")
            text.flush()
            await anyio.sleep(0.01)


@pytest.mark.parametrize("emptied", [True, False], ids=["empty", "gone"])
async def test_a_folder_that_lost_all_files_at_once_deletes_nothing(
    docs: Path, tmp_path: Path, emptied: bool
) -> None:
    notes = Notes()
    away = tmp_path / "away"
    async with watch(notes, docs) as watching:
        await watching.next_build()
        docs.rename(away)
        if emptied:
            docs.mkdir()
        await nothing_is_built(watching, until=lambda: notes.heard)
        [told] = notes.heard
        how = "holds no file that can be read." if emptied else "matches no file"
        assert told.startswith(f"{docs} {how}")
        assert (
            f"they stay there. If you have deleted the files on purpose, `kg-build index {docs}"
            in told
        )
        if emptied:
            docs.rmdir()
        away.rename(docs)
        await nothing_is_built(watching)  # the files are the same ones
        (docs / "b.txt").write_text("Scrooge knew it.")
        await watching.next_build()
    assert len(notes.built) == 2


async def test_one_path_without_files_does_not_hold_up_the_others(
    docs: Path, tmp_path: Path
) -> None:
    notes = Notes()
    (tmp_path / "none").mkdir()
    async with watch(notes, docs, tmp_path / "none") as watching:
        await watching.next_build()
    assert notes.built == [(["docs"], [])]
    assert len(notes.heard) == 1


async def test_the_error_of_the_first_build_is_raised(docs: Path) -> None:
    async with watch(Notes([GraphError("Neo4j is not there.")]), docs) as watching:
        with pytest.raises(GraphError, match="Neo4j is not there"):
            await watching.next_build()


async def test_after_a_later_error_it_tries_again_with_growing_pauses(docs: Path) -> None:
    lost = GraphError("Neo4j is not there.")
    notes = Notes([IndexResult(), lost, lost, lost, lost, IndexResult()])
    async with watch(notes, docs) as watching:
        await watching.next_build()
        (docs / "b.txt").write_text("Scrooge knew it.")
        start = anyio.current_time()
        await watching.next_build()
    assert len(notes.built) == 6
    assert len(notes.heard) == 4
    assert anyio.current_time() - start >= 0.05 + 0.1 + 0.2 + 0.2


async def test_it_waits_for_another_run_and_says_so_once(docs: Path) -> None:
    busy = GraphBusyError("Another run writes to this graph.")
    notes = Notes([busy, busy, IndexResult()])
    async with watch(notes, docs) as watching:
        await watching.next_build()
    assert notes.heard == ["Another run writes to this graph. The build here waits until then."]


async def test_a_build_that_a_limit_of_the_day_stopped_goes_on_by_itself(docs: Path) -> None:
    stopped = IndexResult(stopped="The cost limit is reached.")
    notes = Notes([stopped, None, None, IndexResult()])
    async with watch(notes, docs, resumes=True) as watching:
        await watching.next_build()
        await watching.next_build()
        await nothing_is_built(watching)
    assert len(notes.built) == 4


async def test_a_build_that_a_limit_of_a_run_stopped_waits_for_a_change(docs: Path) -> None:
    notes = Notes([IndexResult(stopped="The cost limit is reached.")])
    async with watch(notes, docs) as watching:
        await watching.next_build()
        await nothing_is_built(watching)
