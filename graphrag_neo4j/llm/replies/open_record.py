"""Follows a record through a text, from border to border, until it ends."""

import re
from bisect import bisect_left

from graphrag_neo4j.llm.replies.list_marks import STATUS_SAID, Delimiter, expected_fields, is_status

__all__ = ["AFTER_CLOSING", "LONGEST_BROKEN", "ClaimStarts", "OpenRecord"]

# What may stand before a record: white space, and the sign of a list or of emphasis.
BEGINNING = re.compile(r"\s*(?:[(\[]\n\s*)?(?:(?:[-*•>]\s|\*\*|,)\s*|\d{1,4}[.)]\s(?=[(\[]))?")
LONGEST_SUBJECT = 300  # characters of a claim's subject
LONGEST_BROKEN = 60  # characters of a first field that was broken into two lines
AFTER_CLOSING = " ,;.*\n"  # characters that may stand between the end of a record and the next one


class ClaimStarts:
    """The places where a claim begins: those with a status after the third delimiter."""

    def __init__(self, text: str, delimiter: Delimiter) -> None:
        self._text = text
        self._places = [found.span() for found in delimiter.field.finditer(text)]
        self._statuses = [found.start() for found in STATUS_SAID.finditer(text)]

    def says_status(self, start: int, end: int) -> bool:
        """Tells whether a status stands between two places."""
        return bisect_left(self._statuses, start) < bisect_left(self._statuses, end)

    def at(self, place: int) -> bool:
        """Tells whether a claim begins at a place.

        A subject without a bracket stands on one line. Otherwise, a claim would also begin at each
        line of the source text before it.
        """
        third = bisect_left(self._places, (place, 0)) + 2
        if third < len(self._places) and not self._text[place : self._places[third - 2][0]].strip():
            third += 1  # a bar that opens a row
        if third + 1 >= len(self._places):
            return False
        subject_end = self._places[third - 2][0]
        if subject_end - place > LONGEST_SUBJECT:
            return False
        marks = ("##",) if self._text.startswith(("(", "["), place) else ("\n", "##")
        if any(self._text.find(mark, place, subject_end) >= 0 for mark in marks):
            return False
        start, end = self._places[third][1], self._places[third + 1][0]
        return end - start < 20 and is_status(self._text[start:end])


class OpenRecord:
    """A record that begins at a place in a text. It is read from border to border until it ends.

    No part of the text is read twice, because a description may hold as many borders as
    characters, and the time must stay linear.
    """

    def __init__(self, text: str, delimiter: Delimiter, start: int = 0) -> None:
        self.text, self.start, self.delimiter = text, start, delimiter
        beginning = BEGINNING.match(text, start)
        begin = beginning.end() if beginning else start
        self.is_bracketed = text.startswith(("(", "["), begin)
        self.begin = begin + self.is_bracketed  # after its own opening bracket
        self._read = self.begin
        self._kind: str | None = None
        self._delimiters = 0
        self._depth = 0  # brackets that are open
        self.first_closing: int | None = None  # the place of the first bracket that can be its own
        self.is_balanced = True  # whether no bracket was read after its own closing one
        self._own: int | None = None  # the place of its own closing bracket at the end of a line
        # The place of the last closing bracket, and the depth before it.
        self._closing: tuple[int, int] | None = None

    def read_to(self, end: int) -> None:
        """Reads the text up to the place `end`."""
        for mark in self.delimiter.mark.finditer(self.text, self._read, end):
            if mark["field"]:
                self._note_field(mark.start())
            elif mark["opened"]:
                self.is_balanced &= self._depth >= 0
                self._depth += 1
            else:
                if self._depth <= 0 and self.first_closing is None:
                    self.first_closing = mark.start()
                self.is_balanced &= self._depth >= 0
                self._closing = mark.start(), self._depth
                if self._depth <= 0 and mark["line_end"] is not None:
                    self._own = mark.start()
                self._depth -= 1
        self._read = max(self._read, end)

    def _note_field(self, at: int) -> None:
        if self._kind is None:
            self._kind = self.text[self.begin : at].lstrip()
        self._delimiters += 1
        self._own = self._closing = None  # the own closing bracket follows the last delimiter

    def says_something_before(self, end: int) -> bool:
        """Tells whether more than marks stands before `end`."""
        return any(map(str.isalnum, self.text[self.begin : min(end, self.begin + LONGEST_BROKEN)]))

    def may_go_on(self, end: int) -> bool:
        """Tells whether the text up to `end` follows a "##" and can be the beginning of a name."""
        text = self.text[self.start : end].strip()
        is_short = 0 < len(text) <= LONGEST_BROKEN and "\n" not in text
        after_mark = self.text.startswith("##", max(0, self.start - 2))
        return is_short and after_mark and text[-1].isalnum()

    @property
    def is_full(self) -> bool:
        """Whether the part that was read has all fields of a record."""
        if self._kind is None:
            return False
        return self._delimiters + 1 >= expected_fields(self._kind)

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
