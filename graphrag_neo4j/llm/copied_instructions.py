"""Finds the texts of a reply that repeat the instructions instead of following them.

A small model fills a form with the form's own words: "A short name for the community". Or it takes
the examples of a prompt for its material, and tells what they tell.
"""

import re
from collections.abc import Sequence

__all__ = ["INVENTED", "Instructions"]

# The names in the examples of our prompts. No other text has these words.
INVENTED = frozenset({"arkwell", "norrask", "ostrenvik", "quillmere", "vessany"})

WORD = re.compile(r"\w+")
CITATION = re.compile(r"\[[^\[\]]*\]")  # also our prompts show citations
PHRASE = 4  # words
SHORTEST = 12  # characters of a text with fewer words, as in Chinese


class Instructions:
    """The phrases of a prompt, without the texts that fill its placeholders."""

    def __init__(self, prompt: str) -> None:
        self._words = _words(prompt)
        self._phrases = set(_phrases(self._words))
        self._text = " ".join(self._words)
        self._names = INVENTED.intersection(self._words)

    def are_copied_in(self, text: str, material: str = "") -> bool:
        """Tells whether a text consists mostly of phrases of the prompt, or holds no word.

        So does a text with a name of the examples. Text that stands in the material, too, is not
        copied from the prompt.
        """
        words = _words(CITATION.sub("", text))
        if not words:
            return True
        named = self._names.intersection(words)
        if named and not named.issubset(_words(material)):
            return True
        phrases = _phrases(words)
        if phrases:
            copied = 2 * sum(phrase in self._phrases for phrase in phrases) >= len(phrases)
        else:
            whole = " ".join(words)
            copied = len(whole) >= SHORTEST and whole in self._text
        return copied and " ".join(words) not in " ".join(_words(material))


def _words(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def _phrases(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(PHRASE)), strict=False))
