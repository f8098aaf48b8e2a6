"""Decides by vote between texts, such as the spellings of a name."""

from collections import Counter
from collections.abc import Iterable

__all__ = ["vote"]


def vote(counts: Iterable[tuple[str, int]]) -> str | None:
    """The text with the highest total of (text, count) pairs; an empty text does not count.

    Of texts with equally many votes, the first by code point wins. None if there is no text.
    """
    votes: Counter[str] = Counter()
    for text, n in counts:
        votes[text] += n
    del votes[""]
    return min(votes, key=lambda text: (-votes[text], text), default=None)
