"""The groundedness of an evaluation: its answers and, if wanted, the reports of the graph.

A model judges, if one is set and wanted; otherwise words and vectors do.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

import anyio.to_thread

from graphrag_neo4j import tokens
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.findings import read_findings
from graphrag_neo4j.evaluation.groundedness.sentence_judges import (
    ModelJudge,
    SentenceJudge,
    WordJudge,
)
from graphrag_neo4j.evaluation.groundedness.sentence_support import (
    GROUNDEDNESS,
    Groundedness,
    SupportRecord,
    cited_sentences,
    ground,
    groundedness_of,
)
from graphrag_neo4j.evaluation.model import AnswerRecord
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.indexing.estimate import StepEstimate, priced
from graphrag_neo4j.indexing.preparation import metered
from graphrag_neo4j.llm import Endpoint, Meter
from graphrag_neo4j.llm.evaluation import SupportJudge
from graphrag_neo4j.settings import Settings

__all__ = [
    "GroundingEstimate",
    "estimate_grounding",
    "grounded",
    "support_file",
    "texts_to_ground",
]

REPLY: Final = 80  # tokens of a verdict with its reason: an assumption
WORD_WORKERS: Final = 2
NOTHING: Final = (
    "There is nothing to judge: the evaluation has no answers yet. `kg-build eval answers FOLDER` "
    "makes them, and --reports also judges the reports of the graph."
)


@dataclass(frozen=True, slots=True)
class GroundingEstimate:
    """What the judging takes: cited sentences that are judged already, and those that are not."""

    there: int
    missing: int
    step: StepEstimate


def support_file(folder: EvaluationFolder) -> RecordFile[SupportRecord]:
    """Returns the verdicts on sentences in a folder."""
    return RecordFile(folder.path / GROUNDEDNESS, SupportRecord)


async def texts_to_ground(
    folder: EvaluationFolder, settings: Settings, *, reports: bool, listen: Listener = silent
) -> list[AnswerRecord]:
    """Returns the answers that count and, with `reports`, the findings of the graph's reports.

    The folder keeps the findings for the report of the evaluation.
    Raises InputError if there are neither, and GraphError if Neo4j fails.
    """
    order = folder.conditions()
    answers = sorted(
        (one for one in folder.current_answers().values() if one.failure is None),
        key=lambda one: order.index(one.condition),
    )
    findings: list[AnswerRecord] = []
    if reports:
        async with AsyncGraphRAG(settings, listen) as rag:
            findings = await read_findings(rag.graph)
        if findings or len(folder.findings):
            folder.findings.replace(findings)
    if not (answers or findings):
        raise InputError(NOTHING)
    return [*answers, *findings]


async def estimate_grounding(
    texts: Sequence[AnswerRecord], folder: EvaluationFolder, settings: Settings, *, words: bool
) -> GroundingEstimate:
    """Estimates the calls to the judge that are still to be made. It makes none.

    Raises InputError if a cost limit is set and the price of the judge is not known.
    """
    async with _judging(settings, Meter(), words=words) as judge:
        return await anyio.to_thread.run_sync(partial(_estimate, texts, folder, settings, judge))


async def grounded(
    texts: Sequence[AnswerRecord],
    folder: EvaluationFolder,
    settings: Settings,
    *,
    words: bool = False,
    listen: Listener = silent,
) -> list[Groundedness]:
    """Judges the cited sentences of texts that are not judged yet, and returns all shares.

    With `words`, and where no model is set, words and vectors judge. Raises BudgetSpentError if
    `max_cost` is reached, and ModelError if the model can't be used at all; what was judged before
    is saved.
    """
    file, meter = support_file(folder), Meter()
    async with _judging(settings, meter, words=words) as judge:
        workers = WORD_WORKERS if isinstance(judge, WordJudge) else settings.concurrency
        await ground(texts, file, judge, workers=workers, listen=metered(listen, meter))
        return await anyio.to_thread.run_sync(groundedness_of, texts, file, judge)


@asynccontextmanager
async def _judging(
    settings: Settings, meter: Meter, *, words: bool
) -> AsyncIterator[SentenceJudge]:
    if words or not settings.has_model:
        yield WordJudge()
        return
    async with Endpoint(settings, meter) as endpoint:
        yield ModelJudge(SupportJudge.from_settings(settings), endpoint.run)


def _estimate(
    texts: Sequence[AnswerRecord],
    folder: EvaluationFolder,
    settings: Settings,
    judge: SentenceJudge,
) -> GroundingEstimate:
    file = support_file(folder)
    items = cited_sentences(texts, judge.signature)
    missing = [one for one in items if one.key not in file]
    there = len(items) - len(missing)
    if not isinstance(judge, ModelJudge):
        return GroundingEstimate(there, len(missing), StepEstimate("judge", 0, 0, 0, 0.0))
    count = _counting(settings.encoding)
    frame = count(judge.judge.prompt("", []))
    shown = sum(count(one.sentence) + sum(map(count, one.passages)) for one in missing)
    n = len(missing)
    step = priced("judge", n, n * frame + shown, n * REPLY, settings)
    return GroundingEstimate(there, n, step)


def _counting(encoding: str) -> Callable[[str], int]:
    """Returns a function that counts tokens, and counts a passage of many sentences once."""
    return lru_cache(None)(partial(tokens.count, encoding_name=encoding))
