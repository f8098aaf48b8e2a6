"""Estimates the calls, tokens and cost of an index before anything is spent.

The prompts are counted as they will be sent. How long replies are, and how many names, descriptions
and communities need a model, depends on the text and on the model. So an estimate is a range, from
the least to the most that was measured on texts of several kinds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final, NamedTuple

import anyio.to_thread

from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.describe.embed import TEXTS_PER_CALL
from graphrag_neo4j.index.read.headers import places_and_headers
from graphrag_neo4j.llm.endpoint import model_of
from graphrag_neo4j.llm.endpoint.cost import price_of
from graphrag_neo4j.llm.endpoint.server_checks import needed_window
from graphrag_neo4j.llm.tasks.index_backend import GLEANED_FROM, LLMIndexBackend
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

Span = tuple[float, float]
"""The least and the most that was measured."""
# Measured on conversations, a novel, a paper and minutes of up to 1,000,000 tokens, by two models.
# By step: tokens of the replies for each token of text, and the share of chunks for which a model
# says that it has missed something, where it is asked whether it has.
REPLIED: Final[Mapping[Step, Span]] = {"extraction": (1.0, 4.8), "claims": (0.3, 0.8)}
MISSED: Final[Mapping[Step, Span]] = {"extraction": (0.9, 1.0), "claims": (0.2, 1.0)}
FIRST_LIST: Final = 0.8  # share of the records that the first reply has; gleanings give the rest
# Calls for each 1,000 tokens of text, and the tokens of the material in a call and of its reply.
NAMES: Final = ((0.005, 0.15), (900, 1600), (300, 600))
REPORTS: Final = ((0.18, 1.3), (2200, 3400), (900, 1900))
# Descriptions for each 1,000 tokens of text that come from several places, and those among them
# with more than 400 tokens; then the tokens of a summary.
SEVERAL, ABOVE_400, SUMMARY = (1.8, 5.0), (0.1, 0.4), (150, 400)
# Texts to embed for each chunk (itself, entities, reports), and tokens for each token of text.
EMBEDDED, EMBEDDED_TOKENS = (4.0, 9.0), (1.4, 2.4)
LONG: Final = "a " * GLEANED_FROM  # a chunk that is gleaned
LISTED: Final = ("Ada Lovelace | person",) * 15  # the entities in a chunk, as claims are read with
LEAST, MIDDLE, MOST = 0.0, 0.5, 1.0  # places in a span


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


class CorpusSize(NamedTuple):
    """The number of chunks, their tokens, and how many of them are long enough to be gleaned."""

    chunks: int
    tokens: int
    gleaned: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a corpus, and the calls, tokens and cost of its index.

    `text_tokens` is the number of tokens of all chunks, overlaps included. `steps` is the middle of
    what is likely, `least` and `most` are its ends, and `instead` is the middle with the other
    value of `extraction`. `unreadable` holds reasons by source. `notices` are sentences about how
    the files were read. `origin` is "extractive" where the settings want no model; then there are
    no steps and no cost.
    """

    documents: int
    chunks: int
    text_tokens: int
    steps: Sequence[StepEstimate]
    least: Sequence[StepEstimate]
    most: Sequence[StepEstimate]
    instead: Sequence[StepEstimate]
    unreadable: Mapping[str, str]
    notices: Sequence[str] = ()
    origin: Origin = "model"


async def estimate(corpus: Corpus, settings: Settings, listen: Listener = silent) -> Estimate:
    """Estimates the index of a corpus into an empty graph. It makes no call to a model."""
    other = settings.changed(extraction="paper" if settings.extraction == "lean" else "lean")
    free = settings.model == EXTRACTIVE
    sizes = {way: CorpusSize(0, 0, 0) for way in ([settings] if free else [settings, other])}
    documents = 0
    async for document, share in corpus.read("estimate", listen):
        for way, size in sizes.items():
            found = await anyio.to_thread.run_sync(_size_of, document, way, share)
            sizes[way] = CorpusSize(*map(sum, zip(size, found, strict=True)))
        share(1.0)
        documents += 1
    for notice in corpus.notices():
        listen(Notice(notice, warning=True))
    size = sizes[settings]
    steps, least, most = (
        [] if free else steps_of(size, settings, at) for at in (MIDDLE, LEAST, MOST)
    )
    return Estimate(
        documents,
        size.chunks,
        size.tokens,
        steps,
        least,
        most,
        [] if free else steps_of(sizes[other], other),
        corpus.reasons(),
        corpus.notices(),
        "extractive" if free else "model",
    )


def _size_of(
    document: Document, settings: Settings, progress: Callable[[float], None]
) -> CorpusSize:
    """What a document adds to prompts."""
    spans = Cutting(settings.chunk_size, settings.chunk_overlap).spans(document, progress)
    around = places_and_headers(document, settings.prepend_metadata, spans)
    headers = sum(tokens.count(str(told["header"] or "")) for told in around)
    sizes = [span.n_tokens for span in spans]
    return CorpusSize(len(spans), sum(sizes) + headers, sum(n >= GLEANED_FROM for n in sizes))


def steps_of(size: CorpusSize, settings: Settings, at: float = MIDDLE) -> list[StepEstimate]:
    """The estimates of all steps for a corpus of this size, at a place in the spans."""
    backend: IndexBackend = LLMIndexBackend(settings)
    thousands = size.tokens / 1000

    def written(
        step: Step, task: LLMTask[object], each: float, material: float, reply: float
    ) -> StepEstimate:
        """The estimate of a step that writes texts. `task` is one of it without material."""
        calls = ceil(each * thousands)
        sent = _size(next(task)) + material
        return priced(step, calls, calls * sent, calls * reply, settings)

    def place(*spans: Span) -> list[float]:
        return [_place(span, at) for span in spans]

    long = ChunkText("", LONG)
    with_entities = replace(long, entities=LISTED)
    steps = [_reading("extraction", backend.extract(long), size, settings, at)]
    if settings.claims:  # not set: a model extracts none
        steps.append(_reading("claims", backend.claims(with_entities), size, settings, at))
    if settings.resolve == "auto":
        steps.append(written("names", backend.compare([]), *place(*NAMES)))
    at_once, join = backend.summary_batch, settings.join_tokens
    # A model summarises the descriptions that are too long to be joined.
    several, above, reply = place(SEVERAL, ABOVE_400, SUMMARY)
    described = min(several, above * (400 / join) ** 1.5) if join else several
    material = min(at_once * (100 + 2 * join), settings.report_context_tokens)
    summary = backend.summarize([DescribedThing("", [""])] * at_once)
    steps.append(written("summary", summary, described / at_once, material, at_once * reply))
    nothing = (ContextTable(0, tokens.count), ReportMaterial({}, [], []))
    steps.append(written("report", backend.reports([nothing]), *place(*REPORTS)))
    return [*steps, _embedding(size, settings, *place(EMBEDDED, EMBEDDED_TOKENS))]


def _reading(
    step: Step, task: LLMTask[object], size: CorpusSize, settings: Settings, at: float
) -> StepEstimate:
    """The estimate of a step that reads chunks.

    Each request holds the text and the replies to the requests before it. Before the first list,
    one long prompt tests the context window.
    """
    written = _place(REPLIED[step], at) * size.tokens
    missed = _place(MISSED[step], at)
    first = FIRST_LIST * written
    calls, sent, replied, likely = 0.0, 0.0, first, 1.0
    if step == "extraction":
        calls, sent = 1.0, float(needed_window(settings, frozenset({"extraction", "report"})))
    for number, (fixed, asks) in enumerate(_requests(task)):
        share = likely * (size.gleaned / max(size.chunks, 1) if number else 1.0)
        calls += share * size.chunks
        sent += share * (fixed * size.chunks + size.tokens + (first if number else 0.0))
        if number == 1:  # what further gleanings find is little
            replied += share * (written - first)
        if asks:  # one word, and the rest only where it is yes
            replied += share * size.chunks
            likely *= missed
    return priced(step, calls, sent, replied, settings)


def _place(span: Span, at: float) -> float:
    least, most = span
    between: float = least * (most / least) ** at
    return between


def _requests(task: LLMTask[object]) -> list[tuple[int, bool]]:
    """The requests of a task for the chunk LONG, where each reply is as short as it can be.

    Each has its number of tokens without the chunk, and whether it asks for yes or no. After a yes,
    or a list of one record of its own, the next gleaning follows.
    """
    found: list[tuple[int, bool]] = []
    try:
        request = next(task)
        while True:
            found.append((_size(request) - GLEANED_FROM, bool(request.choices)))
            record = f"({len(found)}<|>a<|>b)<|COMPLETE|>"
            request = task.send(Reply("Yes" if request.choices else record))
    except (StopIteration, ReplyError):  # such records can't be used
        return found


def _size(request: Request) -> int:
    return sum(tokens.count(message.content) for message in request.messages)


def _embedding(size: CorpusSize, settings: Settings, texts: float, of_text: float) -> StepEstimate:
    """The estimate of the embedding; a model that needs no endpoint takes no call."""
    if settings.embedding_model in WITHOUT_ENDPOINT:
        return StepEstimate("embedding", 0, 0, 0, 0.0, 0.0)
    calls = ceil(size.chunks * texts / TEXTS_PER_CALL)
    sent = round(size.tokens * of_text)
    price = price_of(settings.embedding_model, settings)
    cost = price.of(sent, 0, 0) if price else None
    return StepEstimate("embedding", calls, sent, 0, cost, cost)  # never in batches


def priced(
    step: Step, calls: float, input_tokens: float, output_tokens: float, settings: Settings
) -> StepEstimate:
    """The estimate of a step with the price of the model that these settings give it."""
    sent, replied = round(input_tokens), round(output_tokens)
    price = price_of(model_of(settings, step), settings)
    cost = price.of(sent, 0, replied) if price else None
    in_batches = price.of_batches.of(sent, 0, replied) if price else None
    return StepEstimate(step, round(calls), sent, replied, cost, in_batches)
