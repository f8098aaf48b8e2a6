"""Reads lists of delimited tuples out of what models really reply.

    ("entity"<|>SCROOGE<|>person<|>A miser)##("relationship"<|>…)##<|COMPLETE|>

Models add code fences and prose, forget brackets and marks, break lines inside a record, write
HTML entities, and put a delimiter inside quotes. Whatever holds a delimiter is a record; what a
record can't be read as is left to the caller to count.
"""

import html
import re
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Tuples", "read_tuples"]

FIELD = re.compile(r"<\s*\|{1,2}\s*>")
COMPLETE = re.compile(r"<\s*\|\s*COMPLETE\s*\|?\s*>?", re.IGNORECASE)
FENCE = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)
# Where a new record begins: after "##", or at a bracket that opens a line after a closed record.
# A "##" inside a description is followed by neither a bracket nor a quote.
BORDER = re.compile(r"\s*##\s*(?=[(\[\"'“‘]|$)|(?<=[)\]])\s*(?:##\s*)?\n\s*(?=[(\[])")
# A record that begins with its kind needs no border before it; but a type or a description may
# end in "relationship", so a bracket, a quote or a new line comes first.
KIND = re.compile(
    r"(?:[(\[]\s*[\"'“‘]?|[\"'“‘]|^[ \t]*)(?:entity|relationship)[\"'”’]?\s*<\s*\|{1,2}\s*>",
    re.IGNORECASE | re.MULTILINE,
)
BLANK = "# \t\r\n"


@dataclass(frozen=True, slots=True)
class Tuples:
    """The records of a reply, each a list of fields.

    `complete`: the completion mark is there. `open`: the last record is not closed.
    """

    records: list[list[str]]
    complete: bool
    open: bool


def read_tuples(reply: str) -> Tuples:
    """All records of one reply, in its order.

    >>> read_tuples('("entity"<|>A<|>person<|>Tall)##("entity"<|>B').records
    [['entity', 'A', 'person', 'Tall'], ['entity', 'B']]
    """
    text = FENCE.sub("", html.unescape(reply))
    complete = COMPLETE.search(text) is not None
    pieces = [piece for piece in _pieces(COMPLETE.sub("\n##\n", text)) if FIELD.search(piece)]
    closed = complete or not pieces or pieces[-1].rstrip(BLANK).endswith((")", "]"))
    return Tuples([_fields(piece) for piece in pieces], complete, not closed)


def _pieces(text: str) -> list[str]:
    borders = {0, len(text)}
    borders.update(found.end() for found in BORDER.finditer(text))
    borders.update(found.start() for found in KIND.finditer(text))
    places = sorted(borders)
    return [text[a:b] for a, b in pairwise(places)]


def _fields(piece: str) -> list[str]:
    return [_unquoted(field) for field in _joined(FIELD.split(_inside(piece)))]


def _inside(piece: str) -> str:
    """A record without its brackets; a bracket that its text opened stays."""
    text = piece.lstrip(BLANK + "([").rstrip(BLANK)
    while text.endswith((")", "]")) and _surplus(text) > 0:
        text = text[:-1].rstrip(BLANK)
    return text


def _surplus(text: str) -> int:
    return text.count(")") + text.count("]") - text.count("(") - text.count("[")


def _joined(fields: list[str]) -> list[str]:
    """Fields again whole that a delimiter inside quotes had split."""
    whole: list[str] = []
    for field in fields:
        if whole and _opens_quote(whole[-1]) and field.rstrip().endswith('"'):
            whole[-1] += f"<|>{field}"
        else:
            whole.append(field)
    return whole


def _opens_quote(field: str) -> bool:
    return field.lstrip().startswith('"') and field.count('"') % 2 == 1


def _unquoted(field: str) -> str:
    text = " ".join(field.split())
    if len(text) > 1 and text[0] in "\"'“‘" and text[-1] in "\"'”’":
        text = text[1:-1]
    return text.strip()
