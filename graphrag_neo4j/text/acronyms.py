"""Acronyms and what they stand for, where a document defines them: "Graph Data Science (GDS)"."""

import re
from collections.abc import Iterator
from typing import Final

from graphrag_neo4j.text.languages import word_set
from graphrag_neo4j.text.strings import name_key

# Words that an acronym may leave out, as USA and DOD do.
SMALL: Final = word_set("a an and at by de der for in la of on or the to und with")
SHORTEST, LONGEST = 2, 8  # letters of an acronym
MOST_SMALL = 4  # small words inside an expansion
FAR = 200  # characters between the beginning of an expansion and its acronym
QUOTES: Final = "\"'“”‘’,"

_BRACKETS = re.compile(r"\(([^()\n]{2,120})\)")
_ENDS = re.compile(r"[.;:!?()\n]")


def looks_like_acronym(name: str) -> bool:
    """Returns whether a name is one word of 2 to 8 letters, two of them capital; stops may follow.

    >>> looks_like_acronym("GDS"), looks_like_acronym("U.S.A."), looks_like_acronym("IoT")
    (True, True, True)
    >>> looks_like_acronym("Gds"), looks_like_acronym("GPT-4")
    (False, False)
    """
    letters = name.replace(".", "")
    fits = SHORTEST <= len(letters) <= LONGEST and letters.isalpha()
    return fits and sum(letter.isupper() for letter in letters) > 1


def initials(name: str) -> tuple[str, str, str] | None:
    """The first letters of all words of a name, of its words that are not small, and of its words
    where one with hyphens is one.

    None for a name of one word. Words are what stands between spaces or hyphens.

    >>> initials("United States of America"), initials("Neo4j")
    (('usoa', 'usa', 'usa'), None)
    >>> initials("Human-Centered AI Institute")
    ('hcai', 'hcai', 'hai')
    """
    words = [word for word in re.split(r"[\s\-/&]+", name_key(name)) if word[:1].isalnum()]
    if len(words) < 2:
        return None
    whole = [word for word in name_key(name).split() if word[0].isalnum()]
    large, joined = ("".join(w[0] for w in some if w not in SMALL) for some in (words, whole))
    return "".join(w[0] for w in words), large, joined


def is_acronym_of(acronym: str, name: str) -> bool:
    """Returns whether an acronym consists of the first letters of a name's words."""
    letters = name_key(acronym).replace(".", "")
    return len(letters) >= SHORTEST and letters in (initials(name) or ())


def expansions(text: str, acronym: str) -> set[str]:
    """What a text says that an acronym stands for.

    The text says so by brackets: "Graph Data Science (GDS)", "GDS (Graph Data Science)". An empty
    text stands for words before the acronym in brackets whose first letters are others: there it
    may stand for something else.

    >>> expansions("Use the Graph Data Science (GDS) library.", "GDS")
    {'Graph Data Science'}
    >>> expansions("The Industrial Union of Metalworkers (IGM) met.", "IGM")
    {''}
    """
    found: set[str] = set()
    for one in _BRACKETS.finditer(text):
        inside, before = one[1].strip(), text[max(0, one.start() - FAR) : one.start()]
        words = _ENDS.split(before)[-1].split()
        if inside == acronym:
            found.add(next(_last_words(words, acronym), ""))
        elif words and words[-1] == acronym and is_acronym_of(acronym, inside):
            found.add(inside)
    return found


def definition_forms(acronym: str) -> list[str]:
    """Texts of which one stands in each text that `expansions` finds something in."""
    return [f"({acronym})", f"{acronym} ("]


def _last_words(words: list[str], acronym: str) -> Iterator[str]:
    """The fewest last words whose first letters are the acronym; nothing where there are none."""
    for n in range(2, min(len(words), len(acronym) + MOST_SMALL) + 1):
        phrase = " ".join(words[-n:]).strip(QUOTES)
        if words[-n].casefold().strip(QUOTES) not in SMALL and is_acronym_of(acronym, phrase):
            yield phrase
            return
