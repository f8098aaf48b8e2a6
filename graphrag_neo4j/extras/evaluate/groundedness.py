"""Groundedness: how far the sentences of answers and reports rest on what they cite.

    answer ──▶ statements ──▶ statement + cited passages ──▶ supported, partly, not (one record)
                  │                                             │
                  └── share with a citation                     └── share that is supported

The paper does not measure it. A model judges, or words and vectors do. A record is keyed by the
sentence, the cited passages and the judge: a sentence that stands in two answers with the same
citations is judged once. The passages of a sentence are all that its citations lead to: chunks, the
records that a report cites, and of a cited report its text, since that is what a reader finds who
follows the citation. The findings of the graph's reports are judged against the records that they
were written from; the folder keeps them, so that the report can be written without Neo4j.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import combinations
from typing import Final, TypedDict

import anyio.to_thread

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.evaluate.answers import read_records
from graphrag_neo4j.extras.evaluate.folder import (
    AnswerRecord,
    CitedSource,
    EvaluationFolder,
    RecordFile,
    SupportRecord,
)
from graphrag_neo4j.extras.evaluate.statements import (
    CitedSentence,
    citations_in,
    single_citations,
    statements_in,
)
from graphrag_neo4j.extras.evaluate.statistics import Agreement, agreement
from graphrag_neo4j.extras.evaluate.steps import EvaluationStep, ModelStep, StepResult
from graphrag_neo4j.extras.evaluate.tasks.judges import Support, SupportJudge
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.citations import bracket, cited
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.model.types import LLMTask
from graphrag_neo4j.rules.ranking import content_words
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import identify

WORDS: Final = "words"  # the judge by words and vectors
WORDS_VERSION: Final = 1  # of its rules; a new number has all sentences judged again
MODEL: Final = "model "
TITLE: Final = "report"  # what the title of the report of a finding is called in `made_with`
MOST_CHARACTERS: Final = 24_000  # of the passages of a sentence: some 6,000 tokens of English
SUPPORT_REPLY: Final = 80  # tokens of a judgement with its reason, for the estimate


class FindingRow(TypedDict):
    """A finding of a report."""

    community: str
    ref: int
    level: int
    id: str
    title: str
    text: str | None


@dataclass(frozen=True, slots=True)
class SentenceToJudge:
    """A sentence that is to be judged, with the passages that it cites and their names."""

    sentence: str
    passages: tuple[str, ...]
    sources: tuple[str, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class SupportItem:
    """A judgement that is to be given, and the passages that the judge reads."""

    record: SupportRecord
    passages: tuple[str, ...]


@dataclass(slots=True)
class Groundedness:
    """The groundedness of the answers of a condition, or of the reports of a level.

    `texts` counts the answers that make a statement. Of the `statements`, `cited` have a citation.
    Of these, `supported`, `partly` and `unsupported` are judged, and `missing` are not; those whose
    citations lead to no text count as unsupported. `citations` counts the citations of each answer
    once, and `placed` those that lead to a text.
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
    def judged(self) -> int:
        """The number of the cited statements that are judged."""
        return self.supported + self.partly + self.unsupported

    @property
    def cited_share(self) -> float | None:
        """The share of the statements that have a citation. None without statements."""
        return self.cited / self.statements if self.statements else None

    @property
    def supported_share(self) -> float | None:
        """The share of the judged statements that are supported. None if none is judged."""
        return self.supported / self.judged if self.judged else None

    @property
    def placed_share(self) -> float | None:
        """The share of the citations that lead to a text. None without citations."""
        return self.placed / self.citations if self.citations else None


def judge_of(settings: Settings, *, words: bool) -> str:
    """Returns the judge as records name it: "model NAME", or "words" if wanted or without one."""
    if words or not settings.has_model:
        return WORDS
    return f"{MODEL}{settings.model_for('judge')}"


def signature_of(judge: str, settings: Settings) -> str:
    """Returns a hash of the rules of words and vectors, or of a model and the prompt of now."""
    if judge == WORDS:
        return identify(WORDS, WORDS_VERSION)
    return SupportJudge(settings.changed(judge_model=judge.removeprefix(MODEL))).signature


def support_key(signature: str, sentence: str, passages: Sequence[str]) -> str:
    """Returns the key of what a judge with this signature says of a sentence."""
    return identify("support", signature, sentence, *passages)


async def texts_to_judge(
    folder: EvaluationFolder, settings: Settings, listen: Listener, *, reports: bool
) -> list[AnswerRecord]:
    """Returns the answers that count and, with `reports`, the findings of the graph's reports.

    Raises InputError if there are neither, and GraphError if Neo4j fails.
    """
    answers, findings = folder.given_answers(), list[AnswerRecord]()
    if reports:
        async with AsyncGraphRAG(settings, listen) as rag:
            findings = await read_findings(rag.graph)
        if findings or len(folder.findings):
            with folder.writing():
                folder.findings.replace(findings)
    if not (answers or findings):
        raise InputError(
            "There is nothing to judge: the evaluation has no answers yet. `kg-build eval answers "
            "FOLDER` makes them, and --reports also judges the reports of the graph."
        )
    return [*answers, *findings]


async def read_findings(graph: Graph) -> list[AnswerRecord]:
    """Returns the findings of all reports, those of a level as the answers of one condition.

    Small reports, which only list the descriptions of their members, are left out. The question of
    each record is the id of its community. Raises GraphError if Neo4j fails.
    """
    rows = await graph.read("evaluation/findings", FindingRow)
    names = [cited(row["text"] or "") for row in rows]
    wanted = dict.fromkeys(one for of_row in names for one in of_row)
    records = await read_records(graph, list(wanted))
    return [
        AnswerRecord(
            key=identify("finding of a report", row["id"], row["text"] or ""),
            question=row["community"],
            condition=f"reports of level {row['level']}",
            text=row["text"] or "",
            made_with={TITLE: row["title"]},
            sources=[records[one] for one in of_row if one in records],
            dead=[bracket([one]) for one in of_row if one not in records],
        )
        for row, of_row in zip(rows, names, strict=True)
    ]


class WordStep(EvaluationStep[SupportItem]):
    """The judgements by words and vectors. They take no calls."""

    async def complete(self, listen: Listener) -> StepResult:
        """Judges the sentences that are not judged yet, and saves each judgement."""
        # This import reads word lists and vectors, which takes a moment.
        from graphrag_neo4j.extras.evaluate.word_support import support_by_words  # noqa: PLC0415

        async def make(item: SupportItem) -> SupportRecord:
            judging = partial(support_by_words, item.record.sentence, item.passages)
            found = await anyio.to_thread.run_sync(judging)
            return replace(item.record, support=found.support, reason=found.reason)

        return await self.run(make, workers=2, listen=listen)


SupportStep = WordStep | ModelStep[SupportItem]


def support_step(
    texts: Iterable[AnswerRecord], folder: EvaluationFolder, settings: Settings, judge: str
) -> SupportStep:
    """Returns the cited sentences of texts, with what a judge is to say of them."""
    signature = signature_of(judge, settings)
    items = []
    for one in sentences_to_judge(texts):
        key = support_key(signature, one.sentence, one.passages)
        record = SupportRecord(key, one.sentence, one.sources, judge, left_out=one.left_out)
        items.append(SupportItem(record, one.passages))
    records = ("groundedness", folder.supports, items)
    if judge == WORDS:
        return WordStep(*records)
    model, count = SupportJudge(settings), cache(tokens.count)

    def support(item: SupportItem) -> LLMTask[SupportRecord]:
        found = yield from model.judge(item.record.sentence, item.passages)
        return replace(item.record, support=found.support, reason=found.reason)

    def tokens_of(item: SupportItem) -> tuple[float, float]:
        texts = (model.prompt("", []), item.record.sentence, *item.passages)
        return sum(map(count, texts)), SUPPORT_REPLY

    return ModelStep(*records, "judge", support, tokens_of, settings)


def sentences_to_judge(texts: Iterable[AnswerRecord]) -> list[SentenceToJudge]:
    """Returns the sentences of texts that can be judged; each once, with the same passages."""
    found = (one for text in texts for _, one in _sentences(text) if one)
    return list({(one.sentence, one.passages): one for one in found}.values())


def groundedness_of(
    texts: Iterable[AnswerRecord], folder: EvaluationFolder, settings: Settings, judge: str
) -> list[Groundedness]:
    """Returns the groundedness of each condition, in the order of the texts.

    An answer that is missing, or that makes no statement, does not count.
    """
    found: dict[str, Groundedness] = {}
    file, signature = folder.supports, signature_of(judge, settings)
    for text in texts:
        known = found.setdefault(text.condition, Groundedness(text.condition, judge))
        sentences = list(_sentences(text))
        known.texts += bool(sentences)
        known.statements += len(sentences)
        for one in [one for statement, one in sentences if statement.citations]:
            support: Support | None = "not"  # by citations that lead to no text
            if one:
                key = support_key(signature, one.sentence, one.passages)
                support = file[key].support if key in file else None
            known.cited += 1
            known.supported += support == "supported"
            known.partly += support == "partly"
            known.unsupported += support == "not"
            known.missing += support is None
        if text.failure is None:
            dead = {name for one in text.dead for name in single_citations(one)}
            placed = _by_name(text.sources).keys() - dead
            names = citations_in(text.text, _other_forms(text))
            known.citations += len(names)
            known.placed += sum(name in placed for name in names)
    return list(found.values())


# The statements of a text are counted for each judge, and compared.
_statements = lru_cache(10_000)(statements_in)


def _sentences(text: AnswerRecord) -> Iterator[tuple[CitedSentence, SentenceToJudge | None]]:
    """Yields the statements of a text with their passages; None where they cite no text."""
    if text.failure is not None:
        return
    sources = _by_name(text.sources)
    for statement in _statements(text.text, _other_forms(text)):
        given = (one for name in statement.citations for one in sources.get(name, ()))
        once = list({one.text: one for one in given}.values())
        shown = _with_room(statement.text, once)
        passages = tuple(one.text[:MOST_CHARACTERS] for one in shown)
        names, left_out = tuple(one.source for one in shown), len(once) - len(shown)
        yield (
            statement,
            SentenceToJudge(statement.text, passages, names, left_out) if once else None,
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
            for name in single_citations(one.citation):
                found.setdefault(name, []).append(one)
    return found


def _other_forms(text: AnswerRecord) -> frozenset[str]:
    """Returns the citations of a text that have not our form, as its record names them."""
    named = {one.citation for one in text.sources} | set(text.dead)
    return frozenset(one for one in named if one and not cited(one))


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence, the first text in which it stands, and what was said of it, by judge.

    `sources` names the passages. A judge that has said nothing is not in `said`.
    """

    text: AnswerRecord
    sentence: str
    sources: Sequence[str]
    said: Mapping[str, SupportRecord]


def judged_sentences(
    texts: Iterable[AnswerRecord], file: RecordFile[SupportRecord], settings: Settings
) -> list[JudgedSentence]:
    """Returns the sentences of texts that a judge has judged, each once, with all judgements.

    A sentence with the same passages counts once, in however many texts it stands.
    """
    judges = dict.fromkeys(one.judge for one in file)
    signatures = {judge: signature_of(judge, settings) for judge in judges}
    found: dict[tuple[str, tuple[str, ...]], JudgedSentence] = {}
    for text in texts:
        for one in sentences_to_judge([text]):
            keys = {
                judge: support_key(signature, one.sentence, one.passages)
                for judge, signature in signatures.items()
            }
            said = {judge: file[key] for judge, key in keys.items() if key in file}
            if said:
                judged = JudgedSentence(text, one.sentence, one.sources, said)
                found.setdefault((one.sentence, one.passages), judged)
    return list(found.values())


def compare_judges(
    sentences: Sequence[JudgedSentence],
) -> Iterator[tuple[str, str, Agreement, list[JudgedSentence]]]:
    """Yields each two judges that have judged the same sentences, how far they agree on these, and
    the sentences on which they differ.
    """
    for one, other in combinations(dict.fromkeys(n for s in sentences for n in s.said), 2):
        both = [it for it in sentences if {one, other} <= it.said.keys()]
        given = [(str(it.said[one].support), str(it.said[other].support)) for it in both]
        if both:
            differing = [it for it, (a, b) in zip(both, given, strict=True) if a != b]
            yield one, other, agreement(given), differing
