"""The answers and verdicts of the page, compact: each answer, passage and reason stands once.

Numbers stand for texts, so that a full evaluation (75,000 verdicts) stays small. `report.js` reads
the same form:

    questions    [text, persona, task]
    answers      [question, condition, text, [[citation, passage, quote], …], [dead citation, …]]
    passages     [source, text]
    comparisons  [answer, other answer, [metric, judge, repeat, winner, reason, …]]

The numbers are places in these lists, and in `conditions`, `metrics`, `judges` and `reasons`. The
winner is 0 for a tie, 1 and 2 for the two answers in the order in which the judge saw them, 3 for a
missing verdict; 10 more if the judge saw the other answer first.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.model import METRICS, AnswerRecord, VerdictRecord
from graphrag_neo4j.llm.evaluation import DEFINITIONS

__all__ = ["MOST_CHARACTERS", "comparisons_data", "current_verdicts"]

WINNERS: Final = {"tie": 0, "first": 1, "second": 2, None: 3}
SWAPPED: Final = 10
# Of all answers, passages and reasons together, so that the page stays below 10 MB: a character of
# English takes about 0.46 bytes there.
MOST_CHARACTERS: Final = 20_000_000


class _Places:
    """Gives each value a number: its place in `values`."""

    def __init__(self) -> None:
        self._known: dict[object, int] = {}

    def of(self, value: object) -> int:
        return self._known.setdefault(value, len(self._known))

    @property
    def values(self) -> list[Any]:
        return list(self._known)


def current_verdicts(
    folder: EvaluationFolder, answers: Sequence[AnswerRecord]
) -> list[VerdictRecord]:
    """Returns the verdicts that count: those on these answers, of each comparison the last one."""
    question = {one.key: one.question for one in answers if one.failure is None}
    last = {
        (one.judge, one.metric, one.repeat, one.first, one.second): one
        for one in folder.verdicts
        if one.first in question and question[one.first] == question.get(one.second)
    }
    return list(last.values())


def comparisons_data(
    folder: EvaluationFolder,
    answers: Sequence[AnswerRecord],
    verdicts: Sequence[VerdictRecord],
    order: Sequence[str],
) -> dict[str, object]:
    """Returns the data of the page as JSON values. `order` is that of the conditions."""
    there = sorted(
        (one for one in answers if one.failure is None), key=lambda one: order.index(one.condition)
    )
    questions = {one.key: n for n, one in enumerate(folder.questions)}
    passages, judges, reasons = _Places(), _Places(), _Places()
    drawn = [_answer(one, questions, order, passages) for one in there]
    texts = [*(one.text for one in there), *(text for _, text in passages.values)]
    kept = _kept(verdicts, MOST_CHARACTERS - sum(map(len, texts)))
    return {
        "conditions": list(order),
        "metrics": [[name, DEFINITIONS[name]] for name in METRICS],
        "questions": [[one.text, one.persona, one.task] for one in folder.questions],
        "answers": drawn,
        "comparisons": _comparisons(there, verdicts, judges, reasons, kept),
        "passages": passages.values,
        "judges": judges.values,
        "reasons": reasons.values,
        "kept": kept,
    }


def _answer(
    one: AnswerRecord, questions: Mapping[str, int], order: Sequence[str], passages: _Places
) -> list[object]:
    sources = [
        [source.citation, passages.of((source.source, source.text)), source.quote]
        for source in one.sources
    ]
    condition = order.index(one.condition)
    return [questions[one.question], condition, one.text, sources, list(one.dead)]


def _kept(verdicts: Sequence[VerdictRecord], room: int) -> int:
    """Returns the number of the last repeat whose reasons have room, 0 if all have.

    The reasons of the first repeat are always in the page.
    """
    sizes: dict[int, int] = {}
    for one in verdicts:
        sizes[one.repeat] = sizes.get(one.repeat, 0) + len(one.reason)
    if sum(sizes.values()) <= room:
        return 0
    total, last = 0, min(sizes)
    for repeat in sorted(sizes):
        total += sizes[repeat]
        if total > room:
            break
        last = repeat
    return last


def _comparisons(
    answers: Sequence[AnswerRecord],
    verdicts: Sequence[VerdictRecord],
    judges: _Places,
    reasons: _Places,
    kept: int,
) -> list[list[object]]:
    """Returns each pair of answers to a question with its verdicts, question by question."""
    place = {one.key: n for n, one in enumerate(answers)}
    found = _pairs(answers)
    for one in verdicts:
        first, second = place[one.first], place[one.second]
        winner = WINNERS[one.winner] + (SWAPPED if second < first else 0)
        reason = one.failure or ("" if kept and one.repeat > kept else one.reason)
        found[min(first, second), max(first, second)] += [
            METRICS.index(one.metric),
            judges.of(one.judge),
            one.repeat,
            winner,
            reasons.of(reason),
        ]
    return [[*pair, rows] for pair, rows in found.items()]


def _pairs(answers: Sequence[AnswerRecord]) -> dict[tuple[int, int], list[int]]:
    by_question: dict[str, list[int]] = {}
    for n, answer in enumerate(answers):
        by_question.setdefault(answer.question, []).append(n)
    return {
        pair: [] for of_question in by_question.values() for pair in combinations(of_question, 2)
    }
