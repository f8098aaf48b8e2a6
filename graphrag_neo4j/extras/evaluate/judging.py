"""Comparisons of answers, two at a time: by a model, or by a person who sees no names.

    questions, answers ──▶ comparisons ──▶ the judge ──▶ verdicts.jsonl ──▶ what each judge has said

Two conditions are compared on each question, under each metric, several times, and by a model in
both orders of their answers. What a model says about one order only does not count: it would bring
back the bias of the places. A person sees one order, which is chosen by a hash.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Final, Literal

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.evaluate.folder import (
    METRICS,
    AnswerRecord,
    EvaluationFolder,
    VerdictRecord,
)
from graphrag_neo4j.extras.evaluate.steps import EvaluationStep, ModelStep, token_counter
from graphrag_neo4j.extras.evaluate.tasks.judges import Metric, PairJudge, Winner, plain_answer
from graphrag_neo4j.model.types import LLMTask
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import flat, identify

Label = Literal["one", "other", "tie"]
VERDICT_PROMPT: Final = 350  # tokens of a prompt without its texts, for the estimate
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
    def other_order(self) -> "Comparison":
        """The same comparison in the other order of the answers."""
        return replace(self, swapped=not self.swapped)


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """A verdict that is to be given, the text of the question, and the answers in order."""

    record: VerdictRecord
    question: str
    first: AnswerRecord
    second: AnswerRecord


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison with its verdict. `winner` is the place that won, None if it is missing.

    `longer` is the place of the longer answer. A verdict that is `left_out` lacks its counterpart
    in the other order. `reason` is that of the verdict, or says why there is none.
    """

    comparison: Comparison
    winner: Winner | None
    longer: Winner = "tie"
    left_out: bool = False
    reason: str = ""

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
    as many questions as it could.
    """
    pairs = list(combinations(sorted(conditions), 2))
    orders = (False, True)
    for n, question, (one, other), metric, swapped in product(
        range(1, repeats + 1), questions, pairs, metrics, orders
    ):
        yield Comparison(metric, one, other, question, n, swapped)


def judge_step(
    folder: EvaluationFolder,
    settings: Settings,
    conditions: Sequence[str] = (),
    metrics: Sequence[Metric] = (),
) -> ModelStep[JudgeItem]:
    """Returns the verdicts that the plan asks a model for, where both answers are there.

    `conditions` and `metrics` name those that are compared, if not all of the plan are. Raises
    InputError for a condition that has no answers, and if fewer than two have answers.
    """
    wanted = folder.conditions(conditions)
    if len(wanted) < 2:
        raise InputError(
            "A comparison needs two conditions that have answers. `kg-build eval answers` and "
            "`kg-build eval import` add answers."
        )
    plan, judge, count = folder.plan, PairJudge(settings), token_counter()
    asked = [one.key for one in folder.questions]
    of_plan = comparisons(wanted, asked, metrics or plan.metrics, repeats=plan.repeats)
    items = list(_items(folder, of_plan, judge.name, judge.signature))

    def verdict(item: JudgeItem) -> LLMTask[VerdictRecord]:
        shown = (item.question, item.first.text, item.second.text, item.record.metric)
        found = yield from judge.compare(*shown)
        return replace(item.record, winner=found.winner, reason=found.reason)

    def tokens_of(item: JudgeItem) -> tuple[float, float]:
        texts = (item.question, item.first.text, item.second.text)
        return VERDICT_PROMPT + sum(map(count, texts)), VERDICT

    return ModelStep("judge", folder.verdicts, items, "judge", verdict, tokens_of, settings)


def _items(
    folder: EvaluationFolder, wanted: Iterable[Comparison], judge: str, made_with: str
) -> Iterator[JudgeItem]:
    """Yields the comparisons of which both answers are there, with the verdicts to be given."""
    there = {(one.question, one.condition): one for one in folder.given_answers()}
    for of in wanted:
        first, second = (there.get((of.question, condition)) for condition in of.shown)
        if first and second:
            keys = (first.key, second.key)
            key = identify("verdict", of.metric, *keys, judge, of.repeat, made_with)
            record = VerdictRecord(key, of.question, of.metric, *keys, judge, of.repeat)
            yield JudgeItem(record, folder.questions[of.question].text, first, second)


def blind_items(
    folder: EvaluationFolder,
    person: str,
    metrics: Sequence[Metric] = (),
    conditions: Sequence[str] = (),
) -> list[JudgeItem]:
    """Returns the verdicts that a person has not given yet, in an order that looks random.

    Which answer is shown first is random, too, and the same when the person goes on later.
    `conditions` are compared with one another; by default all that have answers. Raises InputError
    for a person without a name, for an unknown condition, and if there is nothing to compare.
    """
    if not flat(person):
        raise InputError("Whose verdicts are these? Give a name.")
    judge, asked = f"person {flat(person)}", [one.key for one in folder.questions]
    chosen = folder.conditions(conditions)
    wanted = comparisons(chosen, asked, metrics or folder.plan.metrics, repeats=1)

    def is_shown(item: JudgeItem) -> bool:
        """Whether the dice choose this order of the two answers."""
        shown = [item.first.key, item.second.key]
        dice = int(identify("order", judge, item.record.metric, *sorted(shown)), 16)
        return (shown == sorted(shown)) == bool(dice % 2)

    items = list(filter(is_shown, _items(folder, wanted, judge, "person")))
    if not items:
        raise InputError(
            "There is nothing to compare: a comparison needs answers of two conditions to one "
            "question."
        )
    todo = EvaluationStep("judge", folder.verdicts, items).missing()
    return sorted(todo, key=lambda it: identify("turn", judge, it.record.question, it.record.key))


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
        reason = record.failure or record.reason
        found.setdefault(record.judge, {})[of] = Judged(of, record.winner, longer, reason=reason)
    for judge, given in found.items():
        if not judge.startswith("person "):
            there = {of for of, each in given.items() if each.winner is not None}
            alone = [of for of in there if of.other_order not in there]
            given |= {of: replace(given[of], left_out=True) for of in alone}
    return {judge: list(given.values()) for judge, given in found.items()}
