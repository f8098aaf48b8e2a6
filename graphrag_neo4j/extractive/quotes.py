"""Reads the sentences that can be quoted from the records of a context, with their citations."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from graphrag_neo4j.context.citations import CitationRef, bracket, cited, rewrite
from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.context.quotation import DraftedQuotation
from graphrag_neo4j.nlp.formulas import is_noise
from graphrag_neo4j.nlp.sentence_ranking import base_words
from graphrag_neo4j.nlp.sentences import Sentence, read_passage
from graphrag_neo4j.text import flat, shortened

__all__ = ["LONGEST", "Quote", "joined", "quotes_of", "title_of", "words_of"]

LONGEST = 460  # characters of a quotation
CITED = 3  # records that are cited for one sentence
TITLE = 80  # characters
UNCAPITALISED = 200  # characters; a longer text in small letters is written so on purpose
CLOSED = re.compile(r"(?<!\S)(#{1,6}) (.*?) \1(?: |$)")  # a heading in a report on one line
BROKEN = (",", ";", "–", "—")  # the end of a clause, not of a sentence
UNFINISHED = re.compile(
    r"(?:[,;:–—-]|\b(?:and|or|but|the|a|an|of|to|in|with|that|because))[\"”’]*$"
)
ACRONYM = re.compile(r"\b[A-Z]{2,5}\b")
WHOLE = re.compile(r"[.!?…。！？؟।]\W*$")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence with its record, the citations for it, and how well it answers the question.

    `similarity` is the cosine of its vector and that of the question. `score` also counts the words
    that it shares with the question, and how well it reads.
    """

    text: str
    record: ContextRecord
    citations: tuple[CitationRef, ...]
    score: float = 0.0
    similarity: float = 0.0
    vector: Sequence[float] = field(default=(), repr=False)

    @property
    def line(self) -> str:
        """The sentence with its citations."""
        return f"{self.text} {bracket(self.citations)}"

    @property
    def drafted(self) -> DraftedQuotation:
        """The sentence as its provenance is looked up."""
        return DraftedQuotation(self.text, self.citations)


def quotes_of(record: ContextRecord) -> Iterator[Quote]:
    """Yields the sentences of a record with their citations, or with a citation of the record.

    Halves of sentences, greetings, credits and licences are left out.
    """
    own: tuple[CitationRef, ...] = ((record.kind, record.ref),)
    if record.kind != "Reports":
        for text in record.pieces or (record.text.rpartition(" | ")[2],):
            yield from (Quote(one, record, own) for one in _sentences(text))
        return
    # A report that lists the members of a community has the form "name: description".
    names = tuple(f"{name}: " for name in title_of(record).split(", "))
    for piece in record.pieces or (record.text,):
        for text, cites in _statements(piece):
            for one in _sentences(_without(names, text)):
                yield Quote(one, record, cites or own)


def joined(quotes: Iterable[Quote]) -> list[Quote]:
    """Joins equal sentences with their citations."""
    found: dict[str, Quote] = {}
    for one in quotes:
        first = found.setdefault(one.text, one)
        # All citations of the first record are kept, because its chunk is the last of them.
        room = max(CITED, len(first.citations))
        citations = tuple(dict.fromkeys([*first.citations, *one.citations]))[:room]
        found[one.text] = replace(first, citations=citations)
    return list(found.values())


@lru_cache(50_000)
def words_of(text: str) -> frozenset[str]:
    """Returns the base words of a text, and its acronyms: "ai" is a stop word in some languages."""
    return base_words(text) | {found[0].lower() for found in ACRONYM.finditer(text)}


def title_of(record: ContextRecord) -> str:
    """Returns the title of a report, or the name or the beginning of another record."""
    if found := CLOSED.match(record.text):
        return found[2]
    name = record.text.split(" | ")[0].partition(":")[0]
    return shortened(name, TITLE, len)


def _without(beginnings: tuple[str, ...], text: str) -> str:
    if not text.startswith(beginnings):
        return text
    return next((text.removeprefix(one) for one in beginnings if text.startswith(one)), text)


def _statements(text: str) -> Iterator[tuple[str, tuple[CitationRef, ...]]]:
    """Divides a report into statements, and yields each with its citations."""
    for part in re.split(r"(?<=\])\s*", CLOSED.sub("\n\n", text)):
        yield rewrite(part, lambda *_: None).strip(), tuple(cited(part))


@lru_cache(20_000)
def _sentences(text: str) -> tuple[str, ...]:
    """Returns the whole sentences of a text that are content, each on one line."""
    passage = read_passage(text)
    return tuple(
        flat(one.text)
        for one in passage.whole_sentences()
        if one.text
        and len(one.text) <= LONGEST
        and not _is_half(one, text)
        and not is_noise(flat(one.text))
    )


def _is_half(sentence: Sentence, text: str) -> bool:
    """Tells whether a sentence of a text lacks its beginning or its end."""
    without_capitals = len(text) > UNCAPITALISED and text == text.lower()
    begins_small = sentence.text[0].islower() and not without_capitals
    if begins_small or UNFINISHED.search(sentence.text):
        return True
    before = text[: sentence.start].rstrip(" ")
    if before.endswith(BROKEN):
        return True
    after = text[sentence.end :]
    # Without a full stop it is whole only at the end of its line, as a heading is.
    return (
        bool(after) and not WHOLE.search(sentence.text) and not after.lstrip(" ").startswith("\n")
    )
