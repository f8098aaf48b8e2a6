"""A person's own questions from a file, and questions that say nearly the same."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.folder import QuestionRecord
from graphrag_neo4j.evaluate.questions import read_questions


def written(path: Path, text: str) -> list[QuestionRecord]:
    path.write_text(text, "utf-8-sig")
    return read_questions(path)


def test_a_text_file_has_a_question_on_each_line(tmp_path: Path) -> None:
    found = written(tmp_path / "q.txt", "Who?\n\n  Why,  and how?  \nWho?\n谁?\n")
    assert [one.text for one in found] == ["Who?", "Why, and how?", "谁?"]


def test_a_table_has_a_column_of_questions(tmp_path: Path) -> None:
    table = 'question_text,question_id\n"What recurs, and where?",1\nHow?,2\n'
    assert [one.text for one in written(tmp_path / "q.csv", table)] == [
        "What recurs, and where?",
        "How?",
    ]
    rows = [{"question": "Who?", "persona": "a nurse", "task": "compare"}, {"question": "Why?"}]
    found = written(tmp_path / "q.jsonl", "\n".join(map(json.dumps, rows)))
    assert [(one.text, one.persona, one.task) for one in found] == [
        ("Who?", "a nurse", "compare"),
        ("Why?", "", ""),
    ]
    (tmp_path / "own.csv").write_text("Frage\nWer?\n")
    assert [one.text for one in read_questions(tmp_path / "own.csv", "Frage")] == ["Wer?"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("q.csv", "id,frage\n1,Wer?\n", "no column question or question_text or text .* --column"),
        ("q.txt", " \n", "holds no question"),
        ("q.pdf", "x", "is of no kind that holds questions"),
        ("q.txt", "Why? " * 9000, "A question has .* characters; at most 20,000"),
        ("q.jsonl", '{"question": "Who?"}\n{"question"\n', "row 2|line 2"),
    ],
)
def test_a_file_without_questions_is_one_sentence(
    tmp_path: Path, name: str, text: str, problem: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=problem):
        read_questions(tmp_path / name)
    with pytest.raises(InputError, match="There is no file"):
        read_questions(tmp_path / "missing.txt")
