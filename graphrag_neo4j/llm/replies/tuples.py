"""Reads delimited tuples, the form that the prompts ask for, out of the replies of models.

    ("entity"<|>SCROOGE<|>person<|>A miser)##("relationship"<|>…)##<|COMPLETE|>

Models add code fences and prose, forget brackets and marks, break lines inside a record, write
HTML entities, put a delimiter inside quotes, and use a delimiter of their own. A delimiter that
occurs in no other text makes a record of any text. Other delimiters, such as a comma, also occur
in prose. With these, a record needs a kind as its first field, or the status of a claim.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from graphrag_neo4j.llm.replies.fields import (
    QUOTES,
    STATUS_SAID,
    Delimiter,
    expected_fields,
    is_record,
    is_status,
    records_of,
    split_before,
)

__all__ = ["COMPLETE", "Part", "Tuples", "take_tuples", "tidied"]

ARROW = r"[<＜]\s?[|｜]{1,2}\s?[>＞]"
MARKS = rf"[{QUOTES}*_`]{{0,4}}"
KINDS = "(?:entity|relationship)"
KIND = (
    rf"(?:{MARKS}{KINDS}{MARKS}\s?(?:{ARROW}|<SEP>|<>|<?\||\$?\{{tuple_delimiter\}}|[｜\t])"
    rf"|[{QUOTES}]{{1,2}}{KINDS}[{QUOTES}]{{1,2}}\s?[,，;；])"
)
BULLET = r"(?:[-*•]\s|\d{1,4}[.)]\s|\|\s?)?"

COMPLETE = re.compile(
    r"[<＜]\s?[|｜]\s?COMPLETE\s?[|｜]?\s?[>＞]?|\$?\{completion_delimiter\}", re.IGNORECASE
)
FENCE = re.compile(r"```\w*[ \t\r]*$|^[ \t]*```", re.MULTILINE)
# The semicolon is required; otherwise "&region" in a URL would become "®ion". The longest name of
# an HTML entity has 32 characters.
ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,32});", re.IGNORECASE)
RECORD_DELIMITER = re.compile(r"\$?\{record_delimiter\}|＃＃")
# Brackets of full width around a record.
FULL_WIDTH_OPENING = re.compile(
    rf"(?:^|(?<=\#\#)|(?<=\#\#[ \n])|(?<=[-*•.][ ]))[（［]|[（［](?=\s?{MARKS}{KINDS})",
    re.IGNORECASE | re.MULTILINE,
)
FULL_WIDTH_CLOSING = re.compile(r"[）］](?=[ ,;.*]{0,4}(?:$|\#\#|[(\[（［<]))", re.MULTILINE)
# The places where a record may begin: always (sure), or only if the record before is closed
# (closed), or only if it has all its fields (full), or only if it has both (adjoining). The
# conditions are needed, because a description may hold "##" and brackets, and a line of it begin
# with "relationship".
BORDERS = rf"""(?P<sure> ^\#\#$ | \#\#(?:\s?\|)?(?=\s?{KIND}) | (?=[(\[]\s?{KIND})
         | ^(?=[(\[][\"“]\w{{3,20}}[\"”]\s?{ARROW}) )
       | (?P<closed> \#\# | ^(?:[-*•]\s|\d+[.)]\s)?(?=[(\[])
         | (?<=[)\]])(?=[ ,;.]{{0,3}}[(\[]{MARKS}{KINDS}) | (?<=[)\]])\|\s?(?={KIND}) )
       | (?P<full> ^{BULLET}(?={KIND}) )
       | (?P<adjoining> (?<=[)\]])(?=[ ,;.]{{0,3}}[(\[]) )"""
# A claim has no kind. So it may begin at any line, and behind the closing bracket of a record, if
# the record before has all its fields and a status follows at the fourth place.
BORDERS_OF_CLAIMS = rf"""{BORDERS}
       | (?P<claim> ^{BULLET} | (?<=[:：])\s?(?:[-*•]\s|\*\*)?(?=[(\[]) )
       | (?P<behind> (?<=[)\]]) )"""
FLAGS = re.IGNORECASE | re.MULTILINE | re.VERBOSE
BORDER = {False: re.compile(BORDERS, FLAGS), True: re.compile(BORDERS_OF_CLAIMS, FLAGS)}
# What may stand before a record: white space, and the sign of a list or of emphasis.
BEGINNING = re.compile(r"\s*(?:(?:[-*•]\s|\*\*)\s*|\d{1,4}[.)]\s(?=[(\[]))?")
LONGEST_SUBJECT = 300  # characters of a claim's subject
AFTER_CLOSING = " ,;.*\n"  # characters that may stand between the end of a record and the next one


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a reply.

    `is_last` tells whether the reply ends with it. `is_data` tells that it is no prose, because it
    stood in JSON.
    """

    text: str
    is_last: bool
    is_data: bool = False


@dataclass(slots=True)
class Tuples:
    """The records of a part, each a list of fields, and the parts that hold none.

    `open` is the last record of the reply, if neither its bracket nor a mark closes it. `is_empty`
    tells that the part holds an empty list.
    """

    records: list[list[str]] = field(default_factory=list)
    rest: list[Part] = field(default_factory=list)
    open: list[str] | None = None
    is_empty: bool = False


def tidied(reply: str) -> str:
    """Removes code fences, decodes HTML entities, and normalises white space in each line.

    Tabs remain in lines that have no other delimiter, because there they may be the delimiter.
    Brackets of full width around a record become usual ones.
    """
    text = FENCE.sub("", ENTITY.sub(lambda found: html.unescape(found[0]), reply))
    text = RECORD_DELIMITER.sub("##", text)
    text, in_full_width = FULL_WIDTH_OPENING.subn("(", text)
    if in_full_width:
        text = FULL_WIDTH_CLOSING.sub(")", text)
    return "\n".join(line for line in map(_tidied_line, text.splitlines()) if line)


def _tidied_line(line: str) -> str:
    if "\t" not in line or "<|" in line:
        return " ".join(line.split())
    return "\t".join(" ".join(cell.split()) for cell in line.strip().split("\t"))


def take_tuples(part: Part, delimiter: Delimiter, *, claims: bool) -> Tuples:
    """Returns all records of a part that have this delimiter, in their order."""
    found = Tuples()
    if not delimiter.is_used_in(part.text, claims=claims):
        found.rest.append(part)
        return found
    for start, end, has_field in _pieces(part.text, delimiter, claims=claims):
        is_last = part.is_last and end == len(part.text)
        piece = Part(part.text[start:end], is_last, part.is_data)
        if has_field:
            _take(piece, delimiter, found, claims=claims)
        elif piece.text.strip():
            found.rest.append(piece)
    return found


def _take(piece: Part, delimiter: Delimiter, found: Tuples, *, claims: bool) -> None:
    """Reads a piece that holds one record."""
    text = piece.text.strip()
    record = _Record(text, delimiter)
    record.read_to(len(text))
    own = record.closed_by(len(text))
    end = len(text) if own is None else own
    body = text[record.begin : end]
    before, body = split_before(body.removesuffix("##") if own is None else body, delimiter)
    records = records_of(body, delimiter, claims=claims)
    if not (delimiter.sure or is_record(records[0], claims=claims)):
        found.rest.append(piece)
        return
    found.records += records
    if before:
        found.rest.append(Part(before, is_last=False, is_data=piece.is_data))
    if own is not None and text[own + 1 :].strip(AFTER_CLOSING):
        found.rest.append(Part(text[own + 1 :], piece.is_last, piece.is_data))
    has_all = not record.is_bracketed and len(records[-1]) >= expected_fields(records[-1][0])
    if piece.is_last and own is None and not has_all:
        found.open = records[-1]


def _pieces(text: str, delimiter: Delimiter, *, claims: bool) -> Iterator[tuple[int, int, bool]]:
    """Yields the places of the parts that hold one record each, or none.

    The third value tells whether the delimiter stands in the part.
    """
    first, record = delimiter.field.search(text), _Record(text, delimiter)
    starts = _ClaimStarts(text, delimiter) if claims else None
    for found in BORDER[claims].finditer(text):
        if first is None:
            break
        has_field = first.start() < found.start()
        if found.lastgroup == "sure" or _ends(record, found, starts, has_field=has_field):
            yield record.start, found.start(), has_field
            if has_field:
                first = delimiter.field.search(text, found.end())
            record = _Record(text, delimiter, found.end())
    yield record.start, len(text), first is not None


def _ends(
    record: "_Record", border: re.Match[str], starts: "_ClaimStarts | None", *, has_field: bool
) -> bool:
    """Tells whether a record ends at a place where another record may begin.

    It ends there if it is closed or has all its fields. Prose also ends there, unless it begins
    like a record that is not closed.
    """
    begins = starts is not None and starts.at(border.end())
    group = border.lastgroup
    if group in {"claim", "behind"} and not begins:
        return False
    is_behind = group in {"behind", "adjoining"}
    if not has_field:
        if is_behind or (record.is_bracketed and record.begin <= border.start()):
            has_claim = starts is not None and starts.says_status(record.start, border.start())
            is_other = begins and has_claim and not is_behind
            return is_other or record.is_closed_at(border.start())
        return True
    if is_behind:
        is_whole = record.is_closed_at(border.start()) and record.is_full
        return is_whole and (begins or record.is_bracketed)
    if group == "full" or begins:
        record.read_to(border.start())
        return record.is_full or record.is_closed_at(border.start())
    return record.is_closed_at(border.start())


class _ClaimStarts:
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


class _Record:
    """A record that begins at a place in a text. It is read from border to border until it ends.

    No part of the text is read twice, because a description may hold as many borders as
    characters, and the time must stay linear.
    """

    def __init__(self, text: str, delimiter: Delimiter, start: int = 0) -> None:
        self.text, self.start, self._marks = text, start, delimiter.mark
        beginning = BEGINNING.match(text, start)
        begin = beginning.end() if beginning else start
        self.is_bracketed = text.startswith(("(", "["), begin)
        self.begin = begin + self.is_bracketed  # after its own opening bracket
        self._read = self.begin
        self._kind: str | None = None
        self._delimiters = 0
        self._depth = 0  # brackets that are open
        self._own: int | None = None  # the place of its own closing bracket at the end of a line
        # The place of the last closing bracket, and the depth before it.
        self._closing: tuple[int, int] | None = None

    def read_to(self, end: int) -> None:
        """Reads the text up to the place `end`."""
        for mark in self._marks.finditer(self.text, self._read, end):
            if mark["field"]:
                self._note_field(mark.start())
            elif mark["opened"]:
                self._depth += 1
            else:
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
