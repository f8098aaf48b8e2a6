"""The folder of an evaluation: what the user asked for, and the files of records.

evaluation.json     what the user asked for
drafts.jsonl        personas, tasks and questions as a model gave them
questions.jsonl     the questions
answers.jsonl       the answers of all conditions, also those of other systems
verdicts.jsonl      the verdicts of judges and of people
claims.jsonl        the claims of the answers
groundedness.jsonl  the verdicts on cited sentences
findings.jsonl      the findings of the graph's reports that were judged last
unfinished.jsonl    replies to parts of answers that are not whole yet
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.answers.conditions import Condition, parse_conditions
from graphrag_neo4j.evaluation.claims.answer_claims import ClaimsRecord
from graphrag_neo4j.evaluation.model import AnswerRecord, QuestionRecord, VerdictRecord
from graphrag_neo4j.evaluation.plan import PAPER, PLAN, Plan
from graphrag_neo4j.evaluation.records import RecordFile

__all__ = ["EvaluationFolder"]

QUESTIONS: Final = "questions.jsonl"
ANSWERS: Final = "answers.jsonl"
VERDICTS: Final = "verdicts.jsonl"
CLAIMS: Final = "claims.jsonl"
FINDINGS: Final = "findings.jsonl"


class EvaluationFolder:
    """The plan and the records of an evaluation. Each file is read when it is first asked for.

    The folder need not exist. Raises InputError if it is not a folder, and for a file that can't
    be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path} is not a folder. Name the folder of an evaluation.")
        self.plan = Plan.read(self.path)

    @property
    def exists(self) -> bool:
        """Whether an evaluation was begun in the folder."""
        return any((self.path / name).exists() for name in (PLAN, QUESTIONS, FINDINGS))

    @cached_property
    def questions(self) -> RecordFile[QuestionRecord]:
        """The questions."""
        return RecordFile(self.path / QUESTIONS, QuestionRecord)

    @cached_property
    def answers(self) -> RecordFile[AnswerRecord]:
        """All answers, also those that were made before a graph or a setting changed."""
        return RecordFile(self.path / ANSWERS, AnswerRecord)

    @cached_property
    def verdicts(self) -> RecordFile[VerdictRecord]:
        """All verdicts."""
        return RecordFile(self.path / VERDICTS, VerdictRecord)

    @cached_property
    def claims(self) -> RecordFile[ClaimsRecord]:
        """The claims of all answers."""
        return RecordFile(self.path / CLAIMS, ClaimsRecord)

    @cached_property
    def findings(self) -> RecordFile[AnswerRecord]:
        """The findings of the graph's reports, as they were when they were last judged."""
        return RecordFile(self.path / FINDINGS, AnswerRecord)

    def change_plan(self, **given: Any) -> Plan:  # noqa: ANN401 - fields of the plan
        """Changes the plan and writes it if it differs. None keeps a value.

        Raises InputError if the folder can't be written.
        """
        changed = self.plan.changed(**given)
        if changed != self.plan or not (self.path / PLAN).exists():
            changed.write(self.path)
            self.plan = changed
        return changed

    def current_answers(self) -> dict[tuple[str, str], AnswerRecord]:
        """Returns the answers that count, by the key of the question and the condition.

        Those of one condition come before those of the next. Of several answers of a condition to
        a question, this is the last one. Answers to questions
        that are no longer there are left out. An answer with a `failure` is missing.
        """
        found = {
            (one.question, one.condition): one
            for one in self.answers
            if one.question in self.questions
        }
        order = {name: n for n, name in enumerate(self.conditions())}
        return dict(sorted(found.items(), key=lambda one: order[one[0][1]]))

    def chosen(self) -> list[Condition]:
        """Returns the conditions of the plan. Raises InputError if one of them is wrong."""
        return parse_conditions(self.plan.conditions or PAPER, self.plan.window)

    def conditions(self) -> list[str]:
        """Returns the names of the conditions that have answers: first those of the plan."""
        answered = dict.fromkeys(one.condition for one in self.answers)
        chosen = [one.name for one in self.chosen() if one.name in answered]
        return list(dict.fromkeys([*chosen, *answered]))

    def chosen_conditions(self, given: Sequence[str] = ()) -> list[str]:
        """Returns the given conditions or, without any, all that have answers.

        Raises InputError for a condition that has no answers.
        """
        known = self.conditions()
        if unknown := [one for one in given if one not in known]:
            has = ", ".join(known) or "none"
            raise InputError(
                f"The condition {unknown[0]} has no answers. Those with answers: {has}."
            )
        return list(given or known)

    def bring_forward(self, keys: Iterable[str]) -> None:
        """Makes these answers, which are in the file, the ones that count.

        This is needed after a setting or a graph is again what it was before.
        """
        current = {one.key for one in self.current_answers().values()}
        behind: Sequence[AnswerRecord] = [
            self.answers[key] for key in keys if key in self.answers and key not in current
        ]
        if behind:
            self.answers.add(behind)
