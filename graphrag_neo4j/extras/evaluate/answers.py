"""Answers: each condition answers each question, from the same graph or from a separate one.

    questions × conditions ──▶ those without an answer ──▶ the search of the condition ──▶ records
    a file of another system ──────────────────────────────────────────────────────────▶ records

An answer is asked for anew only if something that it depends on has changed (`made_with`), the
graph included: the content of the parts that its method reads is hashed, not a stamp.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import ClassVar, Final, Literal, TypedDict, cast, get_args

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.evaluate.conditions import OWN_NAME, Condition, is_ours, made_with
from graphrag_neo4j.extras.evaluate.folder import (
    AnswerRecord,
    CitedSource,
    Effort,
    EvaluationFolder,
    answer_key,
    question_key,
    read_lines,
)
from graphrag_neo4j.extras.evaluate.steps import EvaluationStep, RememberingEndpoint, StepResult
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.estimate import StepEstimate, priced
from graphrag_neo4j.llm.endpoint.cost import Meter
from graphrag_neo4j.model.citations import CitationKind, CitationRef, bracket
from graphrag_neo4j.model.events import Event, Listener, Notice
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.engine import answer_question, check_answering, read_state
from graphrag_neo4j.query.global_ import LevelRow, default_level
from graphrag_neo4j.query.question import Question, asked_of
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import flat, identify, storable

WORKERS: Final = 4  # answers at the same time; each may have many calls at the same time
PAGE: Final = 5_000  # rows of one read
AT_ONCE: Final = 1_000  # cited records that are read with one statement
GraphPart = Literal["chunks", "communities", "entities", "relationships", "claims"]
CONTENT: Final[Mapping[GraphPart, str]] = {
    "chunks": "evaluation/chunks",
    "communities": "evaluation/communities",
    "entities": "evaluation/entities",
    "relationships": "evaluation/relationships",
    "claims": "evaluation/claims",
}
# The parts of the graph that a method reads; the others read all of it.
PARTS: Final[Mapping[str, Sequence[GraphPart]]] = {
    "global": ("communities",),
    "text": ("chunks",),
    "basic": ("chunks",),
}
# For the estimate, in tokens: a prompt without its context, the reply of a map call, an answer.
PROMPT, MAPPED, ANSWER = 1_500, 400, 700
LINES: Final = 1.05  # tokens of a context for each token of its records: ids and separators
FILLED: Final = 0.9  # share of a context that is used where records are not divided
MEANS: Final = tuple(one.name for one in fields(Effort))
NUMBERED: Final = re.compile(r"(\[\^?)\d{1,4}\](?!\()")  # [7] or [^7], but no link


class ContentRow(TypedDict):
    """A node or relationship, with all of it that an answer may depend on."""

    id: str
    content: list[str]


class SizesRow(TypedDict):
    """The number of chunks, and the number of their tokens."""

    chunks: int
    tokens: int


class RecordRow(TypedDict):
    """A record that is cited: what it is called, and what it says."""

    kind: CitationKind
    ref: int
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class AskedClient:
    """A client that is asked. `levels` maps each level of communities to its tokens of reports.

    `text_tokens` are those of all chunks. `hashes` holds those of the parts of the graph that were
    read. `endpoint` is None without a model.
    """

    settings: Settings
    graph: Graph
    levels: Mapping[int, int]
    text_tokens: int
    embedding_model: str | None
    endpoint: RememberingEndpoint | None
    hashes: dict[GraphPart, str] = field(default_factory=dict)

    async def made_with(self, condition: Condition) -> Mapping[str, str]:
        """Returns what the answers of a condition depend on."""
        whole = hashlib.sha256()
        for part in PARTS.get(condition.method, get_args(GraphPart)):
            if part not in self.hashes:
                self.hashes[part] = await self._hash(part)
            whole.update(f"{part} {self.hashes[part]}\n".encode())
        of_graph = {"graph": whole.hexdigest()[:16]}
        if self.embedding_model:
            of_graph["vectors"] = self.embedding_model
        return made_with(condition, self.settings, of_graph)

    async def _hash(self, part: GraphPart) -> str:
        found, after = hashlib.sha256(), ""
        while rows := await self.graph.read(CONTENT[part], ContentRow, after=after, limit=PAGE):
            for row in rows:
                found.update(json.dumps([row["id"], *row["content"]]).encode())
            after = rows[-1]["id"]
        return found.hexdigest()


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """An answer that is to be there: the text of the question, the condition, and whom to ask."""

    record: AnswerRecord
    question: str
    condition: Condition
    asked: AskedClient = field(repr=False)


@dataclass(frozen=True, slots=True)
class AnswerStep(EvaluationStep[AnswerItem]):
    """The answers of all conditions; `meter` counts the calls of their clients together."""

    folder: EvaluationFolder
    meter: Meter

    def calls_for(self, missing: Sequence[AnswerItem]) -> Sequence[StepEstimate]:
        """Estimates the calls of these answers, for each condition. It makes none.

        The sizes of contexts are known from the graph; the lengths of replies are assumptions.
        """
        by_name = {item.condition.name: item for item in missing if item.asked.endpoint}
        numbers = Counter(item.condition.name for item in missing)
        return [_estimate(item, numbers[name]) for name, item in by_name.items()]

    async def complete(self, listen: Listener) -> StepResult:
        """Asks for the answers that are not there, and saves each as it comes.

        The notices of several answers are told once, with their number. Raises the errors of
        `EvaluationStep.run`; what was made before is saved.
        """
        keys = [item.record.key for item in self.items]
        self.folder.bring_forward(keys)
        alone = all(item.asked.endpoint is None for item in self.items)
        workers = 1 if alone else WORKERS  # without a model, an answer takes processor time
        meter = None if alone else self.meter
        result = await self.run(_answer, workers=workers, listen=listen, meter=meter)
        if not result.failed:
            self.folder.unfinished.remove()
        there = [self.file[key] for key in keys if key in self.file]
        for text, n in Counter(notice for one in there for notice in one.notices).most_common(5):
            if n > 1:
                listen(Notice(f"{text} (In {n:,} of {len(there):,} answers.)", warning=True))
        return result


@asynccontextmanager
async def answer_step(
    folder: EvaluationFolder, settings: Settings, listen: Listener
) -> AsyncIterator[AnswerStep]:
    """Yields the answers that are to be there, all of a question before those of the next.

    Their clients are open; conditions with the same settings share one, and the cost limit of
    `settings` is that of all. A condition of the paper whose level a graph does not have is left
    out, and the listener is told. Raises InputError if there are no questions and for a condition
    that can't be used, and GraphError if Neo4j fails.
    """
    if not len(folder.questions):
        raise InputError(
            "The evaluation has no questions yet. `kg-build eval questions FOLDER` makes them."
        )
    own = [(condition, condition.checked(settings)) for condition in folder.chosen()]
    for _, of_client in own:
        check_answering(of_client)
    clients, answering = dict[Settings, AskedClient](), []
    meter = Meter(limit=settings.max_cost)
    async with AsyncExitStack() as stack:
        for condition, of_client in own:
            if of_client not in clients:
                rag = await stack.enter_async_context(AsyncGraphRAG(of_client, listen))
                endpoint = None
                if of_client.has_model:
                    endpoint = RememberingEndpoint(of_client, meter, folder.unfinished)
                    await stack.enter_async_context(endpoint)
                vectors = (await read_state(rag.graph))["embedding_model"]
                rows = await rag.graph.read("search/levels", LevelRow)
                levels = {row["level"]: row["tokens"] for row in rows}
                [sizes] = await rag.graph.read("evaluation/sizes", SizesRow)
                read = (levels, sizes["tokens"], vectors, endpoint)
                clients[of_client] = AskedClient(of_client, rag.graph, *read)
            asked = clients[of_client]
            if _has_level(condition, asked, listen):
                answering.append((condition, asked, await asked.made_with(condition)))
        items = list[AnswerItem]()
        for one in folder.questions:
            for condition, asked, made in answering:
                key = answer_key(one.key, condition.name, made)
                record = AnswerRecord(key, one.key, condition.name, made_with=made)
                items.append(AnswerItem(record, one.text, condition, asked))
        yield AnswerStep("answers", folder.answers, items, folder, meter)


def _has_level(condition: Condition, asked: AskedClient, listen: Listener) -> bool:
    """Returns whether the graph has the level of a condition.

    Raises InputError if it lacks one that the user has named by its number.
    """
    level, depth = condition.how.get("level"), max(len(asked.levels), 1)
    if level is None or level < depth:
        return True
    has = f"The deepest level of the graph is {depth - 1}"
    if condition.level is None:
        raise InputError(f"{has}, so there is nothing for the condition {condition.name}.")
    same = f"{condition.name} would read the same reports as C{depth - 1}"
    listen(Notice(f"{has}: {same}, so it is left out.", warning=True))
    return False


async def _answer(item: AnswerItem) -> AnswerRecord:
    asked, told = item.asked, list[str]()

    def hear(event: Event) -> None:
        if isinstance(event, Notice) and event.warning:
            told.append(event.text)

    question, settings = asked_of(item.question, item.condition.how, asked.settings)
    endpoint = asked.endpoint.of_record(item.record.key) if asked.endpoint else None
    backends = Backends(asked.settings, endpoint)
    answering = answer_question(asked.graph, backends, settings, question, hear)
    async with aclosing(answering) as pieces:
        *_, last = [piece async for piece in pieces]
    answer = cast("Answer", last)
    reports = [(one.kind, one.ref) for one in answer.citations if one.kind == "Reports"]
    read = await read_records(asked.graph, reports)
    sources, names = list[CitedSource](), list[str]()
    for citation in answer.citations:
        names.append(bracket([(citation.kind, citation.ref)]))
        for one in citation.sources:
            quote = one.quoted if one.quote else ""
            sources.append(CitedSource(names[-1], one.place, one.text, quote))
    sources += [one for one in read.values() if one.text]
    placed = {one.citation for one in sources}
    used = Usage.total(answer.usage.values())
    notices = [*told, *answer.notices, *([answer.incomplete] if answer.incomplete else [])]
    return replace(
        item.record,
        text=answer.text,
        sources=sources,
        dead=[name for name in names if name not in placed],
        misquoted=list(dict.fromkeys(one for of in answer.citations for one in of.misquoted)),
        notices=list(dict.fromkeys(notices)),
        calls=used.calls,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        context_tokens=sum(table.tokens for table in answer.context),
        units=sum(len(table.records) for table in answer.context),
        cost=None if used.unpriced else used.cost,
        seconds=round(answer.elapsed, 3),
    )


async def read_records(
    graph: Graph, citations: Sequence[CitationRef]
) -> dict[CitationRef, CitedSource]:
    """Returns what citations name, with its text. Those that the graph does not hold are left out.

    Raises GraphError if Neo4j fails.
    """
    found: dict[CitationRef, CitedSource] = {}
    for start in range(0, len(citations), AT_ONCE):
        asked = [{"kind": kind, "ref": ref} for kind, ref in citations[start : start + AT_ONCE]]
        for row in await graph.read("evaluation/records", RecordRow, citations=asked):
            one = row["kind"], row["ref"]
            found[one] = CitedSource(bracket([one]), row["source"], row["text"])
    return found


def _estimate(item: AnswerItem, n: int) -> StepEstimate:
    """Returns what `n` answers of the condition of an item take."""
    asked = item.asked
    question, settings = asked_of("?", item.condition.how, asked.settings)
    calls, sent, replied = 1, float(PROMPT + settings.max_context_tokens), ANSWER
    if question.method == "drift":
        calls = 2 + settings.drift_calls
        sent, replied = calls * sent, calls * MAPPED
    elif question.method in {"global", "text"}:
        size = _report_tokens(question, settings, asked.levels)
        size = asked.text_tokens if question.method == "text" else size
        contexts = max(1, ceil(size * LINES / (FILLED * settings.map_context_tokens)))
        points = min(settings.map_context_tokens, contexts * MAPPED)
        calls, sent = contexts + 1, size * LINES + (contexts + 1) * PROMPT + points
        replied = contexts * MAPPED + ANSWER
    found = priced("answer", n * calls, n * sent, n * replied, settings)
    return replace(found, step=item.condition.name)


def _report_tokens(question: Question, settings: Settings, levels: Mapping[int, int]) -> float:
    """Returns the tokens of the reports that a global search reads, at most."""
    if question.dynamic:
        return 2 * sum(levels.values())  # rated and read, if all are relevant
    if question.level is not None:
        return levels.get(question.level, 0)
    calls = question.max_calls or settings.max_calls
    size = levels.get(default_level(levels, calls, settings), 0)
    return min(size, calls * settings.map_context_tokens)


@dataclass(frozen=True, slots=True)
class GivenSource:
    """A passage that an answer names: the name of its document, its text, and how it is cited."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    source: str
    text: str = ""
    citation: str = ""


@dataclass(frozen=True, slots=True)
class GivenAnswer(Effort):
    """A line of a file of answers. All but the question and the answer may be left out."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    question: str
    answer: str
    sources: tuple[GivenSource, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedAnswers:
    """What became of the lines of a file.

    `new` answers were added, and `there` were known already. `unmatched` holds the questions of the
    file that the evaluation does not have, `empty` those without an answer, and `unanswered` the
    questions of the evaluation that the file does not have.
    """

    new: int
    there: int
    unmatched: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)


def import_answers(folder: EvaluationFolder, path: Path, condition: str) -> ImportedAnswers:
    """Adds the answers of another system from a file, with one answer on each line, in JSON.

        {"question": "…", "answer": "…", "sources": [{"source": "…", "text": "…"}], "calls": 3, …}

    They get the name of a `condition`. An answer that is there is kept. Raises InputError if the
    name means a condition of ours, if the file can't be read or holds a line that isn't an answer,
    and if there are no questions.
    """
    of_name = [one for one in folder.answers if one.condition == condition]
    ours = is_ours(condition) or any("imported" not in one.made_with for one in of_name)
    if ours or not OWN_NAME.fullmatch(condition):
        why = "means answers of this program" if ours else "has commas, colons or equals signs"
        raise InputError(f"The name {condition} {why}. Give another one, such as lightrag.")
    if not len(folder.questions):
        raise InputError("The evaluation has no questions yet. Add them first.")
    unmatched, empty, records = list[str](), list[str](), dict[str, AnswerRecord]()
    for given in read_lines(path, GivenAnswer):
        question = question_key(flat(storable(given.question)[0]))
        if question not in folder.questions:
            unmatched.append(given.question)
        elif not given.answer.strip():
            empty.append(given.question)
        else:
            records[question] = _imported(given, question, condition)
    new = [one for one in records.values() if one.key not in folder.answers]
    folder.answers.add(new)
    folder.bring_forward([one.key for one in records.values()])
    answered = {one.question for one in folder.answers if one.condition == condition}
    unanswered = [one.text for one in folder.questions if one.key not in answered]
    return ImportedAnswers(len(new), len(records) - len(new), unmatched, empty, unanswered)


def _imported(given: GivenAnswer, question: str, condition: str) -> AnswerRecord:
    said = asdict(given)
    content = identify("imported", json.dumps(said, sort_keys=True, ensure_ascii=False))
    made, text = {"imported": content[:16]}, storable(given.answer)[0]
    sources = [
        CitedSource(*(storable(part)[0] for part in (one.citation, one.source, one.text)))
        for one in given.sources
    ]
    # Dead is a citation that no source has, such as a [7] where sources have [1].
    named = {one.citation for one in sources}
    forms = {found[1] for one in named if (found := NUMBERED.fullmatch(one))}
    dead = {one[0] for one in NUMBERED.finditer(text) if one[1] in forms} - named
    numbers = {name: said[name] for name in MEANS}
    key = answer_key(question, condition, made)
    return AnswerRecord(key, question, condition, text, made, sources, sorted(dead), **numbers)


@dataclass(frozen=True, slots=True)
class ConditionCosts:
    """What an answer of a condition takes in the mean, over its `answers` that are there.

    `units` counts the reports, passages and other records of the contexts, and `context_tokens`
    their tokens; `percent` is the share of these tokens in those of the condition that has the most
    (Table 2). `cost` is in US dollars. A value is None where it is not known of all answers.
    `total_cost` is the cost of all answers. `missing` counts the answers that failed.
    """

    condition: str
    answers: int
    missing: int
    units: float | None
    context_tokens: float | None
    percent: float | None
    calls: float | None
    input_tokens: float | None
    output_tokens: float | None
    cost: float | None
    seconds: float | None
    total_cost: float | None


def condition_costs(answers: Iterable[AnswerRecord]) -> list[ConditionCosts]:
    """Returns the costs of each condition that has answers, in the order of the first one.

    `answers` are those that count (`EvaluationFolder.current_answers`).
    """
    asked: dict[str, list[AnswerRecord]] = {}
    for one in answers:
        asked.setdefault(one.condition, []).append(one)
    there = {name: [one for one in found if not one.failure] for name, found in asked.items()}
    most = max((_mean(found, "context_tokens") or 0 for found in there.values()), default=0)
    costs = []
    for name, found in there.items():
        means = {of: _mean(found, of) for of in MEANS}
        size, cost = means["context_tokens"], means["cost"]
        percent = 100 * size / most if size is not None and most else None
        total = None if cost is None else cost * len(found)
        n, missing = len(found), len(asked[name]) - len(found)
        costs.append(ConditionCosts(name, n, missing, percent=percent, total_cost=total, **means))
    return costs


def _mean(answers: Sequence[AnswerRecord], name: str) -> float | None:
    """Returns the mean of a value. None without answers, and where one of them does not have it."""
    known = [value for one in answers if (value := getattr(one, name)) is not None]
    return fmean(known) if known and len(known) == len(answers) else None
