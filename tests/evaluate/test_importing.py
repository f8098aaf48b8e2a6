"""Answers of other systems: what a file looks like, what matches, and what is told."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate import Evaluation
from graphrag_neo4j.settings import load_settings

GIVEN = {
    "question": "Who is  dead?",
    "answer": "Marley [1].",
    "sources": [{"source": "carol.txt", "text": "Marley was dead.", "citation": "[1]"}],
    "calls": 2,
    "input_tokens": 70,
    "output_tokens": 7,
    "cost": 0.25,
    "seconds": 1.5,
}


def evaluation(folder: Path) -> Evaluation:
    made = Evaluation(folder / "e", load_settings())
    made.add_questions(["Who is dead?", "Who lives?"])
    return made


def lines(folder: Path, *rows: object) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8-sig")
    return path


def test_an_answer_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    ours = evaluation(tmp_path)
    done = ours.import_answers(lines(tmp_path, GIVEN), "lightrag")
    assert (done.new, done.there, done.unmatched, done.empty) == (1, 0, [], [])
    assert done.unanswered == ["Who lives?"]
    [answer] = Evaluation(tmp_path / "e", load_settings()).folder.current_answers().values()
    assert (answer.condition, answer.text, answer.calls, answer.cost) == (
        "lightrag",
        "Marley [1].",
        2,
        0.25,
    )
    [source] = answer.sources
    assert (source.source, source.text, source.citation) == (
        "carol.txt",
        "Marley was dead.",
        "[1]",
    )
    assert (answer.context_tokens, answer.seconds) == (None, 1.5)


def test_a_second_import_adds_what_has_changed_and_the_last_one_counts(tmp_path: Path) -> None:
    ours = evaluation(tmp_path)
    ours.import_answers(lines(tmp_path, GIVEN), "lightrag")
    assert ours.import_answers(lines(tmp_path, GIVEN), "lightrag").there == 1
    changed = {**GIVEN, "answer": "Jacob Marley."}
    assert ours.import_answers(lines(tmp_path, changed), "lightrag").new == 1
    assert [one.text for one in ours.folder.current_answers().values()] == ["Jacob Marley."]
    ours.import_answers(lines(tmp_path, GIVEN), "lightrag")
    assert [one.text for one in ours.folder.current_answers().values()] == ["Marley [1]."]


def test_what_does_not_match_is_told(tmp_path: Path) -> None:
    rows = [GIVEN, {"question": "Why?", "answer": "So."}, {"question": "Who lives?", "answer": " "}]
    done = evaluation(tmp_path).import_answers(lines(tmp_path, *rows), "lightrag")
    assert (done.new, done.unmatched, done.empty) == (1, ["Why?"], ["Who lives?"])


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"question": "Why?"}, "Line 1 of .* answer: Field required"),
        ({**GIVEN, "tokens": 3}, "Line 1 of .* it has no field tokens"),
        ({**GIVEN, "calls": "many"}, "Line 1 of .* calls: Input should be a valid integer"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, row: object, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        evaluation(tmp_path).import_answers(lines(tmp_path, row), "lightrag")


@pytest.mark.parametrize("name", ["C0", "TS", "local", "C9"])
def test_a_name_that_means_a_search_of_ours_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"The name {name} means answers of this program"):
        evaluation(tmp_path).import_answers(lines(tmp_path, GIVEN), name)
    with pytest.raises(InputError, match="can't be the name of a condition"):
        evaluation(tmp_path).import_answers(lines(tmp_path, GIVEN), "a,b")
