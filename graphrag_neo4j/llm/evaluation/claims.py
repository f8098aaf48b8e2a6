"""Finds the claims of an answer in three steps: selection, disambiguation and decomposition.

The steps are those of "Towards Effective Extraction and Evaluation of Factual Claims" (Claimify,
arXiv 2502.10855), with which the paper counts the claims of its answers.

    Marley was rich, and it is said that he liked dogs. He died in 1836. What a life!
      1. selection         the third sentence states nothing that can be checked
      2. disambiguation    "He" in the second sentence is Marley
      3. decomposition     "Marley was rich." "It is said that Marley liked dogs." "Marley died …"

The paper asks for one sentence in each request. We ask for the sentences of a part of an answer at
once, which costs a tenth of the calls. What a reply adds to its sentence is not accepted.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, Self, TypeVar

import regex

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.evaluation.added_content import added_content
from graphrag_neo4j.llm.evaluation.plain_answer import plain_answer
from graphrag_neo4j.llm.evaluation.schemas import (
    DecompositionSchema,
    DisambiguationSchema,
    NumberedSchema,
    SelectionSchema,
)
from graphrag_neo4j.llm.prompts import load_prompt, marked
from graphrag_neo4j.llm.reply_limits import reply_limit
from graphrag_neo4j.llm.schemas import ReplySchema
from graphrag_neo4j.llm.structured_output import read_json
from graphrag_neo4j.model import LLMTask, Message, Reply, Request
from graphrag_neo4j.nlp.sentences import sentences_of
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import fold, storable

__all__ = ["SENTENCES_AT_ONCE", "AnswerPart", "ClaimSteps", "SentenceClaims", "answer_parts"]

Outcome = Literal["claims", "nothing to check", "ambiguous", "added"]
KNOWN: Final = ("question", "context", "sentences")
FILES: Final = ("eval_select", "eval_disambiguate", "eval_decompose")
SENTENCES_AT_ONCE: Final = 10
AROUND: Final = 5  # sentences before and after a part that the model reads, too
# Marks of Markdown at the beginning of a line, and a line that is a heading.
MARK = regex.compile(r"^[ \t]*+(?:(?:[-*+•>]|\d{1,3}[.)]|#{1,6})[ \t]++|\|)*+")
HEADING = regex.compile(r"[ \t]*+(?:#{1,6}[ \t].*|(\*\*|__)[^*_]{1,200}\1:?[ \t]*+)")
S = TypeVar("S", bound=ReplySchema)
EMPHASIS = regex.compile(r"\*\*|__|`")
RULE = regex.compile(r"[\s|:*_=-]*+")
# What ends a paragraph: an empty line, a rule, a heading, an item of a list, a row of a table.
BEGINS = regex.compile(
    rf"(?:{RULE.pattern}$|{HEADING.pattern}$|[ \t]*+(?:(?:[-*+•>]|\d{{1,3}}[.)])[ \t]|\|))"
)


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """Some sentences of an answer in a row, and the text around them with its headings."""

    sentences: tuple[str, ...]
    context: str


@dataclass(frozen=True, slots=True)
class SentenceClaims:
    """The claims of a sentence, and why there are no others.

    `outcome` is "added" where a reply changed the sentence to one that says more. `left_out` holds
    the texts that were not accepted because they say more, each with the reason.
    """

    sentence: str
    outcome: Outcome
    claims: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Read:
    """A sentence on its way through the steps; `text` is what it says so far."""

    sentence: str
    text: str
    outcome: Outcome = "claims"
    claims: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def take(self, text: str, sources: Sequence[str]) -> bool:
        """Whether a text says no more than its sources; if it does, it is noted as left out."""
        reason = added_content(text, sources)
        if reason:
            self.left_out.append(f"{text} ({reason})")
        return reason is None


def answer_parts(answer: str, at_once: int = SENTENCES_AT_ONCE) -> list[AnswerPart]:
    """Divides an answer into parts of at most `at_once` sentences. Citations are removed.

    A heading is no sentence; it stands in the context of the sentences below it.
    """
    lines = list(_lines(plain_answer(answer)))
    places = [place for place, (_, is_sentence) in enumerate(lines) if is_sentence]
    parts = []
    for first in range(0, len(places), at_once):
        of_part = places[first : first + at_once]
        context = lines[max(0, of_part[0] - AROUND) : of_part[-1] + 1 + AROUND]
        parts.append(
            AnswerPart(
                tuple(lines[place][0] for place in of_part), "\n".join(text for text, _ in context)
            )
        )
    return parts


class ClaimSteps:
    """Finds claims with the chat model `model`. The prompts come from the files in FILES."""

    def __init__(self, settings: Settings) -> None:
        self._select, self._disambiguate, self._decompose = (
            load_prompt(name, settings.prompts, known=KNOWN, needs="sentences") for name in FILES
        )
        self.model = settings.model_for("judge")
        self._limit = reply_limit("answer_claims", settings)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Makes the steps from settings. Raises InputError if a prompt file can't be used."""
        return cls(settings)

    @property
    def signature(self) -> str:
        """A hash of the prompts and the model."""
        prompts = (self._select, self._disambiguate, self._decompose)
        return identify("answer claims", self.model, *(prompt.text for prompt in prompts))

    def claims(self, question: str, part: AnswerPart) -> LLMTask[tuple[SentenceClaims, ...]]:
        """Returns what was found in each sentence of a part of an answer, in their order.

        It makes at most three requests, none where no sentence is left. Raises ReplyError if a
        reply says nothing about a sentence, also when it is asked for a second time.
        """
        read = [_Read(sentence, sentence) for sentence in part.sentences]
        yield from self._selected(question, part, read)
        yield from self._resolved(question, part, _open(read))
        yield from self._decomposed(question, part, _open(read))
        return tuple(
            SentenceClaims(one.sentence, one.outcome, tuple(one.claims), tuple(one.left_out))
            for one in read
        )

    def _selected(
        self, question: str, part: AnswerPart, read: Sequence[_Read]
    ) -> Generator[Request, Reply, None]:
        if not read:
            return
        request = self._request(self._select.fill, question, part, read)
        found = yield from read_json(request, SelectionSchema, partial(_each_once, len(read)))
        for item in found.selected:
            one = read[item.number - 1]
            if item.verdict == "none":
                one.outcome = "nothing to check"
            elif item.verdict == "part":
                _change(one, item.text, [one.sentence])

    def _resolved(
        self, question: str, part: AnswerPart, read: Sequence[_Read]
    ) -> Generator[Request, Reply, None]:
        if not read:
            return
        request = self._request(self._disambiguate.fill, question, part, read)
        check = partial(_each_once, len(read))
        found = yield from read_json(request, DisambiguationSchema, check)
        for item in found.resolved:
            one = read[item.number - 1]
            if item.verdict == "ambiguous":
                one.outcome = "ambiguous"
            elif item.verdict == "resolved":
                _change(one, item.text, [one.text, part.context, question])

    def _decomposed(
        self, question: str, part: AnswerPart, read: Sequence[_Read]
    ) -> Generator[Request, Reply, None]:
        if not read:
            return
        request = self._request(self._decompose.fill, question, part, read)
        check = partial(_each_once, len(read))
        found = yield from read_json(request, DecompositionSchema, check)
        for item in found.decomposed:
            one = read[item.number - 1]
            said = [text for text in map(_plain, item.claims) if text]
            # What the sentence does not say itself, a claim may have from the text around it.
            sources = [one.text, part.context, question]
            one.claims = [text for text in dict.fromkeys(said) if one.take(text, sources)]
            if not one.claims:
                one.outcome = "added" if said else "nothing to check"

    def _request(
        self,
        fill: Callable[[Mapping[str, str]], str],
        question: str,
        part: AnswerPart,
        read: Sequence[_Read],
    ) -> Request:
        listed = "\n".join(f"{number}. {one.text}" for number, one in enumerate(read, start=1))
        values = {
            "question": marked(_plain(question)),
            "context": marked(storable(part.context)[0]),
            "sentences": marked(storable(listed)[0]),
        }
        return Request("answer_claims", (Message("user", fill(values)),), self._limit)


def _open(read: Sequence[_Read]) -> list[_Read]:
    """The sentences that go on to the next step."""
    return [one for one in read if one.outcome == "claims"]


def _change(one: _Read, text: str, sources: Sequence[str]) -> None:
    """Replaces the text of a sentence, if the new one says no more than it may."""
    new = _plain(text)
    if not new:
        return
    if one.take(new, sources):
        one.text = new
    else:
        one.outcome = "added"


def _each_once(n: int, found: S, odd: list[str]) -> S:
    """Returns a reply with its items about the sentences 1 to n; other items are noted.

    Raises ReplyError if there is no item about a sentence, or more than one.
    """
    items: Sequence[NumberedSchema] = getattr(found, found.listed)
    known = [item for item in items if 1 <= item.number <= n]
    odd += ["an item about a sentence that was not asked for"] * (len(items) - len(known))
    numbers = Counter(item.number for item in known)
    for number in range(1, n + 1):
        if numbers[number] != 1:
            many = "more than one" if numbers[number] else "no"
            raise ReplyError(f"there is {many} item about sentence {number}")
    return found.model_copy(update={found.listed: known})


def _plain(text: str) -> str:
    return storable(fold(text))[0]


def _lines(answer: str) -> Iterator[tuple[str, bool]]:
    """Yields the headings and the sentences of an answer, and whether each is a sentence."""
    for block in _blocks(answer):
        plain = EMPHASIS.sub("", MARK.sub("", block)).rstrip(" |")
        if HEADING.fullmatch(block):
            yield plain.strip(), False
        else:
            yield from ((sentence, True) for sentence in sentences_of(plain))


def _blocks(answer: str) -> Iterator[str]:
    """Yields the paragraphs, items of lists, rows of tables and headings of a text in Markdown."""
    block: list[str] = []
    for line in [*answer.splitlines(), ""]:
        if block and BEGINS.match(line):
            yield "\n".join(block)
            block = []
        if HEADING.fullmatch(line):
            yield line
        elif not RULE.fullmatch(line):
            block.append(line)
