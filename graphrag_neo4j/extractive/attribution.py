"""Finds who says a quotation, and widens it to what a reader needs to understand it.

    provenance ──▶ speaker · whole sentences · place in the document

The speaker is the name in the last speaker tag before the quotation, in its chunk or in one before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from graphrag_neo4j.context.quotation import Provenance
from graphrag_neo4j.extractive.quotes import Quote
from graphrag_neo4j.nlp.abbreviations import written
from graphrag_neo4j.nlp.entity_recognition import Thing, read
from graphrag_neo4j.nlp.formulas import is_noise
from graphrag_neo4j.nlp.sentences import Passage, read_passage
from graphrag_neo4j.text import find_quote, flat

__all__ = ["Attributed", "attributed"]

ROOM = 300  # characters of a quotation that is widened by its neighbours: three lines
LONGEST = 460  # characters of a quotation
AROUND = 600  # characters before and after a quotation that say what it is about
FURTHER = 3  # sentences that a speaker may say after the question, before the next one answers
LONGEST_QUESTION = 30  # words
SAID_LITTLE = 4  # words; a reply with fewer ("Oh, yes.") is not quoted
# A sentence that begins so needs the sentence before it.
NEEDS_BEFORE = regex.compile(
    r"^(?:and|but|so|or|because|yeah|yes|no|well|like|then|also|that|this|these|those|it|he|she|they|"
    r"him|her|them|his|their|there|here|which|who|such|i think so|exactly|right|now|both)\b",
    regex.I,
)
ENDED = regex.compile(r"[.!?…。！？؟।][\"'”’»)\]」』]*$")


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
    first, last = _completed(passage, numbers[0], numbers[-1])
    asked = ""
    if passage.sentences[last].text.endswith("?"):
        reply = _reply(passage, last)
        if reply is None:
            return None
        asked, (first, last) = flat(passage.sentences[last].text), reply
    first, last = _widened(passage, first, last)
    return _attributed(quote, at, passage, (first, last), asked)


def _attributed(
    quote: Quote, at: Provenance, passage: Passage, numbers: tuple[int, int], asked: str
) -> Attributed | None:
    """Returns the sentences with these numbers as a quotation, or None if they are not whole."""
    first, last = numbers
    start, end = passage.sentences[first].start, passage.sentences[last].end
    if not _is_whole(passage, first, last) or end - start > LONGEST:
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


def _at(passage: Passage, place: tuple[int, int]) -> list[int]:
    """Returns the numbers of the sentences that overlap characters [start, end) of a passage."""
    start, end = place
    return [n for n, one in enumerate(passage.sentences) if one.start < end and start < one.end]


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
    return _completed(passage, first, first) if sentences[first].speaker != asking else None


def _completed(passage: Passage, first: int, last: int) -> tuple[int, int]:
    """Adds the clauses of the same sentence that lie before and after."""
    sentences = passage.sentences
    while first > 0 and _goes_on(passage, first - 1):
        first -= 1
    while last + 1 < len(sentences) and _goes_on(passage, last):
        last += 1
    return first, last


def _goes_on(passage: Passage, number: int) -> bool:
    """Tells whether a sentence is only a clause, and the next one continues it."""
    if ENDED.search(passage.sentences[number].text):
        return False
    return number + 1 < len(passage.sentences) and _adjoins(passage, number)


def _adjoins(passage: Passage, number: int) -> bool:
    """Tells whether the next sentence has the same speaker and stands in the same paragraph."""
    one, other = passage.sentences[number : number + 2]
    gap = passage.text[one.end : other.start]
    return one.speaker == other.speaker and not gap.strip() and gap.count("\n") < 2


def _widened(passage: Passage, first: int, last: int) -> tuple[int, int]:
    """Adds a sentence before one that needs it, then those after, as far as there is room."""
    if NEEDS_BEFORE.match(passage.sentences[first].text) and first > 0:
        before = _completed(passage, first - 1, first - 1)[0]
        if _fits(passage, before, first - 1, (before, last)):
            first = before
    at = last
    while at + 1 < len(passage.sentences):
        after = _completed(passage, at + 1, at + 1)[1]
        if not _fits(passage, at + 1, at, (first, after)):
            break
        if len(passage.sentences[at + 1].words) >= SAID_LITTLE:  # never ends with "Ok."
            last = after
        at = after
    return first, last


def _fits(passage: Passage, new: int, joint: int, numbers: tuple[int, int]) -> bool:
    """Tells whether a new sentence is content that continues a quotation and has room in it.

    `joint` is the number of the sentence before the place where both meet.
    """
    begin, end = (passage.sentences[number] for number in numbers)
    has_room = end.end - begin.start <= ROOM
    return has_room and _adjoins(passage, joint) and not is_noise(flat(passage.sentences[new].text))


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
