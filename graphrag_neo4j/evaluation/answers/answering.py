"""Answers: each condition answers each question, from the same graph or from one of its own.

    questions × conditions ──▶ those without an answer ──▶ the search of the condition ──▶ records

An answer is asked for anew only if something that it depends on has changed (`made_with`).
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.context.citations import CitationRef, bracket
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.answers.conditions import Condition
from graphrag_neo4j.evaluation.answers.graph_state import GraphState
from graphrag_neo4j.evaluation.answers.made_with import made_with
from graphrag_neo4j.evaluation.answers.remembered_calls import CallRecord, RememberingEndpoint
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.findings import read_records
from graphrag_neo4j.evaluation.model import (
    AnswerRecord,
    CitedSource,
    QuestionRecord,
    answer_key,
)
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import Step, StepResult, make_missing
from graphrag_neo4j.events import Event, Listener, Notice
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.preparation import metered
from graphrag_neo4j.llm import Meter
from graphrag_neo4j.model import Usage
from graphrag_neo4j.query.answer import Answer, Citation, Source
from graphrag_neo4j.query.engine import answer_question, check_answering, read_state
from graphrag_neo4j.query.question import asked_of
from graphrag_neo4j.query.rows import LevelRow
from graphrag_neo4j.query.stream import AsyncStream
from graphrag_neo4j.settings import Settings

__all__ = ["AnswerItem", "Asked", "answer_items", "answer_missing", "opened", "whole"]

UNFINISHED: Final = "unfinished.jsonl"
WORKERS: Final = 4  # answers at the same time; each may have many calls at the same time
WORKERS_ALONE: Final = 1  # without a model, an answer takes processor time


@dataclass(frozen=True, slots=True)
class Asked:
    """A client that is asked: its settings, its graph, and the state of that graph.

    `levels` is the number of levels of communities with reports. `endpoint` is None without a
    model.
    """

    settings: Settings
    graph: Graph
    state: GraphState
    levels: int
    embedding_model: str | None
    endpoint: RememberingEndpoint | None

    async def made_with(self, condition: Condition) -> Mapping[str, str]:
        """Returns what the answers of a condition depend on."""
        of_graph = {"graph": await self.state.hash_for(condition.method)}
        if self.embedding_model:
            of_graph["vectors"] = self.embedding_model
        return made_with(condition, self.settings, of_graph)


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """An answer that is to be there: the question, the condition, and whom to ask."""

    key: str
    question: QuestionRecord
    condition: Condition
    made_with: Mapping[str, str] = field(repr=False)
    asked: Asked = field(repr=False)


@asynccontextmanager
async def opened(
    folder: EvaluationFolder, settings: Settings, listen: Listener, meter: Meter
) -> AsyncIterator[list[tuple[Condition, Asked]]]:
    """Yields the conditions of an evaluation, each with its client, which is open.

    Conditions with the same settings share a client. `meter` counts the calls of all of them. A
    condition of the paper whose level a graph does not have is left out, and the listener is told.
    Raises InputError for a condition that can't be used, and GraphError if Neo4j fails.
    """
    conditions = folder.chosen()
    calls = RecordFile(folder.path / UNFINISHED, CallRecord)
    found: dict[Settings, Asked] = {}
    for condition in conditions:
        check_answering(condition.checked(settings))
    async with AsyncExitStack() as stack:
        with_clients = []
        for condition in conditions:
            own = condition.checked(settings)
            if own not in found:
                found[own] = await _open(stack, own, listen, meter, calls)
            with_clients.append((condition, found[own]))
        yield [one for one in with_clients if _has_level(*one, listen)]


async def answer_items(
    folder: EvaluationFolder, conditions: Sequence[tuple[Condition, Asked]]
) -> list[AnswerItem]:
    """Returns the answers that are to be there, all of a question before those of the next."""
    made = [(condition, asked, await asked.made_with(condition)) for condition, asked in conditions]
    return [
        AnswerItem(
            answer_key(question.key, condition.name, made_of),
            question,
            condition,
            made_of,
            asked,
        )
        for question in folder.questions
        for condition, asked, made_of in made
    ]


async def answer_missing(
    folder: EvaluationFolder, items: Sequence[AnswerItem], listen: Listener, meter: Meter
) -> StepResult:
    """Asks for the answers that are not there, and saves each as it comes.

    Raises the errors of `make_missing`; what was made before is saved.
    """
    folder.bring_forward([item.key for item in items])
    step = Step("answers", folder.answers, _answer, _missing)
    alone = all(item.asked.endpoint is None for item in items)
    workers = WORKERS_ALONE if alone else WORKERS
    hear = listen if alone else metered(listen, meter)
    result = await make_missing(step, items, workers=workers, listen=hear)
    if not result.failed:
        (folder.path / UNFINISHED).unlink(missing_ok=True)
    _tell_shared_notices(folder, items, listen)
    return result


async def _open(
    stack: AsyncExitStack,
    settings: Settings,
    listen: Listener,
    meter: Meter,
    calls: RecordFile[CallRecord],
) -> Asked:
    rag = await stack.enter_async_context(AsyncGraphRAG(settings, listen))
    endpoint = None
    if settings.has_model:
        endpoint = RememberingEndpoint(settings, meter, calls)
        stack.push_async_callback(endpoint.aclose)
    state = await read_state(rag.graph)
    levels = len(await rag.graph.read("search/levels", LevelRow))
    vectors = state["embedding_model"]
    return Asked(settings, rag.graph, GraphState(rag.graph), levels, vectors, endpoint)


def _has_level(condition: Condition, asked: Asked, listen: Listener) -> bool:
    """Tells whether the graph has the level of a condition.

    Raises InputError if it lacks one that the user has named by its number.
    """
    level = condition.how.get("level")
    if level is None or level < max(asked.levels, 1):
        return True
    deepest = max(asked.levels - 1, 0)
    has = f"The graph has levels 0 to {deepest}" if deepest else "The graph has only level 0"
    if condition.level is None:
        raise InputError(f"{has}, so there is nothing for the condition {condition.name}.")
    listen(
        Notice(
            f"{has}. {condition.name} would read the same reports as C{deepest}, so it is left "
            "out.",
            warning=True,
        )
    )
    return False


async def _answer(item: AnswerItem) -> AnswerRecord:
    asked, told = item.asked, list[str]()

    def hear(event: Event) -> None:
        if isinstance(event, Notice) and event.warning:
            told.append(event.text)

    question, settings = asked_of(item.question.text, item.condition.options, asked.settings)
    endpoint = asked.endpoint.of_answer(item.key) if asked.endpoint else None
    backends = Backends(asked.settings, endpoint)
    answer = await whole(
        AsyncStream(answer_question(asked.graph, backends, settings, question, hear))
    )
    cited = [_ref(one) for one in answer.citations if one.kind == "Reports"]
    reports = await read_records(asked.graph, cited)
    return _record(item, answer, told, list(reports.values()))


async def whole(stream: AsyncStream) -> Answer:
    """Reads a stream to its end and returns the answer."""
    async with stream:
        async for _ in stream:
            pass
    return stream.answer


def _record(
    item: AnswerItem, answer: Answer, told: Sequence[str], reports: Sequence[CitedSource]
) -> AnswerRecord:
    """Returns the record of an answer; `reports` holds the texts of the reports that it cites."""
    sources = [_cited(one, source) for one in answer.citations for source in one.sources]
    sources += [one for one in reports if one.text]
    placed = {one.citation for one in sources}
    names = [bracket([_ref(one)]) for one in answer.citations]
    used = Usage.total(answer.usage.values())
    notices = [*told, *answer.notices, *([answer.incomplete] if answer.incomplete else [])]
    return AnswerRecord(
        key=item.key,
        question=item.question.key,
        condition=item.condition.name,
        text=answer.text,
        made_with=item.made_with,
        sources=sources,
        dead=[name for name in names if name not in placed],
        notices=list(dict.fromkeys(notices)),
        calls=used.calls,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        context_tokens=sum(table.tokens for table in answer.context),
        units=sum(len(table.records) for table in answer.context),
        cost=None if used.unpriced else used.cost,
        seconds=round(answer.elapsed, 3),
    )


def _missing(item: AnswerItem, failure: str) -> AnswerRecord:
    return AnswerRecord(
        item.key,
        item.question.key,
        item.condition.name,
        "",
        item.made_with,
        failure=failure,
    )


def _cited(citation: Citation, source: Source) -> CitedSource:
    start, end = source.place
    return CitedSource(
        bracket([_ref(citation)]),
        f"{source.document}, characters {start:,}–{end:,}",
        source.text,
        source.quoted if source.quote else "",
    )


def _ref(citation: Citation) -> CitationRef:
    return citation.kind, citation.ref


def _tell_shared_notices(
    folder: EvaluationFolder, items: Sequence[AnswerItem], listen: Listener
) -> None:
    """Tells the notices of several answers once, with their number; the records have all."""
    there = [folder.answers[item.key] for item in items if item.key in folder.answers]
    for text, n in Counter(notice for one in there for notice in one.notices).most_common(5):
        if n > 1:
            listen(Notice(f"{text} (In {n:,} of {len(there):,} answers.)", warning=True))
