"""A file of records survives a kill, and names a line that is no record."""

from pathlib import Path

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.folder import QuestionRecord, RecordFile, question_key


def questions(path: Path) -> RecordFile[QuestionRecord]:
    return RecordFile(path, QuestionRecord)


def question(text: str) -> QuestionRecord:
    return QuestionRecord(question_key(text), text)


def test_a_line_that_was_cut_off_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    questions(path).add([question("Who?"), question("Where?")])
    path.write_bytes(path.read_bytes()[:-7])
    there = questions(path)
    assert [one.text for one in there] == ["Who?"]
    there.add([question("Why?")])
    assert [one.text for one in questions(path)] == ["Who?", "Why?"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("no JSON", "Line 2 of .*questions.jsonl is not what it should be: Invalid JSON"),
        ('{"key": "a"}', "Line 2 .*text: Field required"),
        ('{"key": 1, "text": "x"}', "Line 2 .*key: Input should be a valid string"),
    ],
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "questions.jsonl"
    questions(path).add([question("Who?")])
    with path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(InputError, match=problem):
        len(questions(path))


def test_a_text_of_any_script_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    texts = ["Ποιος; \u2028 谁?", 'a "quoted"\nline', "🙂"]
    questions(path).add([question(text) for text in texts])
    assert [one.text for one in questions(path)] == texts
