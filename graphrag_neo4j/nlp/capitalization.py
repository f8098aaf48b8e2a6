"""Runs of capitalised words, with the small ones inside a name: "University of Oslo"."""

from collections.abc import Iterator
from itertools import pairwise

import regex

from graphrag_neo4j.nlp.entity_types import is_given_name
from graphrag_neo4j.nlp.sentences import Passage, Sentence
from graphrag_neo4j.nlp.word_lists import ORGANIZATIONS, ROLES, TIMES, TITLES, UNNAMED

__all__ = ["GERMAN", "Capitalization", "seen_inside"]

PARTICLES = frozenset(
    {"de", "de la", "del", "von", "von der", "van", "van der", "van den", "di", "da", "du", "el",
     "al", "bin", "ibn", "le", "zu", "&"}
)  # fmt: skip
LINKS = PARTICLES | {"of", "of the", "for", "the"}
BEFORE_THE = frozenset({"behind", "alexander", "into", "beyond", "on", "under"})
GERMAN = "de"  # where nouns are capitalised, too, and "von" stands between any two
HEADING = 0.7  # of a sentence's words capitalised: it is a heading
UNNUMBERED = TIMES | UNNAMED
CAPITAL = regex.compile(r"\p{Lu}|\p{Ll}{1,2}\p{Lu}\p{L}")
NUMERAL = regex.compile(r"\p{N}{1,3}(?:\.\p{N})?|[IVX]{1,4}")
ENDINGS = frozenset('.!?:"“”«»‘…')


def seen_inside(passage: Passage) -> frozenset[str]:
    """The words of a chunk that are capitalised where no sentence begins; and those of a speaker
    who is written small."""
    small = (word for name in passage.speakers if name.islower() for word in name.split())
    capitals = (
        word.text
        for sentence in passage.sentences
        for before, word in pairwise(sentence.words)
        if CAPITAL.match(word.text) and not _starts_anew(sentence, before.end, word.start)
    )
    return frozenset((*small, *capitals))


class Capitalization:
    """A sentence's words and which of them are capitalised; `inside`: see `seen_inside`."""

    def __init__(self, sentence: Sentence, language: str, inside: frozenset[str]) -> None:
        self.sentence, self.language = sentence, language
        self.texts = [word.text for word in sentence.words]
        self.capital = [
            CAPITAL.match(text) is not None or (text[0].islower() and text in inside)
            for text in self.texts
        ]

    @property
    def is_heading(self) -> bool:
        """Whether most words are capitalised for no other reason."""
        n = len(self.texts)
        whole = self.sentence.text.endswith((".", "!", "?"))
        return self.language != GERMAN and not whole and n > 3 and sum(self.capital) > HEADING * n

    def runs(self) -> Iterator[tuple[int, int]]:
        """The places [first, last) of the runs."""
        i, n = 0, len(self.texts)
        while i < n:
            if not self.capital[i]:
                i += 1
                continue
            last = i + 1
            while last < n and (step := self._step(last)):
                last += step
            yield i, last
            i = last

    def starts_anew(self, at: int) -> bool:
        """Whether the word at a place may have its capital since something begins there."""
        words = self.sentence.words
        return at == 0 or _starts_anew(self.sentence, words[at - 1].end, words[at].start)

    def _step(self, at: int) -> int:
        """How many more words belong to the run that has come to `at`."""
        if not self._joined(at):
            return 0
        before = self.texts[at - 1].lower()
        if self.capital[at] or (NUMERAL.fullmatch(self.texts[at]) and before not in UNNUMBERED):
            return 1
        for size in (2, 1):
            end = at + size
            if end < len(self.texts) and self.capital[end] and self._links(at, end):
                return size + 1
        return 0

    def _links(self, at: int, end: int) -> bool:
        """Whether the small words at [at, end) belong to the name around them."""
        link = " ".join(self.texts[at:end]).lower()
        if link not in LINKS or not all(self._joined(i) for i in range(at, end + 1)):
            return False
        before, after = self.texts[at - 1].lower().rstrip("."), self.texts[end].lower()
        if link in PARTICLES:
            return self.language != GERMAN or is_given_name(self.texts[at - 1])
        if link == "for":
            return before in ORGANIZATIONS
        if link == "the":
            return before in BEFORE_THE
        return before not in ROLES and before not in TIMES and after not in TIMES

    def _joined(self, at: int) -> bool:
        """Whether but a space stands before the word at `at`, "&", or the dot of an initial."""
        one, other = self.sentence.words[at - 1 : at + 1]
        gap = self.sentence.text[one.end - self.sentence.start : other.start - self.sentence.start]
        if gap == ".":
            return False
        abbreviated = len(one.text) == 1 or one.text.lower() in TITLES
        return gap.strip() in ("", "&") or (gap.strip() == "." and abbreviated)


def _starts_anew(sentence: Sentence, end: int, start: int) -> bool:
    """Whether what stands between two words lets the second begin with a capital."""
    gap = sentence.text[end - sentence.start : start - sentence.start]
    return gap.strip() != "." and not ENDINGS.isdisjoint(gap)
