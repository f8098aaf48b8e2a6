"""What the commands of `kg-build eval` print, ask and return."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.evaluation import Evaluation
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.llm.evaluation.judges import DEFINITIONS
from graphrag_neo4j.settings import load_settings
from tests.conftest import Run
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
PEOPLE = ("Marley was dead [Data: Sources (1)].", "Scrooge lives [2].")


def with_answers(folder: Path) -> Path:
    """An evaluation with two questions, and answers of two other systems to each."""
    ours = Evaluation(folder / "e", load_settings())
    ours.add_questions(["Who is dead?", "Who lives?"])
    for name, text in zip(("one", "other"), PEOPLE, strict=True):
        rows = [{"question": q.text, "answer": f"{text} {q.text}"} for q in ours.folder.questions]
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        ours.import_answers(path, name)
    return folder / "e"


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


def test_a_person_compares_blind_and_goes_on_later(
    kg: Run, tmp_path: Path, typing: list[str]
) -> None:
    folder = with_answers(tmp_path)
    typing += ["x", "1", "s", "2"]
    ran = kg("eval", "verdict", folder, "--name", "Ann", "--metric", "diversity")
    assert ran.code == 0
    assert "[Data:" not in ran.out
    assert "Sources" not in ran.out
    assert not {"Answer 1: one", "other:"} & set(ran.out.splitlines())
    assert DEFINITIONS["diversity"] in ran.out
    assert "[2]" not in ran.out
    assert "Type 1, 2, t, s or q." in ran.out
    assert ran.out.endswith("1 verdict saved, 1 comparison left.\n")
    typing += ["2"]
    ran = kg("eval", "verdict", folder, "--name", "Ann", "--metric", "diversity")
    assert "0 comparisons left" in ran.out
    found = list(EvaluationFolder(folder).verdicts)
    assert [(one.judge, one.winner, one.repeat) for one in found] == [
        ("person Ann", "first", 1),
        ("person Ann", "second", 1),
    ]
    assert len({one.question for one in found}) == 2
    shown = EvaluationFolder(folder)
    assert all(shown.answers[one.first].question == one.question for one in found)


def test_ctrl_c_keeps_the_verdicts(kg: Run, tmp_path: Path, typing: list[str]) -> None:
    folder = with_answers(tmp_path)
    typing += ["t", "1"]
    ran = kg("eval", "verdict", folder, "--name", "Ann")
    assert ran.code == 130
    assert "2 verdicts saved, 6 comparisons left." in ran.out
    assert [one.winner for one in EvaluationFolder(folder).verdicts] == ["tie", "first"]
    assert "2 verdicts by person Ann." in kg("eval", "status", folder).out


def test_what_does_not_match_is_told_and_fails(kg: Run, tmp_path: Path) -> None:
    folder = with_answers(tmp_path)
    file = tmp_path / "third.jsonl"
    file.write_text('{"question": "Why?", "answer": "So."}\n')
    ran = kg("eval", "import", folder, file, "--condition", "third")
    assert ran.code == 1
    assert "0 new answers of third, 0 were there already." in ran.out
    assert "The evaluation has no such question: Why?" in ran.err
    assert "third has no answer to 2 questions of the evaluation." in ran.out


def test_without_a_model_one_s_own_questions_serve(
    kg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_MODEL", "extractive")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-tests-only")
    ran = kg("eval", "questions", tmp_path / "e", "--yes")
    assert ran.code == 1
    assert "KG_MODEL=extractive says that none is asked" in ran.err
    (tmp_path / "q.txt").write_text("What recurs in all tales?\nWhat recurs in the tales?\n")
    ran = kg("eval", "questions", tmp_path / "e", tmp_path / "q.txt")
    assert ran.code == 0
    assert "2 new questions. 2 questions are saved." in ran.out


def test_calls_that_fail_are_told_with_the_reason_and_nothing_is_not_reported(
    kg_alone: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeEndpoint(garbage=1.0) as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        ran = kg_alone("eval", "questions", "e", "--about", "Tales.", "--yes")
    assert ran.code == 1
    assert "1 call failed." in ran.out
    assert "1 time: the reply is" in ran.out
    ran = kg_alone("eval", "report", "e")
    assert ran.code == 1
    assert "nothing to report" in ran.err
    assert "kg-build eval answers" in ran.err
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
    assert "2 new questions. 2 questions are saved." in ran.out
    ran = kg("eval", "answers", "e", "-c", "SS", "--yes")
    assert ran.code == 0, ran.err
    assert "2 answers will take about 2 calls with" in ran.out
    assert "SS                2" in ran.out
    ran = kg("eval", "answers", "e", "-c", "C0", "--yes", "--quiet")
    assert (ran.code, ran.out) == (0, "")
    assert EvaluationFolder("e").plan.conditions == ("SS", "C0")
    endpoint.reset()
    assert "All 4 answers are there already." in kg("eval", "answers", "e").out
    assert endpoint.log == []
    ours = Evaluation.from_env("e")
    assert (ours.estimate_answers().there, ours.answer().there) == (4, 4)
    assert [one.condition for one in ours.costs()] == ["SS", "C0"]
    ran = kg("eval", "answers", "e", "-c", "locla", "--yes")
    assert (ran.code, "Did you mean local?" in ran.err) == (1, True)
