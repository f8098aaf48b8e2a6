"""Cuts a text into chunks, so that an edit changes only the chunks near it.

A text is first split into pieces (`pieces`), and a chunk is a run of whole pieces. The borders
between pieces are ranked by their kind (paragraph, sentence, clause …); borders of the same kind
are ranked by a hash of the few characters before them. The isolation of a border is the distance
in tokens to the nearest better border on either side. It depends on the text nearby alone, so an
edit further away does not change it. A border has a cost if its isolation is below about a third
of a chunk, and the borders with the lowest total cost are taken. There is nearly always a border
without cost on both sides of an edit, within a chunk or two; beyond it the borders stay as they
were.

A chunk itself has no cost: even a small reward for long chunks would let an edit move borders far
away. The price is that chunks are shorter than they could be (figures: docs/choices.md).
"""

import hashlib
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, groupby, islice, pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

import regex

from graphrag_neo4j.model.types import Document, Span
from graphrag_neo4j.settings.installing import needing
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.sentences import CLOSING
from graphrag_neo4j.text.strings import ABBREVIATIONS, identify
from graphrag_neo4j.text.tokens import CountTokens

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

Worth = TypeVar("Worth", float, tuple[float, ...])

NEWLINE = r"(?:\r\n|\r(?!\n)|[\n\v\f\x85\u2028\u2029])"
BLANKS = r"[^\S\r\n\v\f\x85\u2028\u2029]*+"
PARAGRAPH_END = rf"{NEWLINE}(?:{BLANKS}{NEWLINE})+"


def _length(word: str) -> int:
    return len(word.replace("\\", ""))


# A look-behind of `re` has words of one length.
_BY_LENGTH = groupby(sorted(ABBREVIATIONS.split("|"), key=_length), _length)
ABBREVIATED = "".join(rf"(?<!\b(?:{'|'.join(words)}))" for _, words in _BY_LENGTH)
FULL_STOP = rf"(?<!\b[A-Z]){ABBREVIATED}\."
STOP = rf"(?<![.!?…])(?:{FULL_STOP}|[!?…]|[.!?…]{{2,}}+)"
SENTENCE = rf"{STOP}{CLOSING}\s++(?![a-zß-ÿ])|[。！？｡．؟۔।॥።။།]++{CLOSING}\s*+"
CLAUSE = rf"(?:[,;:—–]|\.\.\.|…){CLOSING}\s++|[，、；：،؛]\s*+"

STOPPED = rf"(?:[.!?…。！？｡।؟]{CLOSING}|\])"

# The ends of a piece, from the best border to the worst; a border within a word matches none.
CUT_ENDS = [
    regex.compile(rf"(?:{ending})\Z")
    for ending in (
        rf"{STOPPED}{BLANKS}{PARAGRAPH_END}{BLANKS}",
        rf"{STOPPED}{BLANKS}{NEWLINE}{BLANKS}|{PARAGRAPH_END}{BLANKS}",
        SENTENCE,
        rf"{NEWLINE}{BLANKS}|{CLAUSE}",
        r"\s",
    )
]
WORD_END = len(CUT_ENDS) - 1  # the rank of white space after a word
WORD = regex.compile(r"\s*+\S++\s*+|\s++")
GRAPHEME = regex.compile(r"\X")
MOST_MARKS = 30  # characters of a grapheme
LONGEST_TOKEN = 32  # characters; longer tokens exist, but texts made of them need no exact limit
BYTES = 4  # of a character in UTF-8, at most
ATOMS_AT_ONCE = 20_000


def pieces(text: str, *, longest: int, count: CountTokens) -> Iterator[str]:
    """Splits the text into pieces of at most `longest` tokens each; joined, they are the text.

    A piece is longer only if it is a single grapheme that has more tokens.
    """
    # Paragraph by paragraph, so that memory use stays small.
    ends = (found.end() for found in re.finditer(PARAGRAPH_END, text))
    paragraphs = (text[start:end] for start, end in pairwise(chain((0,), ends, (len(text),))))
    sentences = (one for each in paragraphs for one in _splitter().split_text(each))
    for part in _mended(sentences):
        yield from _shortened(part, longest, count)


def border_rank(piece: str) -> int:
    """The rank of the border after this piece, from 0 (paragraph, best) to 5 (within a word)."""
    if piece[-1:] == " " and piece[-2:-1].isalnum():  # the usual end of a word
        return WORD_END
    return next((i for i, end in enumerate(CUT_ENDS) if end.search(piece[-80:])), len(CUT_ENDS))


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


@cache
def _splitter() -> "RecursiveCharacterTextSplitter":
    """Cuts a paragraph at each separator; with a chunk size of 1 it joins no parts again."""
    # The import takes a seventh of a second, and a question cuts nothing.
    with needing("index", "Cutting documents into chunks needs"):
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
        apart = held and not held.isspace() and not part.isspace()
        quick = apart and held[-1] == " " and part[0].isascii()  # for most words
        if quick or (apart and len(GRAPHEME.findall(held[-1] + part[0])) == 2):
            yield held
            held = part
        else:
            held += part
    if held:
        yield held


def _shortened(piece: str, longest: int, count: CountTokens) -> Iterator[str]:
    """Cuts a piece that is too long at its best borders."""
    if _fits(piece, longest, count):
        yield piece
        return
    words = _mended(match[0] for match in WORD.finditer(piece))
    atoms = chain.from_iterable(  # words; one that is too long is given as its graphemes
        [word] if _fits(word, longest, count) else _graphemes(word) for word in words
    )
    while batch := list(islice(atoms, ATOMS_AT_ONCE)):
        for part in _cut_at_best(batch, longest, count):
            if len(part) == 1 or _fits("".join(part), longest, count):
                yield "".join(part)
            else:  # a whole can have more tokens than the sum of its atoms
                yield from _shortened("".join(part), longest // 2, count)


def _graphemes(word: str) -> Iterator[str]:
    """The graphemes of a word; one with more marks than any writing has is divided."""
    for found in GRAPHEME.finditer(word):
        for start in range(0, len(found[0]), MOST_MARKS):
            yield found[0][start : start + MOST_MARKS]


def _fits(piece: str, longest: int, count: CountTokens) -> bool:
    if len(piece) * BYTES <= longest:  # a token has at least one byte
        return True
    return len(piece) <= LONGEST_TOKEN * longest and count(piece) <= longest


def _cut_at_best(atoms: list[str], longest: int, count: CountTokens) -> Iterator[list[str]]:
    """Cuts at the best border, then each part at its best, until every part is short enough.

    A border is used if, and only if, more than `longest` tokens lie between the nearest better
    borders on both sides; text further away has no influence.
    """
    tokens = [0, *accumulate(map(count, atoms))]
    text = "".join(atoms)
    # Of the border after each atom but the last; less is better. Where a text repeats itself and
    # all else is equal, the borders have even distances.
    worths = [
        (border_rank(atoms[i - 1]), key(text, end), -(i & -i))
        for i, end in enumerate(accumulate(map(len, atoms[:-1])), 1)
    ]
    left = [i + 1 for i in nearest_better(worths)]
    right = [len(worths) - i for i in reversed(nearest_better(worths[::-1]))]
    spans = [tokens[end] - tokens[start] for start, end in zip(left, right, strict=True)]
    cuts = [i for i, span in enumerate(spans, 1) if span > longest]
    for start, end in pairwise([0, *cuts, len(atoms)]):
        yield atoms[start:end]


RANK_WORTH = (0.0, 0.1, 0.6, 1.2, 1.8, 2.4)
ISOLATION = 0.35  # share of a chunk's tokens; a border with less isolation has a cost
OFTEN = 1000  # borders or chunks between two reports of the progress
# The share of the work that is done when all borders are measured, and when the best are chosen.
MEASURED, CHOSEN = 0.6, 0.75


class Cuts(Protocol):
    """A way to cut documents into chunks.

    `prepend` names the metadata that a model reads before each chunk. `signature` is a hash of
    everything besides the text that the places of chunks depend on. `ahead` gets the documents
    whose `spans` are asked for next, in case other machines cut them meanwhile. `spans` runs in a
    thread and reports its progress.
    """

    @property
    def prepend(self) -> tuple[str, ...]: ...

    @property
    def signature(self) -> str: ...

    def ahead(self, documents: Sequence[Document], /) -> None: ...

    def spans(self, document: Document, progress: Callable[[float], None], /) -> list[Span]: ...


@dataclass(frozen=True, slots=True)
class Cutting:
    """Cuts documents in this process: limits in tokens, and metadata before each chunk."""

    max_tokens: int
    overlap: int
    prepend: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """A hash of everything besides the text that the places of chunks depend on."""
        return identify("cutting", self.max_tokens, self.overlap, tokens.ENCODING)

    def ahead(self, documents: Sequence[Document]) -> None:
        """Does nothing: one document is cut after another."""

    def spans(self, document: Document, progress: Callable[[float], None]) -> list[Span]:
        """The places of a document's chunks. `progress` gets the finished share, 0 to 1."""
        return cut(
            document.text, max_tokens=self.max_tokens, overlap=self.overlap, progress=progress
        )


def cut(
    text: str, *, max_tokens: int, overlap: int, progress: Callable[[float], None] = lambda _: None
) -> list[Span]:
    """Returns the places of the chunks of a text, in order; none for a text of white space.

    A text of at most `max_tokens` tokens is one chunk. No chunk has more, unless a
    single grapheme has. A chunk begins with the last pieces of the one before, at most `overlap`
    tokens of them. For a long text `progress` is called with the finished share, from 0 to 1.
    """
    if not text or text.isspace():
        return []
    count = tokens.part_counter()
    if len(text) <= LONGEST_TOKEN * max_tokens and (n := count(text)) <= max_tokens:
        return [Span(0, 0, len(text), n)]
    return _Cutter(text, max_tokens, overlap, count, progress).spans()


class _Cutter:
    """Cuts one text. Borders are numbered 0, 1, … n; piece i lies between borders i and i + 1.

    `places` holds the places of the borders, `tokens` the tokens before them, `cost` their costs.
    They are arrays, which take a tenth of the memory of lists.
    """

    def __init__(
        self,
        text: str,
        max_tokens: int,
        overlap: int,
        count: CountTokens,
        progress: Callable[[float], None],
    ) -> None:
        self.text, self.count, self.progress = text, count, progress
        self.max_tokens, self.overlap = max_tokens, overlap
        self.places, self.tokens = array("q", [0]), array("q", [0])
        self.cost = array("d", [0.0])
        self._measure(max(1, (overlap or max_tokens // 6) // 2))

    def _measure(self, longest: int) -> None:
        """Finds the borders, and their costs by their isolation.

        Where several borders have the same characters before them (lines of a log), a hash of more
        characters decides. In a text that repeats itself as a whole, the borders have even
        distances.
        """
        ranked, distinct = array("d"), array("d")
        measured = _measured(pieces(self.text, longest=longest, count=self.count), self.count)
        for number, (part, n_tokens) in enumerate(measured):
            self._report(number, 0.0, self.places[-1], MEASURED)
            end = self.places[-1] + len(part)
            self.places.append(end)
            self.tokens.append(self.tokens[-1] + n_tokens)
            ranked.append(RANK_WORTH[border_rank(part)] + key(self.text, end))
            distinct.append(key(self.text, end, 200))
        n, size, wanted = len(ranked) - 1, self.tokens, ISOLATION * self.max_tokens

        def worths(borders: Iterable[int]) -> Iterator[tuple[float, float, int]]:
            return ((ranked[i], distinct[i], -((i + 1) & -(i + 1))) for i in borders)

        before = nearest_better(worths(range(n)))
        after = nearest_better(worths(reversed(range(n))))
        for i in range(n):
            left = size[i + 1] - size[before[i] + 1]
            right = size[n - after[n - 1 - i]] - size[i + 1]
            self.cost.append(max(0.0, 1 - min(left, right) / wanted))
        self.cost.append(0.0)  # the end of the text

    def _report(self, number: int, since: float, place: int, until: float) -> None:
        """Reports the progress now and then, in the part of the work from `since` to `until`."""
        if number % OFTEN == OFTEN - 1:
            self.progress(since + (until - since) * place / len(self.text))

    def spans(self) -> list[Span]:
        """The chunks between the best borders; each begins with the last pieces of the one before.

        Only as many as the overlap and the chunk have room for.
        """
        found: list[Span] = []
        places, previous = self.places, 0

        def tokens_of(first: int, last: int) -> int:
            return self.count(self.text[places[first] : places[last]])

        for number, (first, last) in enumerate(self._checked(pairwise(self._borders()))):
            self._report(number, CHOSEN, places[first], 1.0)
            start = first
            while (
                start > previous
                and tokens_of(start - 1, first) <= self.overlap
                and tokens_of(start - 1, last) <= self.max_tokens
            ):
                start -= 1
            found.append(Span(places[start], places[first], places[last], tokens_of(start, last)))
            previous = first
        return found

    def _borders(self) -> list[int]:
        """The borders with the lowest total cost; of equal costs, those nearest to each other."""
        n = len(self.tokens) - 1
        best, compared, came = array("d", [0.0]), array("d", [0.0]), array("q", [0])
        for j in range(1, n + 1):
            self._report(j, MEASURED, self.places[j], CHOSEN)
            # A chunk that ends at j may begin at these; the piece before it is its overlap, and
            # must also fit.
            first = bisect_left(self.tokens, self.tokens[j] - self.max_tokens, 0, j - 1)
            if first and self.overlap:
                first = min(first + 1, j - 1)
            # Of equal borders `min` takes the first, which is the nearest.
            i = min(range(j - 1, first - 1, -1), key=compared.__getitem__)
            best.append(best[i] + self.cost[j])
            compared.append(round(best[j], 9))
            came.append(i)
        borders = [n]
        while borders[-1]:
            borders.append(came[borders[-1]])
        return borders[::-1]

    def _checked(self, chunks: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Halves chunks that have too many tokens: a whole can have more tokens than its parts."""
        for first, last in chunks:
            whole = self.text[self.places[first] : self.places[last]]
            if last - first > 1 and self.count(whole) > self.max_tokens:
                middle = (first + last) // 2
                yield from self._checked([(first, middle), (middle, last)])
            else:
                yield first, last


def _measured(parts: Iterable[str], count: CountTokens) -> Iterator[tuple[str, int]]:
    """Each piece with its number of tokens; a space at its end counts with the word after it."""
    space = ""
    for part in parts:
        cut_off = " " if part.endswith(" ") and not part.isspace() else ""
        yield part, count(space + part.removesuffix(cut_off))
        space = cut_off
