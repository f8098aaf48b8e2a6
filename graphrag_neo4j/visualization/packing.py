"""Compresses the texts of a map, which quote one another. Deflate alone looks back only 32 KB.

A text is divided into pieces at punctuation. Each piece is stored once, in the order of the first
text that has it. So a quotation is a run of pieces, which two numbers describe.
"""

import re
from itertools import pairwise
from typing import Final

__all__ = ["Pool"]

BREAK: Final = "\n"
# White space that JavaScript and Python treat alike. A single space is restored between pieces;
# other gaps are part of the piece.
GAP = re.compile(r"(?<=[.!?:;\"”’)\]–—])[ \n\t\r]+")


class Pool:
    """The pieces of all texts. The first piece is a line break."""

    def __init__(self) -> None:
        self.pieces = [BREAK]
        self._known = {BREAK: 0}

    def exactly(self, text: str) -> list[int]:
        """Adds a text that must be restored exactly, and returns its runs."""
        return _runs([self._place(piece, exact=True) for piece in _pieces(text)])

    def loosely(self, text: str | None) -> list[int]:
        """Adds a text whose white space may be folded in each line, and returns its runs."""
        lines = [
            [self._place(piece) for piece in _pieces(line)] for line in (text or "").split("\n")
        ]
        return _runs([place for line in lines for place in (0, *line)][1:]) if text else []

    def _place(self, piece: str, *, exact: bool = False) -> int:
        known = self._known.setdefault(" ".join(piece.split()), len(self.pieces))
        if known < len(self.pieces) and not (exact and self.pieces[known] != piece):
            return known
        self.pieces.append(piece)
        return len(self.pieces) - 1


def _pieces(text: str) -> list[str]:
    """Divides a text into pieces. Each includes the gap after it, unless this is one space."""
    gaps = [(gap.start() if gap[0] == " " else gap.end(), gap.end()) for gap in GAP.finditer(text)]
    borders = [(0, 0), *gaps, (len(text), len(text))]
    return [text[start:end] for (_, start), (end, _) in pairwise(borders)]


def _runs(places: list[int]) -> list[int]:
    """Encodes places as runs: for each run its distance from the end of the last, and its length.

    >>> _runs([5, 6, 7, 2])
    [5, 3, -6, 1]
    """
    runs: list[int] = []
    end = 0
    for place in places:
        if runs and place == end:
            runs[-1] += 1
        else:
            runs += [place - end, 1]
        end = place + 1
    return runs
