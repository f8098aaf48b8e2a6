"""What microsoft/graphrag would take for the same chunks, to compare with our own estimate.

It is version 3.3 with its default settings: one gleaning for each chunk without a question before
it, no claims, a summary of every element that has more than one description, and a report on each
community of the largest component. The tokens of its prompts were counted in its wheel. The models,
their prices and the lengths of the replies are the same as in our own estimate.
"""

from collections.abc import Sequence
from typing import Final

from graphrag_neo4j.indexing.step_estimate import (
    ASSUMED,
    FIRST_LIST,
    StepEstimate,
    embedding,
    for_each_chunk,
    priced,
)
from graphrag_neo4j.model import Step
from graphrag_neo4j.settings import Settings

__all__ = ["estimate_graphrag"]

# Tokens (o200k_base) of its prompt for a list, and of its prompt for more.
LISTS: Final = {"extraction": (1730, 34), "claims": (1111, 21)}
# By step: calls for each chunk of 5 and of 60 transcripts, and tokens to and from the model in such
# a call. Its prompts have 138 and 1,927 tokens. The rest was counted in the graph of our own index
# of 5 transcripts: 2.08 elements with several descriptions for each chunk, 101 tokens in each, and
# 1.10 times as many reports as ours. 60 transcripts have 0.61 times as many of all these for each
# chunk, as was measured for our reports. (An index that it made itself, of A Christmas Carol, has
# 1.9 summaries and 1.5 reports for each 600 tokens of text.)
WRITTEN: Final = {
    "summary": ((2.08, 1.27), 138 + 101, 101),
    "report": ((0.70, 0.43), 1927 + 1435, 600),
}
TEXTS_PER_CALL = 16  # of its embedding


def estimate_graphrag(chunks: int, text_tokens: int, settings: Settings) -> list[StepEstimate]:
    """The steps of its index; claims only where our settings want them, although it is off there.

    `text_tokens` is the number of tokens of all chunks.
    """
    steps = [_reading("extraction", chunks, text_tokens, settings)]
    if settings.claims:
        steps.append(_reading("claims", chunks, text_tokens, settings))
    steps += _written(chunks, settings)
    return [*steps, embedding(chunks, text_tokens, TEXTS_PER_CALL, settings)]


def _reading(step: Step, chunks: int, text_tokens: int, settings: Settings) -> StepEstimate:
    """Two calls for each chunk; the second one also holds the reply to the first."""
    prompt, more = LISTS[step]
    replied = ASSUMED[step].reply * text_tokens
    sent = 2 * (prompt * chunks + text_tokens) + FIRST_LIST * replied + more * chunks
    return priced(step, 2 * chunks, sent, replied, settings)


def _written(chunks: int, settings: Settings) -> Sequence[StepEstimate]:
    steps: tuple[Step, ...] = ("summary", "report")
    found = []
    for step in steps:
        shares, sent, replied = WRITTEN[step]
        calls = round(for_each_chunk(chunks, *shares) * chunks)
        found.append(priced(step, calls, calls * sent, calls * replied, settings))
    return found
