"""Finds who says a quotation, and widens it to what a reader needs to understand it.

    provenance ──▶ speaker · whole sentences · place in the document

The speaker is the name in the last speaker tag before the quotation, in its chunk or in one before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from graphrag_neo4j.context.quotation import Provenance
from graphrag_neo4j.extractive.quotes import LONGEST, Quote
from graphrag_neo4j.nlp.abbreviations import written
from graphrag_neo4j.nlp.entity_recognition import Thing, read
from graphrag_neo4j.nlp.formulas import is_noise
from graphrag_neo4j.nlp.sentences import ENDED, Passage, read_passage
from graphrag_neo4j.text import find_quote, flat

__all__ = ["Attributed", "attributed", "refers_back"]

ROOM = 420  # characters of a quotation that is widened by its neighbours: four lines
REPLY = 600  # characters of a reply, which often begins with a remark before its point
AROUND = 600  # characters before and after a quotation that say what it is about
LEADING = 4  # sentences that may lead to a question, the question included
FURTHER = 3  # sentences that a speaker may say after the question, before the next one answers
LONGEST_QUESTION = 30  # words
LONGEST_ASKED = 160  # characters of several questions in a row
SAID_LITTLE = 4  # words; a reply with fewer ("Oh, yes.") is not quoted
# A sentence that begins so needs the sentence before it.
NEEDS_BEFORE = regex.compile(
    r"^(?:and|but|so|or|because|yeah|yes|no|well|like|then|also|that|this|these|those|it|he|she|they|"
    r"him|her|them|his|their|there|here|which|who|such|i think so|exactly|right|now|both)\b",
    regex.I,
)


REFERS_BACK = regex.compile(
    r"^(?:(?:and|but|so|or|because|yeah|well|like|then|also),? )*"
    r"(?:that|this|these|those|it|he|she|they|him|her|them|his|their|which|such)\b",
    regex.I,
)
REQUEST = regex.compile(
    r"\b(?:tell|walk|talk to) (?:us|me)\b|\bI(?:[’']d| would) love to (?:hear|know)\b"
    r"|^(?:so,? |and |well,? |maybe )*(?:talk|say|explain|describe|share)\b"
    r".{0,40}\b(?:about|how|what|why)\b"
    r"|\b(?:I(?:[’']m| am) (?:just )?(?:curious|wondering)|I wonder)\b",
    regex.I,
)
TAG_QUESTION = regex.compile(
    r"[,–—-] ?(?:right|you know|okay|ok|yeah|huh|eh|no|correct|"
    r"(?:is|are|was|were|do|does|did|has|have|ca|wo)n[’']t (?:it|they|he|she|you|we|that))\?$",
    regex.I,
)


@dataclass(frozen=True, slots=True)
class Attributed:
    """A quotation with its provenance: `text` stands at characters [start, end) of the document.

    `speaker` is the name of who says it, None where the document has no speaker tags. `topics`
    holds the names and key phrases in it. `asked` is the question that it answers, "" if none was
    asked. `around` is the text before and after it in the chunk. `provenance` is None where the
    place is not known: the text then stands in no chunk, for example because a model wrote it.
    """

    quote: Quote
    text: str
    provenance: Provenance | None = None
    start: int = 0
    end: int = 0
    speaker: str | None = None
    topics: tuple[Thing, ...] = ()
    asked: str = ""
    around: str = ""

    def overlaps(self, other: "Attributed") -> bool:
        """Tells whether both quote the same place, or the same words."""
        if self.provenance and other.provenance:
            same = self.provenance.document == other.provenance.document
            if same and self.start < other.end and other.start < self.end:
                return True
        return self.text in other.text or other.text in self.text


def attributed(quote: Quote, at: Provenance) -> Attributed | None:
    """Returns the quotation with its speaker, or None if it is a half of a sentence.

    A half is completed if its other half is beside it. A short quotation gets sentences beside it,
    of the same speaker. Instead of a question, what the next speaker answers is quoted.
    """
    place = find_quote(quote.text, at.text)
    passage = _read(at.text)
    numbers = _at(passage, place) if place else []
    if not numbers:
        return None
    first, last = passage.completed(numbers[0], numbers[-1])
    asked = ""
    if (question := _question(passage, last)) is not None:
        reply = _reply(passage, question)
        if reply is None and question == last:
            return None
        if reply is not None:
            asked, (first, last) = _asked(passage, question), reply
    first, last = _widened(passage, first, last, REPLY if asked else ROOM)
    return _attributed(quote, at, passage, (first, last), asked)


def _attributed(
    quote: Quote, at: Provenance, passage: Passage, numbers: tuple[int, int], asked: str
) -> Attributed | None:
    """Returns the sentences with these numbers as a quotation, or None if they are not whole."""
    first, last = numbers
    start, end = passage.sentences[first].start, passage.sentences[last].end
    if not _is_whole(passage, first, last) or end - start > (REPLY if asked else LONGEST):
        return None
    speaker = passage.sentences[first].speaker or _speaker_before(at.earlier)
    topics = tuple(
        thing
        for thing in read(at.text).things.values()
        if any(start <= place[1] and place[2] <= end for place in thing.places)
    )
    return Attributed(
        quote,
        flat(at.text[start:end]),
        at,
        at.start + start,
        at.start + end,
        written(flat(speaker)) if speaker else None,
        topics,
        asked,
        at.text[max(0, start - AROUND) : end + AROUND],
    )


def refers_back(text: str) -> bool:
    """Tells whether a sentence begins with a word for what the sentence before it names."""
    return REFERS_BACK.match(text) is not None


def _is_question(text: str) -> bool:
    """Tells whether a sentence asks something: "Tell us more." does, "It works, right?" not."""
    if text.endswith("?"):
        return TAG_QUESTION.search(text) is None
    return REQUEST.search(text) is not None


def _at(passage: Passage, place: tuple[int, int]) -> list[int]:
    """Returns the numbers of the sentences that overlap characters [start, end) of a passage."""
    start, end = place
    return [n for n, one in enumerate(passage.sentences) if one.start < end and start < one.end]


def _question(passage: Passage, number: int) -> int | None:
    """Returns the number of the question that a sentence is, or that it leads to.

    "You work on proteins. How did that begin?" is answered by what the next speaker says.
    """
    sentences = passage.sentences
    for n in range(number, min(number + LEADING, len(sentences))):
        if sentences[n].speaker != sentences[number].speaker:
            return None
        if _is_question(sentences[n].text) and (n == number or _ends_turn(passage, n)):
            return n
    return None


def _asked(passage: Passage, question: int) -> str:
    """Returns a question with the questions beside it, if they are not too long together.

    Who asks two questions in a row often gets the reply to the first one first.
    """
    sentences = passage.sentences
    first = last = question
    while first > 0 and _is_question(sentences[first - 1].text) and passage.adjoins(first - 1):
        first -= 1
    while (
        last + 1 < len(sentences)
        and _is_question(sentences[last + 1].text)
        and passage.adjoins(last)
    ):
        last += 1
    whole = flat(passage.text[sentences[first].start : sentences[last].end])
    return whole if len(whole) <= LONGEST_ASKED else flat(sentences[question].text)


def _ends_turn(passage: Passage, number: int) -> bool:
    after = passage.sentences[number + 1 : number + 2]
    return bool(after) and after[0].speaker != passage.sentences[number].speaker


def _reply(passage: Passage, question: int) -> tuple[int, int] | None:
    """Returns the first sentence that the next speaker says to a question, without fillers."""
    sentences = passage.sentences
    asking = sentences[question].speaker
    first = question + 1
    while first < len(sentences) and sentences[first].speaker == asking:
        if first - question > FURTHER:
            return None
        first += 1
    while first < len(sentences) and len(sentences[first].words) < SAID_LITTLE:
        first += 1
    if first == len(sentences) or sentences[first].text.endswith("?"):
        return None
    if len(sentences[question].words) > LONGEST_QUESTION:
        return None
    return passage.completed(first, first) if sentences[first].speaker != asking else None


def _widened(passage: Passage, first: int, last: int, room: int) -> tuple[int, int]:
    """Adds a sentence before one that needs it, then those after, as far as there is room."""
    if NEEDS_BEFORE.match(passage.sentences[first].text) and first > 0:
        before = passage.completed(first - 1, first - 1)[0]
        if _fits(passage, before, first - 1, (before, last), room):
            first = before
    at = last
    while at + 1 < len(passage.sentences):
        after = passage.completed(at + 1, at + 1)[1]
        if not _fits(passage, at + 1, at, (first, after), room):
            break
        ending = passage.sentences[after].text
        if _is_question(ending) or not ENDED.search(
            ending
        ):  # neither its reply nor its end is here
            break
        if len(passage.sentences[at + 1].words) >= SAID_LITTLE:  # never ends with "Ok."
            last = after
        at = after
    return first, last


def _fits(passage: Passage, new: int, joint: int, numbers: tuple[int, int], room: int) -> bool:
    """Tells whether a new sentence is content that continues a quotation and has room in it.

    `joint` is the number of the sentence before the place where both meet.
    """
    begin, end = (passage.sentences[number] for number in numbers)
    has_room = end.end - begin.start <= room
    return has_room and passage.adjoins(joint) and not is_noise(flat(passage.sentences[new].text))


def _is_whole(passage: Passage, first: int, last: int) -> bool:
    """Tells whether the sentences begin and end where a reader expects it."""
    opening, closing = passage.sentences[first], passage.sentences[last]
    if opening.text[0].islower() and passage.text != passage.text.lower():
        return False
    if ENDED.search(closing.text):
        return True
    after = passage.text[closing.end :]
    return after.lstrip(" ").startswith("\n")


def _speaker_before(earlier: Sequence[str]) -> str | None:
    """Returns the last speaker of the nearest earlier chunk that has a speaker tag."""
    for text in earlier:
        spoken = [one.speaker for one in _read(text).sentences if one.speaker]
        if spoken:
            return spoken[-1]
    return None


@lru_cache(1_000)
def _read(text: str) -> Passage:
    return read_passage(text)
