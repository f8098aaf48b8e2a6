"""Splits a text into pieces: paragraphs, lines, sentences.

A piece that is too long is split at clauses, words or graphemes. Each border between pieces depends
only on the text close to it, so an edit changes only the pieces near it.
"""

import hashlib
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, TypeVar

import regex

from graphrag_neo4j.text.tokens import CountTokens

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

__all__ = ["LONGEST_TOKEN", "key", "nearest_better", "pieces", "rank"]

Worth = TypeVar("Worth", float, tuple[float, ...])

NEWLINE = r"(?:\r\n|\r(?!\n)|[\n\v\f\x85\u2028\u2029])"
BLANK = r"[^\S\r\n\v\f\x85\u2028\u2029]*+"
CLOSING = r"[\"'”’»)\]）」』】》]*+"
PARAGRAPH = rf"{NEWLINE}(?:{BLANK}{NEWLINE})+"
FULL_STOP = r"(?<!\b[A-Z])(?<!\b(?:Dr|Mr|Ms|St))(?<!\bMrs)\."
STOP = rf"(?<![.!?…])(?:{FULL_STOP}|[!?…]|[.!?…]{{2,}}+)"
SENTENCE = rf"{STOP}{CLOSING}\s++(?![a-zß-ÿ])|[。！？｡．؟۔।॥።။།]++{CLOSING}\s*+"
CLAUSE = rf"(?:[,;:—–]|\.\.\.|…){CLOSING}\s++|[，、；：،؛]\s*+"

STOPPED = rf"(?:[.!?…。！？｡।؟]{CLOSING}|\])"

# The ends of a piece, from the best border to the worst; a border within a word matches none.
ENDS = [
    regex.compile(rf"(?:{ending})\Z")
    for ending in (
        rf"{STOPPED}{BLANK}{PARAGRAPH}{BLANK}",
        rf"{STOPPED}{BLANK}{NEWLINE}{BLANK}|{PARAGRAPH}{BLANK}",
        SENTENCE,
        rf"{NEWLINE}{BLANK}|{CLAUSE}",
        r"\s",
    )
]
WORD_END = len(ENDS) - 1  # the rank of white space after a word
WORD = regex.compile(r"\s*+\S++\s*+|\s++")
GRAPHEME = regex.compile(r"\X")
LONGEST_TOKEN = 32  # characters; longer tokens exist, but texts made of them need no exact limit
BYTES = 4  # of a character in UTF-8, at most
ATOMS_AT_ONCE = 20_000


def pieces(text: str, *, longest: int, count: CountTokens) -> Iterator[str]:
    """Splits the text into pieces of at most `longest` tokens each; joined, they are the text.

    A piece is longer only if it is a single grapheme that has more tokens.
    """
    for part in _mended(_split(text)):
        yield from _shortened(part, longest, count)


def rank(piece: str) -> int:
    """The rank of the border after this piece, from 0 (paragraph, best) to 5 (within a word)."""
    if piece[-1:] == " " and piece[-2:-1].isalnum():  # the usual end of a word
        return WORD_END
    return next((i for i, end in enumerate(ENDS) if end.search(piece[-80:])), len(ENDS))


def key(text: str, border: int, characters: int = 12) -> float:
    """A number in [0, 1) that depends only on the given number of characters before a border."""
    context = text[max(0, border - characters) : border]
    digest = hashlib.blake2b(context.encode(errors="surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest) / 2**48


def nearest_better(worths: Iterable[Worth]) -> Sequence[int]:
    """For each value, the index of the nearest smaller value before it; -1 if there is none."""
    open_: list[tuple[int, Worth]] = []
    nearest = array("q")  # a text of hundreds of megabytes has millions of borders
    for i, worth in enumerate(worths):
        while open_ and open_[-1][1] >= worth:
            open_.pop()
        nearest.append(open_[-1][0] if open_ else -1)
        open_.append((i, worth))
    return nearest


def _split(text: str) -> Iterator[str]:
    """Splits the text into sentences, paragraph by paragraph, so that memory use stays small."""
    start = 0
    for paragraph in re.finditer(PARAGRAPH, text):
        yield from _splitter().split_text(text[start : paragraph.end()])
        start = paragraph.end()
    yield from _splitter().split_text(text[start:])


@cache
def _splitter() -> "RecursiveCharacterTextSplitter":
    """Cuts a paragraph at each separator; with a chunk size of 1 it joins no parts again."""
    # The import takes a seventh of a second, and a question cuts nothing.
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415

    return RecursiveCharacterTextSplitter(
        separators=[NEWLINE, SENTENCE],
        is_separator_regex=True,
        keep_separator="end",
        strip_whitespace=False,
        chunk_size=1,
        chunk_overlap=0,
    )


def _mended(parts: Iterable[str]) -> Iterator[str]:
    """Joins parts that were cut within a grapheme, and white space with the part before it."""
    held = ""
    for part in parts:
        if held and not held.isspace() and not part.isspace() and _apart(held, part):
            yield held
            held = part
        else:
            held += part
    if held:
        yield held


def _apart(before: str, after: str) -> bool:
    if before[-1] == " " and after[0].isascii():  # quick, for most words
        return True
    return len(GRAPHEME.findall(before[-1] + after[0])) == 2


def _shortened(piece: str, longest: int, count: CountTokens) -> Iterator[str]:
    """Cuts a piece that is too long at its best borders."""
    if _fits(piece, longest, count):
        yield piece
        return
    atoms = _atoms(piece, longest, count)
    while batch := list(islice(atoms, ATOMS_AT_ONCE)):
        for part in _cut_at_best(batch, longest, count):
            if len(part) == 1 or _fits("".join(part), longest, count):
                yield "".join(part)
            else:  # a whole can have more tokens than the sum of its atoms
                yield from _shortened("".join(part), longest // 2, count)


def _fits(piece: str, longest: int, count: CountTokens) -> bool:
    if len(piece) * BYTES <= longest:  # a token has at least one byte
        return True
    return len(piece) <= LONGEST_TOKEN * longest and count(piece) <= longest


def _atoms(piece: str, longest: int, count: CountTokens) -> Iterator[str]:
    """The words of a piece; a word that is too long is given as its graphemes."""
    for word in _mended(match[0] for match in WORD.finditer(piece)):
        if _fits(word, longest, count):
            yield word
        else:
            yield from (match[0] for match in GRAPHEME.finditer(word))


def _cut_at_best(atoms: list[str], longest: int, count: CountTokens) -> Iterator[list[str]]:
    """Cuts at the best border, then each part at its best, until every part is short enough.

    A border is used if, and only if, more than `longest` tokens lie between the nearest better
    borders on both sides; text further away has no influence.
    """
    tokens = [0, *accumulate(map(count, atoms))]
    worths = list(_worths(atoms))
    left = [i + 1 for i in nearest_better(worths)]
    right = [len(worths) - i for i in reversed(nearest_better(worths[::-1]))]
    spans = [tokens[end] - tokens[start] for start, end in zip(left, right, strict=True)]
    cuts = [i for i, span in enumerate(spans, 1) if span > longest]
    for start, end in pairwise([0, *cuts, len(atoms)]):
        yield atoms[start:end]


def _worths(atoms: list[str]) -> Iterator[tuple[float, ...]]:
    """The worth of the border after each atom but the last; less is better.

    Where a text repeats itself and all else is equal, the borders have even distances.
    """
    text = "".join(atoms)
    for i, end in enumerate(accumulate(map(len, atoms[:-1])), 1):
        yield rank(atoms[i - 1]), key(text, end), -(i & -i)
