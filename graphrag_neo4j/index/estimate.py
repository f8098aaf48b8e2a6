"""Estimates the calls, tokens and cost of an index before anything is spent.

The tokens of the prompts are counted as they will be sent. The length of replies, the number of
gleanings and the number of descriptions that need a model can only be assumed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Final

import anyio.to_thread

from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.describe.embed import TEXTS_PER_CALL
from graphrag_neo4j.index.read.headers import places_and_headers
from graphrag_neo4j.llm.endpoint import model_of
from graphrag_neo4j.llm.endpoint.cost import price_of
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.contracts import IndexBackend
from graphrag_neo4j.model.events import Listener, Notice, silent
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import (
    ChunkText,
    DescribedThing,
    Document,
    LLMTask,
    Origin,
    Reply,
    Request,
    Step,
)
from graphrag_neo4j.settings import EXTRACTIVE, WITHOUT_ENDPOINT, Settings
from graphrag_neo4j.text import tokens

# All of these were measured with the endpoint of the tests, which replies as a GPT model did for
# another book, on 5 and on 60 transcripts; real models glean claims more often.
# By step: tokens of the replies for each token of text, and the share of chunks for which the model
# says that it has missed something, where it is asked whether it has.
READING: Final[Mapping[Step, tuple[float, float]]] = {
    "extraction": (1.8, 0.98),
    "claims": (0.4, 0.25),
}
FIRST_LIST: Final = 0.8  # share of the records that the first reply has; gleanings give the rest
# Calls for each chunk, for which a small corpus has more communities and fewer long descriptions
# than a large one; then the tokens of the material in a call, and those of the reply. Of the
# descriptions of 5 transcripts, 2.2 for each chunk came from several places, and 0.21 had more than
# 160 tokens.
REPORTS: Final = (0.64, 0.39)
REPORT: Final = (1270, 600)
ABOVE_400: Final = (0.06, 0.11)
SEVERAL, REPLY = 2.2, 173
NAMES: Final = (0.02, 1500, 480)  # calls with up to twenty pairs of names
# Texts to embed for each chunk (itself, entities, reports), and tokens for each token of text.
EMBEDDED, EMBEDDED_TOKENS = 5.5, 1.8
FEW, MANY = 168, 2274  # the chunks of the 5 and of the 60 transcripts


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """Calls and tokens of one step.

    `cost` is in US dollars, None where no price is known. `batch_cost` is that of `index --batch`.
    """

    step: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    batch_cost: float | None = None


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
    documents = chunks = text_tokens = 0
    async for document, share in corpus.read("estimate", listen):
        sizes = await anyio.to_thread.run_sync(_sizes, document, settings, share)
        share(1.0)
        documents += 1
        chunks += len(sizes)
        text_tokens += sum(sizes)
    for notice in corpus.notices():
        listen(Notice(notice, warning=True))
    free = settings.model == EXTRACTIVE
    steps = [] if free else steps_of(chunks, text_tokens, settings)
    origin: Origin = "extractive" if free else "model"
    unread, notices = corpus.reasons(), corpus.notices()
    return Estimate(documents, chunks, text_tokens, steps, unread, notices, origin)


def _sizes(document: Document, settings: Settings, progress: Callable[[float], None]) -> list[int]:
    """The number of tokens that each chunk of a document adds to a prompt."""
    spans = Cutting(settings.chunk_tokens, settings.chunk_overlap).spans(document, progress)
    around = places_and_headers(document, settings.prepend_metadata, spans)
    headers = (tokens.count(str(told["header"] or "")) for told in around)
    return [span.n_tokens + header for span, header in zip(spans, headers, strict=True)]


def steps_of(chunks: int, text_tokens: int, settings: Settings) -> list[StepEstimate]:
    """The estimates of all steps for a corpus of this size."""
    backend: IndexBackend = LLMIndexBackend(settings)

    def read(step: Step, task: LLMTask[object]) -> StepEstimate:
        return _reading(step, task, chunks, text_tokens, settings)

    def written(
        step: Step, task: LLMTask[object], share: float, material: int, reply: int
    ) -> StepEstimate:
        """The estimate of a step that writes texts. `task` is one of it without material."""
        calls = round(share * chunks)
        sent = _size(next(task)) + material
        return priced(step, calls, calls * sent, calls * reply, settings)

    empty = ChunkText("", "")
    steps = [read("extraction", backend.extract(empty))]
    if settings.claims:  # not set: a model extracts none
        steps.append(read("claims", backend.claims(empty)))
    if settings.resolve == "auto":
        steps.append(written("names", backend.compare([]), *NAMES))
    at_once, join = backend.summary_batch, settings.join_tokens
    # A model summarises the descriptions that are too long to be joined.
    above = for_each_chunk(chunks, *ABOVE_400)
    share = min(SEVERAL, above * (400 / join) ** 1.5) if join else SEVERAL
    material = min(at_once * (100 + 2 * join), settings.report_context_tokens)
    summary = backend.summarize([DescribedThing("", [""])] * at_once)
    steps.append(written("summary", summary, share / at_once, material, at_once * REPLY))
    report = backend.reports([(ContextTable(0, tokens.count), ReportMaterial({}, [], []))])
    steps.append(written("report", report, for_each_chunk(chunks, *REPORTS), *REPORT))
    return [*steps, _embedding(chunks, text_tokens, settings)]


def _reading(
    step: Step, task: LLMTask[object], chunks: int, text_tokens: int, settings: Settings
) -> StepEstimate:
    """The estimate of a step that reads chunks.

    Each request holds the text and the replies to the requests before it.
    """
    reply, missed = READING[step]
    calls, sent, replied = 0.0, 0.0, reply * text_tokens
    likely = 1.0
    for number, (fixed, asks) in enumerate(_requests(task)):
        calls += likely
        before = FIRST_LIST * reply * text_tokens if number else 0.0
        sent += likely * (fixed * chunks + text_tokens + before)
        if asks:  # one word, and the rest only where it is yes
            replied += likely * chunks
            likely *= missed
    return priced(step, calls * chunks, sent, replied, settings)


def _requests(task: LLMTask[object]) -> list[tuple[int, bool]]:
    """The requests of a task for an empty chunk, where each reply is as short as it can be.

    Each has its number of tokens, and whether it asks for yes or no. After a yes, or a list of one
    record of its own, the next gleaning follows.
    """
    found: list[tuple[int, bool]] = []
    try:
        request = next(task)
        while True:
            found.append((_size(request), bool(request.choices)))
            record = f"({len(found)}<|>a<|>b)<|COMPLETE|>"
            request = task.send(Reply("Yes" if request.choices else record))
    except (StopIteration, ReplyError):  # such records can't be used
        return found


def _size(request: Request) -> int:
    return sum(tokens.count(message.content) for message in request.messages)


def _embedding(chunks: int, text_tokens: int, settings: Settings) -> StepEstimate:
    """The estimate of the embedding; a model that needs no endpoint takes no call."""
    if settings.embedding_model in WITHOUT_ENDPOINT:
        return StepEstimate("embedding", 0, 0, 0, 0.0, 0.0)
    calls = ceil(chunks * EMBEDDED / TEXTS_PER_CALL)
    sent = round(text_tokens * EMBEDDED_TOKENS)
    price = price_of(settings.embedding_model, settings)
    cost = price.of(sent, 0, 0) if price else None
    return StepEstimate("embedding", calls, sent, 0, cost, cost)  # never in batches


def for_each_chunk(chunks: int, few: float, many: float) -> float:
    """The number of calls for each chunk of a corpus of this size.

    It is `few` up to 168 chunks and `many` from 2,274 on, as measured, and goes from one to the
    other with the logarithm of the size.
    """
    way = log(min(max(chunks, FEW), MANY) / FEW) / log(MANY / FEW)
    factor: float = (many / few) ** way
    return few * factor


def priced(
    step: Step, calls: float, input_tokens: float, output_tokens: float, settings: Settings
) -> StepEstimate:
    """The estimate of a step with the price of the model that these settings give it."""
    sent, replied = round(input_tokens), round(output_tokens)
    price = price_of(model_of(settings, step), settings)
    cost = price.of(sent, 0, replied) if price else None
    in_batches = price.of_batches.of(sent, 0, replied) if price else None
    return StepEstimate(step, round(calls), sent, replied, cost, in_batches)
