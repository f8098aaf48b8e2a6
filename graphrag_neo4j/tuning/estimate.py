"""Estimates what a tuning costs, before a model is asked. It makes no call."""

from dataclasses import dataclass
from typing import Final

from graphrag_neo4j import tokens
from graphrag_neo4j.indexing.estimate import priced
from graphrag_neo4j.llm.prompts import load_prompt
from graphrag_neo4j.llm.tuning import shown_passages
from graphrag_neo4j.resources import read_prompt
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.tuning.examples import EXAMPLES, TRIED
from graphrag_neo4j.tuning.sample import Sample

__all__ = ["TuneEstimate", "estimate_tuning"]

# Tokens of a reply: assumptions, as generous as the prompts allow.
PROFILE, TYPES, LIST = 200, 700, 900
DEFINITIONS: Final = 350  # tokens that the definitions add to the prompt of an example
ATTEMPTS: Final = 2  # at each reply, if the first can't be used


@dataclass(frozen=True, slots=True)
class TuneEstimate:
    """The calls, tokens and US dollars that a tuning takes if all replies can be used at once.

    `most_calls` is the number of calls that it takes at most. `cost` is None where the price of the
    model is not known.
    """

    calls: int
    most_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def estimate_tuning(sample: Sample, settings: Settings) -> TuneEstimate:
    """Estimates the tuning from a sample.

    Raises InputError if a cost limit is set and the price of the model is not known.
    """

    def count(text: str) -> int:
        return tokens.count(text, settings.encoding)

    shown = count(shown_passages([one.text for one in sample.passages]))
    asked = sum(count(load_prompt(name).text) for name in ("tune_profile", "tune_types"))
    reading = count(read_prompt("extract")) + count(read_prompt("extract_examples")) + DEFINITIONS
    examples = min(EXAMPLES, len(sample.passages))
    passage = shown // max(1, len(sample.passages))
    sent = asked + 2 * shown + examples * (reading + passage)
    replied = PROFILE + TYPES + examples * LIST
    tried = min(TRIED, len(sample.passages))
    found = priced("extraction", 2 + examples, sent, replied, settings)
    return TuneEstimate(2 + examples, ATTEMPTS * (2 + tried), sent, replied, found.cost)
