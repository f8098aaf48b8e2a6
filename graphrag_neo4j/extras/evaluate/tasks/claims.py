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
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar

import regex
from pydantic import BeforeValidator, ConfigDict, Field

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.extras.evaluate.tasks.judges import plain_answer
from graphrag_neo4j.llm.prompts import Prompt, load_prompt, marked
from graphrag_neo4j.llm.replies.schemas import Listed, ReplySchema, Text, read_reference
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.llm.tasks.reply_limits import reply_limit
from graphrag_neo4j.model.types import LLMTask, Message, Reply, Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.languages import is_stop_word, language_of
from graphrag_neo4j.text.sentences import sentences_of
from graphrag_neo4j.text.strings import fold, identify, spaced_characters, storable

# The docstring of a public schema becomes its description in the JSON schema, which the model
# reads: to change it is to change the prompt.

Outcome = Literal["claims", "nothing to check", "ambiguous", "added"]
KNOWN: Final = ("question", "context", "sentences")
FILES: Final = ("eval_select", "eval_disambiguate", "eval_decompose")
SENTENCES_AT_ONCE: Final = 10
AROUND: Final = 5  # sentences around a part that the model also reads
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


WORD = regex.compile(r"\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{N}\p{M}]+")
DIGIT = regex.compile(r"\p{N}")
BETWEEN_DIGITS = regex.compile(r"(?<=\p{N}{1,3})[.,](?=\p{N}{3}(?!\p{N}))")  # 1,000 and 1.000
SHORTEST_STEM = 4  # letters
LONGEST = 40  # letters of a word whose beginnings are kept
ENDING = 2  # letters of a word that another form of it may lack
MOST_NEW = 0.5  # share of the words that may be new, apart from names and numbers
MOST_ITEMS = 50  # sentences of one request
Plainly = BeforeValidator(lambda value: str(value).strip().casefold())
Number = Annotated[int, BeforeValidator(read_reference)]
LongText = Annotated[Text, Field(json_schema_extra={"maxLength": 1500})]


class NumberedSchema(ReplySchema):
    """An item about the sentence with this number, from 1."""

    number: Number


class _SelectedSchema(NumberedSchema):
    defaults: ClassVar[Mapping[str, object]] = {"text": ""}
    verdict: Annotated[Literal["keep", "part", "none"], Plainly]
    text: LongText


class SelectionSchema(ReplySchema):
    """Which sentences state something that can be checked."""

    model_config = ConfigDict(title="selected_sentences")
    listed = "selected"
    item_fields = ("verdict", "number", "text")
    selected: Listed[_SelectedSchema] = Field(json_schema_extra={"maxItems": MOST_ITEMS})


class _ResolvedSchema(NumberedSchema):
    defaults: ClassVar[Mapping[str, object]] = {"text": ""}
    verdict: Annotated[Literal["clear", "resolved", "ambiguous"], Plainly]
    text: LongText


class DisambiguationSchema(ReplySchema):
    """Which sentences have one meaning, and what they say without the text around them."""

    model_config = ConfigDict(title="resolved_sentences")
    listed = "resolved"
    item_fields = ("verdict", "number", "text")
    resolved: Listed[_ResolvedSchema] = Field(json_schema_extra={"maxItems": MOST_ITEMS})


class _DecomposedSchema(NumberedSchema):
    defaults: ClassVar[Mapping[str, object]] = {"claims": []}
    claims: Listed[LongText] = Field(json_schema_extra={"maxItems": 30})


class DecompositionSchema(ReplySchema):
    """The claims that each sentence makes."""

    model_config = ConfigDict(title="sentence_claims")
    listed = "decomposed"
    item_fields = ("claims", "number")
    decomposed: Listed[_DecomposedSchema] = Field(json_schema_extra={"maxItems": MOST_ITEMS})


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """Some sentences of an answer in a row, and the text around them with its headings."""

    sentences: tuple[str, ...]
    context: str


@dataclass(slots=True)
class SentenceClaims:
    """The claims of a sentence, and why there are no others.

    `outcome` is "added" where a reply changed the sentence to one that says more. `left_out` holds
    the texts that were not accepted because they say more, each with the reason.
    """

    sentence: str
    outcome: Outcome = "claims"
    claims: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def takes(self, text: str, sources: Sequence[str]) -> bool:
        """Whether a text says no more than its sources; if it does, it is noted as left out."""
        reason = added_content(text, sources)
        if reason:
            self.left_out.append(f"{text} ({reason})")
        return reason is None

    def reworded(self, text: str, says: str, *around: str) -> str:
        """Returns the text that a reply gives for what the sentence `says`, or that if it is empty.

        It may say no more than the sentence and the texts around it.
        """
        new = _plain(text)
        if not new:
            return says
        if not self.takes(new, [says, *around]):
            self.outcome = "added"
        return new


def answer_parts(answer: str, at_once: int = SENTENCES_AT_ONCE) -> list[AnswerPart]:
    """Divides an answer into parts of at most `at_once` sentences. Citations are removed.

    A heading isn't a sentence; it stands in the context of the sentences below it.
    """
    lines = list(_lines(plain_answer(answer)))
    places = [place for place, (_, is_sentence) in enumerate(lines) if is_sentence]
    parts = []
    for first in range(0, len(places), at_once):
        of_part = places[first : first + at_once]
        context = lines[max(0, of_part[0] - AROUND) : of_part[-1] + 1 + AROUND]
        sentences = tuple(lines[place][0] for place in of_part)
        parts.append(AnswerPart(sentences, "\n".join(text for text, _ in context)))
    return parts


class ClaimSteps:
    """Finds claims with the chat model `model`. The prompts come from the files in FILES."""

    def __init__(self, settings: Settings) -> None:
        self._select, self._disambiguate, self._decompose = (
            load_prompt(name, settings.prompts, known=KNOWN, needs="sentences") for name in FILES
        )
        self.model = settings.model_for("judge")
        self._limit = reply_limit("answer_claims", settings)

    @property
    def signature(self) -> str:
        """A hash of the prompts and the model."""
        prompts = (self._select, self._disambiguate, self._decompose)
        return identify("answer claims", self.model, *(prompt.text for prompt in prompts))

    def claims(self, question: str, part: AnswerPart) -> LLMTask[list[SentenceClaims]]:
        """Returns what was found in each sentence of a part of an answer, in their order.

        It makes at most three requests, none where no sentence is left. Raises ReplyError if a
        reply says nothing about a sentence, also when it is asked for a second time.
        """
        found = [SentenceClaims(sentence) for sentence in part.sentences]
        says = list(part.sentences)  # what each of them says, as the steps change it
        texts = {"question": marked(_plain(question)), "context": marked(storable(part.context)[0])}

        def left() -> dict[int, str]:
            return {n: says[n] for n, one in enumerate(found) if one.outcome == "claims"}

        asked = partial(self._items, texts)
        for n, item in (yield from asked(left(), self._select, SelectionSchema)):
            if item.verdict == "none":
                found[n].outcome = "nothing to check"
            elif item.verdict == "part":
                says[n] = found[n].reworded(item.text, says[n])
        for n, item in (yield from asked(left(), self._disambiguate, DisambiguationSchema)):
            if item.verdict == "ambiguous":
                found[n].outcome = "ambiguous"
            elif item.verdict == "resolved":
                says[n] = found[n].reworded(item.text, says[n], part.context, question)
        for n, item in (yield from asked(left(), self._decompose, DecompositionSchema)):
            said = [text for text in map(_plain, item.claims) if text]
            # What the sentence does not say itself, a claim may have from the text around it.
            sources = [says[n], part.context, question]
            found[n].claims = [t for t in dict.fromkeys(said) if found[n].takes(t, sources)]
            if not found[n].claims:
                found[n].outcome = "added" if said else "nothing to check"
        return found

    def _items(
        self,
        texts: Mapping[str, str],
        left: Mapping[int, str],
        prompt: Prompt,
        schema: type[ReplySchema],
    ) -> Generator[Request, Reply, list[tuple[int, Any]]]:
        """Makes the request of a step, and returns the item about each sentence that it reads."""
        if not left:
            return []
        numbers = list(left)
        listed = "\n".join(f"{number}. {left[n]}" for number, n in enumerate(numbers, start=1))
        values = {**texts, "sentences": marked(storable(listed)[0])}
        request = Request("answer_claims", (Message("user", prompt.fill(values)),), self._limit)
        reply = yield from read_json(request, schema, partial(_each_once, len(left)))
        return [(numbers[item.number - 1], item) for item in getattr(reply, reply.listed)]


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


def added_content(text: str, sources: Iterable[str]) -> str | None:
    """Returns a reason why a text says more than its sources; None if no such reason is found.

    A name or a number that stands in no source is one, and so is a text that consists mostly of
    words that stand in no source. The forms of a word count as one word.

    >>> added_content("Ada met Bob in 1843.", ["She met Bob.", "Who is Ada?"])
    "'1843' stands in no source"
    >>> added_content("Ada met Bob.", ["She met Bob.", "Who is Ada?"])
    """
    words = _words_of(text)
    known = {word.casefold() for source in sources for word in _words_of(source)}
    beginnings = {
        word[:length]
        for word in known
        for length in range(SHORTEST_STEM, min(len(word), LONGEST) + 1)
    }

    def is_known(word: str) -> bool:
        """Whether the sources hold a word or another form of it; a number has one form."""
        key = word.casefold()
        if key in known or DIGIT.search(key):
            return key in known
        return key[: max(SHORTEST_STEM, len(key) - ENDING)] in beginnings

    for place, word in enumerate(words):
        # The first word of a sentence has a capital anyway.
        is_name = any(letter.isupper() for letter in (word[1:] if place == 0 else word))
        if (is_name or DIGIT.search(word)) and not is_known(word):
            return f"'{word}' stands in no source"
    language = language_of(text, words)
    said = [word for word in words if not is_stop_word(word.casefold(), language)]
    if sum(not is_known(word) for word in said) > MOST_NEW * len(said):
        return "most of its words stand in no source"
    return None


def _words_of(text: str) -> list[str]:
    return WORD.findall(spaced_characters(BETWEEN_DIGITS.sub("", fold(text))))
