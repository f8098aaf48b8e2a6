"""Verdicts and claims in the folder of an evaluation: what is missing, made, and what comes out.

The verdicts are those on the answers that count now. All functions that ask a model save what they
have made, whatever ends them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.claims.answer_claims import (
    ClaimItem,
    claim_items,
    claim_step,
    claims_of,
)
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judge.comparisons import Judged, comparisons
from graphrag_neo4j.evaluation.judge.judging import JudgeItem, judge_items, judge_step, judged_by
from graphrag_neo4j.evaluation.model import AnswerRecord, Metric
from graphrag_neo4j.evaluation.steps import StepResult, make_missing
from graphrag_neo4j.events import Listener
from graphrag_neo4j.indexing.preparation import metered
from graphrag_neo4j.llm import Endpoint, Meter
from graphrag_neo4j.llm.evaluation import ClaimSteps, Judge
from graphrag_neo4j.settings import Settings

__all__ = [
    "FoundClaims",
    "claims_in",
    "find_missing_claims",
    "items_of_claims",
    "judge_missing",
    "judged_in",
    "verdict_items",
]


@dataclass(frozen=True, slots=True)
class FoundClaims:
    """The claims of answers by the key of the question and the condition.

    `model` is the model that found them, empty where there are none.
    """

    model: str
    claims: Mapping[tuple[str, str], Sequence[str]]


def verdict_items(
    folder: EvaluationFolder,
    settings: Settings,
    conditions: Sequence[str] = (),
    metrics: Sequence[Metric] = (),
) -> list[JudgeItem]:
    """Returns the comparisons that the plan asks for, of all conditions that have answers.

    `conditions` and `metrics` name those that are compared, if not all of the plan are. Raises
    InputError for a condition that has no answers, and if fewer than two have answers.
    """
    wanted = folder.chosen_conditions(conditions)
    if len(wanted) < 2:
        raise InputError(
            "A comparison needs two conditions that have answers. `kg-build eval answers` and "
            "`kg-build eval import` add answers."
        )
    plan, asked = folder.plan, _questions(folder)
    all_of_plan = comparisons(wanted, list(asked), metrics or plan.metrics, repeats=plan.repeats)
    return judge_items(all_of_plan, asked, folder.current_answers(), Judge(settings))


async def judge_missing(
    folder: EvaluationFolder, items: Sequence[JudgeItem], settings: Settings, listen: Listener
) -> StepResult:
    """Has the model judge the comparisons that have no verdict yet.

    Raises InputError if no model is set, ModelError, and BudgetSpentError at the cost limit.
    """
    meter = Meter(limit=settings.max_cost)
    async with Endpoint(settings, meter) as endpoint:
        step = judge_step(folder.verdicts, Judge(settings), endpoint.run)
        hear = metered(listen, meter)
        return await make_missing(step, items, workers=settings.concurrency, listen=hear)


def items_of_claims(folder: EvaluationFolder, settings: Settings) -> list[ClaimItem]:
    """Returns the parts of all answers that count now."""
    return claim_items(_questions(folder), _answers(folder), ClaimSteps(settings).signature)


async def find_missing_claims(
    folder: EvaluationFolder, items: Sequence[ClaimItem], settings: Settings, listen: Listener
) -> StepResult:
    """Finds the claims of the parts of answers that have none yet. Raises as `judge_missing`."""
    meter = Meter(limit=settings.max_cost)
    async with Endpoint(settings, meter) as endpoint:
        step = claim_step(folder.claims, ClaimSteps(settings), endpoint.run)
        hear = metered(listen, meter)
        return await make_missing(step, items, workers=settings.concurrency, listen=hear)


def judged_in(folder: EvaluationFolder) -> dict[str, list[Judged]]:
    """Returns the verdicts on the answers that count now, by judge."""
    return judged_by(folder.verdicts, _answers(folder))


def claims_in(folder: EvaluationFolder) -> FoundClaims:
    """Returns the claims of the answers that count now, as the last run has found them.

    Answers of which a part is missing are left out.
    """
    records = [one for one in folder.claims if one.failure is None]
    if not records:
        return FoundClaims("", {})
    last, answers = records[-1], _answers(folder)
    items = claim_items(_questions(folder), answers, last.made_with)
    found = claims_of(answers, items, folder.claims)
    return FoundClaims(
        last.model,
        {(one.question, one.condition): found[one.key] for one in answers if one.key in found},
    )


def _questions(folder: EvaluationFolder) -> Mapping[str, str]:
    return {one.key: one.text for one in folder.questions}


def _answers(folder: EvaluationFolder) -> list[AnswerRecord]:
    return list(folder.current_answers().values())
