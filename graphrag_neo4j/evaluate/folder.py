"""The folder of an evaluation: what the user asked for, and the files of records.

evaluation.json          what the user asked for; a person may edit it
drafts.jsonl             personas, tasks and questions as a model gave them
questions.jsonl          the questions
answers.jsonl            the answers of all conditions, also those of other systems
verdicts.jsonl           the verdicts of judges and of people
claims.jsonl             the claims of the answers
groundedness.jsonl       whether cited sentences are supported
findings.jsonl           the findings of the graph's reports that were judged last
unfinished.jsonl         replies to parts of answers that are not whole yet
unfinished_claims.jsonl  the same for claims
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.conditions import PAPER, Condition, parse_conditions
from graphrag_neo4j.evaluate.records import (
    METRICS,
    AnswerRecord,
    CallRecord,
    ClaimsRecord,
    DraftRecord,
    Metric,
    QuestionRecord,
    Record,
    RecordFile,
    SupportRecord,
    VerdictRecord,
    read_json,
)
from graphrag_neo4j.text.files import write_whole

__all__ = ["PLAN", "EvaluationFolder", "Plan"]

PLAN: Final = "evaluation.json"
QUESTIONS: Final = "questions.jsonl"
FINDINGS: Final = "findings.jsonl"
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user asked for, so that a later command continues with it.

    `description` says what the corpus is, for the questions. `personas`, `tasks` (of each persona)
    and `questions` (for each task) are the numbers of Algorithm 1. `conditions` answer the
    questions (see `parse_condition`); without any, those of the paper do. `window` is the largest
    number of tokens of each context of the conditions of the paper. `metrics` are what a judge
    compares, `repeats` times.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    description: str = ""
    personas: int = 5
    tasks: int = 5
    questions: int = 5
    conditions: tuple[str, ...] = ()
    window: int = 8_000
    metrics: tuple[Metric, ...] = METRICS
    repeats: int = 5


class _File(Generic[R]):
    """An attribute of a folder: one of its files, which is read when it is first asked for."""

    def __init__(self, name: str, kind: type[R]) -> None:
        self.name, self.kind = name, kind

    def __get__(self, folder: "EvaluationFolder", _owner: type) -> RecordFile[R]:
        if self.name not in folder.files:
            folder.files[self.name] = RecordFile(folder.path / self.name, self.kind)
        return folder.files[self.name]


class EvaluationFolder:
    """The plan and the records of an evaluation. Each file is read when it is first asked for.

    The folder need not exist. Raises InputError if it is not a folder, and for a file that can't
    be read.
    """

    drafts = _File("drafts.jsonl", DraftRecord)
    questions = _File(QUESTIONS, QuestionRecord)
    answers = _File("answers.jsonl", AnswerRecord)
    verdicts = _File("verdicts.jsonl", VerdictRecord)
    claims = _File("claims.jsonl", ClaimsRecord)
    supports = _File("groundedness.jsonl", SupportRecord)
    findings = _File(FINDINGS, AnswerRecord)

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.files: dict[str, RecordFile[Any]] = {}
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path} is not a folder. Name the folder of an evaluation.")
        plan = self.path / PLAN
        self.plan = read_json(plan, Plan) if plan.exists() else Plan()

    @property
    def exists(self) -> bool:
        """Whether an evaluation was begun in the folder."""
        return any((self.path / name).exists() for name in (PLAN, QUESTIONS, FINDINGS))

    def unfinished(self, name: str = "unfinished") -> RecordFile[CallRecord]:
        """Returns the replies to parts of records that are not whole yet."""
        return RecordFile(self.path / f"{name}.jsonl", CallRecord)

    def change_plan(self, **given: Any) -> None:  # noqa: ANN401 - fields of the plan
        """Changes the plan and writes it if it differs. None keeps a value.

        Raises InputError if the folder can't be written.
        """
        there = {name: value for name, value in given.items() if value is not None}
        changed = replace(self.plan, **there)
        if changed == self.plan and (self.path / PLAN).exists():
            return
        text = json.dumps(asdict(changed), ensure_ascii=False, indent=2) + "\n"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            write_whole(self.path / PLAN, text.encode())
        except OSError as error:
            reason = error.strerror or error
            raise InputError(
                f"{self.path} can't be written: {reason}. Name another folder."
            ) from None
        self.plan = changed

    def question_texts(self) -> dict[str, str]:
        """Returns the texts of the questions by their keys."""
        return {one.key: one.text for one in self.questions}

    def current_answers(self) -> dict[tuple[str, str], AnswerRecord]:
        """Returns the answers that count, by the key of the question and the condition.

        Those of one condition come before those of the next. Of several answers of a condition to
        a question, this is the last one. Answers to questions that are no longer there are left
        out. An answer with a `failure` is missing.
        """
        found = {
            (one.question, one.condition): one
            for one in self.answers
            if one.question in self.questions
        }
        order = {name: n for n, name in enumerate(self.conditions())}
        return dict(sorted(found.items(), key=lambda one: order[one[0][1]]))

    def given_answers(self) -> list[AnswerRecord]:
        """Returns the answers that count and are not missing."""
        return [one for one in self.current_answers().values() if one.failure is None]

    def chosen(self) -> list[Condition]:
        """Returns the conditions of the plan. Raises InputError if one of them is wrong."""
        return parse_conditions(self.plan.conditions or PAPER, self.plan.window)

    def conditions(self, given: Sequence[str] = ()) -> list[str]:
        """Returns the given conditions or, without any, all that have answers: the plan's first.

        Raises InputError for a given condition that has no answers.
        """
        answered = dict.fromkeys(one.condition for one in self.answers)
        chosen = [one.name for one in self.chosen() if one.name in answered]
        known = list(dict.fromkeys([*chosen, *answered]))
        if unknown := [one for one in given if one not in known]:
            has = ", ".join(known) or "none"
            raise InputError(
                f"The condition {unknown[0]} has no answers. Those with answers: {has}."
            )
        return list(given) or known

    def unanswered(self) -> dict[str, int]:
        """Returns the number of answers that are missing, by condition.

        Those are the conditions of the plan and of other systems. A folder with nothing but
        imported answers, and no plan of its own, lacks no answers of the paper's conditions.
        """
        given = dict.fromkeys(self.conditions(), 0)
        for one in self.given_answers():
            given[one.condition] += 1
        ours = any("imported" not in one.made_with for one in self.answers)
        if self.plan.conditions or ours or not given:
            given = {**{one.name: 0 for one in self.chosen()}, **given}
        left = {name: len(self.questions) - n for name, n in given.items()}
        return {name: n for name, n in left.items() if n}

    def bring_forward(self, keys: Iterable[str]) -> None:
        """Makes these answers, which are in the file, the ones that count.

        This is needed after a setting or a graph is again what it was before.
        """
        current = {one.key for one in self.current_answers().values()}
        if earlier := [
            self.answers[key] for key in keys if key in self.answers and key not in current
        ]:
            self.answers.add(earlier)
