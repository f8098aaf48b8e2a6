"""Estimates the calls, tokens and cost of an index before anything is spent.

The tokens of the prompts are counted as they will be sent. The length of replies, the number of
gleanings and the number of descriptions that need a model can only be assumed. The assumptions are
in this file, with their sources.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import anyio.to_thread

from graphrag_neo4j import tokens
from graphrag_neo4j.events import Advanced, Listener, Notice, Share, silent
from graphrag_neo4j.indexing.chunking import cut
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.stages.ingest import header_of
from graphrag_neo4j.llm import LLMIndexBackend, model_of, price_of
from graphrag_neo4j.model import ChunkText, Document, LLMTask, Origin, Reply, Request, Step
from graphrag_neo4j.protocols import IndexBackend
from graphrag_neo4j.settings import EXTRACTIVE, STATIC, Settings

__all__ = ["Estimate", "StepEstimate", "estimate"]


@dataclass(frozen=True, slots=True)
class Assumed:
    """The assumptions about one step that reads chunks.

    `reply`: tokens of its replies for each token of text. `missed`: the share of chunks (0 to 1)
    for which the model says that it has missed something, so that there is a gleaning.
    """

    reply: float
    missed: float


# Measured on 60 transcripts against an endpoint that replies as a GPT model did for another
# book (1.8 and 0.26 tokens, .99 and .12); real models glean claims more often.
ASSUMED: Final[Mapping[Step, Assumed]] = {
    "extraction": Assumed(reply=1.8, missed=0.98),
    "claims": Assumed(reply=0.4, missed=0.25),
}
FIRST_LIST = 0.8  # share of the records that the first reply has; gleanings give the rest
# By step: calls of a model for each chunk of the corpus, and tokens to and from it in such a call.
WRITTEN: Final[Mapping[Step, tuple[float, int, int]]] = {
    "summary": (0.33, 670, 145),
    "report": (0.39, 1840, 600),
}
# Texts to embed for each chunk (itself, entities, reports), and tokens for each token of text.
EMBEDDED = 5.5
EMBEDDED_TOKENS = 1.8


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """Calls and tokens of one step. `cost` is in US dollars, None where no price is known."""

    step: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a corpus, and the calls, tokens and cost of its index.

    `text_tokens` is the number of tokens of all chunks, overlaps included. `unreadable` holds
    reasons by source. `notices` are sentences about how the files were read. `origin` is
    "extractive" where the settings want no model; then there are no steps and no cost.
    """

    documents: int
    chunks: int
    text_tokens: int
    steps: Sequence[StepEstimate]
    unreadable: Mapping[str, str]
    notices: Sequence[str] = ()
    origin: Origin = "model"


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
        documents, chunks, text_tokens, steps, corpus.reasons(), corpus.notices(), origin
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
    if settings.claims:
        steps.append(_reading("claims", backend.claims(empty), chunks, text_tokens, settings))
    for step, (share, sent, replied) in WRITTEN.items():
        calls = round(share * chunks)
        steps.append(_priced(step, calls, calls * sent, calls * replied, settings))
    return [*steps, _embedding(chunks, text_tokens, settings)]


def _reading(
    step: Step, task: LLMTask[object], chunks: int, text_tokens: int, settings: Settings
) -> StepEstimate:
    """The estimate of a step that reads chunks.

    Each request holds the text and the replies to the requests before it.
    """
    assumed = ASSUMED[step]
    calls, sent, replied = 0.0, 0.0, 0.0
    likely = 1.0
    for number, fixed in enumerate(_fixed(task, settings.encoding)):
        likely *= assumed.missed if number and number % 2 == 0 else 1.0
        calls += likely
        before = FIRST_LIST * assumed.reply * text_tokens if number else 0.0
        sent += likely * (fixed * chunks + text_tokens + before)
        replied += likely * chunks if number % 2 else 0.0
    replied += assumed.reply * text_tokens
    return _priced(step, round(calls * chunks), round(sent), round(replied), settings)


def _fixed(task: LLMTask[object], encoding: str) -> list[int]:
    """The tokens of each request of a task for an empty chunk and empty replies."""
    sizes: list[int] = []
    try:
        request = next(task)
        while True:
            sizes.append(sum(tokens.count(m.content, encoding) for m in request.messages))
            request = task.send(_empty(request))
    except StopIteration:
        return sizes


def _embedding(chunks: int, text_tokens: int, settings: Settings) -> StepEstimate:
    calls = ceil(chunks * EMBEDDED / settings.embedding_batch)
    sent = round(text_tokens * EMBEDDED_TOKENS)
    if settings.embedding_model == STATIC:
        return StepEstimate("embedding", 0, 0, 0, 0.0)
    price = price_of(settings.embedding_model, settings)
    return StepEstimate("embedding", calls, sent, 0, price.of(sent, 0, 0) if price else None)


def _empty(request: Request) -> Reply:
    return Reply("Yes" if request.choices else "<|COMPLETE|>")


def _priced(
    step: Step, calls: int, input_tokens: int, output_tokens: int, settings: Settings
) -> StepEstimate:
    price = price_of(model_of(settings, step), settings)
    cost = price.of(input_tokens, 0, output_tokens) if price else None
    return StepEstimate(step, calls, input_tokens, output_tokens, cost)
