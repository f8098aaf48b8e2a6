"""When a watch builds, from which files, and what then changes in a real graph."""

import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from graphrag_neo4j import AsyncGraphRAG, ReadOptions
from graphrag_neo4j.client.async_client import metered_client
from graphrag_neo4j.errors import BudgetSpentError, GraphBusyError, GraphError, GraphRAGError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.index.watch import DayMeter, Pace, Watch, watch
from graphrag_neo4j.model.events import Event, Listener, Notice
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.index.test_kill import HEARING
from tests.index.test_removal import documents_of
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

FAST = Pace(0.05, hold_up=0.4, look=0.3, retry=0.05, longest_retry=0.2, ceiling=0.05)
DEAF = HEARING.replace("SIG_DFL", "SIG_IGN")  # as what a shell starts in the background
TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
Answer = IndexResult | GraphRAGError


@dataclass
class Notes:
    """Takes notes of the builds, and answers as it is told; without an answer, all is done."""

    answers: list[Answer] = field(default_factory=list)
    built: list[tuple[list[str], list[str]]] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    during: Callable[[], object] = lambda: None

    async def build(self, paths: Sequence[Path], leave_out: Collection[Path]) -> IndexResult:
        self.built.append((names(paths), names(leave_out)))
        self.during()
        answer = self.answers.pop(0) if self.answers else IndexResult()
        if isinstance(answer, GraphRAGError):
            raise answer
        return answer

    def listen(self, event: Event) -> None:
        if isinstance(event, Notice) and event.warning:
            self.heard.append(event.text)


def names(paths: Collection[Path]) -> list[str]:
    return sorted(path.name for path in paths)


def watching_with(notes: Notes, *paths: Path, resumes: bool = False) -> aclosing[Watch]:
    return aclosing(Watch(paths, notes.build, notes.listen, resumes=resumes, pace=FAST))


async def nothing_is_built(watching: Watch, until: Callable[[], object] = lambda: True) -> None:
    """There is no build until something is so, nor in the time after that."""

    async def wait() -> None:
        with anyio.fail_after(60):
            while not until():  # noqa: ASYNC110 - no event says so
                await anyio.sleep(0.01)
        await anyio.sleep(0.6)
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
    (tmp_path / "docs" / "a.txt").write_text(TALE)
    return tmp_path / "docs"


async def test_it_begins_with_a_build_and_builds_again_when_a_file_changes(docs: Path) -> None:
    notes = Notes()
    async with watching_with(notes, docs) as watching:
        await watching.next_build()
        (docs / ".git").mkdir()
        # Hidden files and files of editors cause no build.
        for name in (".a.txt.swp", "a.txt~", "#a.txt#", ".hidden.txt", "a.tmp", ".git/x.txt"):
            (docs / name).write_text("Scrooge")
        await nothing_is_built(watching)
        (docs / "a.txt").write_text("Marley was as dead as a nail.")
        await watching.next_build()
        (docs / "new").mkdir()
        (docs / "new" / "b.txt").write_text("Scrooge knew it.")
        await watching.next_build()
        (docs / "a.txt").unlink()
        await watching.next_build()
    assert notes.built == [(["docs"], [])] * 4
    assert notes.heard == []


async def test_without_watchfiles_it_looks_from_time_to_time_and_says_once_what_is_missing(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    notes = Notes()
    async with watching_with(notes, docs) as watching:
        await watching.next_build()
        await nothing_is_built(watching)
        (docs / "b.txt").write_text("Scrooge knew it.")
        await watching.next_build()
    assert len(notes.built) == 2
    [told] = notes.heard
    assert "[watch]" in told


async def test_what_changes_during_a_build_is_in_the_next_one(docs: Path) -> None:
    notes = Notes(during=lambda: (docs / "b.txt").write_text("x" * len(notes.built)))
    async with watching_with(notes, docs) as watching:
        await watching.next_build()
        notes.during = lambda: None
        await watching.next_build()
        await nothing_is_built(watching)
    assert len(notes.built) == 2


async def test_a_file_that_keeps_growing_is_left_out_until_it_is_at_rest(docs: Path) -> None:
    notes = Notes()
    async with watching_with(notes, docs) as watching, anyio.create_task_group() as tasks:
        growing = anyio.CancelScope()
        tasks.start_soon(grow, docs / "growing.txt", growing)
        await watching.next_build()
        growing.cancel()
        assert notes.built == [(["docs"], ["growing.txt"])]
        await watching.next_build()
    assert notes.built[1:] == [(["docs"], [])]
    [told] = notes.heard
    assert told == f"{docs / 'growing.txt'} keeps changing. It is left out until it is at rest."


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
    async with watching_with(notes, docs) as watching:
        await watching.next_build()
        docs.rename(away)
        if emptied:
            docs.mkdir()
        await nothing_is_built(watching, until=lambda: notes.heard)
        [told] = notes.heard
        how = "holds no file that can be read." if emptied else "matches no file"
        assert told.startswith(f"{docs} {how}")
        assert f"If you have deleted the files on purpose, `kg-build index {docs}" in told
        if emptied:
            docs.rmdir()
        away.rename(docs)
        await nothing_is_built(watching)  # the files are the same ones
        (docs / "b.txt").write_text("Scrooge knew it.")
        await watching.next_build()
    assert len(notes.built) == 2


async def test_after_a_later_error_it_tries_again_with_growing_pauses(docs: Path) -> None:
    lost = GraphError("Neo4j is not there.")
    notes = Notes([lost, IndexResult(), lost, lost, lost, lost, IndexResult()])
    async with watching_with(notes, docs) as watching:
        with pytest.raises(GraphError, match="Neo4j is not there"):
            await watching.next_build()  # the first one
        await watching.next_build()
        (docs / "b.txt").write_text("Scrooge knew it.")
        start = anyio.current_time()
        await watching.next_build()
    assert len(notes.built) == 7
    assert len(notes.heard) == 4
    assert anyio.current_time() - start >= 0.05 + 0.1 + 0.2 + 0.2


async def test_it_waits_for_another_run_and_a_build_that_a_limit_of_the_day_stopped_goes_on(
    docs: Path,
) -> None:
    busy = GraphBusyError("Another run writes to this graph.")
    stopped = IndexResult(stopped="The cost limit is reached.")
    spent = BudgetSpentError("The limit of the day is reached.")
    notes = Notes([busy, busy, stopped, spent, spent, IndexResult()])
    async with watching_with(notes, docs, resumes=True) as watching:
        await watching.next_build()
        await watching.next_build()
        await nothing_is_built(watching)
    assert len(notes.built) == 6
    assert notes.heard == [
        "Another run writes to this graph. The build here waits until then.",
        "The limit of the day is reached.",
    ]


class EnoughLooksError(Exception):
    """Ends a watch that would go on looking."""


def watched(
    folder: Path,
    settings: Settings,
    notes: Notes,
    clients: int = 100,
    day: DayMeter | None = None,
) -> aclosing[AsyncGenerator[IndexResult, None]]:
    """A watch of a folder. It ends when it would open one client too many."""
    left = iter(range(clients))

    def connect(day: DayMeter, settings: Settings, listen: Listener) -> AsyncGraphRAG:
        if next(left, None) is None:
            raise EnoughLooksError
        return metered_client(day, settings, listen)

    options = ReadOptions(id_column="id")
    day = day or DayMeter(lambda: settings.max_cost_a_day)
    return aclosing(watch([folder], settings, options, notes.listen, connect, day=day, pace=FAST))


async def next_of(results: AsyncGenerator[IndexResult, None]) -> IndexResult:
    with anyio.fail_after(60):
        return await anext(results)


async def test_what_appears_changes_and_goes_in_a_folder_does_so_in_the_graph(
    graph: Graph, alone: Settings, docs: Path
) -> None:
    (docs / "b.jsonl").write_text('{"id": 1, "text": "Fred laughed."}\n{"id": 2, "text": "Tim."}')
    async with watched(docs, alone, Notes()) as results:
        first = await next_of(results)
        assert await documents_of(graph) == ["a.txt", "b.jsonl#1", "b.jsonl#2"]
        (docs / "a.txt").unlink()
        (docs / "b.jsonl").write_text('{"id": 2, "text": "Tiny Tim."}')
        (docs / "c.txt").write_text(TALE)
        second = await next_of(results)
    assert first.ingested.added == 3
    done = second.ingested  # a.txt is c.txt now
    assert (done.added, len(done.moved), done.changed, len(second.dropped)) == (0, 1, 1, 1)
    assert await documents_of(graph) == ["b.jsonl#2", "c.txt"]


async def test_the_cost_of_today_is_that_of_all_builds_and_the_next_day_goes_on(
    graph: Graph, settings: Make, endpoint: FakeEndpoint, docs: Path
) -> None:
    prices = {"input_price": 1.0, "output_price": 1.0}  # US dollars for a million tokens
    given = settings(**prices, claims=False, gleanings=0)
    async with AsyncGraphRAG(given) as rag:
        await rag.index(docs)
    (docs / "b.txt").write_text(f"{TALE} So it was.")
    calls = len(endpoint.log)
    await graph.run_plain("MATCH (b:Build) SET b.cost = 0.02")
    given = given.changed(max_cost_a_day=0.01)
    for _ in range(2):  # a restart does not forget what was spent
        notes = Notes()
        async with watched(docs, given, notes, clients=5) as results:  # each asks what it has cost
            with pytest.raises(EnoughLooksError):
                await next_of(results)
        [told] = notes.heard
        assert told.startswith("The limit of $0.0100 a day (KG_MAX_COST_A_DAY) is reached")
    assert len(endpoint.log) == calls
    await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed - 24 * 3600 * 1000")
    async with watched(docs, given, Notes()) as results:
        assert (await next_of(results)).ingested.added == 1
    assert len(endpoint.log) > calls


async def test_the_builds_and_the_questions_of_a_process_share_a_day_and_do_not_pass_its_limit(
    graph: Graph, settings: Make, endpoint: FakeEndpoint, docs: Path
) -> None:
    most = [0.4]
    day, notes = DayMeter(lambda: most[0]), Notes()
    given = settings(input_price=10.0, output_price=10.0, claims=False, gleanings=0)
    for n in range(20):
        (docs / f"{n}.txt").write_text(f"{TALE} {n} ghosts came.")

    def cost() -> float:
        return sum(10 * (one.prompt_tokens + one.completion_tokens) for one in endpoint.log) / 1e6

    async with watched(docs, given, notes, clients=5, day=day) as results:
        built = await next_of(results)
        assert built.stopped
        assert "a day (KG_MAX_COST_A_DAY) is reached" in built.stopped
        await day.look(graph)
        assert day.spent == pytest.approx(cost()), "once, although the graph has it, too"
        async with metered_client(day, given) as rag:
            with pytest.raises(BudgetSpentError, match="KG_MAX_COST_A_DAY"):
                await rag.query("What is this about?", method="text")
        most[0] = 0.4 + cost()
        again = await next_of(results)
        assert cost() <= most[0]
        assert again.usage
    assert cost() > 0.4


@pytest.mark.slow  # the usual pace, in a process of its own
@pytest.mark.usefixtures("graph", "environment")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_the_command_says_what_each_build_did_and_stops_cleanly(
    docs: Path, ending: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_MODEL", "extractive")
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    heard = HEARING if ending == signal.SIGINT else DEAF
    command = [sys.executable, "-c", heard, "-m", "graphrag_neo4j.cli", "index", "docs", "--watch"]
    with subprocess.Popen(  # noqa: S603 - our own Python on our own code
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=docs.parent
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "Watching docs. Press Ctrl-C to stop.\n"
        assert "  1 document new; " in process.stdout.readline()
        (docs / "b.json").write_text("[")
        assert "  1 document unchanged; " in process.stdout.readline()
        process.send_signal(ending)
        try:
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert out == "Stopped. The work done so far is saved. The same command continues it.\n"
    assert "b.json: is not JSON" in err
    assert "Traceback" not in err
    assert err.count("\nextraction: ") + err.startswith("extraction: ") == 1  # the first build only
