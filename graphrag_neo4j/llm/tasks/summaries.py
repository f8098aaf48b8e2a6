"""Asks a model for descriptions: of one thing, or of several things in one request.

The instructions and examples of this prompt are longer than most of what it asks about. So several
things share one request, which costs less than half as much. A model may confuse them, or forget
one. A description that is missing, or that tells more of another thing than of its own, is asked
for once more by itself.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.copies import tells_of_another, words
from graphrag_neo4j.llm.prompts import WorkedPrompt, marked
from graphrag_neo4j.llm.replies.schemas import SummariesSchema
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.llm.tasks.reply_limits import reply_limit, shared_limit
from graphrag_neo4j.model.types import DESCRIPTION_TOKENS, DescribedThing, LLMTask, Message, Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import flat, fold_prose, identify

WORDS_PER_TOKEN: Final = 0.7
AT_ONCE: Final = 5  # things in one request: a small model may confuse more
SHORT: Final = 160  # tokens of a description that a model may always write
ONE: Final = "summarize"


class Summaries:
    """The LLM tasks that make one description of several.

    `values` fill the placeholders of the prompts, and `known` names all that they may hold. Raises
    InputError if a prompt file can't be used.
    """

    def __init__(
        self, settings: Settings, values: Mapping[str, str], known: tuple[str, ...]
    ) -> None:
        self._settings, self._values = settings, values

        room = settings.report_context_tokens
        load = partial(
            WorkedPrompt.load, settings=settings, known=known, context_tokens=room, examples_of=ONE
        )
        self._one = load(ONE, needs="description_list")
        self._several = load("summarize_several", needs="input_text")

    @property
    def signature(self) -> str:
        """A hash of the model, the prompt and the settings of a description."""
        prompt = self._one.fill(self._values)
        return identify("summary", self._settings.model_for("extraction"), prompt, *self._limits)

    @property
    def most_at_once(self) -> int:
        """The largest number of things in one request.

        It is 1 for a prompt of the user's own for one thing: ours does not say what theirs says.
        """
        own = not self._one.prompt.is_ours and self._several.prompt.is_ours
        return 1 if own else AT_ONCE

    def one(self, thing: DescribedThing) -> LLMTask[str]:
        """Makes one description of those of a thing.

        If the reply repeats the examples, the model is asked once more without them. Raises
        ReplyError if the reply is empty, cut off, or still repeats the prompt.
        """
        values = {
            **self._values,
            "entity_name": thing.name,
            "description_list": marked(_listed(thing)),
            "max_words": (most := str(self._most_words(thing))),
            "max_length": most,
        }
        for prompt in (self._one.fill(values), self._one.fill(values, with_examples=False)):
            reply = yield _request(prompt, reply_limit("summary", self._settings))
            text = fold_prose(reply.text)
            if not text or reply.cut:
                raise ReplyError(f"the description is {'cut off' if text else 'empty'}")
            if not self._is_copied(text, thing):
                return text
        raise ReplyError("the description repeats the instructions instead of following them")

    def several(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        """Makes one description for each of several things; an error where it can't be used."""
        found = (yield from self._asked_together(things)) if len(things) > 1 else {}
        made: list[str | ReplyError] = []
        for number, thing in enumerate(things, start=1):
            try:
                made.append(found.get(number) or (yield from self.one(thing)))
            except ReplyError as error:
                made.append(error)
        return made

    def _asked_together(self, things: Sequence[DescribedThing]) -> LLMTask[dict[int, str]]:
        """Returns the usable descriptions by the numbers of their things, from 1."""
        shown = "\n\n".join(
            f"Thing {number}: {flat(thing.name)}\n\nDescriptions:\n\n{marked(_listed(thing))}\n\n"
            f"At most {self._most_words(thing)} words."
            for number, thing in enumerate(things, 1)
        )
        prompt = self._several.fill({**self._values, "input_text": shown})
        try:
            limit = shared_limit(sum(map(self._most_words, things)))
            made = yield from read_json(
                _request(prompt, limit), SummariesSchema, lambda found, _: found.descriptions
            )
        except ReplyError as error:
            if not error.reached:  # more calls would not reach it either
                raise
            return {}
        materials = [set(words(_material(thing))) for thing in things]
        found: dict[int, str] = {}
        for one in made:
            text = fold_prose(one.description)
            if not (text and 1 <= one.thing <= len(things)):
                continue
            place = one.thing - 1
            if not (
                tells_of_another(text, place, materials) or self._is_copied(text, things[place])
            ):
                found[one.thing] = text
        return found

    @property
    def _limits(self) -> tuple[int, int]:
        """The tokens that a summary may always have, and those that it may have at most."""
        most = DESCRIPTION_TOKENS
        return min(max(self._settings.join_tokens, SHORT), most), most

    def _most_words(self, thing: DescribedThing) -> int:
        """The words that a summary of a thing may have: half of its descriptions', in limits."""
        least, most = self._limits
        half = tokens.count(_listed(thing)) // 2
        return int(min(most, max(least, half)) * WORDS_PER_TOKEN)

    def _is_copied(self, text: str, thing: DescribedThing) -> bool:
        return self._one.instructions.are_copied_in(text, _material(thing))


def _request(prompt: str, limit: int) -> Request:
    return Request("summary", (Message("user", prompt),), limit)


def _listed(thing: DescribedThing) -> str:
    return "\n".join(f"- {description}" for description in thing.descriptions)


def _material(thing: DescribedThing) -> str:
    return f"{thing.name}\n{_listed(thing)}"
