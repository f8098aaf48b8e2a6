"""The parts of a text, and the marks by which readers say where a part begins.

A reader that builds its text of many pieces puts a mark before the first word of a part, and takes
the marks out of the finished text. Marks begin and end with separators that neither the texts of
HTML, in which they are white space, nor XML can contain.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple
from unicodedata import normalize

from graphrag_neo4j.model.types import Part
from graphrag_neo4j.text.strings import excerpt, legible, storable

BEGIN, END = "\x1e", "\x1d"
MARK = re.compile(f"{BEGIN}([0-9])([^{END}]*){END}")
LABEL_CHARACTERS = 200


class PartedText(NamedTuple):
    """A text and its parts."""

    text: str
    parts: Sequence[Part] = ()


def part_label(words: str) -> str:
    """Words as a label: one line in NFC, without what nobody sees, and not too long."""
    return excerpt(normalize("NFC", storable(legible(words))[0]), LABEL_CHARACTERS)


def mark_of(words: str, level: int = 0) -> str:
    """What stands in a text before a part; "" for a part without words."""
    label = part_label(words)
    return f"{BEGIN}{level}{label}{END}" if label else ""


def without_marks(text: str) -> PartedText:
    """A text without its marks, and the parts that begin at them."""
    first, *rest = MARK.split(text)
    levels, labels, texts = rest[::3], rest[1::3], rest[2::3]
    starts = accumulate(map(len, texts), initial=len(first))
    parts = [Part(*one) for one in zip(starts, labels, map(int, levels), strict=False)]
    return PartedText("".join([first, *texts]), parts)


def joined(texts: Iterable[PartedText]) -> PartedText:
    """The texts that are not empty, divided by blank lines."""
    held = [one for one in texts if one.text]
    starts = accumulate((len(one.text) + 2 for one in held), initial=0)
    parts = [
        Part(start + part.start, part.label, part.level)
        for start, one in zip(starts, held, strict=False)
        for part in one.parts
    ]
    return PartedText("\n\n".join(one.text for one in held), parts)
