"""Vectors with a meaning that can be foretold: texts that share words are near each other."""

import re
from collections import Counter
from functools import lru_cache
from math import sqrt

from tests.support.fake_endpoint.dice import pick
from tests.support.fake_endpoint.invented import COMMON

__all__ = ["embed"]

WORD = re.compile(r"\w+")


def embed(text: str, dimensions: int) -> list[float]:
    """The text's words, hashed into a vector of length 1; zeros for a text without words.

    Common words count only where there are no others.
    """
    words = Counter(WORD.findall(text.casefold()))
    telling = {word: times for word, times in words.items() if word not in COMMON} or words
    vector = [0.0] * dimensions
    for word, times in telling.items():
        place = _hash(word)
        vector[(place >> 1) % dimensions] += sqrt(times) * (1 if place & 1 else -1)
    length = sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


@lru_cache(maxsize=100_000)
def _hash(word: str) -> int:
    return pick(2**31, word)
