"""Groundedness: how far the sentences of answers and reports rest on what they cite.

    answer ──▶ statements ──▶ statement + cited passages ──▶ verdict (one record)
                  │                                             │
                  └── share with a citation                     └── share that is supported

The paper does not measure it. A verdict is keyed by the sentence, the cited passages and the judge:
a sentence that stands in two answers with the same citations is judged once. The passages of a
sentence are all that its citations lead to: chunks, the records that a report cites, and of a cited
report its text, since that is what a reader finds who follows the citation.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, Literal

import anyio.to_thread

from graphrag_neo4j.context.citations import cited
from graphrag_neo4j.evaluation.groundedness.sentence_judges import SentenceJudge
from graphrag_neo4j.evaluation.groundedness.statements import (
    Statement,
    citations_in,
    names_of,
    statements_in,
)
from graphrag_neo4j.evaluation.model import AnswerRecord, CitedSource
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import Step, StepResult, make_missing
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.evaluation import Support, SupportVerdict
from graphrag_neo4j.nlp.sentence_ranking import content_words

__all__ = [
    "GROUNDEDNESS",
    "CitedSentence",
    "Groundedness",
    "SupportRecord",
    "cited_sentences",
    "ground",
    "groundedness_of",
    "support_key",
]

GROUNDEDNESS: Final = "groundedness.jsonl"
MOST_CHARACTERS: Final = 24_000  # of the passages of a sentence: some 6,000 tokens of English


@dataclass(frozen=True, slots=True)
class SupportRecord:
    """The verdict on a sentence and the passages that it cites.

    `sources` names the passages that the judge was shown. `left_out` counts those that had no room.
    `judge` is "model NAME" or "words". `support` is None where there is no verdict; `failure` then
    says why.
    """

    key: str
    sentence: str
    sources: Sequence[str]
    judge: str
    support: Support | None
    reason: str = ""
    left_out: int = 0
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence that is to be judged, with the passages that it cites."""

    key: str
    sentence: str
    passages: tuple[str, ...]
    sources: tuple[str, ...]
    left_out: int


@dataclass(slots=True)
class Groundedness:
    """The groundedness of the answers of a condition, or of the reports of a level.

    `texts` counts the answers that make a statement. Of the `statements`, `cited` have a citation.
    Of these, `supported`, `partly` and `unsupported` have a verdict, and `missing` have none; those
    whose citations lead to no text count as unsupported. `citations` counts the citations of each
    answer once, and `placed` those that lead to a text.
    """

    name: str
    judge: str
    texts: int = 0
    statements: int = 0
    cited: int = 0
    supported: int = 0
    partly: int = 0
    unsupported: int = 0
    missing: int = 0
    citations: int = 0
    placed: int = 0

    @property
    def cited_share(self) -> float | None:
        """The share of the statements that have a citation. None without statements."""
        return _share(self.cited, self.statements)

    @property
    def supported_share(self) -> float | None:
        """The share of the judged statements that are supported. None if none is judged."""
        return _share(self.supported, self.supported + self.partly + self.unsupported)

    @property
    def placed_share(self) -> float | None:
        """The share of the citations that lead to a text. None without citations."""
        return _share(self.placed, self.citations)


def cited_sentences(answers: Iterable[AnswerRecord], signature: str) -> list[CitedSentence]:
    """Returns the sentences of answers that a judge with this signature can judge, each once."""
    found = (
        one
        for answer in answers
        for one in _sentences(answer, signature)
        if isinstance(one, CitedSentence)
    )
    return list({one.key: one for one in found}.values())


async def ground(
    answers: Sequence[AnswerRecord],
    file: RecordFile[SupportRecord],
    judge: SentenceJudge,
    *,
    workers: int,
    listen: Listener = silent,
) -> StepResult:
    """Judges the sentences of answers that the file does not hold, and saves each verdict.

    Raises BudgetSpentError if the cost limit is reached, and ModelError if the model can't be used
    at all; what was judged before is saved.
    """
    items = await anyio.to_thread.run_sync(partial(cited_sentences, answers, judge.signature))

    async def make(item: CitedSentence) -> SupportRecord:
        verdict = await judge(item.sentence, item.passages)
        return _record(item, judge.name, verdict)

    def missing(item: CitedSentence, failure: str) -> SupportRecord:
        return _record(item, judge.name, None, failure)

    step = Step("groundedness", file, make, missing)
    return await make_missing(step, items, workers=workers, listen=listen)


def support_key(signature: str, sentence: str, passages: Sequence[str]) -> str:
    """Returns the key of the verdict of a judge with this signature."""
    return identify("support", signature, sentence, *passages)


def groundedness_of(
    answers: Iterable[AnswerRecord], file: RecordFile[SupportRecord], judge: SentenceJudge
) -> list[Groundedness]:
    """Returns the groundedness of each condition, in the order of the answers.

    An answer that is missing, or that makes no statement, does not count.
    """
    found: dict[str, Groundedness] = {}
    for answer in answers:
        known = found.setdefault(answer.condition, Groundedness(answer.condition, judge.name))
        sentences = list(_sentences(answer, judge.signature))
        known.texts += bool(sentences)
        for one in sentences:
            _count(known, one, file)
        _count_citations(known, answer)
    return list(found.values())


Uncited = Literal["no citation", "no text"]


def _sentences(answer: AnswerRecord, signature: str) -> Iterator[CitedSentence | Uncited]:
    """Yields the statements of an answer: with their passages, or the reason why they have none."""
    if answer.failure is not None:
        return
    sources = _by_name(answer.sources)
    for statement in _statements(answer.text, _other_forms(answer)):
        if not statement.citations:
            yield "no citation"
            continue
        found = [one for name in statement.citations for one in sources.get(name, ())]
        yield _sentence(statement.text, found, signature) if found else "no text"


@lru_cache(10_000)  # texts: the sentences are counted for each judge, and compared
def _statements(text: str, others: frozenset[str]) -> Sequence[Statement]:
    return statements_in(text, others)


def _sentence(text: str, sources: Sequence[CitedSource], signature: str) -> CitedSentence:
    once = list({one.text: one for one in sources}.values())
    shown = _with_room(text, once)
    passages = tuple(one.text[:MOST_CHARACTERS] for one in shown)
    return CitedSentence(
        support_key(signature, text, passages),
        text,
        passages,
        tuple(one.source for one in shown),
        len(once) - len(shown),
    )


def _with_room(sentence: str, sources: Sequence[CitedSource]) -> Sequence[CitedSource]:
    """Returns the passages that have room: those that share the most words with the sentence."""
    if sum(len(one.text) for one in sources) <= MOST_CHARACTERS:
        return sources
    words = content_words(sentence)
    nearest = sorted(sources, key=lambda one: (-len(words & content_words(one.text)), one.text))
    shown, room = nearest[:1], MOST_CHARACTERS - len(nearest[0].text)
    for one in nearest[1:]:
        if len(one.text) <= room:
            shown.append(one)
            room -= len(one.text)
    return shown


def _by_name(sources: Iterable[CitedSource]) -> Mapping[str, list[CitedSource]]:
    found: dict[str, list[CitedSource]] = {}
    for one in sources:
        if one.text.strip():
            for name in names_of(one.citation):
                found.setdefault(name, []).append(one)
    return found


def _other_forms(answer: AnswerRecord) -> frozenset[str]:
    """Returns the citations of an answer that have not our form, as its record names them."""
    named = {one.citation for one in answer.sources} | set(answer.dead)
    return frozenset(one for one in named if one and not cited(one))


def _count(
    known: Groundedness, one: CitedSentence | Uncited, file: RecordFile[SupportRecord]
) -> None:
    known.statements += 1
    if one == "no citation":
        return
    known.cited += 1
    if one == "no text":
        known.unsupported += 1
    elif isinstance(one, CitedSentence):
        support = file[one.key].support if one.key in file else None
        known.supported += support == "supported"
        known.partly += support == "partly"
        known.unsupported += support == "not"
        known.missing += support is None


def _count_citations(known: Groundedness, answer: AnswerRecord) -> None:
    if answer.failure is not None:
        return
    dead = {name for one in answer.dead for name in names_of(one)}
    placed = _by_name(answer.sources).keys() - dead
    names = citations_in(answer.text, _other_forms(answer))
    known.citations += len(names)
    known.placed += sum(name in placed for name in names)


def _record(
    item: CitedSentence, judge: str, verdict: SupportVerdict | None, failure: str | None = None
) -> SupportRecord:
    return SupportRecord(
        item.key,
        item.sentence,
        item.sources,
        judge,
        verdict.support if verdict else None,
        verdict.reason if verdict else "",
        item.left_out,
        failure,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
