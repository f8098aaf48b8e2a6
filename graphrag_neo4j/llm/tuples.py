"""Reads lists of delimited tuples from the replies of models.

    ("entity"<|>SCROOGE<|>person<|>A miser)##("relationship"<|>…)##<|COMPLETE|>

Models add code fences and prose, forget brackets and marks, break lines inside a record, write
HTML entities, and put a delimiter inside quotes. Any text with a delimiter is taken as a record.
The caller decides whether the record can be used.
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
# The semicolon is required; otherwise "&region" in a URL would become "®ion". The longest name of
# an HTML entity has 32 characters.
ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,32});", re.IGNORECASE)
# The places where a record may begin: always (sure), or only if the record before is closed
# (closed), or only if the record before has all its fields (full). The conditions are needed,
# because a description may hold "##" and brackets, and a line of it begin with "relationship".
BORDER = re.compile(
    rf"""(?P<sure> ^\#\#$ | \#\#(?=\s?{KIND}) | (?=[(\[]\s?{KIND}) )
       | (?P<closed> \#\# | ^(?:[-*•]\s|\d+[.)]\s)?(?=[(\[]) )
       | (?P<full> ^(?={KIND}) )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
AFTER_CLOSING = " ,;.*\n"  # characters that may stand between the end of a record and the next one
# The marks that show the structure of a record: delimiters, brackets, and brackets at a line's end.
MARK = re.compile(rf"(?P<field>{DELIMITER})|(?P<opened>[(\[])|[)\]](?P<line_end>(?=[ ,;.*]*+\n))?")


@dataclass(frozen=True, slots=True)
class Tuples:
    """The records of a reply, each a list of fields.

    `complete` tells whether the reply has the completion mark. `open` tells whether the last record
    is open: neither its bracket nor a mark after it closes it.
    """

    records: list[list[str]]
    complete: bool
    open: bool


def read_tuples(reply: str) -> Tuples:
    """Returns all records of one reply, in their order.

    >>> read_tuples('("entity"<|>A<|>person<|>Tall)##("entity"<|>B').records
    [['entity', 'A', 'person', 'Tall'], ['entity', 'B']]
    """
    text = _tidy(reply)
    *marked, rest = COMPLETE.split(text)
    bodies = [_body(piece) for part in (*marked, rest) for piece in _pieces(part)]
    closed = not FIELD.search(rest) or bodies[-1][1]
    return Tuples([_fields(body) for body, _ in bodies], bool(marked), not closed)


def _tidy(reply: str) -> str:
    """Removes code fences, decodes HTML entities, and normalises white space in each line."""
    text = FENCE.sub("", ENTITY.sub(lambda found: html.unescape(found[0]), reply))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _pieces(text: str) -> Iterator[str]:
    """Yields the parts of a list that hold one record each."""
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
    """Tells whether a record ends at a place where another record may begin.

    It ends there if it is closed or has all its fields. Prose also ends there, unless it begins
    like a record.
    """
    if not has_field:
        beginning = record.text[record.start : min(border.start(), record.start + 2)]
        return not beginning.lstrip().startswith(("(", "["))
    if border.lastgroup == "full":
        record.read_to(border.start())
        return record.is_full
    return record.is_closed_at(border.start())


class _Record:
    """A record that begins at a place in a text. It is read from border to border until it ends.

    No part of the text is read twice, because a description may hold as many borders as
    characters, and the time must stay linear.
    """

    def __init__(self, text: str, start: int = 0) -> None:
        self.text, self.start = text, start
        begin = start
        while text[begin : begin + 1].isspace():
            begin += 1
        self.begin = begin + text.startswith(("(", "["), begin)  # after its own opening bracket
        self._read = self.begin
        self._kind: str | None = None
        self._delimiters = 0
        self._depth = 0  # brackets that are open
        self._own: int | None = None  # the place of its own closing bracket at the end of a line
        # The place of the last closing bracket, and the depth before it.
        self._closing: tuple[int, int] | None = None

    def read_to(self, end: int) -> None:
        """Reads the text up to the place `end`."""
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
        self._own = self._closing = None  # the own closing bracket follows the last delimiter

    @property
    def is_full(self) -> bool:
        """Whether the part that was read has all fields of a record."""
        return self._kind is not None and self._delimiters + 1 >= _expected(self._kind)

    def is_closed_at(self, border: int) -> bool:
        """Tells whether a bracket stands before `border`, and the record is closed there."""
        end = border
        while end > self.begin and self.text[end - 1] in AFTER_CLOSING:
            end -= 1
        if self.text[end - 1] not in ")]":
            return False
        self.read_to(border)
        return self.closed_by(end) is not None

    def closed_by(self, end: int) -> int | None:
        """Returns the place of its own closing bracket if the record ends at `end`, else None.

        The text must have been read up to `end`.
        """
        if self._closing and self._closing[1] <= 0:
            place = self._closing[0]
            if not self.text[place + 1 : end].strip(AFTER_CLOSING):
                return place
        return self._own


def _body(piece: str) -> tuple[str, bool]:
    """Returns a record without its brackets, and whether its own bracket closes it.

    A closing bracket is the record's own if it follows the last delimiter and no other bracket is
    open there.
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
    """Returns the number of fields of a record, which depends on its first field."""
    return FIELDS.get(kind.strip(QUOTES + " \n").casefold(), FIELDS_OF_CLAIM)


def _joined(fields: list[str]) -> list[str]:
    """Joins fields that a delimiter inside quotation marks had split."""
    whole: list[list[str]] = []
    # Of the last field: whether it begins with a quotation mark, and the number of these marks.
    quoted, quotes = False, 0
    for field in fields:
        if quoted and quotes % 2 and field.rstrip().endswith('"'):
            whole[-1].append(field)
            quotes += field.count('"')
        else:
            whole.append([field])
            quoted, quotes = field.lstrip().startswith('"'), field.count('"')
    return ["<|>".join(parts) for parts in whole]


def _unquoted(field: str) -> str:
    """Returns a field without the quotation marks around it."""
    if len(field) > 1 and field[0] + field[-1] in PAIRED and field[0] not in field[1:-1]:
        return field[1:-1].strip()
    return field
