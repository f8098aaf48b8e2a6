"""Reads delimited tuples, the form that the prompts ask for, out of the replies of models.

    ("entity"<|>SCROOGE<|>person<|>A miser)##("relationship"<|>…)##<|COMPLETE|>

Models add code fences and prose, forget brackets and marks, break lines inside a record, write
HTML entities, put a delimiter inside quotes, and use a delimiter of their own. A delimiter that
occurs in no other text makes a record of any text. Other delimiters, such as a comma, also occur
in prose. With these, a record needs a kind as its first field, or the status of a claim.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from graphrag_neo4j.llm.replies.fields import is_record, records_of, split_before
from graphrag_neo4j.llm.replies.list_marks import (
    ARROW,
    FIELDS,
    KINDS,
    MARKS,
    QUOTES,
    Delimiter,
    expected_fields,
    kind_of,
)
from graphrag_neo4j.llm.replies.open_record import (
    AFTER_CLOSING,
    LONGEST_BROKEN,
    ClaimStarts,
    OpenRecord,
)
from graphrag_neo4j.llm.replies.signs import LINE_SIGN

__all__ = ["Part", "Tuples", "take_tuples"]

KIND = (
    rf"(?:{MARKS}{KINDS}{MARKS}\s?(?:{ARROW}|<SEP>|<>|<?\||\$?\{{tuple_delimiter\}}|[｜\t])"
    rf"|[{QUOTES}*]{{1,2}}{KINDS}[{QUOTES}*]{{1,2}}\s?[,，;；])"
)
BULLET = r"(?:[-*•>]\s|\d{1,4}[.)]\s|\|\s?)?"

ROW = re.compile(r"[^\n]*\|(?=\n)")
# The places where a record may begin: always (sure), or only if the record before is closed
# (closed), or only if it has all its fields (full), or only if it has both (adjoining). The
# conditions are needed, because a description may hold "##" and brackets, and a line of it begin
# with "relationship".
BORDERS = rf"""(?P<sure> ^\#\#$ | \#\#(?:\s?\|)?(?=\s?{KIND}) | (?=[(\[]\s?{KIND})
         | ^(?=[(\[][\"“]\w{{3,20}}[\"”]\s?{ARROW}) )
       | (?P<closed> \#\# | ^(?:[-*•>]\s|\d+[.)]\s)?(?=[(\[])
         | (?<=[)\]])(?=[ ,;.]{{0,3}}[(\[]{MARKS}{KINDS}) | (?<=[)\]])\|\s?(?={KIND}) )
       | (?P<full> ^{BULLET}(?={KIND}) )
       | (?P<adjoining> (?<=[)\]])(?=[ ,;.]{{0,3}}[(\[]) )"""
# A claim has no kind. So it may begin at any line, and behind the closing bracket of a record, if
# the record before has all its fields and a status follows at the fourth place.
BORDERS_OF_CLAIMS = rf"""{BORDERS}
       | (?P<claim> ^{BULLET} | (?<=[:：])\s?(?:[-*•]\s|\*\*)?(?=[(\[]) )
       | (?P<behind> (?<=[)\]]) )"""
FLAGS = re.IGNORECASE | re.MULTILINE | re.VERBOSE
# Most places are passed after one look at the characters around them.
NEAR = r"(?:(?=[\#(\[])|(?<=[)\]\n:：])|\A)"
BORDER = {
    False: re.compile(f"{NEAR}(?:{BORDERS})", FLAGS),
    True: re.compile(f"{NEAR}(?:{BORDERS_OF_CLAIMS})", FLAGS),
}


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
    """Reads a piece that begins with a record. Records of other forms may follow it."""
    whole = piece.text.strip()
    text = whole[: _end_of_record(whole, delimiter)]
    if text != whole and delimiter.field.search(text) is None:
        found.rest.append(piece)
        return
    is_last = piece.is_last and text == whole
    record = OpenRecord(text, delimiter)
    record.read_to(len(text))
    own = record.closed_by(len(text))
    end = len(text) if own is None else own
    body = text[record.begin : end]
    before, body = split_before(body.removesuffix("##") if own is None else body, delimiter)
    records = records_of(body, delimiter, claims=claims)
    is_text = not claims and _begins_with_lines(body, delimiter, records[0][0])
    if is_text or not (delimiter.sure or is_record(records[0], claims=claims)):
        found.rest.append(piece)
        return
    found.records += records
    if before:
        found.rest.append(Part(before, is_last=False, is_data=piece.is_data))
    if own is not None and text[own + 1 :].strip(AFTER_CLOSING):
        found.rest.append(Part(text[own + 1 :], is_last, piece.is_data))
    if text != whole:
        found.rest.append(Part(whole[len(text) :], piece.is_last, piece.is_data))
    has_all = not record.is_bracketed and len(records[-1]) >= expected_fields(records[-1][0])
    if is_last and own is None and not has_all:
        found.open = records[-1]


def _end_of_record(text: str, delimiter: Delimiter) -> int:
    """Returns where a record ends: where its text ends, or a record of another form begins."""
    record, is_enclosed = OpenRecord(text, delimiter), None
    if row := _row(text):
        return len(row)
    for sign in LINE_SIGN.finditer(text, record.begin + 1):
        if is_enclosed is None:
            is_enclosed = _is_enclosed(text, delimiter)
        record.read_to(sign.start())
        is_closed = record.is_full and record.is_closed_at(sign.start())
        if is_closed or (record.is_full and not (is_enclosed or sign["slight"])):
            return sign.start()
    return len(text)


def _row(text: str) -> str:
    """Returns the first line of a text if it is a whole row of a table, with its kind, else ""."""
    row = ROW.match(text)
    cells = row[0].strip("| ").split("|") if row else [""]
    whole = kind_of(cells[0]) in FIELDS and len(cells) >= expected_fields(cells[0])
    return row[0] if row and whole else ""


def _is_enclosed(text: str, delimiter: Delimiter) -> bool:
    """Tells whether the brackets of a record stand around a whole text."""
    record = OpenRecord(text, delimiter)
    record.read_to(len(text))
    closed = record.closed_by(len(text))
    first = delimiter.field.search(text)
    if closed is None or first is None or not (record.is_bracketed and record.is_balanced):
        return False
    if "\n" in text[record.begin : first.start()] and first.start() - record.begin > LONGEST_BROKEN:
        return False  # the bracket is that of a whole list
    return text[record.begin - 1] + text[closed] in {"()", "[]"}


def _begins_with_lines(body: str, delimiter: Delimiter, kind: str) -> bool:
    """Tells whether several lines stand before the first delimiter, and no kind."""
    first = delimiter.field.search(body)
    end = first.start() if first else len(body)
    return end > LONGEST_BROKEN and "\n" in body[:end] and kind_of(kind) not in FIELDS


def _pieces(text: str, delimiter: Delimiter, *, claims: bool) -> Iterator[tuple[int, int, bool]]:
    """Yields the places of the parts that hold one record each, or none.

    The third value tells whether the delimiter stands in the part.
    """
    first, record = delimiter.field.search(text), OpenRecord(text, delimiter)
    starts = ClaimStarts(text, delimiter) if claims else None
    for found in BORDER[claims].finditer(text):
        if first is None:
            break
        has_field = first.start() < found.start()
        if found.lastgroup == "sure" or _ends(record, found, starts, has_field=has_field):
            yield record.start, found.start(), has_field
            if has_field:
                first = delimiter.field.search(text, found.end())
            record = OpenRecord(text, delimiter, found.end())
    yield record.start, len(text), first is not None


def _ends(
    record: OpenRecord, border: re.Match[str], starts: ClaimStarts | None, *, has_field: bool
) -> bool:
    """Tells whether a record ends at a place where another record may begin.

    It ends there if it is closed or has all its fields. Prose also ends there, unless it begins
    like a record that is not closed.
    """
    begins = starts is not None and starts.at(border.end())
    group = border.lastgroup
    if group == "claim" and not has_field and record.may_go_on(border.start()):
        return False  # the subject of a claim that was broken into two lines
    if group in {"claim", "behind"} and not begins:
        return False
    is_behind = group in {"behind", "adjoining"}
    if not has_field:
        has_claim = starts is not None and starts.says_status(record.start, border.start())
        return _prose_ends(record, border, is_other=begins and has_claim)
    if is_behind:
        is_whole = record.is_closed_at(border.start()) and record.is_full
        return is_whole and (begins or record.is_bracketed)
    if group == "full" or begins:
        record.read_to(border.start())
        return record.is_full or record.is_closed_at(border.start())
    return record.is_closed_at(border.start())


def _prose_ends(record: OpenRecord, border: re.Match[str], *, is_other: bool) -> bool:
    """Tells whether text without a delimiter ends at a border.

    `is_other` tells that it is a claim with another delimiter.
    """
    if border.lastgroup == "behind" and not is_other:
        return False  # a bracket in the subject of a claim
    is_behind = border.lastgroup in {"behind", "adjoining"}
    if not is_behind and not (record.is_bracketed and record.begin <= border.start()):
        return True
    if border.lastgroup == "full" and record.says_something_before(border.start()):
        return True
    return (is_other and not is_behind) or record.is_closed_at(border.start())
