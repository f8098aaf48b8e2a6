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
# The longest name has 32 characters; a number of thousands of digits is none.
ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,32});", re.IGNORECASE)
# Where a record may begin: surely, or only if the one before is closed, or has all its fields.
# For a description may hold "##" and brackets, and a line of it begin with "relationship".
BORDER = re.compile(
    rf"""(?P<sure> ^\#\#$ | \#\#(?=\s?{KIND}) | (?=[(\[]\s?{KIND}) )
       | (?P<closed> \#\# | ^(?:[-*•]\s|\d+[.)]\s)?(?=[(\[]) )
       | (?P<full> ^(?={KIND}) )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
AFTER_CLOSING = " ,;.*\n"  # what may stand between a record's bracket and the next record
# What a record is told by: its delimiters, its brackets, and whether a line ends after one.
MARK = re.compile(rf"(?P<field>{DELIMITER})|(?P<opened>[(\[])|[)\]](?P<line_end>(?=[ ,;.*]*+\n))?")


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
    field, record = FIELD.search(text), _Record(text)
    for found in BORDER.finditer(text):
        if field is None:
            return
        has_field = field.start() < found.start()
        if found.lastgroup == "sure" or _ends(record, found, has_field=has_field):
            if has_field:
                yield text[record.start : found.start()]
                field = FIELD.search(text, found.end())
            record = _Record(text, found.end())
    if field:
        yield text[record.start :]


def _ends(record: "_Record", border: re.Match[str], *, has_field: bool) -> bool:
    """Whether a record ends where another may begin, being closed or having all its fields.

    Prose ends there as well, unless it begins like a record.
    """
    if not has_field:
        beginning = record.text[record.start : min(border.start(), record.start + 2)]
        return not beginning.lstrip().startswith(("(", "["))
    if border.lastgroup == "full":
        record.read_to(border.start())
        return record.is_full
    return record.is_closed_at(border.start())


class _Record:
    """A record that begins somewhere in a text, read on from border to border until it ends.

    What has been read is not looked at again: a description may hold as many borders as
    characters.
    """

    def __init__(self, text: str, start: int = 0) -> None:
        self.text, self.start = text, start
        begin = start
        while text[begin : begin + 1].isspace():
            begin += 1
        self.begin = begin + text.startswith(("(", "["), begin)  # without its own bracket
        self._read = self.begin
        self._kind: str | None = None
        self._delimiters = 0
        self._depth = 0  # brackets that it has opened and not closed
        self._own: int | None = None  # where its own bracket closes it, as far as lines end there
        self._closing: tuple[int, int] | None = None  # the last closing bracket, the depth before

    def read_to(self, end: int) -> None:
        """Reads on to that place."""
        for mark in MARK.finditer(self.text, self._read, end):
            if mark["field"]:
                self._note_field(mark.start())
            elif mark["opened"]:
                self._depth += 1
            else:
                self._closing = mark.start(), self._depth
                if self._depth <= 0 and mark["line_end"] is not None:
                    self._own = mark.start()
                self._depth -= 1
        self._read = end

    def _note_field(self, at: int) -> None:
        if self._kind is None:
            self._kind = self.text[self.start : at].lstrip("([ \n")
        self._delimiters += 1
        self._own = self._closing = None  # an own bracket follows the last delimiter

    @property
    def is_full(self) -> bool:
        """Whether it has all its fields, as far as it has been read."""
        return self._kind is not None and self._delimiters + 1 >= _expected(self._kind)

    def is_closed_at(self, border: int) -> bool:
        """Whether a bracket stands before that place, and its own one closes it there or before."""
        end = border
        while end > self.begin and self.text[end - 1] in AFTER_CLOSING:
            end -= 1
        if self.text[end - 1] not in ")]":
            return False
        self.read_to(border)
        return self.closed_by(end) is not None

    def closed_by(self, end: int) -> int | None:
        """Where its own bracket closes it, if it ends there; it has been read to there."""
        if self._closing and self._closing[1] <= 0:
            place = self._closing[0]
            if not self.text[place + 1 : end].strip(AFTER_CLOSING):
                return place
        return self._own


def _body(piece: str) -> tuple[str, bool]:
    """A record without its brackets and what follows them, and whether its own bracket closes it.

    A closing bracket is the record's own if it follows the last delimiter, and the text before
    it has opened none.
    """
    text = piece.strip()
    record = _Record(text)
    record.read_to(len(text))
    own = record.closed_by(len(text))
    if own is None:
        return text[record.begin :].removesuffix("##"), False
    return text[record.begin : own], True


def _fields(body: str) -> list[str]:
    fields = FIELD.split(body)
    whole = _joined(fields) if len(fields) > _expected(fields[0]) else fields
    return [_unquoted(" ".join(field.split())) for field in whole]


def _expected(kind: str) -> int:
    """How many fields a record has, by its first one."""
    return FIELDS.get(kind.strip(QUOTES + " \n").casefold(), FIELDS_OF_CLAIM)


def _joined(fields: list[str]) -> list[str]:
    """Fields again whole that a delimiter inside quotes had split."""
    whole: list[list[str]] = []
    quoted, quotes = False, 0  # of the last one: whether a quote begins it, and how many it has
    for field in fields:
        if quoted and quotes % 2 and field.rstrip().endswith('"'):
            whole[-1].append(field)
            quotes += field.count('"')
        else:
            whole.append([field])
            quoted, quotes = field.lstrip().startswith('"'), field.count('"')
    return ["<|>".join(parts) for parts in whole]


def _unquoted(field: str) -> str:
    """A field without the quotes around the whole of it."""
    if len(field) > 1 and field[0] + field[-1] in PAIRED and field[0] not in field[1:-1]:
        return field[1:-1].strip()
    return field
