"""Text to chunks: whole pieces, packed so that the borders heal after an edit."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise

from graphrag_neo4j import tokens
from graphrag_neo4j.model import Span
from graphrag_neo4j.pieces import Count, key, pieces, rank

__all__ = ["cut"]

RANK_COST = (0.0, 0.1, 0.6, 1.2, 1.8, 2.4)


def cut(text: str, *, max_tokens: int, overlap: int, encoding: str) -> list[Span]:
    """The places of a text's chunks, in order; none for a text of white space.

    A chunk has at most `max_tokens` tokens of that encoding, unless a single grapheme has more,
    and begins with the last pieces of the chunk before, at most `overlap` tokens of them.
    Raises InputError if the encoding can't be had.
    """
    if not text or text.isspace():
        return []
    encode = tokens.encoding(encoding).encode_ordinary
    return _Cutter(text, max_tokens, overlap, lambda part: len(encode(part))).spans()


class _Cutter:
    """One text being cut; borders are numbered 0, 1, … n, piece i lies between i and i + 1."""

    def __init__(self, text: str, max_tokens: int, overlap: int, count: Count) -> None:
        self.text, self.count = text, count
        self.max_tokens, self.overlap = max_tokens, overlap
        self.longest = max(1, (overlap or max_tokens // 6) // 2)
        parts = list(pieces(text, longest=self.longest, count=count))
        self.places = [0, *accumulate(map(len, parts))]
        self.tokens = [0, *accumulate(_measured(parts, count))]
        self.cost = [0.0, *map(self._cost, parts, self.places[1:])]

    def _cost(self, piece: str, place: int) -> float:
        return RANK_COST[rank(piece)] + 2 * key(self.text, place)

    def spans(self) -> list[Span]:
        return list(self._spans(self._borders()))

    def _borders(self) -> list[int]:
        """The cheapest way from the first border to the last."""
        n = len(self.tokens) - 1
        room = max(self.longest, self.max_tokens - self.longest)
        target = 0.85 * room
        best, came = [0.0], [0]
        for j in range(1, n + 1):
            options = []
            for i in range(j - 1, -1, -1):
                size = self.tokens[j] - self.tokens[i]
                if size > (room if i else self.max_tokens) and i < j - 1:
                    break
                off = max(0.0, (target - size) / target if j < n else 0.0, (size - target) / target)
                options.append((best[i] + 4 * off * off + self.cost[j] * (j < n) + 1, i))
            cost, i = min(options)
            best.append(cost)
            came.append(i)
        borders = [n]
        while borders[-1]:
            borders.append(came[borders[-1]])
        return borders[::-1]

    def _spans(self, borders: list[int]) -> Iterator[Span]:
        previous = 0
        for first, last in self._checked(pairwise(borders)):
            start = self._overlap_start(previous, first, last)
            place, end = self.places[start], self.places[last]
            yield Span(place, self.places[first], end, self.count(self.text[place:end]))
            previous = first

    def _checked(self, chunks: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Halves what has too many tokens after all: those of a whole can exceed its parts'."""
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


def _measured(parts: list[str], count: Count) -> Iterator[int]:
    """The tokens of each piece, a space at its end counted with the word that follows it."""
    space = ""
    for part in parts:
        cut_off = " " if part.endswith(" ") and not part.isspace() else ""
        yield count(space + part.removesuffix(cut_off))
        space = cut_off
