"""A step of an evaluation that is killed goes on: no reply that was saved is asked for again."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphrag_neo4j.evaluate import Evaluation
from graphrag_neo4j.settings import load_settings
from tests.conftest import KEY
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = [pytest.mark.slow, pytest.mark.one_release]

SECONDS = 300  # at most: a machine may be slow
SAVED = 3  # records after which a step is killed
RECORDS = 8  # of each step: both orders of two answers to four questions, or eight answers
QUESTIONS = [f"Who sails to port {n}?" for n in range(4)]
PASSAGE = "Ann sails to port 0. Bob rows to port 1. It is far to port 2."
TALE = "Ann sailed to port {} in 18{}0. Bob rowed home. Ann met Bob in London, and he sang to her."


def run(folder: Path, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
    """Starts a command of an evaluation with one call at a time."""
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "graphrag_neo4j.cli", "eval", arguments[0], folder, *arguments[1:]],
        cwd=folder.parent,
        env={**os.environ, "OPENAI_API_KEY": KEY, "KG_CONCURRENCY": "1", **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def lines(path: Path) -> int:
    """The number of whole lines of a file."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_after(running: "subprocess.Popen[bytes]", file: Path, records: int) -> int:
    """Kills a command once its file has so many records, and returns how many there are then."""
    end = time.monotonic() + SECONDS
    while lines(file) < records:
        assert running.poll() is None, "the command ended before it could be killed"
        assert time.monotonic() < end, f"{file} has {lines(file)} records"
        time.sleep(0.01)
    running.kill()
    running.wait()
    return lines(file)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An evaluation with the answers of two other systems."""
    ours = Evaluation(tmp_path / "e", load_settings())
    ours.add_questions(QUESTIONS)
    sources = [{"source": "a.txt", "text": PASSAGE, "citation": "[1]"}]
    for name in ("one", "other"):
        rows = [
            {"question": q, "answer": f"{name} sails to port {n} [1].", "sources": sources}
            for n, q in enumerate(QUESTIONS)
        ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        ours.import_answers(path, name)
    return tmp_path / "e"


@pytest.mark.parametrize(
    ("command", "records", "calls"),
    [
        (("judge", "--metric", "diversity", "--repeats", "1"), "verdicts.jsonl", 8),
        (("claims",), "claims.jsonl", 24),
        (("ground",), "groundedness.jsonl", 8),
    ],
)
def test_a_killed_step_goes_on_from_the_last_reply(
    endpoint: FakeEndpoint,
    folder: Path,
    command: tuple[str, ...],
    records: str,
    calls: int,
) -> None:
    """Claims take three calls for a record: those that were answered are not made again."""
    base = {"OPENAI_BASE_URL": endpoint.url}
    endpoint.change(latency=0.2)
    saved = kill_after(run(folder, *command, "--yes", **base), folder / records, SAVED)
    assert SAVED <= saved < RECORDS
    first = [call.request for call in endpoint.log]
    endpoint.change(latency=0.0)
    endpoint.reset()
    assert run(folder, *command, "--yes", **base).wait(SECONDS) == 0
    again = [call.request for call in endpoint.log]
    assert len({*first, *again}) == calls
    assert len(set(first) & set(again)) <= 1, "only the call that was under way is made again"
    assert lines(folder / records) == RECORDS
    endpoint.reset()
    assert run(folder, *command, "--yes", **base).wait(SECONDS) == 0
    assert endpoint.log == []
