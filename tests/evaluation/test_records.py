"""A step makes what is missing, and nothing else; a file of records survives a kill."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from graphrag_neo4j.errors import BudgetSpentError, InputError, ReplyError
from graphrag_neo4j.evaluation.records import QuestionRecord, RecordFile, question_key
from graphrag_neo4j.evaluation.steps import Step, make_missing
from graphrag_neo4j.events import silent


@dataclass(frozen=True, slots=True)
class Squared:
    key: str
    number: int
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Number:
    key: str


class Counting:
    """Squares numbers, refuses some, and counts how often it was asked."""

    def __init__(self, refused: str = "", most: int = 100) -> None:
        self.refused, self.most = refused, most
        self.asked: list[str] = []

    async def __call__(self, item: Number) -> Squared:
        if len(self.asked) == self.most:
            raise BudgetSpentError("The limit is reached.")
        self.asked.append(item.key)
        if item.key == self.refused:
            raise ReplyError("no number")
        return Squared(item.key, int(item.key) ** 2)


def step(path: Path, make: Counting) -> Step[Number, Squared]:
    return Step(
        "squares",
        RecordFile(path, Squared),
        make,
        lambda item, failure: Squared(item.key, 0, failure),
    )


def numbers(n: int) -> list[Number]:
    return [Number(str(k)) for k in range(n)]


def questions(path: Path) -> RecordFile[QuestionRecord]:
    return RecordFile(path, QuestionRecord)


def question(text: str) -> QuestionRecord:
    return QuestionRecord(question_key(text), text)


async def test_a_step_makes_only_what_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "squares.jsonl"
    first = await make_missing(step(path, Counting()), numbers(3), workers=2, listen=silent)
    again = Counting()
    second = await make_missing(step(path, again), numbers(5), workers=2, listen=silent)
    assert (first.there, first.made, second.there, second.made) == (0, 3, 3, 2)
    assert sorted(again.asked) == ["3", "4"]
    assert {one.number for one in RecordFile(path, Squared)} == {0, 1, 4, 9, 16}


async def test_what_failed_is_told_and_made_in_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "squares.jsonl"
    failed = await make_missing(step(path, Counting("2")), numbers(3), workers=2, listen=silent)
    assert (failed.made, failed.failed) == (2, 1)
    assert RecordFile(path, Squared)["2"].failure == "no number"
    again = Counting()
    await make_missing(step(path, again), numbers(3), workers=2, listen=silent)
    assert again.asked == ["2"]
    assert RecordFile(path, Squared)["2"] == Squared("2", 4)


async def test_at_the_cost_limit_what_was_made_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "squares.jsonl"
    with pytest.raises(BudgetSpentError):
        await make_missing(step(path, Counting(most=4)), numbers(9), workers=1, listen=silent)
    assert len(RecordFile(path, Squared)) == 4


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
        questions(path)


def test_a_text_of_any_script_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    texts = ["Ποιος; \u2028 谁?", 'a "quoted"\nline', "🙂"]
    questions(path).add([question(text) for text in texts])
    assert [one.text for one in questions(path)] == texts
