"""The comparisons that a person makes: two answers to a question, without seeing who gave them.

Which answer is shown first is decided by a hash of the pair and the person. So it is random to the
person, and the same when the person goes on later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.model import (
    AnswerRecord,
    Metric,
    QuestionRecord,
    VerdictRecord,
    Winner,
    verdict_key,
)
from graphrag_neo4j.ids import identify
from graphrag_neo4j.text import flat

__all__ = ["BlindComparison", "Choice", "comparisons_of", "save_choice"]

Choice = Literal["1", "2", "t"]
WINNERS: Final[dict[Choice, Winner]] = {"1": "first", "2": "second", "t": "tie"}
BY_A_PERSON: Final = "person"


@dataclass(frozen=True, slots=True)
class BlindComparison:
    """Two answers to a question under one metric, in the order in which they are shown."""

    key: str
    question: QuestionRecord
    metric: Metric
    first: AnswerRecord
    second: AnswerRecord
    judge: str


def comparisons_of(
    folder: EvaluationFolder,
    person: str,
    metrics: Sequence[Metric],
    conditions: Sequence[str] = (),
) -> list[BlindComparison]:
    """Returns the comparisons that a person has not made yet, in an order that looks random.

    `conditions` are compared with one another; by default all that have answers. Raises InputError
    for a person without a name, for an unknown condition, and if there is nothing to compare.
    """
    if not flat(person):
        raise InputError("Whose verdicts are these? Give a name.")
    pairs = list(combinations(folder.chosen_conditions(conditions), 2))
    judge = f"person {flat(person)}"
    answers = {at: one for at, one in folder.current_answers().items() if one.failure is None}
    found = [
        _comparison(question, metric, (answers[question.key, a], answers[question.key, b]), judge)
        for question in folder.questions
        for a, b in pairs
        if (question.key, a) in answers and (question.key, b) in answers
        for metric in metrics
    ]
    if not found:
        raise InputError(
            "There is nothing to compare: a comparison needs answers of two conditions to one "
            "question."
        )
    todo = [one for one in found if one.key not in folder.verdicts]
    return sorted(todo, key=lambda one: identify("turn", judge, one.question.key, one.key))


def save_choice(
    folder: EvaluationFolder, comparison: BlindComparison, choice: Choice
) -> VerdictRecord:
    """Writes what a person has chosen, and returns the record."""
    record = VerdictRecord(
        comparison.key,
        comparison.question.key,
        comparison.metric,
        comparison.first.key,
        comparison.second.key,
        comparison.judge,
        1,
        WINNERS[choice],
    )
    folder.verdicts.add([record])
    return record


def _comparison(
    question: QuestionRecord,
    metric: Metric,
    pair: tuple[AnswerRecord, AnswerRecord],
    judge: str,
) -> BlindComparison:
    one, other = sorted(pair, key=lambda answer: answer.key)
    dice = int(identify("order", judge, metric, one.key, other.key), 16)
    first, second = (one, other) if dice % 2 else (other, one)
    key = verdict_key(metric, (first.key, second.key), judge, 1, BY_A_PERSON)
    return BlindComparison(key, question, metric, first, second, judge)
