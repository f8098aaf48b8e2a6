"""What each page of ours needs: Markdown, data that are packed into it, a content security policy.

The texts of a map quote one another, and deflate alone looks back only 32 KB. So a text is divided
into pieces at punctuation. Each piece is stored once, in the order of the first text that has it,
and a quotation is a run of pieces, which two numbers describe.
"""

import base64
import hashlib
import json
import re
import zlib
from itertools import pairwise
from typing import Final

from graphrag_neo4j.files import data

SHARED: Final = ("markdown.css", "markdown-it/markdown-it.min.js", "elements.js", "markdown.js")
# The same characters as `CONTROLS` of tables.js, and surrogates, which UTF-8 can't encode.
CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
BREAK: Final = "\n"
# White space that JavaScript and Python treat alike. A single space is restored between pieces;
# other gaps are part of the piece.
GAP = re.compile(r"(?<=[.!?:;\"”’)\]–—])[ \n\t\r]+")


def packed(content: object) -> str:
    """Returns JSON data compressed (deflate) and in base64, so that no text in it becomes HTML.

    Characters that can't be seen, or that turn the direction of the text, become visible ones.
    """
    text = CONTROLS.sub("\ufffd", json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def shared_parts() -> tuple[str, str]:
    """Returns the style and the script that each page has: they show Markdown and citations."""
    style, *scripts = (data(f"web/{name}").read_text(encoding="utf-8") for name in SHARED)
    return style, "\n".join(scripts)


def content_policy(style: str, script: str) -> str:
    """Returns a content security policy that allows only the page's own style and script."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)};"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class TextPool:
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
