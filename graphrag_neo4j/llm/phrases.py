"""The words of a text, and the phrases of four words in it, by which texts are compared."""

import re
from collections.abc import Sequence

__all__ = ["phrases", "words"]

WORD = re.compile(r"\w+")
CITATION = re.compile(r"\[[^\[\]]*\]")  # also our prompts show citations
PHRASE = 4  # words


def words(text: str, *, cited: bool = True) -> list[str]:
    """Returns the words of a text in lower case. `cited` tells whether those in citations count."""
    return WORD.findall((text if cited else CITATION.sub("", text)).casefold())


def phrases(of: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the phrases of four words, in their order; none for fewer words."""
    return list(zip(*(of[start:] for start in range(PHRASE)), strict=False))
