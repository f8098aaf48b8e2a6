"""Counts tokens with tiktoken. No other module imports it.

The ranks of o200k_base and cl100k_base are in this package, so no network is needed: tiktoken
itself would download them.
"""

import gzip
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from struct import unpack_from
from typing import Final

import tiktoken

from graphrag_neo4j.files import read_data

CountTokens = Callable[[str], int]
"""Gives the number of tokens of a text."""


ENCODING: Final = "o200k_base"
"""The encoding that all budgets are counted with, whatever the model: models differ by little."""
# The patterns by which tiktoken 0.12 cuts a text into words.
_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_CAPITALS, _SMALL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_WORDS = {
    "o200k_base": (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_CAPITALS}*{_SMALL}+{_ENDINGS}|"
        rf"[^\r\n\p{{L}}\p{{N}}]?{_CAPITALS}+{_SMALL}*{_ENDINGS}|"
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}
COUNTED_AT_ONCE = 100_000  # characters
REMEMBERED = 50_000  # lines
MESSAGES = 256  # that are remembered
LONGEST_WORD, WORDS_KEPT = 20, 20_000  # characters of a word at most; words that are remembered
BLANKS = " " * 64
_loading = threading.Lock()  # one thread loads an encoding, the others wait for it


def count(text: str, name: str = ENCODING) -> int:
    """The number of tokens of `text`; special tokens such as <|endoftext|> count as ordinary text.

    A text of more than COUNTED_AT_ONCE characters is counted in parts.
    """
    encode = encoding(name).encode_ordinary  # `encode` looks for special tokens, and takes longer
    # tiktoken fails on a megabyte of spaces in one piece.
    pieces = (text[i : i + COUNTED_AT_ONCE] for i in range(0, len(text), COUNTED_AT_ONCE))
    return sum(len(encode(piece)) for piece in pieces)


@cache
def part_counter() -> CountTokens:
    """A function like `count` for the words and parts of a chunk: it remembers those of a word.

    Blanks in a row are counted a few at a time, which gives some tokens more: tiktoken takes a
    hundred times as long for them as for words.
    """
    encode = encoding().encode_ordinary
    word = lru_cache(WORDS_KEPT)(lambda text: len(encode(text)))

    def count_part(part: str) -> int:
        if len(part) <= LONGEST_WORD:
            return word(part)
        if BLANKS not in part:
            return len(encode(part))
        apart = part.split(BLANKS)
        return (len(apart) - 1) * word(BLANKS) + sum(len(encode(one)) for one in apart)

    return count_part


count_line: CountTokens = lru_cache(REMEMBERED)(count)
"""Counts lines that come again, also in later runs: it remembers them."""


def encoding_for(model: str) -> str | None:
    """The name of a model's encoding, None if this package does not hold that encoding."""
    with suppress(KeyError):
        # o200k_harmony differs only in special tokens.
        name = tiktoken.encoding_name_for_model(model).replace("harmony", "base")
        return name if name in _WORDS else None
    return None


count_message: CountTokens = lru_cache(MESSAGES)(count)
"""Counts messages: each request of a conversation holds those before it again."""


@cache
def encoding(name: str = ENCODING) -> tiktoken.Encoding:
    """An encoding of this package, without special tokens."""
    with _loading:
        return _encoding(name)


@cache
def _encoding(name: str) -> tiktoken.Encoding:
    ranks = ranks_of(name)
    made = tiktoken.Encoding(name, pat_str=_WORDS[name], mergeable_ranks=ranks, special_tokens={})
    ranks.clear()  # as Python objects they take 28 MB
    return made


def ranks_of(name: str) -> dict[bytes, int]:
    """The tokens of an encoding, each with its rank.

    The file has the number of tokens (four bytes), the length of each (a byte) and the tokens in
    the order of their ranks. It is read in a third of the time that tiktoken's own form takes.
    """
    packed = gzip.decompress(read_data(f"tiktoken/{name}.ranks.gz"))
    start = 4 + int.from_bytes(packed[:4])
    of_length = [f"{length}s" for length in range(256)]
    form = "".join(map(of_length.__getitem__, packed[4:start]))
    return dict(zip(unpack_from(form, packed, start), range(start - 4), strict=True))
