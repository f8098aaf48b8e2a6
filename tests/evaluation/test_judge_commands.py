"""`kg-build eval judge`, `claims` and `results`: what they print, save, and return."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag_neo4j.evaluation import Evaluation
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.records import METRICS
from graphrag_neo4j.settings import load_settings
from tests.conftest import Run
from tests.support.fake_endpoint import FakeEndpoint

QUESTIONS = [f"Who sails to port {number}?" for number in range(100, 106)]
ANSWERS = {
    "graph": "Ann sails to {}, and Bob rows to {} [Data: Reports (3)]. Quality mark 9.",
    "vector": "It is far to {} [2]. Quality mark 2.",
}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        yield fake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An evaluation with the answers of two other systems."""
    evaluation = Evaluation(tmp_path / "e", load_settings())
    evaluation.add_questions(QUESTIONS)
    for name, text in ANSWERS.items():
        rows = [
            {"question": one, "answer": text.format(one[12:-1], one[12:-1])} for one in QUESTIONS
        ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        evaluation.import_answers(path, name)
    return tmp_path / "e"


def test_answers_are_judged_once_and_the_results_are_shown(
    kg_alone: Run, fake: FakeEndpoint, folder: Path
) -> None:
    ran = kg_alone("eval", "judge", folder, "--repeats", "2", "--metric", "diversity", "--yes")
    assert ran.code == 0
    assert "24 verdicts will take about 24 calls" in ran.out
    assert ran.out.endswith("24 verdicts saved.\n")
    assert len(fake.log) == 24
    again = kg_alone("eval", "judge", folder, "--metric", "diversity", "--yes")
    assert (again.code, again.out) == (0, "24 verdicts of 24 are there already.\n")
    assert len(fake.log) == 24
    shown = kg_alone("eval", "results", folder).out.splitlines()
    row = next(line for line in shown if line.startswith("graph")).split()
    numbers = ["100.00", "6", "0", "-2.45", "0.031", "0.031", "exact", "–", "–"]
    assert row == ["graph", "vector", *numbers]
    assert any(line.startswith("The first place won 50 %") for line in shown)
    assert "24 verdicts by model gpt-4.1-mini." in kg_alone("eval", "status", folder).out


def test_a_lost_verdict_does_not_bring_the_bias_of_the_places_back(
    kg_alone: Run, fake: FakeEndpoint, folder: Path
) -> None:
    fake.change(judge="first", garbage=0.6, seed=2)
    arguments = ("--repeats", "1", "--metric", "diversity", "--yes")
    assert kg_alone("eval", "judge", folder, *arguments).code == 1
    lost = sum(one.winner is None for one in EvaluationFolder(folder).verdicts)
    assert 0 < lost < 12
    shown = kg_alone("eval", "results", folder).out
    row = next(line for line in shown.splitlines() if line.startswith(("graph", "vector")))
    assert row.split()[2] == "50.00"
    assert "left out" in shown
    report = folder.parent / "r.html"
    assert kg_alone("eval", "report", folder, "-o", report, "--format", "md").code == 0
    assert "| left out |" in report.with_suffix(".md").read_text("utf-8")


@pytest.mark.parametrize(
    ("way", "called"), [("first", "by the place"), ("random", "a coin"), ("longer", "by length")]
)
def test_a_judge_that_goes_by_something_else_is_called_so(
    kg_alone: Run, fake: FakeEndpoint, folder: Path, way: str, called: str
) -> None:
    fake.change(judge=way)
    assert kg_alone("eval", "judge", folder, "--repeats", "2", "--yes").code == 0
    shown = kg_alone("eval", "results", folder).out
    said = [line for line in shown.splitlines() if line.startswith("This judge")]
    assert len(said) == 1
    assert called in said[0]
    assert shown.count("the longer answer won") == len(METRICS) + (way == "longer")
    page = folder.parent / "r.html"
    assert kg_alone("eval", "report", folder, "-o", page).code == 0
    assert called in page.read_text("utf-8")


def test_claims_are_found_and_counted(kg_alone: Run, fake: FakeEndpoint, folder: Path) -> None:
    ran = kg_alone("eval", "claims", folder, "--model", "other", "--yes")
    assert ran.code == 0
    assert "The claims of 12 parts of answers are saved." in ran.out
    assert len(fake.log) == 36
    assert "there already" in kg_alone("eval", "claims", folder, "--model", "other", "--yes").out
    kg_alone("eval", "judge", folder, "--repeats", "1", "--quiet", "--yes")
    shown = kg_alone("eval", "results", folder).out
    assert "claims, found by other" in shown
    counted = [line.split()[:3] for line in shown.splitlines()]
    assert ["graph", "6", "3.00"] in counted
    assert ["vector", "6", "1.00"] in counted
    assert "claims, comprehensiveness" in shown


def test_what_can_not_be_judged_is_told_in_one_sentence(
    kg_alone: Run, fake: FakeEndpoint, folder: Path, tmp_path: Path
) -> None:
    assert "--yes" in kg_alone("eval", "judge", folder).err
    assert "graph, vector" in kg_alone("eval", "judge", folder, "-c", "none", "--yes").err
    assert "two conditions" in kg_alone("eval", "judge", folder, "-c", "graph", "--yes").err
    assert "no verdicts" in kg_alone("eval", "results", tmp_path / "none").err
    assert fake.log == []


def test_the_cost_limit_ends_the_run_and_the_next_one_goes_on(
    kg_alone: Run, fake: FakeEndpoint, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_CONCURRENCY", "1")
    arguments = ("--repeats", "1", "--metric", "diversity", "--yes")
    ran = kg_alone("eval", "judge", folder, *arguments, "--max-cost", "0.0005")
    assert ran.code == 1
    assert "The cost limit of" in ran.err
    assert 0 < len(fake.log) < 12
    assert f"{len(fake.log)} new verdict" in ran.err
    assert kg_alone("eval", "judge", folder, *arguments).code == 0
    assert len(fake.log) == 12


def test_all_of_it_works_from_python(fake: FakeEndpoint, folder: Path) -> None:
    evaluation = Evaluation.from_env(folder, openai_base_url=fake.url, concurrency=4)
    assert evaluation.judge(["diversity"], repeats=1).made == 12
    assert evaluation.find_claims().made == 12
    (verdicts,) = evaluation.judged().values()
    assert {one.label for one in verdicts} == {"one"}
    assert {len(claims) for claims in evaluation.claims().claims.values()} == {1, 3}
