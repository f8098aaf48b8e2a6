"""A watch in a real graph: what changes in a folder changes there, up to a cost a day."""

import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest

from graphrag_neo4j import AsyncGraphRAG, GraphRAG, InputError, ReadOptions
from graphrag_neo4j.events import Event, Notice
from graphrag_neo4j.graph import Graph, hold_lease
from graphrag_neo4j.indexing.result import IndexResult
from graphrag_neo4j.indexing.watch import Pace
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.watching import watch
from tests.conftest import Make
from tests.indexing.test_kill import HEARING
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

FAST = Pace(rest=0.05, look=0.3, retry=0.2, ceiling=0.2)
DEAF = HEARING.replace("SIG_DFL", "SIG_IGN")  # as what a shell starts in the background
TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."


class Watched:
    """A watch of a folder with what it says."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.heard: list[str] = []
        self.results: AsyncGenerator[IndexResult, None] = watch(
            [folder], settings, ReadOptions(id_column="id"), self.listen, pace=FAST
        )

    def listen(self, event: Event) -> None:
        if isinstance(event, Notice) and event.warning:
            self.heard.append(event.text)

    async def builds_nothing(self) -> None:
        """It says why, and a second after that there is still no build."""

        async def wait() -> None:
            with anyio.fail_after(60):
                while not self.heard:  # noqa: ASYNC110 - no event says so
                    await anyio.sleep(0.01)
            await anyio.sleep(1)
            quiet.cancel()

        with anyio.CancelScope() as quiet:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                raise AssertionError(f"there was a build: {await anext(self.results)}")
        assert quiet.cancelled_caught

    async def next(self) -> IndexResult:
        with anyio.fail_after(60):
            return await anext(self.results)


async def names(graph: Graph) -> list[str]:
    rows = await graph.run_plain("MATCH (d:Document) RETURN d.source AS source ORDER BY source")
    return [row["source"].rpartition("/")[2] for row in rows]


async def test_what_appears_changes_and_goes_in_a_folder_does_so_in_the_graph(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text(TALE)
    (docs / "b.jsonl").write_text('{"id": 1, "text": "Fred laughed."}\n{"id": 2, "text": "Tim."}')
    watched = Watched(docs, alone)
    async with aclosing(watched.results):
        first = await watched.next()
        assert await names(graph) == ["a.txt", "b.jsonl#1", "b.jsonl#2"]
        (docs / "a.txt").unlink()
        (docs / "b.jsonl").write_text('{"id": 2, "text": "Tiny Tim."}')
        (docs / "c.txt").write_text(TALE)
        second = await watched.next()
    assert first.ingested.added == 3
    assert (second.ingested.added, second.ingested.changed, len(second.dropped)) == (1, 1, 2)
    assert await names(graph) == ["b.jsonl#2", "c.txt"]


async def test_it_begins_with_what_changed_while_it_did_not_run_and_waits_for_another_run(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text(TALE)
    (docs / "b.txt").write_text(TALE)
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(docs)
    (docs / "a.txt").unlink()
    watched = Watched(docs, alone)
    async with aclosing(watched.results), hold_lease(graph, {"command": "kg-build"}, dict):
        await watched.builds_nothing()
    [told] = watched.heard
    assert told.startswith("Another run writes to this graph (kg-build, process ")
    assert len(await names(graph)) == 2
    again = Watched(docs, alone)
    async with aclosing(again.results):
        await again.next()
    assert again.heard == [f"{(docs / 'a.txt').as_uri()} is gone and is dropped from the graph."]
    assert await names(graph) == ["b.txt"]


@pytest.mark.slow  # it waits twice that nothing happens
async def test_the_cost_of_today_is_that_of_all_builds_and_the_next_day_goes_on(
    graph: Graph, settings: Make, endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text(TALE)
    prices = {"input_price": 1.0, "output_price": 1.0}  # US dollars for a million tokens
    given = settings(**prices, claims=False, gleanings=0)
    async with AsyncGraphRAG(given) as rag:
        await rag.index(docs)
    (docs / "b.txt").write_text(f"{TALE} So it was.")
    calls = len(endpoint.log)
    await graph.run_plain("MATCH (b:Build) SET b.cost = 0.02")
    given = given.changed(max_cost_a_day=0.01)
    for _ in range(2):  # a restart does not forget what was spent
        watched = Watched(docs, given)
        async with aclosing(watched.results):
            await watched.builds_nothing()
        [told] = watched.heard
        assert told.startswith("The builds of today have reached the limit of 0.01 US dollars")
    assert len(endpoint.log) == calls
    await graph.run_plain("MATCH (b:Build) SET b.renewed = b.renewed - 24 * 3600 * 1000")
    next_day = Watched(docs, given)
    async with aclosing(next_day.results):
        result = await next_day.next()
    assert result.ingested.added == 1
    assert len(endpoint.log) > calls


async def test_a_path_that_does_not_exist_is_refused(alone: Settings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="matches no file"):
        await anext(AsyncGraphRAG(alone).watch(tmp_path / "nowhere"))


@pytest.mark.slow  # the usual pace
@pytest.mark.usefixtures("graph")
def test_a_script_without_await_gets_the_results(alone: Settings, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TALE)
    with GraphRAG(alone) as rag:
        results = rag.watch(tmp_path)
        assert next(results).ingested.added == 1
        (tmp_path / "b.txt").write_text(TALE)
        assert next(results).ingested.added == 1
        results.close()
        assert rag.status().counts["documents"] == 2


@pytest.mark.slow  # the usual pace, in a process of its own
@pytest.mark.usefixtures("graph", "environment")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_the_command_says_what_each_build_did_and_stops_cleanly(
    tmp_path: Path, ending: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_MODEL", "extractive")
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text(TALE)
    heard = HEARING if ending == signal.SIGINT else DEAF
    command = [sys.executable, "-c", heard, "-m", "graphrag_neo4j", "watch", "docs"]
    with subprocess.Popen(  # noqa: S603 - our own Python on our own code
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
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
