"""Questions and answers from files, records that survive a kill, and what a condition takes."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.evaluate import Evaluation
from graphrag_neo4j.extras.evaluate.answers import condition_costs
from graphrag_neo4j.extras.evaluate.folder import (
    AnswerRecord,
    CitedSource,
    QuestionRecord,
    RecordFile,
    question_key,
)
from graphrag_neo4j.extras.evaluate.questions import read_questions
from graphrag_neo4j.settings import load_settings


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
    ],
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "questions.jsonl"
    questions(path).add([question("Who?")])
    with path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(InputError, match=problem):
        len(questions(path))


def written(path: Path, text: str) -> list[QuestionRecord]:
    path.write_text(text, "utf-8-sig")
    return read_questions(path)


def test_a_text_has_a_question_on_each_line_and_a_table_a_column(tmp_path: Path) -> None:
    text = written(tmp_path / "q.txt", "Who?\n\n  Why,  and how?  \nWho?\n谁?\n")
    assert [one.text for one in text] == ["Who?", "Why, and how?", "谁?"]
    table = 'question_text,question_id\n"What recurs, and where?",1\nHow?,2\n'
    found = written(tmp_path / "q.csv", table)
    assert [one.text for one in found] == ["What recurs, and where?", "How?"]
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


def test_an_import_keeps_what_is_known_adds_what_changed_and_the_last_one_counts(
    tmp_path: Path,
) -> None:
    ours = evaluation(tmp_path)
    done = ours.import_answers(lines(tmp_path, GIVEN), "lightrag")
    assert (done.new, done.there, done.unmatched, done.empty) == (1, 0, [], [])
    assert done.unanswered == ["Who lives?"]
    [answer] = Evaluation(tmp_path / "e", load_settings()).folder.current_answers().values()
    said = (answer.condition, answer.text, answer.calls, answer.cost)
    assert said == ("lightrag", "Marley [1].", 2, 0.25)
    assert list(answer.sources) == [CitedSource("[1]", "carol.txt", "Marley was dead.")]
    assert (answer.context_tokens, answer.seconds) == (None, 1.5)
    assert ours.import_answers(lines(tmp_path, GIVEN), "lightrag").there == 1
    changed = {**GIVEN, "answer": "Jacob Marley."}
    assert ours.import_answers(lines(tmp_path, changed), "lightrag").new == 1
    assert [one.text for one in ours.folder.current_answers().values()] == ["Jacob Marley."]
    ours.import_answers(lines(tmp_path, GIVEN), "lightrag")
    assert [one.text for one in ours.folder.current_answers().values()] == ["Marley [1]."]


@pytest.mark.parametrize(
    ("row", "name", "problem"),
    [
        ({"question": "Why?"}, "lightrag", "Line 1 of .* answer: Field required"),
        ({**GIVEN, "tokens": 3}, "lightrag", "Line 1 of .* it has no field tokens"),
        *((GIVEN, name, "means answers of this program") for name in ("C0", "local", "C9")),
        (GIVEN, "a,b", "commas"),
    ],
)
def test_a_wrong_line_or_name_is_refused(
    tmp_path: Path, row: object, name: str, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        evaluation(tmp_path).import_answers(lines(tmp_path, row), name)


NAMES = ("C0", "C1", "C2", "C3", "TS")
TABLE_2 = {
    "Podcast": (
        (34, 367, 969, 1310, 1669),
        (26657, 225756, 565720, 746100, 1014611),
        (2.6, 22.3, 55.8, 73.5, 100.0),
    ),
    "News": (
        (55, 555, 1797, 2142, 3197),
        (39770, 352641, 980898, 1140266, 1707694),
        (2.3, 20.7, 57.4, 66.8, 100.0),
    ),
}


def answer(condition: str, question: str = "q", **given: object) -> AnswerRecord:
    return AnswerRecord(f"{condition} {question}", question, condition, "Yes.", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("dataset", TABLE_2)
def test_the_columns_of_table_2_come_out(dataset: str) -> None:
    units, tokens, percent = TABLE_2[dataset]
    found = condition_costs(
        answer(name, question, units=n, context_tokens=size)
        for question in ("a", "b")
        for name, n, size in zip(NAMES, units, tokens, strict=True)
    )
    told = [(one.condition, one.units, one.context_tokens, one.answers) for one in found]
    assert told == [(*row, 2) for row in zip(NAMES, units, tokens, strict=True)]
    assert [round(one.percent or 0, 1) for one in found] == list(percent)


def test_means_count_only_what_is_there_and_what_is_known_of_all() -> None:
    answers = [
        answer("C0", "a", calls=3, input_tokens=90, output_tokens=9, cost=0.5, seconds=2.0),
        answer("C0", "b", calls=5, input_tokens=10, output_tokens=1, cost=0.1, seconds=4.0),
        answer("C0", "c", failure="no reply"),
        answer("other", "a", cost=1.0, calls=1),
        answer("other", "b"),
        answer("none", "a", failure="no reply"),
    ]
    ours, other, none = condition_costs(answers)
    assert (ours.answers, ours.missing, ours.calls, ours.seconds) == (2, 1, 4, 3)
    assert ours.cost == pytest.approx(0.3)
    assert ours.total_cost == pytest.approx(0.6)
    assert (ours.input_tokens, ours.output_tokens, ours.units) == (50, 5, None)
    assert (other.cost, other.total_cost, other.calls) == (None, None, None)
    assert (none.answers, none.missing, none.context_tokens, none.percent) == (0, 1, None, None)


def test_an_evaluation_reads_what_another_one_has_written_before_it_writes(tmp_path: Path) -> None:
    first, second = (Evaluation(tmp_path / "e", load_settings()) for _ in range(2))
    assert not len(first.folder.questions)
    second.add_questions(["Who is dead?", "Who lives?"])
    second.choose(["SS"])
    assert [one.text for one in first.add_questions(["Who is dead?", "Why?"])] == ["Why?"]
    first.choose(["C0"])
    found = Evaluation(tmp_path / "e", load_settings()).folder
    assert [one.text for one in found.questions] == ["Who is dead?", "Who lives?", "Why?"]
    assert found.plan.conditions == ("SS", "C0")


def test_while_one_evaluation_writes_another_one_may_only_read(tmp_path: Path) -> None:
    first, second = (evaluation(tmp_path) for _ in range(2))
    with first.folder.writing():
        first.add_questions(["Why?"])
        with pytest.raises(
            InputError, match=r"Another command writes to .*e \(lock .*\): wait for"
        ):
            second.add_questions(["How?"])
        assert len(Evaluation(tmp_path / "e", load_settings()).folder.questions) == 3
    second.add_questions(["How?"])
    assert len(second.folder.questions) == 4
