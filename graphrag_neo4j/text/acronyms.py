"""Acronyms and what they stand for, where a document defines them: "Graph Data Science (GDS)"."""

import re
from collections.abc import Iterator
from typing import Final

from graphrag_neo4j.text import name_key
from graphrag_neo4j.text.languages import word_set

__all__ = ["definition_forms", "expansions", "initials", "is_acronym_of", "looks_like_acronym"]

# Words that an acronym may leave out, as USA and DOD do.
SMALL: Final = word_set("a an and at by de der for in la of on or the to und with")
SHORTEST, LONGEST = 2, 8  # letters of an acronym
MOST_SMALL = 4  # small words inside an expansion
FAR = 200  # characters between the beginning of an expansion and its acronym
QUOTES: Final = "\"'“”‘’,"

_BRACKETS = re.compile(r"\(([^()\n]{2,120})\)")
_ENDS = re.compile(r"[.;:!?()\n]")


def looks_like_acronym(name: str) -> bool:
    """Tells whether a name is one word of 2 to 8 letters, two of them capital, perhaps with stops.

    >>> looks_like_acronym("GDS"), looks_like_acronym("U.S.A."), looks_like_acronym("IoT")
    (True, True, True)
    >>> looks_like_acronym("Gds"), looks_like_acronym("GPT-4")
    (False, False)
    """
    letters = name.replace(".", "")
    fits = SHORTEST <= len(letters) <= LONGEST and letters.isalpha()
    return fits and sum(letter.isupper() for letter in letters) > 1


def initials(name: str) -> tuple[str, str] | None:
    """The first letters of all words of a name, and those of its words that are not small.

    None for a name of one word. Words are what stands between spaces or hyphens.

    >>> initials("United States of America"), initials("Neo4j")
    (('usoa', 'usa'), None)
    """
    words = [word for word in re.split(r"[\s\-/&]+", name_key(name)) if word[:1].isalnum()]
    if len(words) < 2:
        return None
    return "".join(w[0] for w in words), "".join(w[0] for w in words if w not in SMALL)


def is_acronym_of(acronym: str, name: str) -> bool:
    """Tells whether an acronym consists of the first letters of a name's words."""
    letters = name_key(acronym).replace(".", "")
    return len(letters) >= SHORTEST and letters in (initials(name) or ())


def expansions(text: str, acronym: str) -> set[str]:
    """What a text says that an acronym stands for.

    The text says so by brackets or by "or": "Graph Data Science (GDS)", "GDS (Graph Data Science)",
    "artificial intelligence, or AI". An empty text stands for words before the acronym in brackets
    whose first letters are others: there it may stand for something else.

    >>> expansions("Use the Graph Data Science (GDS) library.", "GDS")
    {'Graph Data Science'}
    >>> expansions("It is artificial intelligence, or AI, that I mean.", "AI")
    {'artificial intelligence'}
    >>> expansions("The Industrial Union of Metalworkers (IGM) met.", "IGM")
    {''}
    """
    found = {*_in_brackets(text, acronym), *_after_or(text, acronym)}
    return {one for one in found if not one or is_acronym_of(acronym, one)}


def definition_forms(acronym: str) -> list[str]:
    """Texts of which one stands in each text that `expansions` finds something in."""
    return [f"({acronym})", f"{acronym} (", f", or {acronym}", f"{acronym}, or "]


def _in_brackets(text: str, acronym: str) -> Iterator[str]:
    """The word sequences that brackets bind to an acronym."""
    for found in _BRACKETS.finditer(text):
        inside, before = found[1].strip(), text[max(0, found.start() - FAR) : found.start()]
        words = _ENDS.split(before)[-1].split()
        if inside == acronym:
            yield next(_last_words(words, acronym), "")
        elif words and words[-1] == acronym:
            yield inside


def _after_or(text: str, acronym: str) -> Iterator[str]:
    """The word sequences that ", or" binds to an acronym."""
    written = re.escape(acronym)
    for found in re.finditer(rf",? or {written}\b", text):
        before = text[max(0, found.start() - FAR) : found.start()]
        if text[found.start()] == ",":
            yield from _last_words(_ENDS.split(before)[-1].split(), acronym)
    for found in re.finditer(rf"\b{written}, or ", text):
        words = _ENDS.split(text[found.end() : found.end() + FAR])[0].replace(",", " ,").split()
        for n in range(2, min(len(words), len(acronym) + MOST_SMALL) + 1):
            yield " ".join(words[:n])


def _last_words(words: list[str], acronym: str) -> Iterator[str]:
    """The fewest last words whose first letters are the acronym; nothing where there are none."""
    for n in range(2, min(len(words), len(acronym) + MOST_SMALL) + 1):
        phrase = " ".join(words[-n:]).strip(QUOTES)
        if words[-n].casefold().strip(QUOTES) not in SMALL and is_acronym_of(acronym, phrase):
            yield phrase
            return
