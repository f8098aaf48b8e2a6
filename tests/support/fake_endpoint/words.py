"""Words, tokens, vectors and chance: the same on every run."""

import re
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from math import sqrt
from pathlib import Path
from random import Random
from zlib import crc32

from graphrag_neo4j.text.tokens import encoding

COMMON = frozenset((Path(__file__).parent / "common_words.txt").read_text("utf-8").split())
"""Words that aren't names, nor tell what a text is about."""
SENTENCE = re.compile(r"(?:[^.!?\n]++\n?+)++[.!?]*")
BULLET = re.compile(r"^\s*[-*•]\s+", re.MULTILINE)
DELIMITERS = re.compile(r'<\||\|>|##+|["()\[\]]')
WORD = re.compile(r"\w+")
O200K = "o200k_base"  # tokens are counted as it has them, whatever the model


def dice(*parts: object) -> Random:
    """A source of random numbers for these parts."""
    return Random(_join(parts))


def pick(count: int, *parts: object) -> int:
    """A number from 0 to count - 1 for these parts: as `dice`, and much cheaper."""
    return crc32(_join(parts)) % count


def _join(parts: tuple[object, ...]) -> bytes:
    return "\x1f".join(map(str, parts)).encode("utf-8", "replace")


def digest(data: bytes) -> str:
    """A short hash, 16 hexadecimal digits."""
    return blake2b(data, digest_size=8).hexdigest()


@lru_cache(maxsize=10_000)
def count(text: str) -> int:
    """Tokens of a text."""
    return len(encoding(O200K).encode_ordinary(text))


def cut(text: str, limit: int) -> str:
    """The longest beginning of a text that ends between characters and within `limit` tokens."""
    if len(text.encode("utf-8", "replace")) <= limit or count(text) <= limit:
        return text
    ids = encoding(O200K).encode_ordinary(text)[:limit]
    return encoding(O200K).decode(ids).rstrip("\ufffd")


def cut_beginning(text: str, limit: int) -> str:
    """The end of a text within `limit` tokens."""
    if count(text) <= limit:
        return text
    return encoding(O200K).decode(encoding(O200K).encode_ordinary(text)[-limit:]).lstrip("\ufffd")


def words_of(tokens: list[int]) -> tuple[str, ...]:
    """The words of token ids, in that one of the two encodings in which they are yes and no."""
    read = [
        tuple(encoding(name).decode([token]).strip() for token in tokens)
        for name in (O200K, "cl100k_base")
    ]
    return next((words for words in read if {"yes", "no"} <= {*map(str.casefold, words)}), read[0])


def sentences(text: str) -> list[str]:
    """The sentences and list items of a text, white space folded, without delimiters."""
    found = SENTENCE.findall(DELIMITERS.sub(" ", BULLET.sub("\n", text)))
    return [" ".join(sentence.split()) for sentence in found if sentence.strip()]


def shorten(text: str, words: int) -> str:
    """At most so many words of a text."""
    parts = text.split()
    return " ".join(parts) if len(parts) <= words else " ".join(parts[:words]) + " …"


def embed(text: str, dimensions: int) -> list[float]:
    """The words, hashed into a vector of length 1; common ones count where there are no others."""
    words = Counter(WORD.findall(text.casefold()))
    telling = {word: times for word, times in words.items() if word not in COMMON} or words
    vector = [0.0] * dimensions
    for word, times in telling.items():
        place = _place(word)
        vector[(place >> 1) % dimensions] += sqrt(times) * (1 if place & 1 else -1)
    length = sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


@lru_cache(maxsize=100_000)
def _place(word: str) -> int:
    return pick(2**31, word)
