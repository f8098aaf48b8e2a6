"""Batch runs that are killed or whose requests fail: the same command makes the same graph."""

import signal
import sys
from importlib.resources import files
from pathlib import Path

import anyio
import pytest

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.index.batches.test_batches import direct, in_rounds, left, twice
from tests.support.fake_endpoint import FakeEndpoint

SAMPLE = Path(str(files("graphrag_neo4j") / "data" / "sample"))
SHORTEST = min(SAMPLE.glob("*.txt"), key=lambda path: path.stat().st_size)

pytestmark = [pytest.mark.slow, pytest.mark.one_release, pytest.mark.usefixtures("environment")]

# A command that waits for its batches, and is killed when a function has ended.
KILLED = """
import os, signal, sys
from importlib import import_module
from graphrag_neo4j.index.batches import rounds
module, owner, name, path = sys.argv[1:]
holder = import_module("graphrag_neo4j." + module)
holder = getattr(holder, owner) if owner else holder
whole = getattr(holder, name)
async def dying(*given, **named):
    await whole(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(holder, name, dying)
rounds.PAGE, rounds.POLL = 2, 0.05
sys.argv = ["kg-build", "index", "--batch", "--wait", path]
from graphrag_neo4j.cli import main
main()
"""
MOMENTS = {
    "a file is uploaded": ("llm.endpoint.batches", "BatchCalls", "upload"),
    "a batch is noted and not made": ("index.batches.rounds", "BatchRounds", "_note_batch"),
    "a batch is made and not noted": ("llm.endpoint.batches", "BatchCalls", "create"),
    "some results are written": ("index.batches.rounds", "BatchRounds", "_save_page"),
    "results are read again": ("llm.endpoint.batches", "BatchCalls", "download"),
    "some evidence is written": ("index.read.extract", "", "save_extractions"),
    "some reports are written": ("index.reports.stage", "", "save_reports"),
}


@pytest.fixture
def episode(tmp_path: Path) -> Path:
    """The beginning of a transcript: a few chunks, which have reports on two levels."""
    path = tmp_path / "episode.txt"
    path.write_text(SHORTEST.read_text("utf-8")[:5_000], "utf-8")
    return path


@pytest.fixture
def given(settings: Make, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings that ask a model for descriptions, too; they also hold for other processes."""
    monkeypatch.setenv("KG_JOIN_TOKENS", "40")
    monkeypatch.setenv("KG_MAX_RETRIES", "12")
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    return settings()


async def test_killed_at_any_moment_the_graph_is_that_of_a_direct_run_and_no_batch_is_paid_twice(
    graph: Graph, given: Settings, endpoint: FakeEndpoint, episode: Path
) -> None:
    expected, _ = await direct(graph, given, episode)
    endpoint.reset()
    for moment, place in MOMENTS.items():
        ran = await anyio.run_process(
            [sys.executable, "-c", KILLED, *place, str(episode)], check=False
        )
        assert ran.returncode == -signal.SIGKILL, f"{moment}: {ran.stderr.decode()}"
    assert (await in_rounds(given, episode)).complete
    assert await dump(graph) == expected
    assert await left(graph) == 0
    # One request at most is under way directly when a run is killed: the first of its form.
    answered = [call for call in endpoint.log if call.completion_tokens]
    batched = [call.request for call in answered if call.path == "/v1/batches"]
    assert len(batched) == len(set(batched))
    assert len(twice(endpoint)) / 2 <= len(MOMENTS)


async def test_requests_that_fail_expire_or_are_lost_are_sent_again(
    graph: Graph, given: Settings, endpoint: FakeEndpoint, episode: Path
) -> None:
    expected, _ = await direct(graph, given, episode)
    endpoint.change(batch_expired=0.15, batch_lost=0.05, server_error=0.1)
    endpoint.reset()
    assert (await in_rounds(given, episode)).complete
    assert await dump(graph) == expected
    assert await left(graph) == 0
    assert twice(endpoint) == []
