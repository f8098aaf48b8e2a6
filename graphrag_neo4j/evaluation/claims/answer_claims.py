"""The step that finds the claims of the answers.

    answers ──parts of ten sentences──▶ items ──three requests each──▶ claims.jsonl ──▶ claims

A record is known by the text of its part, so equal answers are paid for once. An answer counts only
if all its parts are there: half of its claims would make it look worse.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.evaluation.model import AnswerRecord
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import Step
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.evaluation import AnswerPart, ClaimSteps, SentenceClaims, answer_parts
from graphrag_neo4j.model import LLMTask

__all__ = [
    "ClaimItem",
    "ClaimsRecord",
    "claim_items",
    "claim_step",
    "claims_of",
    "sentence_outcomes",
]


@dataclass(frozen=True, slots=True)
class ClaimsRecord:
    """What was found in the sentences of a part of an answer; `failure` says why nothing was.

    `made_with` is the signature of the steps, and `model` names their model.
    """

    key: str
    sentences: Sequence[SentenceClaims]
    model: str
    made_with: str
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimItem:
    """A part of an answer whose claims are to be found."""

    key: str
    answer: AnswerRecord
    question: str
    part: AnswerPart


def claim_items(
    questions: Mapping[str, str], answers: Iterable[AnswerRecord], made_with: str
) -> list[ClaimItem]:
    """Returns the parts of all answers. `questions` are texts by key.

    `made_with` is the signature of the steps: other steps make other records.

    Equal parts of answers to one question have the same key. An answer without a sentence has no
    part.
    """
    return [
        _item(answer, questions[answer.question], part, made_with)
        for answer in answers
        if answer.failure is None
        for part in answer_parts(answer.text)
    ]


def claim_step(
    file: RecordFile[ClaimsRecord],
    steps: ClaimSteps,
    run: Callable[[LLMTask[tuple[SentenceClaims, ...]]], Awaitable[tuple[SentenceClaims, ...]]],
) -> Step[ClaimItem, ClaimsRecord]:
    """Returns the step that finds the claims. `run` runs a task, as `Endpoint.run` does."""

    model, made_with = steps.model, steps.signature

    async def make(item: ClaimItem) -> ClaimsRecord:
        found = await run(steps.claims(item.question, item.part))
        return ClaimsRecord(item.key, found, model, made_with)

    def missing(item: ClaimItem, failure: str) -> ClaimsRecord:
        return ClaimsRecord(item.key, (), model, made_with, failure)

    return Step("claims", file, make, missing)


def claims_of(
    answers: Iterable[AnswerRecord], items: Iterable[ClaimItem], file: RecordFile[ClaimsRecord]
) -> dict[str, list[str]]:
    """Returns the claims of each answer by its key, without the answers of which a part is missing.

    An answer without a sentence has no claims.
    """
    keys: dict[str, list[str]] = {one.key: [] for one in answers if one.failure is None}
    for item in items:
        keys[item.answer.key].append(item.key)
    return {
        answer: [claim for key in of_answer for one in file[key].sentences for claim in one.claims]
        for answer, of_answer in keys.items()
        if all(key in file for key in of_answer)
    }


def sentence_outcomes(records: Iterable[ClaimsRecord]) -> dict[str, int]:
    """Counts the sentences by their outcome, so that a reader sees what was left out and why."""
    counts: dict[str, int] = {}
    for record in records:
        for sentence in record.sentences:
            counts[sentence.outcome] = counts.get(sentence.outcome, 0) + 1
    return counts


def _item(answer: AnswerRecord, question: str, part: AnswerPart, made_with: str) -> ClaimItem:
    made_from = (made_with, question, part.context, *part.sentences)
    return ClaimItem(identify("answer claims", *made_from), answer, question, part)
