"""The step in which a model judges: verdicts on pairs of answers, and what they say together.

    questions, answers ──comparisons──▶ items ──the judge──▶ verdicts.jsonl ──▶ JudgeSummary

A comparison is made only where both conditions have an answer. The verdicts of a person stand in
the same file and are summarised in the same way.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from graphrag_neo4j.evaluation.judge.agreement import (
    Agreement,
    agreement_between,
    agreement_of_repeats,
    majority_labels,
)
from graphrag_neo4j.evaluation.judge.comparisons import (
    Bias,
    Comparison,
    Judged,
    PairResult,
    bias_of,
    pair_results,
)
from graphrag_neo4j.evaluation.model import (
    METRICS,
    AnswerRecord,
    Metric,
    VerdictRecord,
    Winner,
    verdict_key,
)
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import Step
from graphrag_neo4j.llm.evaluation import Judge, Verdict, plain_answer
from graphrag_neo4j.model import LLMTask

__all__ = [
    "Answers",
    "JudgeItem",
    "JudgeSummary",
    "agreement_of_judges",
    "judge_items",
    "judge_step",
    "judged_by",
    "summarised",
]

Answers = Mapping[tuple[str, str], AnswerRecord]
"""The answers that count now, by the key of the question and the condition."""


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """A comparison that a judge is to make, with the answers in the order that it sees."""

    key: str
    comparison: Comparison
    question: str
    first: AnswerRecord
    second: AnswerRecord
    judge: str

    def record(
        self, winner: Winner | None, reason: str = "", failure: str | None = None
    ) -> VerdictRecord:
        """Returns the record of a verdict, or of its failure."""
        of = self.comparison
        return VerdictRecord(
            self.key,
            of.question,
            of.metric,
            self.first.key,
            self.second.key,
            self.judge,
            of.repeat,
            winner,
            reason,
            failure,
        )


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """What the verdicts of one judge say together.

    `results` are by metric and pair; `evaluation.judge.statistics` tests them. `bias` and
    `repeats` are by metric. Of the `verdicts` that were asked for, some are `missing`, and some
    are `left_out` because the other order has none.
    """

    judge: str
    results: Sequence[PairResult]
    bias: Mapping[Metric, Bias]
    repeats: Mapping[Metric, Agreement]
    verdicts: int
    missing: int
    left_out: int


def judge_items(
    comparisons: Iterable[Comparison],
    questions: Mapping[str, str],
    answers: Answers,
    judge: Judge,
) -> list[JudgeItem]:
    """Returns the comparisons for which both answers are there. `questions` are texts by key."""
    items = []
    name, made_with = judge.name, judge.signature
    for one in comparisons:
        shown = [answers.get((one.question, condition)) for condition in one.shown]
        there = [answer for answer in shown if answer is not None and answer.failure is None]
        if len(there) == 2:
            first, second = there
            keys = (first.key, second.key)
            key = verdict_key(one.metric, keys, name, one.repeat, made_with)
            items.append(JudgeItem(key, one, questions[one.question], first, second, name))
    return items


def judge_step(
    file: RecordFile[VerdictRecord],
    judge: Judge,
    run: Callable[[LLMTask[Verdict]], Awaitable[Verdict]],
) -> Step[JudgeItem, VerdictRecord]:
    """Returns the step that makes the verdicts. `run` runs a task, as `Endpoint.run` does."""

    async def make(item: JudgeItem) -> VerdictRecord:
        texts = (item.first.text, item.second.text)
        verdict = await run(judge.compare(item.question, *texts, item.comparison.metric))
        return item.record(verdict.winner, verdict.reasoning)

    return Step("judge", file, make, lambda item, failure: item.record(None, failure=failure))


def judged_by(
    records: Iterable[VerdictRecord], answers: Iterable[AnswerRecord]
) -> dict[str, list[Judged]]:
    """Returns the verdicts on these answers by judge.

    Of several verdicts on one comparison, for example with an older and a newer prompt, the last
    one counts. Verdicts on other answers are skipped. A person sees one order only, which is chosen
    at random; what a model says about one order only does not count.
    """
    shown = {one.key: (one.condition, len(plain_answer(one.text))) for one in answers}
    found: dict[str, dict[Comparison, Judged]] = {}
    for record in records:
        if not {record.first, record.second} <= shown.keys():
            continue
        (first, length), (second, other_length) = shown[record.first], shown[record.second]
        one, other = sorted((first, second))
        of = Comparison(record.metric, one, other, record.question, record.repeat, first != one)
        longer: Winner = "first" if length > other_length else "second"
        longer = "tie" if length == other_length else longer
        found.setdefault(record.judge, {})[of] = Judged(of, record.winner, longer)
    return {
        judge: list(given.values() if judge.startswith("person ") else _in_both_orders(given))
        for judge, given in found.items()
    }


def _in_both_orders(judged: Mapping[Comparison, Judged]) -> Iterator[Judged]:
    """Yields the verdicts of a model, of which those without the other order are left out."""
    there = {of for of, one in judged.items() if one.winner is not None}
    for of, one in judged.items():
        yield replace(one, left_out=of in there and of.turned not in there)


def summarised(judge: str, judged: Sequence[Judged]) -> JudgeSummary:
    """Returns what the verdicts of one judge say together."""
    by_metric = {
        metric: of_metric
        for metric in METRICS
        if (of_metric := [one for one in judged if one.comparison.metric == metric])
    }
    return JudgeSummary(
        judge,
        pair_results(judged),
        {metric: bias_of(verdicts) for metric, verdicts in by_metric.items()},
        {metric: agreement_of_repeats(verdicts) for metric, verdicts in by_metric.items()},
        len(judged),
        sum(one.winner is None for one in judged),
        sum(one.left_out for one in judged),
    )


def agreement_of_judges(
    judged: Mapping[str, Sequence[Judged]],
) -> dict[tuple[str, str], Agreement]:
    """Returns how far each two judges agree, persons among them, by the majority of their verdicts.

    They are compared on the questions, pairs and metrics that both have judged.
    """
    labels = {judge: majority_labels(verdicts) for judge, verdicts in judged.items()}
    return {
        (one, other): agreement_between(labels[one], labels[other])
        for one, other in combinations(sorted(labels), 2)
    }
