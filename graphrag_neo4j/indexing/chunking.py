"""Cuts a text into chunks, so that an edit changes only the chunks near it.

A text is first split into pieces (`splitting`), and a chunk is a run of whole pieces. The borders
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

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphrag_neo4j import tokens
from graphrag_neo4j.indexing.splitting import LONGEST_TOKEN, key, nearest_better, pieces, rank
from graphrag_neo4j.model import Span
from graphrag_neo4j.tokens import CountTokens

__all__ = ["cut"]

RANK_WORTH = (0.0, 0.1, 0.6, 1.2, 1.8, 2.4)
ISOLATION = 0.35  # share of a chunk's tokens; a border with less isolation has a cost
OFTEN = 1000  # borders or chunks between two reports of the progress
# The share of the work that is done when all borders are measured, and when the best are chosen.
MEASURED, CHOSEN = 0.6, 0.75


def cut(
    text: str,
    *,
    max_tokens: int,
    overlap: int,
    encoding: str,
    progress: Callable[[float], None] = lambda _: None,
) -> list[Span]:
    """Returns the places of the chunks of a text, in order; none for a text of white space.

    A text of at most `max_tokens` tokens of the encoding is one chunk. No chunk has more, unless a
    single grapheme has. A chunk begins with the last pieces of the one before, at most `overlap`
    tokens of them. For a long text `progress` is called with the finished share, from 0 to 1.
    Raises InputError if the encoding can't be loaded.
    """
    if not text or text.isspace():
        return []
    count = tokens.part_counter(encoding)
    if len(text) <= LONGEST_TOKEN * max_tokens and (n := count(text)) <= max_tokens:
        return [Span(0, 0, len(text), n)]
    return _Cutter(text, max_tokens, overlap, count, progress).spans()


class _Cutter:
    """Cuts one text. Borders are numbered 0, 1, … n; piece i lies between borders i and i + 1.

    The data of the borders is in arrays, which take a tenth of the memory of lists.
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
        self.longest = max(1, (overlap or max_tokens // 6) // 2)
        self.places, self.tokens = array("q", [0]), array("q", [0])
        self.cost = array("d", [0.0])
        self._measure()

    def _measure(self) -> None:
        """Finds the borders, their places, the number of tokens before them, and their costs.

        Where several borders have the same characters before them (lines of a log), a hash of more
        characters decides. In a text that repeats itself as a whole, the borders have even
        distances.
        """
        ranked, distinct = array("d"), array("d")
        measured = _measured(pieces(self.text, longest=self.longest, count=self.count), self.count)
        for number, (part, n_tokens) in enumerate(measured):
            self._report(number, 0.0, self.places[-1], MEASURED)
            end = self.places[-1] + len(part)
            self.places.append(end)
            self.tokens.append(self.tokens[-1] + n_tokens)
            ranked.append(RANK_WORTH[rank(part)] + key(self.text, end))
            distinct.append(key(self.text, end, 200))
        self._add_costs(_Worths(ranked[:-1], distinct[:-1]))

    def _add_costs(self, worths: "_Worths") -> None:
        """Adds the cost of the border after each piece; the last border is the end of the text."""
        n, size = len(worths.ranked), self.tokens
        before, after = nearest_better(worths), nearest_better(reversed(worths))
        wanted = ISOLATION * self.max_tokens
        for i in range(n):
            left = size[i + 1] - size[before[i] + 1]
            right = size[n - after[n - 1 - i]] - size[i + 1]
            self.cost.append(max(0.0, 1 - min(left, right) / wanted))
        self.cost.append(0.0)

    def spans(self) -> list[Span]:
        return list(self._spans(self._borders()))

    def _report(self, number: int, since: float, place: int, until: float) -> None:
        """Reports the progress now and then, in the part of the work from `since` to `until`."""
        if number % OFTEN == OFTEN - 1:
            self.progress(since + (until - since) * place / len(self.text))

    def _borders(self) -> list[int]:
        """The borders with the lowest total cost; of equal costs, those nearest to each other."""
        n = len(self.tokens) - 1
        best, compared, came = array("d", [0.0]), array("d", [0.0]), array("q", [0])
        for j in range(1, n + 1):
            self._report(j, MEASURED, self.places[j], CHOSEN)
            # Of equal borders `min` takes the first, which is the nearest.
            i = min(self._reach(j), key=compared.__getitem__)
            best.append(best[i] + self.cost[j])
            compared.append(round(best[j], 9))
            came.append(i)
        borders = [n]
        while borders[-1]:
            borders.append(came[borders[-1]])
        return borders[::-1]

    def _reach(self, end: int) -> range:
        """The borders where a chunk that ends at `end` may begin, the nearest first.

        The piece before the chunk is its overlap, and must fit, too.
        """
        first = bisect_left(self.tokens, self.tokens[end] - self.max_tokens, 0, end - 1)
        if first and self.overlap:
            first = min(first + 1, end - 1)
        return range(end - 1, first - 1, -1)

    def _spans(self, borders: list[int]) -> Iterator[Span]:
        previous = 0
        for number, (first, last) in enumerate(self._checked(pairwise(borders))):
            self._report(number, CHOSEN, self.places[first], 1.0)
            start = self._overlap_start(previous, first, last)
            place, end = self.places[start], self.places[last]
            yield Span(place, self.places[first], end, self.count(self.text[place:end]))
            previous = first

    def _checked(self, chunks: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Halves chunks that have too many tokens: a whole can have more tokens than its parts."""
        for first, last in chunks:
            whole = self.text[self.places[first] : self.places[last]]
            if last - first > 1 and self.count(whole) > self.max_tokens:
                middle = (first + last) // 2
                yield from self._checked([(first, middle), (middle, last)])
            else:
                yield first, last

    def _overlap_start(self, previous: int, first: int, last: int) -> int:
        start = first
        while start > previous and self._overlaps(start - 1, first, last):
            start -= 1
        return start

    def _overlaps(self, start: int, first: int, last: int) -> bool:
        p = self.places
        return (
            self.count(self.text[p[start] : p[first]]) <= self.overlap
            and self.count(self.text[p[start] : p[last]]) <= self.max_tokens
        )


@dataclass(frozen=True, slots=True)
class _Worths:
    """The worth of each border, less is better: by rank, then by a hash of more characters."""

    ranked: Sequence[float]
    distinct: Sequence[float]

    def __iter__(self) -> Iterator[tuple[float, float, int]]:
        return (self._of(i) for i in range(len(self.ranked)))

    def __reversed__(self) -> Iterator[tuple[float, float, int]]:
        return (self._of(i) for i in reversed(range(len(self.ranked))))

    def _of(self, i: int) -> tuple[float, float, int]:
        return self.ranked[i], self.distinct[i], -((i + 1) & -(i + 1))


def _measured(parts: Iterable[str], count: CountTokens) -> Iterator[tuple[str, int]]:
    """Each piece with its number of tokens; a space at its end counts with the word after it."""
    space = ""
    for part in parts:
        cut_off = " " if part.endswith(" ") and not part.isspace() else ""
        yield part, count(space + part.removesuffix(cut_off))
        space = cut_off
