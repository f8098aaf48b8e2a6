"""What the commands of `kg-build eval` print, ask, save and return. One of them needs Neo4j."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag_neo4j.extras.evaluate import Evaluation
from graphrag_neo4j.extras.evaluate.folder import EvaluationFolder
from graphrag_neo4j.extras.evaluate.tasks.judges import DEFINITIONS
from graphrag_neo4j.settings import load_settings
from tests.cli.test_json import held
from tests.conftest import KEY, Run
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
QUESTIONS = [f"Who sails to port {number}?" for number in range(100, 106)]
PASSAGE = "In 1833 Ann sails to port 100, and Bob rows to port 100."
ANSWERS = {
    "graph": "Ann sails to port {}, and Bob rows to port {} [1]. Quality mark 9.",
    "vector": "It is far to {} [2]. Quality mark 2.",
}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        monkeypatch.setenv("KG_CONCURRENCY", "1")
        yield fake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An evaluation with the answers of two other systems, of which the second cites nothing."""
    evaluation = Evaluation(tmp_path / "e", load_settings())
    evaluation.add_questions(QUESTIONS)
    for name, text in ANSWERS.items():
        sources = [{"source": "a.txt", "text": PASSAGE, "citation": "[1]"}]
        rows = [
            {"question": q, "answer": text.format(q[12:-1], q[12:-1]), "sources": sources}
            for q in QUESTIONS
        ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        evaluation.import_answers(path, name)
    return tmp_path / "e"


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the person types, line by line; at its end Ctrl-C."""
    lines: list[str] = []

    def prompt(_text: str) -> str:
        if not lines:
            raise KeyboardInterrupt
        return lines.pop(0)

    monkeypatch.setattr("graphrag_neo4j.cli.output.terminal.prompt", prompt)
    monkeypatch.setattr("graphrag_neo4j.cli.output.terminal.can_ask", lambda: True)
    return lines


def test_answers_are_judged_once_and_the_results_are_shown(
    kg_alone: Run, fake: FakeEndpoint, folder: Path
) -> None:
    asked = ("eval", "judge", folder, "--metric", "diversity")
    ran = kg_alone(*asked, "--repeats", "2", "--yes")
    assert ran.code == 0
    assert "24 verdicts will take about 24 calls" in ran.out
    assert ran.out.endswith("24 verdicts saved.\n")
    again = kg_alone(*asked, "--yes")
    assert (again.code, again.out) == (0, "24 verdicts of 24 are there already.\n")
    assert len(fake.log) == 24
    shown = kg_alone("eval", "results", folder).out.splitlines()
    row = next(line for line in shown if line.startswith("diversity")).split()
    numbers = ["100.00", "-2.45", "0.031", "0.031", "yes", "exact", "6", "0", "–", "–"]
    assert row == ["diversity", "graph", "vector", *numbers]
    status = kg_alone("eval", "status", folder).out
    assert "24 verdicts by model gpt-4.1-mini." in status
    assert "missing" not in status, "nothing else was asked for"


def test_a_lost_verdict_is_told_and_does_not_bring_the_bias_of_the_places_back(
    kg_alone: Run, fake: FakeEndpoint, folder: Path
) -> None:
    fake.change(judge="first", garbage=0.6, seed=2)
    arguments = ("--repeats", "1", "--metric", "diversity", "--yes")
    ran = kg_alone("eval", "judge", folder, *arguments)
    lost = sum(one.winner is None for one in EvaluationFolder(folder).verdicts)
    assert (ran.code, 0 < lost < 12) == (1, True)
    assert f"{lost} verdict" in ran.out
    assert "the reply is" in ran.out
    shown = kg_alone("eval", "results", folder).out
    row = next(line for line in shown.splitlines() if line.startswith("diversity"))
    assert row.split()[3] == "50.00"
    fake.change(garbage=0.0)
    assert kg_alone("eval", "judge", folder, *arguments).code == 0


def test_the_first_screen_says_what_a_judge_prefers(
    kg_alone: Run, fake: FakeEndpoint, folder: Path
) -> None:
    fake.change(judge="longer")
    assert kg_alone("eval", "judge", folder, "--repeats", "2", "--yes").code == 0
    shown = kg_alone("eval", "results", folder).out
    [said] = [line for line in shown.splitlines() if "This judge" in line]
    assert "by length" in said
    page = folder.parent / "r.html"
    assert kg_alone("eval", "report", folder, "-o", page).code == 0
    assert "by length" in page.read_text("utf-8").partition("</header>")[0]


def test_claims_are_found_counted_and_tested(
    kg_alone: Run, fake: FakeEndpoint, folder: Path
) -> None:
    command = ("eval", "claims", folder, "--model", "other", "--yes")
    assert "12 parts of answers saved." in kg_alone(*command).out
    assert "12 parts of answers of 12 are there already." in kg_alone(*command).out
    assert len(fake.log) == 36
    kg_alone("eval", "judge", folder, "--repeats", "1", "--quiet", "--yes")
    shown = kg_alone("eval", "results", folder).out
    assert "Found by other." in shown
    rows = [line.split() for line in shown.splitlines()]
    assert ["graph", "6", "3.00"] in [row[:3] for row in rows]
    tested = ["claims", "graph", "vector", "3.00", "1.00", "-2.45", "0.031", "0.031", "yes"]
    assert tested in rows
    assert "claims, comprehensiveness" in shown


def test_a_model_judges_each_cited_sentence_once_and_words_cost_nothing(
    kg_alone: Run, fake: FakeEndpoint, folder: Path
) -> None:
    ran = kg_alone("eval", "ground", folder)
    assert (ran.code, fake.log) == (1, [])
    assert "add --yes" in ran.err
    fake.change(misjudged=("prose", "empty"))
    failed = kg_alone("eval", "ground", folder, "--yes")
    assert failed.code == 1
    assert "6 cited sentences will take about 6 calls with" in failed.out
    assert "6 cited sentences failed." in failed.out
    fake.change(misjudged=())
    fake.reset()
    assert kg_alone("eval", "ground", folder, "--yes").code == 0
    again = held("eval ground", kg_alone("eval", "ground", folder, "--json"))
    assert len(fake.log) == 6
    graph, vector = again["groups"]
    assert (graph["cited"], vector["cited"]) == (6, 6)
    assert (graph["placed_share"], vector["placed_share"]) == (1, 0), "[2] has no source"
    words = kg_alone("eval", "ground", folder, "--words")
    assert "by words and vectors" in words.out
    assert len(fake.log) == 6


@pytest.mark.parametrize("command", ["judge", "claims", "ground"])
def test_the_cost_limit_ends_the_run_and_the_next_one_pays_for_nothing_twice(
    kg_alone: Run,
    fake: FakeEndpoint,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    whole, most = {"judge": (12, 3), "claims": (36, 10), "ground": (6, 4)}[command]
    for name in ("KG_INPUT_PRICE", "KG_OUTPUT_PRICE"):
        monkeypatch.setenv(name, "1000")
    EvaluationFolder(folder).change_plan(metrics=("diversity",), repeats=1)
    ran = kg_alone("eval", command, folder, "--yes", "--max-cost", str(most))
    assert ran.code == 1
    assert f"The cost limit of ${most}.00 is reached" in ran.err
    assert "saved" in ran.out
    assert len(fake.log) in range(1, whole)
    assert kg_alone("eval", command, folder, "--yes").code == 0
    asked = [call.request for call in fake.log]
    assert len(asked) == len(set(asked)) == whole


def test_what_can_not_be_done_is_told_in_one_sentence(
    kg_alone: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(command: str, *arguments: str | Path) -> str:
        return kg_alone("eval", command, *arguments).err

    assert "OPENAI_API_KEY" in refused("judge", folder, "--yes")
    assert "holds no evaluation" in refused("results", tmp_path / "none")
    assert "holds no evaluation" in refused("status", tmp_path / "none")
    assert "There is nothing to judge" in refused("ground", tmp_path / "none")
    assert "A person must type the verdicts" in refused("verdict", folder)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-tests-only")
    assert "--yes" in refused("judge", folder)
    assert "graph, vector" in refused("judge", folder, "-c", "none", "--yes")
    assert "two conditions" in refused("judge", folder, "-c", "graph", "--yes")
    monkeypatch.setenv("KG_MODEL", "extractive")
    assert "No model is set" in refused("questions", tmp_path / "q", "--yes")
    (tmp_path / "third.jsonl").write_text('{"question": "Why?", "answer": "So."}\n')
    ran = kg_alone("eval", "import", folder, tmp_path / "third.jsonl", "--condition", "third")
    assert ran.code == 1
    assert "0 new answers of third, 0 were there already." in ran.out
    assert "no such question: Why?" in ran.err
    assert "third has no answer to 6 questions of the evaluation." in ran.out


def test_a_person_compares_blind_and_goes_on_later(
    kg_alone: Run, folder: Path, typing: list[str]
) -> None:
    command = ("eval", "verdict", folder, "--name", "Ann", "--metric", "diversity")
    typing += ["x", "1", "s", "2", "q"]
    ran = kg_alone(*command)
    assert ran.code == 0
    assert not {"[1]", "[2]", "Answer 1: graph", "vector:"} & set(ran.out.split())
    assert DEFINITIONS["diversity"] in ran.out
    assert "Type 1, 2, t, s or q." in ran.out
    assert ran.out.endswith("2 verdicts saved, 4 comparisons left.\n")
    typing += ["t"]
    ran = kg_alone(*command)
    assert (ran.code, "1 verdict saved, 3 comparisons left." in ran.out) == (130, True)
    found = EvaluationFolder(folder)
    winners = [(one.judge, one.winner, one.repeat) for one in found.verdicts]
    assert winners == [("person Ann", winner, 1) for winner in ("first", "second", "tie")]
    assert all(found.answers[one.first].question == one.question for one in found.verdicts)


def test_calls_that_fail_are_told_with_the_reason_and_nothing_is_not_reported(
    kg_alone: Run, fake: FakeEndpoint, tmp_path: Path
) -> None:
    fake.change(garbage=1.0)
    ran = kg_alone("eval", "questions", "e", "--about", "Tales.", "--yes")
    assert ran.code == 1
    assert "1 call failed." in ran.out
    assert "1 time: the reply is" in ran.out
    ran = kg_alone("eval", "report", "e")
    assert (ran.code, "holds no answers" in ran.err) == (1, True)
    assert not (tmp_path / "eval.html").exists()


@pytest.mark.usefixtures("graph", "environment")
@pytest.mark.slow
def test_questions_and_answers_from_the_command_line(
    kg: Run, tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    (tmp_path / "tale.txt").write_text(TALE)
    assert kg("index", tmp_path / "tale.txt", "--no-claims").code == 0
    endpoint.reset()
    ran = kg("eval", "questions", "e", "--about", "Tales.", "--personas", "1", "--tasks", "1")
    assert (ran.code, endpoint.log) == (1, [])
    assert "add --yes to the command" in ran.err
    made = ("--personas", "1", "--tasks", "1", "--questions", "2", "--about", "Tales.", "--yes")
    ran = kg("eval", "questions", "e", *made)
    assert ran.code == 0, ran.err
    assert "  Tales." in ran.out
    assert "Up to 2 questions will take about 3 calls with" in ran.out
    assert "2 new questions. 2 questions saved." in ran.out
    ran = kg("eval", "answers", "e", "-c", "SS", "--yes")
    assert ran.code == 0, ran.err
    assert "2 answers will take about 2 calls with" in ran.out
    assert [line.split()[:2] for line in ran.out.splitlines() if line.startswith("SS ")]
    ran = kg("eval", "answers", "e", "-c", "C0", "--yes", "--quiet")
    assert (ran.code, ran.out) == (0, "")
    assert EvaluationFolder("e").plan.conditions == ("SS", "C0")
    endpoint.reset()
    assert "4 answers of 4 are there already." in kg("eval", "answers", "e").out
    assert endpoint.log == []
    ours = Evaluation.from_env("e")
    assert asyncio.run(ours.answer()).there == 4
    assert [one.condition for one in ours.costs()] == ["SS", "C0"]
    ran = kg("eval", "answers", "e", "-c", "locla", "--yes")
    assert (ran.code, "Did you mean local?" in ran.err) == (1, True)


SECONDS = 300  # at most: a machine may be slow


def start(endpoint: FakeEndpoint, command: str, folder: Path) -> "subprocess.Popen[bytes]":
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.url}
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "graphrag_neo4j.cli", "eval", command, folder, "--yes"],
        cwd=folder.parent,
        env={**os.environ, **environment, "KG_CONCURRENCY": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.slow
def test_one_command_writes_to_a_folder_and_a_second_one_pays_for_nothing(
    kg_alone: Run, endpoint: FakeEndpoint, folder: Path, typing: list[str]
) -> None:
    asked = ("eval", "judge", folder, "--metric", "diversity", "--repeats", "2", "--yes")
    endpoint.change(latency=1.0)
    (folder.parent / "more.txt").write_text("Why?\n")
    refused = (
        asked,
        ("eval", "verdict", folder),
        ("eval", "claims", folder, "--yes"),
        ("eval", "questions", folder, folder.parent / "more.txt"),
        ("eval", "import", folder, folder.parent / "graph.jsonl", "--condition", "third"),
    )
    with start(endpoint, "judge", folder) as running:
        end = time.monotonic() + SECONDS
        while not endpoint.log:
            assert running.poll() is None, "the command ended before it asked"
            assert time.monotonic() < end
            time.sleep(0.01)
        ran = [kg_alone(*command) for command in refused]
        read = [kg_alone("eval", command, folder).code for command in ("status", "results")]
        lasted = running.poll() is None
        running.kill()
    assert lasted
    assert read == [0, 0]
    assert [(one.code, one.out) for one in ran] == [(1, "")] * len(refused)
    assert all(one.err.startswith(f"Error: Another command writes to {folder} (") for one in ran)
    assert {(call.kind, call.attempt) for call in endpoint.log} == {("json:judged_answers", 1)}
    typing += ["1", "q"]
    assert kg_alone("eval", "verdict", folder, "--metric", "diversity").code == 0


@pytest.mark.slow
def test_a_killed_step_goes_on_from_the_last_reply(endpoint: FakeEndpoint, folder: Path) -> None:
    """Claims take three calls for a record: those that were answered are not made again."""

    def saved() -> int:
        path = folder / "claims.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    endpoint.change(latency=0.2)
    running, end = start(endpoint, "claims", folder), time.monotonic() + SECONDS
    while saved() < 3:
        assert running.poll() is None, "the command ended before it could be killed"
        assert time.monotonic() < end, f"it has saved {saved()} records"
        time.sleep(0.01)
    running.kill()
    running.wait()
    assert 3 <= saved() < 12
    first = [call.request for call in endpoint.log]
    endpoint.change(latency=0.0)
    endpoint.reset()
    assert start(endpoint, "claims", folder).wait(SECONDS) == 0
    again = [call.request for call in endpoint.log]
    assert len({*first, *again}) == 36
    assert len(set(first) & set(again)) <= 1, "only the call that was under way is made again"
    assert saved() == 12
    endpoint.reset()
    assert start(endpoint, "claims", folder).wait(SECONDS) == 0
    assert endpoint.log == []
