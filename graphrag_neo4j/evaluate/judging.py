"""Comparisons of answers, two at a time: by a model, or by a person who sees no names.

    questions, answers ──▶ comparisons ──▶ the judge ──▶ verdicts.jsonl ──▶ what each judge has said

Two conditions are compared on each question, under each metric, several times, and by a model in
both orders of their answers. What a model says about one order only does not count: it would bring
back the bias of the places. A person sees one order, which is chosen by a hash.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.records import (
    METRICS,
    AnswerRecord,
    Metric,
    VerdictRecord,
    Winner,
    verdict_key,
)
from graphrag_neo4j.evaluate.steps import (
    Estimate,
    Step,
    StepResult,
    make_missing,
    priced,
    token_counter,
)
from graphrag_neo4j.llm import Endpoint, Meter
from graphrag_neo4j.llm.evaluate.judges import PairJudge
from graphrag_neo4j.llm.evaluate.plain_answer import plain_answer
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import flat, identify

__all__ = [
    "Comparison",
    "JudgeItem",
    "Judged",
    "Label",
    "blind_items",
    "comparisons",
    "estimate_verdicts",
    "judge_items",
    "judge_missing",
    "judged_by",
]

Label = Literal["one", "other", "tie"]
PROMPT: Final = 350  # tokens of a prompt without its texts, for the estimate
VERDICT: Final = 120  # tokens of a verdict with its reasons: an assumption


@dataclass(frozen=True, slots=True)
class Comparison:
    """One call of the judge: two conditions on a question, under a metric.

    `one` comes before `other` by code point, so that a pair has one name. `repeat` counts from 1.
    If it is `swapped`, the answer of `other` is shown first.
    """

    metric: Metric
    one: str
    other: str
    question: str
    repeat: int
    swapped: bool

    @property
    def shown(self) -> tuple[str, str]:
        """The conditions in the order in which the judge sees their answers."""
        return (self.other, self.one) if self.swapped else (self.one, self.other)

    @property
    def turned(self) -> "Comparison":
        """The same comparison in the other order of the answers."""
        return replace(self, swapped=not self.swapped)


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
            key=self.key,
            question=of.question,
            metric=of.metric,
            first=self.first.key,
            second=self.second.key,
            judge=self.judge,
            repeat=of.repeat,
            winner=winner,
            reason=reason,
            failure=failure,
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison with its verdict. `winner` is the place that won, None if it is missing.

    `longer` is the place of the longer answer. A verdict that is `left_out` lacks its counterpart
    in the other order.
    """

    comparison: Comparison
    winner: Winner | None
    longer: Winner = "tie"
    left_out: bool = False

    @property
    def label(self) -> Label | None:
        """Which condition won, whatever its place; None where no verdict counts."""
        if self.left_out or self.winner is None:
            return None
        if self.winner == "tie":
            return "tie"
        return "other" if (self.winner == "second") != self.comparison.swapped else "one"


def comparisons(
    conditions: Sequence[str],
    questions: Iterable[str],
    metrics: Sequence[Metric] = METRICS,
    *,
    repeats: int = 5,
) -> Iterator[Comparison]:
    """Yields all comparisons of some conditions. The order of the conditions makes no difference.

    All questions come once before any comes again, so that a run that was stopped early has judged
    as many questions as it could. Raises InputError for a condition that comes twice.
    """
    if len(set(conditions)) < len(conditions):
        raise InputError("A condition is named twice: name each one once.")
    asked, pairs = list(questions), list(combinations(sorted(conditions), 2))
    for repeat in range(1, repeats + 1):
        for question in asked:
            for one, other in pairs:
                for metric in metrics:
                    for swapped in (False, True):
                        yield Comparison(metric, one, other, question, repeat, swapped)


def judge_items(
    folder: EvaluationFolder,
    settings: Settings,
    conditions: Sequence[str] = (),
    metrics: Sequence[Metric] = (),
) -> list[JudgeItem]:
    """Returns the comparisons that the plan asks for, where both answers are there.

    `conditions` and `metrics` name those that are compared, if not all of the plan are. Raises
    InputError for a condition that has no answers, and if fewer than two have answers.
    """
    wanted = folder.conditions(conditions)
    if len(wanted) < 2:
        raise InputError(
            "A comparison needs two conditions that have answers. `kg-build eval answers` and "
            "`kg-build eval import` add answers."
        )
    plan, judge, texts = folder.plan, PairJudge(settings), folder.question_texts()
    name, made_with = judge.name, judge.signature
    all_of_plan = comparisons(wanted, texts, metrics or plan.metrics, repeats=plan.repeats)
    return [
        JudgeItem(
            verdict_key(of.metric, (first.key, second.key), name, of.repeat, made_with),
            *(of, texts[of.question], first, second, name),
        )
        for of, first, second in _with_answers(folder, all_of_plan)
    ]


def _with_answers(
    folder: EvaluationFolder, wanted: Iterable[Comparison]
) -> Iterator[tuple[Comparison, AnswerRecord, AnswerRecord]]:
    there = {(one.question, one.condition): one for one in folder.given_answers()}
    for one in wanted:
        first, second = (there.get((one.question, condition)) for condition in one.shown)
        if first and second:
            yield one, first, second


def estimate_verdicts(
    folder: EvaluationFolder, items: Sequence[JudgeItem], settings: Settings
) -> Estimate:
    """Estimates the verdicts that are missing. It makes no call."""
    missing = [item for item in items if item.key not in folder.verdicts]
    count, n = token_counter(), len(missing)
    texts = sum(
        count(one.question) + count(one.first.text) + count(one.second.text) for one in missing
    )
    step = priced("judge", n, n * PROMPT + texts, n * VERDICT, settings)
    return Estimate(len(items) - n, n, [step])


async def judge_missing(
    folder: EvaluationFolder, items: Sequence[JudgeItem], settings: Settings, listen: Listener
) -> StepResult:
    """Has the model judge the comparisons that have no verdict yet, and saves each verdict.

    Raises InputError if no model is set, and the errors of `make_missing`.
    """
    judge, meter = PairJudge(settings), Meter(limit=settings.max_cost)
    async with Endpoint(settings, meter) as endpoint:

        async def make(item: JudgeItem) -> VerdictRecord:
            shown = (item.question, item.first.text, item.second.text, item.comparison.metric)
            found = await endpoint.run(judge.compare(*shown))
            return item.record(found.winner, found.reason)

        step = Step("judge", folder.verdicts, make, lambda item, why: item.record(None, "", why))
        workers = settings.concurrency
        return await make_missing(step, items, workers=workers, listen=listen, meter=meter)


def blind_items(
    folder: EvaluationFolder,
    person: str,
    metrics: Sequence[Metric] = (),
    conditions: Sequence[str] = (),
) -> list[JudgeItem]:
    """Returns the comparisons that a person has not made yet, in an order that looks random.

    Which answer is shown first is random, too, and the same when the person goes on later.
    `conditions` are compared with one another; by default all that have answers. Raises InputError
    for a person without a name, for an unknown condition, and if there is nothing to compare.
    """
    if not flat(person):
        raise InputError("Whose verdicts are these? Give a name.")
    judge, texts = f"person {flat(person)}", folder.question_texts()
    wanted = comparisons(
        folder.conditions(conditions), texts, metrics or folder.plan.metrics, repeats=1
    )
    found = []
    for of, first, second in _with_answers(folder, (one for one in wanted if not one.swapped)):
        one, other = sorted((first, second), key=lambda answer: answer.key)
        dice = int(identify("order", judge, of.metric, one.key, other.key), 16)
        shown = (one, other) if dice % 2 else (other, one)
        keys = (shown[0].key, shown[1].key)
        key = verdict_key(of.metric, keys, judge, 1, "person")
        placed = replace(of, swapped=shown[0] is second)
        found.append(JudgeItem(key, placed, texts[of.question], *shown, judge))
    if not found:
        raise InputError(
            "There is nothing to compare: a comparison needs answers of two conditions to one "
            "question."
        )
    todo = [one for one in found if one.key not in folder.verdicts]
    return sorted(todo, key=lambda one: identify("turn", judge, one.comparison.question, one.key))


def judged_by(
    records: Iterable[VerdictRecord], answers: Iterable[AnswerRecord]
) -> dict[str, list[Judged]]:
    """Returns the verdicts on these answers by judge.

    Of several verdicts on one comparison, for example with an older and a newer prompt, the last
    one counts. Verdicts on other answers are skipped.
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
