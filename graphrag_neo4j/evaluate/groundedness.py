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
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import Final, Literal, TypedDict

import anyio.to_thread

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.answers import read_records
from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.records import (
    AnswerRecord,
    CitedSource,
    RecordFile,
    SupportRecord,
)
from graphrag_neo4j.evaluate.scores import Agreement, agreement
from graphrag_neo4j.evaluate.statements import (
    Statement,
    citations_in,
    names_of,
    statements_in,
)
from graphrag_neo4j.evaluate.steps import Estimate, Step, StepResult, make_missing, priced
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.llm import Endpoint, Meter
from graphrag_neo4j.llm.evaluate.judges import Support, SupportJudge, SupportJudgement
from graphrag_neo4j.model.citations import bracket, cited
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import identify, tokens
from graphrag_neo4j.text.sentence_ranking import content_words

__all__ = [
    "TITLE",
    "Groundedness",
    "JudgedSentence",
    "JudgesCompared",
    "cited_sentences",
    "compare_judges",
    "compared_in",
    "estimate_support",
    "groundedness_of",
    "judge_of",
    "judge_support",
    "judged_sentences",
    "read_findings",
    "signatures_of",
    "support_key",
    "texts_to_judge",
]

WORDS: Final = "words"  # the judge by words and vectors
WORDS_VERSION: Final = 1  # of its rules: what other rules said is judged again
MODEL: Final = "model "
TITLE: Final = "report"  # what the title of the report of a finding is called in `made_with`
MOST_CHARACTERS: Final = 24_000  # of the passages of a sentence: some 6,000 tokens of English
REPLY: Final = 80  # tokens of a judgement with its reason, for the estimate
GRADES: Final[Mapping[Support | None, int]] = {"not": 0, "partly": 1, "supported": 2}


class FindingRow(TypedDict):
    """A finding of a report."""

    community: str
    ref: int
    level: int
    id: str
    title: str
    text: str | None


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence that is to be judged, with the passages that it cites and their names."""

    key: str
    sentence: str
    passages: tuple[str, ...]
    sources: tuple[str, ...]
    left_out: int


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


def signatures_of(judges: Iterable[str], settings: Settings) -> dict[str, str]:
    """Returns a hash of the rules of each judge, or of its model and the prompt of now, by name."""
    found = {}
    for name in dict.fromkeys(judges):
        if name == WORDS:
            found[name] = identify(WORDS, WORDS_VERSION)
        else:
            own = settings.changed(judge_model=name.removeprefix(MODEL))
            found[name] = SupportJudge(own).signature
    return found


def support_key(signature: str, sentence: str, passages: Sequence[str]) -> str:
    """Returns the key of what a judge with this signature says of a sentence."""
    return identify("support", signature, sentence, *passages)


async def texts_to_judge(
    folder: EvaluationFolder, settings: Settings, *, reports: bool, listen: Listener = silent
) -> list[AnswerRecord]:
    """Returns the answers that count and, with `reports`, the findings of the graph's reports.

    Raises InputError if there are neither, and GraphError if Neo4j fails.
    """
    answers, findings = folder.given_answers(), list[AnswerRecord]()
    if reports:
        async with AsyncGraphRAG(settings, listen) as rag:
            findings = await read_findings(rag.graph)
        if findings or len(folder.findings):
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


def estimate_support(
    texts: Sequence[AnswerRecord], folder: EvaluationFolder, settings: Settings, judge: str
) -> Estimate:
    """Estimates the calls to the judge that are still to be made. It makes none.

    Raises InputError if a cost limit is set and the price of the judge is not known.
    """
    items = cited_sentences(texts, signatures_of([judge], settings)[judge])
    missing = [one for one in items if one.key not in folder.supports]
    n = len(missing)
    if judge == WORDS:
        return Estimate(len(items) - n, n)
    count = lru_cache(None)(tokens.count)
    frame = n * count(SupportJudge(settings).prompt("", []))
    shown = sum(count(one.sentence) + sum(map(count, one.passages)) for one in missing)
    step = priced("judge", n, frame + shown, n * REPLY, settings)
    return Estimate(len(items) - n, n, [step])


async def judge_support(
    texts: Sequence[AnswerRecord],
    folder: EvaluationFolder,
    settings: Settings,
    judge: str,
    listen: Listener = silent,
) -> StepResult:
    """Judges the cited sentences of texts that are not judged yet, and saves each judgement.

    Raises the errors of `make_missing`; what was judged before is saved.
    """
    signature = signatures_of([judge], settings)[judge]
    items = await anyio.to_thread.run_sync(cited_sentences, texts, signature)
    meter = Meter(limit=settings.max_cost)
    async with AsyncExitStack() as stack:
        endpoint = None
        if judge != WORDS:
            endpoint = await stack.enter_async_context(Endpoint(settings, meter))
            model = SupportJudge(settings)

        async def make(item: CitedSentence) -> SupportRecord:
            if endpoint:
                found = await endpoint.run(model.judge(item.sentence, item.passages))
            else:
                # This import reads word lists and vectors, which takes a moment.
                from graphrag_neo4j.evaluate.word_support import support_by_words  # noqa: PLC0415

                judging = partial(support_by_words, item.sentence, item.passages)
                found = await anyio.to_thread.run_sync(judging)
            return record(item, found)

        def record(
            item: CitedSentence, found: SupportJudgement | None, failure: str | None = None
        ) -> SupportRecord:
            return SupportRecord(
                key=item.key,
                sentence=item.sentence,
                sources=item.sources,
                judge=judge,
                support=found.support if found else None,
                reason=found.reason if found else "",
                left_out=item.left_out,
                failure=failure,
            )

        step = Step("groundedness", folder.supports, make, lambda one, why: record(one, None, why))
        workers = settings.concurrency if endpoint else 2
        return await make_missing(step, items, workers=workers, listen=listen, meter=meter)


def cited_sentences(answers: Iterable[AnswerRecord], signature: str) -> list[CitedSentence]:
    """Returns the sentences of answers that a judge with this signature can judge, each once."""
    found = (
        one
        for answer in answers
        for one in _sentences(answer, signature)
        if isinstance(one, CitedSentence)
    )
    return list({one.key: one for one in found}.values())


def groundedness_of(
    answers: Iterable[AnswerRecord], file: RecordFile[SupportRecord], judge: str, signature: str
) -> list[Groundedness]:
    """Returns the groundedness of each condition, in the order of the answers.

    An answer that is missing, or that makes no statement, does not count.
    """
    found: dict[str, Groundedness] = {}
    for answer in answers:
        known = found.setdefault(answer.condition, Groundedness(answer.condition, judge))
        sentences = list(_sentences(answer, signature))
        known.texts += bool(sentences)
        known.statements += len(sentences)
        for one in sentences:
            known.cited += one != "no citation"
            if isinstance(one, CitedSentence):
                support = file[one.key].support if one.key in file else None
                known.supported += support == "supported"
                known.partly += support == "partly"
                known.unsupported += support == "not"
                known.missing += support is None
            else:
                known.unsupported += one == "no text"
        if answer.failure is None:
            dead = {name for one in answer.dead for name in names_of(one)}
            placed = _by_name(answer.sources).keys() - dead
            names = citations_in(answer.text, _other_forms(answer))
            known.citations += len(names)
            known.placed += sum(name in placed for name in names)
    return list(found.values())


def _sentences(
    answer: AnswerRecord, signature: str
) -> Iterator[CitedSentence | Literal["no citation", "no text"]]:
    """Yields the statements of an answer: with their passages, or the reason why they have none."""
    if answer.failure is not None:
        return
    sources = _by_name(answer.sources)
    for statement in _statements(answer.text, _other_forms(answer)):
        given = (one for name in statement.citations for one in sources.get(name, ()))
        once = list({one.text: one for one in given}.values())
        if once:
            shown = _with_room(statement.text, once)
            passages = tuple(one.text[:MOST_CHARACTERS] for one in shown)
            key, left = support_key(signature, statement.text, passages), len(once) - len(shown)
            names = tuple(one.source for one in shown)
            yield CitedSentence(key, statement.text, passages, names, left)
        else:
            yield "no text" if statement.citations else "no citation"


@lru_cache(10_000)  # texts: the sentences are counted for each judge, and compared
def _statements(text: str, others: frozenset[str]) -> Sequence[Statement]:
    return statements_in(text, others)


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


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence, the first text in which it stands, and what was said of it, by judge.

    `sources` names the passages. A judge that has said nothing is not in `said`.
    """

    text: AnswerRecord
    sentence: str
    sources: Sequence[str]
    said: Mapping[str, SupportRecord]


@dataclass(frozen=True, slots=True)
class JudgesCompared:
    """How far two judges agree on the sentences of `texts` ("answers" or "reports").

    `agreement.items` counts the sentences that both have judged. Of these, `stricter` are those on
    which `one` is stricter than `other`, and `milder` those on which it is milder. `differing`
    holds both kinds.
    """

    texts: str
    one: str
    other: str
    agreement: Agreement
    stricter: int
    milder: int
    differing: Sequence[JudgedSentence]


def compared_in(folder: EvaluationFolder, settings: Settings) -> list[JudgesCompared]:
    """Returns how far the judges of a folder agree: on its answers, and on the graph's reports.

    `settings` say where your own prompt files are: what another prompt gave does not count.
    """
    signatures = signatures_of((one.judge for one in folder.supports), settings)
    of_answers = judged_sentences(folder.given_answers(), folder.supports, signatures)
    of_reports = judged_sentences(folder.findings, folder.supports, signatures)
    return [*compare_judges("answers", of_answers), *compare_judges("reports", of_reports)]


def judged_sentences(
    texts: Iterable[AnswerRecord],
    file: RecordFile[SupportRecord],
    signatures: Mapping[str, str],
) -> list[JudgedSentence]:
    """Returns the sentences of texts that a judge has judged, each once, with all judgements.

    A sentence with the same passages counts once, in however many texts it stands.
    """
    found: dict[str, JudgedSentence] = {}
    for text in texts:
        for one in cited_sentences([text], ""):
            keys = {
                judge: support_key(signature, one.sentence, one.passages)
                for judge, signature in signatures.items()
            }
            said = {judge: file[key] for judge, key in keys.items() if key in file}
            if said:
                found.setdefault(one.key, JudgedSentence(text, one.sentence, one.sources, said))
    return list(found.values())


def compare_judges(texts: str, sentences: Sequence[JudgedSentence]) -> list[JudgesCompared]:
    """Returns how far each two judges agree that have judged the same sentences."""
    compared = []
    for one, other in combinations(dict.fromkeys(n for s in sentences for n in s.said), 2):
        both = [it for it in sentences if {one, other} <= it.said.keys()]
        given = [(it.said[one].support, it.said[other].support) for it in both]
        grades = [(GRADES[a], GRADES[b]) for a, b in given]
        if both:
            compared.append(
                JudgesCompared(
                    texts,
                    one,
                    other,
                    agreement([(str(a), str(b)) for a, b in given]),
                    sum(a < b for a, b in grades),
                    sum(a > b for a, b in grades),
                    [it for it, (a, b) in zip(both, grades, strict=True) if a != b],
                )
            )
    return compared
