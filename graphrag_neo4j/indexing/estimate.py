"""Estimates the calls, tokens and cost of an index before anything is spent.

The tokens of the prompts are counted as they will be sent. The length of replies, the number of
gleanings and the number of descriptions that need a model can only be assumed. The assumptions are
in this file and in `step_estimate`, with their sources.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import anyio.to_thread

from graphrag_neo4j import tokens
from graphrag_neo4j.context.material import ReportMaterial
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.events import Advanced, Listener, Notice, Share, silent
from graphrag_neo4j.indexing.chunking import cut
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.document_rows import header_of
from graphrag_neo4j.indexing.estimate_graphrag import estimate_graphrag
from graphrag_neo4j.indexing.step_estimate import (
    ASSUMED,
    FIRST_LIST,
    StepEstimate,
    embedding,
    for_each_chunk,
    priced,
)
from graphrag_neo4j.llm import LLMIndexBackend
from graphrag_neo4j.model import (
    ChunkText,
    DescribedThing,
    Document,
    LLMTask,
    Origin,
    Reply,
    Request,
    Step,
)
from graphrag_neo4j.protocols import IndexBackend
from graphrag_neo4j.settings import EXTRACTIVE, Settings

__all__ = ["Estimate", "StepEstimate", "estimate"]


# Measured with the endpoint of the tests on 5 and on 60 transcripts: calls for each chunk, for
# which a small corpus has more communities and fewer long descriptions than a large one; then the
# tokens of the material in a call, and those of the reply. Of the descriptions of 5 transcripts,
# 2.2 for each chunk came from several places, and 0.21 had more than 160 tokens.
REPORTS: Final = (0.64, 0.39)
REPORT: Final = (1270, 600)
ABOVE_400: Final = (0.06, 0.11)
SEVERAL, REPLY = 2.2, 173
NAMES: Final = (0.02, 1500, 480)  # calls with up to twenty pairs of names


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a corpus, and the calls, tokens and cost of its index.

    `text_tokens` is the number of tokens of all chunks, overlaps included. `unreadable` holds
    reasons by source. `notices` are sentences about how the files were read. `origin` is
    "extractive" where the settings want no model; then there are no steps and no cost. `graphrag`
    holds what microsoft/graphrag would take for the same chunks.
    """

    documents: int
    chunks: int
    text_tokens: int
    steps: Sequence[StepEstimate]
    unreadable: Mapping[str, str]
    notices: Sequence[str] = ()
    origin: Origin = "model"
    graphrag: Sequence[StepEstimate] = ()


async def estimate(corpus: Corpus, settings: Settings, listen: Listener = silent) -> Estimate:
    """Estimates the index of a corpus into an empty graph. It makes no call to a model."""
    listen(corpus.started("estimate"))
    documents = chunks = text_tokens = 0
    async for document in corpus.documents():
        share = Share(corpus.size_of(document), listen)
        sizes = await anyio.to_thread.run_sync(_sizes, document, settings, share)
        share(1.0)
        documents, chunks, text_tokens = (
            documents + 1,
            chunks + len(sizes),
            text_tokens + sum(sizes),
        )
    if rest := corpus.size_of_rest():
        listen(Advanced(rest))
    for notice in corpus.notices():
        listen(Notice(notice, warning=True))
    free = settings.model == EXTRACTIVE
    steps = [] if free else _steps(chunks, text_tokens, settings)
    origin: Origin = "extractive" if free else "model"
    return Estimate(
        documents,
        chunks,
        text_tokens,
        steps,
        corpus.reasons(),
        corpus.notices(),
        origin,
        [] if free else estimate_graphrag(chunks, text_tokens, settings),
    )


def _sizes(document: Document, settings: Settings, progress: Callable[[float], None]) -> list[int]:
    """The number of tokens that each chunk of a document adds to a prompt."""
    header = header_of(document, settings.prepend_metadata)
    header_tokens = tokens.count(header, settings.encoding)
    spans = cut(
        document.text,
        max_tokens=settings.chunk_tokens,
        overlap=settings.chunk_overlap,
        encoding=settings.encoding,
        progress=progress,
    )
    return [span.n_tokens + header_tokens for span in spans]


def _steps(chunks: int, text_tokens: int, settings: Settings) -> list[StepEstimate]:
    backend: IndexBackend = LLMIndexBackend.from_settings(settings)
    empty = ChunkText("", "")
    steps = [_reading("extraction", backend.extract(empty), chunks, text_tokens, settings)]
    if settings.claims:  # not set: a model extracts none
        steps.append(_reading("claims", backend.claims(empty), chunks, text_tokens, settings))
    if settings.resolve == "auto":
        steps.append(_written("names", backend.compare([]), chunks, NAMES, settings))
    at_once = backend.summary_batch
    summary = backend.summarize([DescribedThing("", [""])] * at_once)
    summaries = _summaries(chunks, at_once, settings)
    steps.append(_written("summary", summary, chunks, summaries, settings))
    report = backend.report("", ReportMaterial({}, [], []))
    reports = (for_each_chunk(chunks, *REPORTS), *REPORT)
    steps.append(_written("report", report, chunks, reports, settings))
    return [*steps, embedding(chunks, text_tokens, settings.embedding_batch, settings)]


def _written(
    step: Step,
    task: LLMTask[object],
    chunks: int,
    each: tuple[float, int, int],
    settings: Settings,
) -> StepEstimate:
    """The estimate of a step that writes texts. `task` is one of it without material."""
    share, material, replied = each
    calls = round(share * chunks)
    sent = _size(next(task), settings.encoding) + material
    return priced(step, calls, calls * sent, calls * replied, settings)


def _summaries(chunks: int, at_once: int, settings: Settings) -> tuple[float, int, int]:
    """The requests for each chunk: for those descriptions that are too long to be joined."""
    join, above = settings.join_tokens, for_each_chunk(chunks, *ABOVE_400)
    share = min(SEVERAL, above * (400 / join) ** 1.5) if join else SEVERAL
    material = min(at_once * (100 + 2 * join), settings.summary_context_tokens)
    return share / at_once, material, at_once * REPLY


def _reading(
    step: Step, task: LLMTask[object], chunks: int, text_tokens: int, settings: Settings
) -> StepEstimate:
    """The estimate of a step that reads chunks.

    Each request holds the text and the replies to the requests before it.
    """
    assumed = ASSUMED[step]
    calls, sent, replied = 0.0, 0.0, assumed.reply * text_tokens
    likely = 1.0
    for number, (fixed, asks) in enumerate(_requests(task, settings.encoding)):
        calls += likely
        before = FIRST_LIST * assumed.reply * text_tokens if number else 0.0
        sent += likely * (fixed * chunks + text_tokens + before)
        if asks:  # one word, and the rest only where it is yes
            replied += likely * chunks
            likely *= assumed.missed
    return priced(step, calls * chunks, sent, replied, settings)


def _requests(task: LLMTask[object], encoding: str) -> list[tuple[int, bool]]:
    """The requests of a task for an empty chunk and the shortest replies.

    Each has its number of tokens, and whether it asks for yes or no.
    """
    found: list[tuple[int, bool]] = []
    try:
        request = next(task)
        while True:
            found.append((_size(request, encoding), bool(request.choices)))
            request = task.send(_shortest(request, len(found)))
    except (StopIteration, ReplyError):  # such records can't be used
        return found


def _size(request: Request, encoding: str) -> int:
    return sum(tokens.count(message.content, encoding) for message in request.messages)


def _shortest(request: Request, number: int) -> Reply:
    """A reply after which the next gleaning follows: yes, or a list of one record of its own."""
    return Reply("Yes" if request.choices else f"({number}<|>a<|>b)<|COMPLETE|>")
