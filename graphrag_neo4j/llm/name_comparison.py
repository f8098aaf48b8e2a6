"""Asks a model whether the two names of each pair are one thing: several pairs in one request."""

from collections.abc import Sequence
from typing import Final

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.prompts import Prompt, marked
from graphrag_neo4j.llm.schemas import ComparisonSchema
from graphrag_neo4j.llm.structured_output import read_json
from graphrag_neo4j.model import ComparedName, LLMTask, Message, NamePair, NameVerdict, Request
from graphrag_neo4j.text import excerpt, flat, fold_prose

LONGEST_SAID: Final = 300  # characters of what the documents say about one name
LONGEST_REASON: Final = 200
LONGEST_NAME: Final = 200


def compare_names(
    pairs: Sequence[NamePair], prompt: Prompt, limit: int
) -> LLMTask[list[NameVerdict | None]]:
    """Returns a verdict for each pair, None where the reply has none.

    Raises ReplyError if the reply has no verdict about any pair.
    """
    listed = "\n\n".join(_listed(number, pair) for number, pair in enumerate(pairs, start=1))
    message = Message("user", prompt.fill({"input_text": marked(listed)}))
    request = Request("names", (message,), limit)

    def check(found: ComparisonSchema, odd: list[str]) -> ComparisonSchema:
        known = [one for one in found.pairs if 1 <= one.pair <= len(pairs)]
        odd += ["a verdict about a pair that was not asked for"] * (len(found.pairs) - len(known))
        if not known:
            raise ReplyError("there is no verdict about any pair")
        return found.model_copy(update={"pairs": known})

    found = yield from read_json(request, ComparisonSchema, check)
    verdicts: list[NameVerdict | None] = [None] * len(pairs)
    for one in found.pairs:
        reason = excerpt(fold_prose(one.reason), LONGEST_REASON)
        verdicts[one.pair - 1] = NameVerdict(one.verdict, reason)
    return verdicts


def _listed(number: int, pair: NamePair) -> str:
    return "\n".join([f"Pair {number}", _described("A", pair.one), _described("B", pair.other)])


def _described(letter: str, one: ComparedName) -> str:
    name = excerpt(flat(one.name), LONGEST_NAME)
    said = excerpt(" ".join(flat(text) for text in one.descriptions), LONGEST_SAID)
    return f"{letter}: {name} | {flat(one.type) or 'no type'} | {said or 'nothing is said'}"
