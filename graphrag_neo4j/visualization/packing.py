"""The texts of a map in a small space: they quote one another, and deflate forgets after 32 KB.

A text is a list of pieces, which end at punctuation; each piece is kept once, and stands in the
order of the first text that has it. So a quotation is a run of pieces: two numbers.
"""

import re
from itertools import pairwise
from typing import Final

__all__ = ["Pool"]

BREAK: Final = "\n"
# What JavaScript and Python agree on; a single space is put back, other gaps stay with the piece.
GAP = re.compile(r"(?<=[.!?:;\"”’)\]–—])[ \n\t\r]+")


class Pool:
    """The pieces of all texts; the first one is a line break."""

    def __init__(self) -> None:
        self.pieces = [BREAK]
        self._known = {BREAK: 0}

    def exactly(self, text: str) -> list[int]:
        """The runs of a text that is to come out as it is."""
        return _runs([self._place(piece, exact=True) for piece in _pieces(text)])

    def loosely(self, text: str | None) -> list[int]:
        """The runs of a text that comes out with its white space folded, line by line."""
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
    """A text in pieces, each with the gap after it unless that is one space."""
    gaps = [(gap.start() if gap[0] == " " else gap.end(), gap.end()) for gap in GAP.finditer(text)]
    borders = [(0, 0), *gaps, (len(text), len(text))]
    return [text[start:end] for (_, start), (end, _) in pairwise(borders)]


def _runs(places: list[int]) -> list[int]:
    """Places as [steps from the end of the run before, length] after [steps, length].

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
