"""What one step of an index takes, and the assumptions that every estimate of a step rests on."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log
from typing import Final

from graphrag_neo4j.llm import model_of, price_of
from graphrag_neo4j.model import Step
from graphrag_neo4j.settings import WITHOUT_ENDPOINT, Settings

__all__ = [
    "ASSUMED",
    "FIRST_LIST",
    "Assumed",
    "StepEstimate",
    "embedding",
    "for_each_chunk",
    "priced",
]


@dataclass(frozen=True, slots=True)
class Assumed:
    """The assumptions about one step that reads chunks.

    `reply`: tokens of its replies for each token of text. `missed`: the share of chunks (0 to 1)
    for which the model says that it has missed something, where it is asked whether it has.
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
# Texts to embed for each chunk (itself, entities, reports), and tokens for each token of text.
EMBEDDED = 5.5
EMBEDDED_TOKENS = 1.8
# The chunks of 5 and of 60 transcripts, in whose graphs elements and communities were counted.
FEW, MANY = 168, 2274


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


def embedding(chunks: int, text_tokens: int, batch: int, settings: Settings) -> StepEstimate:
    """The estimate of the embedding; a call embeds `batch` texts.

    An embedding model that needs no endpoint takes no call.
    """
    if settings.embedding_model in WITHOUT_ENDPOINT:
        return StepEstimate("embedding", 0, 0, 0, 0.0, 0.0)
    calls = ceil(chunks * EMBEDDED / batch)
    sent = round(text_tokens * EMBEDDED_TOKENS)
    price = price_of(settings.embedding_model, settings)
    cost = price.of(sent, 0, 0) if price else None
    return StepEstimate("embedding", calls, sent, 0, cost, cost)  # never in batches
