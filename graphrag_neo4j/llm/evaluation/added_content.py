"""Finds what a rewritten sentence or a claim says and its sources do not: names, numbers, words.

Only what can be checked by words is found. A claim that turns the meaning of its sentence round
with the words of the sentence is not found.
"""

from collections.abc import Iterable

import regex

from graphrag_neo4j.nlp.languages import is_stop_word, language_of
from graphrag_neo4j.text import fold, spaced_characters

__all__ = ["added_content"]

WORD = regex.compile(r"\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{N}\p{M}]+")
DIGIT = regex.compile(r"\p{N}")
BETWEEN_DIGITS = regex.compile(r"(?<=\p{N}{1,3})[.,](?=\p{N}{3}(?!\p{N}))")  # 1,000 and 1.000
SHORTEST_STEM = 4  # letters
LONGEST = 40  # letters of a word whose beginnings are kept
ENDING = 2  # letters of a word that another form of it may lack
MOST_NEW = 0.5  # share of the words that may be new, apart from names and numbers


def added_content(text: str, sources: Iterable[str]) -> str | None:
    """Returns a reason why a text says more than its sources; None if no such reason is found.

    A name or a number that stands in no source is one, and so is a text that consists mostly of
    words that stand in no source. The forms of a word count as one word.

    >>> added_content("Ada met Bob in 1843.", ["She met Bob.", "Who is Ada?"])
    "'1843' stands in no source"
    >>> added_content("Ada met Bob.", ["She met Bob.", "Who is Ada?"])
    """
    words, known = _words(text), _Known(" \n ".join(sources))
    for place, word in enumerate(words):
        told = DIGIT.search(word) or _is_name(word, first=place == 0)
        if told and not known.holds(word):
            return f"'{word}' stands in no source"
    language = language_of(text, words)
    said = [word for word in words if not is_stop_word(word.casefold(), language)]
    new = [word for word in said if not known.holds(word)]
    if len(new) > MOST_NEW * len(said):
        return "most of its words stand in no source"
    return None


def _is_name(word: str, *, first: bool) -> bool:
    """Whether a word is written like a name. The first word of a sentence has a capital anyway."""
    return any(letter.isupper() for letter in (word[1:] if first else word))


class _Known:
    """The words of the sources, with the beginnings that their other forms share."""

    def __init__(self, sources: str) -> None:
        self._words = {word.casefold() for word in _words(sources)}
        self._beginnings = {
            word[:length]
            for word in self._words
            for length in range(SHORTEST_STEM, min(len(word), LONGEST) + 1)
        }

    def holds(self, word: str) -> bool:
        """Whether the sources hold a word or another form of it; a number has one form."""
        key = word.casefold()
        if key in self._words or DIGIT.search(key):
            return key in self._words
        return key[: max(SHORTEST_STEM, len(key) - ENDING)] in self._beginnings


def _words(text: str) -> list[str]:
    return WORD.findall(spaced_characters(BETWEEN_DIGITS.sub("", fold(text))))
