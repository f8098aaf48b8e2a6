"""Reads lists of delimited tuples out of what models really reply.

    ("entity"<|>SCROOGE<|>person<|>A miser)##("relationship"<|>…)##<|COMPLETE|>

Models add code fences and prose, forget brackets and marks, break lines inside a record, write
HTML entities, and put a delimiter inside quotes. Whatever holds a delimiter is a record; what a
record can't be read as is left to the caller to count.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Tuples", "read_tuples"]

QUOTES = "\"'“”‘’"
PAIRED = ('""', "''", "“”", "‘’")
DELIMITER = r"<\s?\|{1,2}\s?>"
KIND = rf"[{QUOTES}]?(?:entity|relationship)[{QUOTES}]?\s?{DELIMITER}"
FIELDS = {"entity": 4, "relationship": 5}
FIELDS_OF_CLAIM = 8

FIELD = re.compile(DELIMITER)
COMPLETE = re.compile(r"<\s?\|\s?COMPLETE\s?\|?\s?>?", re.IGNORECASE)
FENCE = re.compile(r"```\w*[ \t\r]*$|^[ \t]*```", re.MULTILINE)
# Without its semicolon, "&region" in an address would become "®ion".
ENTITY = re.compile(r"&(?:#\d+|#x[\da-f]+|\w+);", re.IGNORECASE)
# Where a record may begin: surely, or only if the one before is closed, or has all its fields.
# For a description may hold "##" and brackets, and a line of it begin with "relationship".
BORDER = re.compile(
    rf"""(?P<sure> ^\#\#$ | \#\#(?=\s?{KIND}) | (?=[(\[]\s?{KIND}) )
       | (?P<closed> \#\# | ^(?:[-*•]\s|\d+[.)]\s)?(?=[(\[]) )
       | (?P<full> ^(?={KIND}) )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
CLOSING = re.compile(r"[)\]](?=[ ,;.*]*(?:\n|$))")


@dataclass(frozen=True, slots=True)
class Tuples:
    """The records of a reply, each a list of fields.

    `complete`: the completion mark is there. `open`: the last record is not closed, neither by
    its bracket nor by a mark after it.
    """

    records: list[list[str]]
    complete: bool
    open: bool


def read_tuples(reply: str) -> Tuples:
    """All records of one reply, in its order.

    >>> read_tuples('("entity"<|>A<|>person<|>Tall)##("entity"<|>B').records
    [['entity', 'A', 'person', 'Tall'], ['entity', 'B']]
    """
    text = _tidy(reply)
    *marked, rest = COMPLETE.split(text)
    bodies = [_body(piece) for part in (*marked, rest) for piece in _pieces(part)]
    closed = not FIELD.search(rest) or bodies[-1][1]
    return Tuples([_fields(body) for body, _ in bodies], bool(marked), not closed)


def _tidy(reply: str) -> str:
    """The reply without fences and entities; white space is one space or one line's end."""
    text = FENCE.sub("", ENTITY.sub(lambda found: html.unescape(found[0]), reply))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _pieces(text: str) -> Iterator[str]:
    """The parts of a list that hold a record each."""
    start, field = 0, FIELD.search(text)
    for found in BORDER.finditer(text):
        if field is None:
            return
        before = text[start : found.start()]
        has_field = field.start() < found.start()
        if found.lastgroup == "sure" or _ends(before, found.lastgroup, has_field=has_field):
            if has_field:
                yield before
                field = FIELD.search(text, found.end())
            start = found.end()
    if field:
        yield text[start:]


def _ends(before: str, where: str | None, *, has_field: bool) -> bool:
    """Whether a record ends where another may begin, being closed or having all its fields.

    Prose ends there as well, unless it begins like a record.
    """
    if not has_field:
        return not before[:2].lstrip().startswith(("(", "["))
    if where == "full":
        fields = FIELD.split(before.lstrip("([ \n"))
        return len(fields) >= _expected(fields)
    return before.rstrip(" ,;.*\n").endswith((")", "]")) and _body(before)[1]


def _body(piece: str) -> tuple[str, bool]:
    """A record without its brackets and what follows them, and whether its own bracket closes it.

    A closing bracket is the record's own if it follows the last delimiter, and the text before
    it has opened none.
    """
    text = piece.strip()
    text = text[1:] if text.startswith(("(", "[")) else text
    *_, last = FIELD.finditer(text)
    for found in reversed(list(CLOSING.finditer(text, last.end()))):
        before = text[: found.start()]
        if before.count(")") + before.count("]") >= before.count("(") + before.count("["):
            return before, True
    return text.removesuffix("##"), False


def _fields(body: str) -> list[str]:
    fields = FIELD.split(body)
    whole = _joined(fields) if len(fields) > _expected(fields) else fields
    return [_unquoted(" ".join(field.split())) for field in whole]


def _expected(fields: list[str]) -> int:
    return FIELDS.get(fields[0].strip(QUOTES + " \n").casefold(), FIELDS_OF_CLAIM)


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
    """A field without the quotes around the whole of it."""
    if len(field) > 1 and field[0] + field[-1] in PAIRED and field[0] not in field[1:-1]:
        return field[1:-1].strip()
    return field
