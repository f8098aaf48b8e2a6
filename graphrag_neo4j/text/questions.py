"""What a question names, which of its words say what it is about, and whether that is the whole."""

import re
from functools import lru_cache
from typing import Final

from graphrag_neo4j.text import without_possessive
from graphrag_neo4j.text.key_phrases import is_ordinary
from graphrag_neo4j.text.languages import ABOUT, language_of
from graphrag_neo4j.text.sentence_ranking import base_words
from graphrag_neo4j.text.sentences import WORD

__all__ = ["is_global", "names_in", "subject_words"]

GLOBAL: Final = re.compile(
    r"\b(themes?|topics?|overall|overview|summar\w+|trends?|main|across|in general|"
    r"most (?:common|important|discussed)|patterns?|corpus|collection|dataset)\b",
    re.IGNORECASE,
)


@lru_cache(100)
def names_in(question: str) -> tuple[str, ...]:
    """Returns the names in a question: rows of words that begin with a capital.

    In German none are found, because all nouns have a capital there.

    >>> names_in("Did Fei-Fei Li meet Andrew Ng's students in Boston?")
    ('Fei-Fei Li', 'Andrew Ng', 'Boston')
    """
    words = [without_possessive(found[0]) for found in WORD.finditer(question)]
    if language_of(question, words) == "de":
        return ()
    rows: list[list[str]] = [[]]
    for number, word in enumerate(words):
        capital = word[:1].isupper() and word != "I" and word.lower() not in ABOUT
        if capital and (number > 0 or not is_ordinary(word)):
            rows[-1].append(word)
        else:
            rows.append([])
    return tuple(" ".join(row) for row in rows if row)


def subject_words(question: str) -> frozenset[str]:
    """Returns the base words of what a question is about: without "say", "theme" and the like."""
    return base_words(question) - ABOUT


def is_global(question: str) -> bool:
    """Tells whether a question has a word such as "themes" or "overall", and names nothing.

    >>> is_global("What are the main themes?"), is_global("What are the main themes of Dune?")
    (True, False)
    """
    return GLOBAL.search(question) is not None and not names_in(question)
