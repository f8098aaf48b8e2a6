"""Estimates what verdicts and claims take, before a model is asked. It makes no call.

The prompts are counted; the lengths of replies are assumptions.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from graphrag_neo4j import tokens
from graphrag_neo4j.evaluation.claims.answer_claims import ClaimItem
from graphrag_neo4j.evaluation.judge.judging import JudgeItem
from graphrag_neo4j.indexing.estimate import StepEstimate, priced
from graphrag_neo4j.llm.evaluation import plain_answer
from graphrag_neo4j.settings import Settings

__all__ = ["estimate_claims", "estimate_verdicts"]

# Tokens of a prompt without its texts, and of a verdict with its reasons.
JUDGE_PROMPT: Final = 350
VERDICT: Final = 120
# Of the three prompts for claims without their texts. A part and its sentences stand in each of
# them; the replies repeat some of the sentences, and state their claims.
CLAIM_STEPS: Final = 3
CLAIM_PROMPT: Final = 400
SENTENCE_ITEM: Final = 25
CLAIMS_OF_TEXT: Final = 1.5  # tokens of claims for each token of a sentence


def estimate_verdicts(items: Sequence[JudgeItem], settings: Settings) -> StepEstimate:
    """Estimates the verdicts on some comparisons. Each answer is counted once."""
    count = _counter(settings)
    sent = sum(
        JUDGE_PROMPT + count(one.question) + count(one.first.text) + count(one.second.text)
        for one in items
    )
    return priced("judge", len(items), sent, len(items) * VERDICT, settings)


def estimate_claims(items: Sequence[ClaimItem], settings: Settings) -> StepEstimate:
    """Estimates the claims of some parts of answers. Equal parts are counted once."""
    count = _counter(settings)
    sent = replied = 0.0
    parts = {item.key: item for item in items}.values()
    for item in parts:
        said = sum(count(sentence) for sentence in item.part.sentences)
        shown = count(item.question) + count(item.part.context) + said
        sent += CLAIM_STEPS * (CLAIM_PROMPT + shown)
        replied += CLAIM_STEPS * SENTENCE_ITEM * len(item.part.sentences) + CLAIMS_OF_TEXT * said
    return priced("answer_claims", CLAIM_STEPS * len(parts), sent, replied, settings)


def _counter(settings: Settings) -> Callable[[str], int]:
    """Returns a function that counts the tokens of a text once, without its citations."""

    @cache
    def count(text: str) -> int:
        return tokens.count(plain_answer(text), settings.encoding)

    return count
