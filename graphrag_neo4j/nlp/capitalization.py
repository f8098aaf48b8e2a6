"""Finds runs of capitalised words, with the small words inside a name: "University of Oslo"."""

from collections.abc import Iterator
from itertools import pairwise

import regex

from graphrag_neo4j.nlp.entity_types import is_given_name, is_joined_place
from graphrag_neo4j.nlp.languages import is_stop_word
from graphrag_neo4j.nlp.sentences import Passage, Sentence
from graphrag_neo4j.nlp.word_lists import ORGANIZATIONS, ROLES, TIMES, TITLES, UNNAMED

__all__ = ["GERMAN", "PARTICLES", "PREFIXES", "RANKS", "Capitalization", "seen_inside"]

PARTICLES = frozenset(
    {"de", "de la", "del", "von", "von der", "van", "van der", "van den", "di", "da", "du", "el",
     "al", "bin", "ibn", "le", "zu", "&"}
)  # fmt: skip
# Small words inside names in English text; in other languages they are ordinary words: "Dar es
# Salaam". Before those that are English words, too, no stop word stands: "Why do Americans …".
AFTER_NAMES = frozenset({"am", "do", "upon"})
FOREIGN = frozenset({"au", "aux", "dos", "en", "es", "sur", "y"}) | AFTER_NAMES
LINKS = PARTICLES | FOREIGN | {"and", "and the", "of", "of the", "for", "the"}
# Words with a full stop that are the first part of a name: "St. Louis".
PREFIXES = frozenset({"ft", "mt", "pt", "st", "ste"})
RANKS = frozenset({"adm", "brig", "cllr", "cmdr", "col", "cpl", "lt", "maj", "pvt", "rev", "sgt"})
BEFORE_THE = frozenset({"behind", "alexander", "into", "beyond", "on", "under"})
GERMAN = "de"  # all its nouns are capitalised, and "von" is also an ordinary preposition
HEADING = 0.7  # a sentence with a larger share of capitalised words is a heading
ABBREVIATED = TITLES | PREFIXES | RANKS
UNNUMBERED = TIMES | UNNAMED
CAPITAL = regex.compile(r"\p{Lu}|\p{Ll}{1,2}\p{Lu}\p{L}")
# The number of a model: "Boeing 737s", "Nokia 3310". Numbers from 1000 to 2099 are years.
NUMERAL = regex.compile(r"\p{N}{1,3}(?:\.\p{N})?|\p{N}{3}s|(?!1|20)\p{N}{4}|[IVX]{1,4}")
ENDINGS = frozenset('.!?:"“”«»‘…')


def seen_inside(passage: Passage) -> frozenset[str]:
    """Returns the words of a chunk that are capitalised inside a sentence.

    The words of speakers' names in lower case are included.
    """
    small = (word for name in passage.speakers if name.islower() for word in name.split())
    capitals = (
        word.text
        for sentence in passage.sentences
        for before, word in pairwise(sentence.words)
        if CAPITAL.match(word.text) and not _starts_anew(sentence, before.end, word.start)
    )
    return frozenset((*small, *capitals))


class Capitalization:
    """The words of a sentence, and which are capitalised. `inside` is the set of `seen_inside`."""

    def __init__(self, sentence: Sentence, language: str, inside: frozenset[str]) -> None:
        self.sentence, self.language = sentence, language
        self.texts = [word.text for word in sentence.words]
        self.capital = [
            CAPITAL.match(text) is not None or (text[0].islower() and text in inside)
            for text in self.texts
        ]

    @property
    def is_heading(self) -> bool:
        """Whether the sentence is a heading, in which most words are capitalised."""
        n = len(self.texts)
        whole = self.sentence.text.endswith((".", "!", "?"))
        return self.language != GERMAN and not whole and n > 3 and sum(self.capital) > HEADING * n

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yields the runs of capitalised words as ranges [first, last) of word numbers."""
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
        """Tells whether a word may be capitalised only because a sentence or quote begins there."""
        words = self.sentence.words
        return at == 0 or _starts_anew(self.sentence, words[at - 1].end, words[at].start)

    def _step(self, at: int) -> int:
        """Returns how many words, from `at` on, continue the run before `at`."""
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
        """Tells whether the small words [at, end) are part of the name around them."""
        link = " ".join(self.texts[at:end]).lower()
        joined = all(self._joined(i) for i in range(at, end + 1))
        return link in LINKS and joined and self._is_inside(link, at, end)

    def _is_inside(self, link: str, at: int, end: int) -> bool:
        """Tells whether a name goes on after one of LINKS. Its other words are before and after."""
        before, after = self.texts[at - 1].lower().rstrip("."), self.texts[end].lower()
        if link in FOREIGN:
            stopped = link in AFTER_NAMES and is_stop_word(before, "en")
            return self.language == "en" and not stopped
        if link in PARTICLES:
            return self.language != GERMAN or is_given_name(self.texts[at - 1])
        if link in ("and", "and the"):
            return is_joined_place(self.texts[at - 1], self.texts[end])
        if link == "for":
            return before in ORGANIZATIONS
        if link == "the":
            return before in BEFORE_THE
        return before not in ROLES and before not in TIMES and after not in TIMES

    def _joined(self, at: int) -> bool:
        """Tells whether only a space, "&" or the dot of an initial stands before a word."""
        one, other = self.sentence.words[at - 1 : at + 1]
        gap = self.sentence.text[one.end - self.sentence.start : other.start - self.sentence.start]
        if gap == ".":
            return False
        abbreviated = len(one.text) == 1 or one.text.lower() in ABBREVIATED
        return gap.strip() in ("", "&") or (gap.strip() == "." and abbreviated)


def _starts_anew(sentence: Sentence, end: int, start: int) -> bool:
    """Tells whether the text between two words ends a sentence or begins a quote."""
    gap = sentence.text[end - sentence.start : start - sentence.start]
    return gap.strip() != "." and not ENDINGS.isdisjoint(gap)
