"""The claims of the answers, as the paper counts them in its second experiment.

    answers ──parts of ten sentences──▶ items ──three requests each──▶ claims.jsonl ──▶ counts

An answer is the more comprehensive, the more different claims it makes; and the more diverse, the
more clusters these form. A record is known by the text of its part, so equal answers are paid for
once. An answer counts only if all its parts are there: half of its claims would make it look worse.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.judging import Judged, Label
from graphrag_neo4j.evaluate.records import AnswerRecord, ClaimsRecord
from graphrag_neo4j.evaluate.scores import majority_labels
from graphrag_neo4j.evaluate.steps import (
    Estimate,
    RememberingEndpoint,
    Step,
    StepResult,
    make_missing,
    priced,
    token_counter,
)
from graphrag_neo4j.llm import Meter
from graphrag_neo4j.llm.evaluate.claims import AnswerPart, ClaimSteps, answer_parts
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import identify

__all__ = [
    "ClaimAgreement",
    "ClaimCounts",
    "FoundClaims",
    "agreement_of_claims",
    "claim_items",
    "claims_in",
    "estimate_claims",
    "find_missing_claims",
    "mean_counts",
]

UNFINISHED: Final = "unfinished_claims"
# For the estimate, in tokens: the three prompts without their texts, an item of a reply, and the
# claims for each token of a sentence. A part and its sentences stand in each of the prompts.
STEPS, PROMPT, ITEM, CLAIMS_OF_TEXT = 3, 400, 25, 1.5


@dataclass(frozen=True, slots=True)
class ClaimItem:
    """A part of an answer whose claims are to be found."""

    key: str
    answer: AnswerRecord
    question: str
    part: AnswerPart


@dataclass(frozen=True, slots=True)
class FoundClaims:
    """The claims of answers by the key of the question and the condition.

    `model` is the model that found them, empty where there are none.
    """

    model: str
    claims: Mapping[tuple[str, str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class ClaimCounts:
    """The number of different claims of an answer, and of their clusters by threshold.

    As the mean of several answers, these are numbers with decimals. `clusters.count_claims` counts.
    """

    claims: float
    clusters: Mapping[float, float]


@dataclass(frozen=True, slots=True)
class ClaimAgreement:
    """How far counts of claims agree with the labels of the judge.

    `compared` counts the pairs of answers that have both. `decided` counts those of them that are a
    tie neither for the counts nor for the judge; of these, `matched` have the same winner.
    """

    compared: int
    decided: int
    matched: int

    @property
    def share(self) -> float | None:
        """The share (0 to 1) of the decided pairs that match, None without any."""
        return self.matched / self.decided if self.decided else None


def claim_items(folder: EvaluationFolder, made_with: str) -> list[ClaimItem]:
    """Returns the parts of the answers that count. An answer without a sentence has no part.

    `made_with` is the signature of the steps: other steps make other records. Equal parts of
    answers to one question have the same key.
    """
    texts = folder.question_texts()
    items = []
    for answer in folder.given_answers():
        question = texts[answer.question]
        for part in answer_parts(answer.text):
            made_from = (made_with, question, part.context, *part.sentences)
            items.append(ClaimItem(identify("answer claims", *made_from), answer, question, part))
    return items


def estimate_claims(
    folder: EvaluationFolder, items: Sequence[ClaimItem], settings: Settings
) -> Estimate:
    """Estimates the claims of the parts of answers that have none yet. It makes no call."""
    missing = {item.key: item for item in items if item.key not in folder.claims}
    count, sent, replied = token_counter(), 0.0, 0.0
    for item in missing.values():
        said = sum(count(sentence) for sentence in item.part.sentences)
        listed = len(item.part.sentences) * ITEM
        shown = count(item.question) + count(item.part.context) + said
        sent += STEPS * (PROMPT + shown + listed)
        replied += STEPS * listed + said + CLAIMS_OF_TEXT * said
    step = priced("answer_claims", STEPS * len(missing), sent, replied, settings)
    there = len({item.key for item in items}) - len(missing)
    return Estimate(there, len(missing), [step])


async def find_missing_claims(
    folder: EvaluationFolder, items: Sequence[ClaimItem], settings: Settings, listen: Listener
) -> StepResult:
    """Finds the claims of the parts of answers that have none yet, and keeps each reply.

    Raises InputError if no model is set, and the errors of `make_missing`.
    """
    steps, meter = ClaimSteps(settings), Meter(limit=settings.max_cost)
    made_with = (steps.model, steps.signature)
    calls = folder.unfinished(UNFINISHED)
    async with RememberingEndpoint(settings, meter, calls) as endpoint:

        async def make(item: ClaimItem) -> ClaimsRecord:
            found = await endpoint.of_record(item.key).run(steps.claims(item.question, item.part))
            return ClaimsRecord(item.key, found, *made_with)

        def missing(item: ClaimItem, failure: str) -> ClaimsRecord:
            return ClaimsRecord(item.key, (), *made_with, failure)

        step = Step("claims", folder.claims, make, missing)
        workers = settings.concurrency
        done = await make_missing(step, items, workers=workers, listen=listen, meter=meter)
    if not done.failed:
        calls.path.unlink(missing_ok=True)
    return done


def claims_in(folder: EvaluationFolder) -> FoundClaims:
    """Returns the claims of the answers that count, as the last run has found them.

    Answers of which a part is missing are left out. An answer without a sentence has no claims.
    """
    records = [one for one in folder.claims if one.failure is None]
    if not records:
        return FoundClaims("", {})
    last = records[-1]
    keys: dict[tuple[str, str], list[str]] = {
        (one.question, one.condition): [] for one in folder.given_answers()
    }
    for item in claim_items(folder, last.made_with):
        keys[item.answer.question, item.answer.condition].append(item.key)
    found = {
        answer: [one for key in of for each in folder.claims[key].sentences for one in each.claims]
        for answer, of in keys.items()
        if all(key in folder.claims for key in of)
    }
    return FoundClaims(last.model, found)


def mean_counts(counts: Sequence[ClaimCounts]) -> ClaimCounts:
    """Returns the means over the answers of a condition, of which there is at least one."""
    clusters = {
        threshold: fmean(one.clusters[threshold] for one in counts)
        for threshold in counts[0].clusters
    }
    return ClaimCounts(fmean(one.claims for one in counts), clusters)


def agreement_of_claims(
    counts: Mapping[tuple[str, str], ClaimCounts], judged: Iterable[Judged]
) -> dict[str, ClaimAgreement]:
    """Compares counts with the majority of a judge's verdicts: who has more of them, who won?

    Claims are compared with comprehensiveness, and clusters at each threshold with diversity.
    `counts` are by the key of the question and the condition. What nothing can be compared for is
    left out.
    """
    found: defaultdict[str, list[tuple[Label, Label]]] = defaultdict(list)
    for (metric, one, other, question), label in majority_labels(judged).items():
        a, b = counts.get((question, one)), counts.get((question, other))
        if a is None or b is None:
            continue
        if metric == "comprehensiveness":
            found["claims, comprehensiveness"].append((_more(a.claims, b.claims), label))
        elif metric == "diversity":
            for at in sorted(a.clusters):
                more = _more(a.clusters[at], b.clusters[at])
                found[f"clusters at {at}, diversity"].append((more, label))
    agreed = {}
    for name, pairs in sorted(found.items()):
        decided = [both for both in pairs if "tie" not in both]
        agreed[name] = ClaimAgreement(len(pairs), len(decided), sum(a == b for a, b in decided))
    return agreed


def _more(one: float, other: float) -> Label:
    return "tie" if one == other else "one" if one > other else "other"
