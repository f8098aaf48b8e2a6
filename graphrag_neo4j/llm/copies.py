"""Compares texts by their words and phrases of four words: finds copies and repetitions.

A small model fills a form with the form's own words ("A short name for the community"), takes the
examples of a prompt for its material, or falls into a loop within the limits of a schema.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set

# The names in the examples of our prompts. No other text has these words.
INVENTED = frozenset({"arkwell", "norrask", "ostrenvik", "quillmere", "vessany"})
WORD = re.compile(r"\w+")
CITATION = re.compile(r"\[[^\[\]]*\]")  # also our prompts show citations
PHRASE = 4  # words
SHORTEST = 12  # characters of a text with fewer words, as in Chinese
LOOP = 20  # phrases from which on a text can be a loop
DISTINCT = 0.25  # share of the phrases of a text; the phrases of prose are nearly all distinct
SAME = 0.9  # share of the phrases of a text that also stand in an earlier one


def words(text: str, *, cited: bool = True) -> list[str]:
    """Returns the words of a text in lower case. `cited` says whether those in citations count."""
    return WORD.findall((text if cited else CITATION.sub("", text)).casefold())


def _phrases(of: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(of[start:] for start in range(PHRASE)), strict=False))


class Instructions:
    """The phrases of a prompt, without the texts that fill its placeholders."""

    def __init__(self, prompt: str) -> None:
        said = words(prompt)
        self._phrases = set(_phrases(said))
        self._text = " ".join(said)
        self._names = INVENTED.intersection(said)

    def are_copied_in(self, text: str, material: str = "") -> bool:
        """Returns whether a text consists mostly of phrases of the prompt, or holds no word.

        So does a text with a name of the examples. Text that stands in the material, too, is not
        copied from the prompt.
        """
        said = words(text, cited=False)
        if not said:
            return True
        whole = " ".join(said)
        named = self._names.intersection(said)
        if named and not named.issubset(words(material)):
            return True
        if here := _phrases(said):
            copied = 2 * sum(phrase in self._phrases for phrase in here) >= len(here)
        else:
            copied = len(whole) >= SHORTEST and whole in self._text
        return copied and whole not in " ".join(words(material))


def is_loop(text: str) -> bool:
    """Returns whether a text says one sentence four times or more, and little else."""
    said = _phrases(words(text, cited=False))
    return len(said) >= LOOP and len(set(said)) <= DISTINCT * len(said)


def are_new(texts: Iterable[str]) -> Iterator[bool]:
    """Yields for each text whether it isn't a loop, and says something that none before it said.

    Citations make no difference.
    """
    known: list[set[tuple[str, ...]]] = []
    for text in texts:
        said = words(text, cited=False)
        here = set(_phrases(said)) or {tuple(said)}
        repeats = any(len(here & earlier) >= SAME * len(here) for earlier in known)
        is_new = not (repeats or is_loop(text))
        if is_new:
            known.append(here)
        yield is_new


def tells_of_another(text: str, own: int, materials: Sequence[Set[str]]) -> bool:
    """Returns whether a text shares more words with another material than with its own.

    `materials` are the words of the materials, and `own` is the place of the text's own.
    """
    said = {*words(text)}
    shared = [len(material & said) for material in materials]
    return shared[own] < max(shared)
