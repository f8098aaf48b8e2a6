"""Reads records that lack their kind, where the shape of their fields shows what they are.

Ada|person|A mathematician.                (Ada<|>Babbage<|>They worked together.<|>8)

Three fields with one of the prompt's types in the middle are an entity. Four fields with a number
at the end are a relationship. Others stay unread.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from graphrag_neo4j.llm.replies.list_marks import (
    COMMA,
    DELIMITERS,
    FIELDS,
    SCORE,
    Delimiter,
    kind_of,
)
from graphrag_neo4j.llm.replies.named_fields import is_field_name, kind_named
from graphrag_neo4j.llm.replies.signs import QUOTE, RARE
from graphrag_neo4j.llm.replies.tuples import Part, Tuples
from graphrag_neo4j.text import looks_like_name

__all__ = ["can_be_name", "take_kindless", "with_kind"]

BULLET = re.compile(r"(?:[-*•+]\s|\d{1,4}[.)]\s)")
LONGEST = 100  # characters of a name
# A line with two delimiters. A comma is one only in brackets.
MARKED = re.compile(r"[<＜$\{|｜\t;；,，]")
POSSIBLE = (
    re.compile(rf"{RARE}.*?{RARE}", re.IGNORECASE),
    re.compile(r"[;；].*?[;；]"),
    re.compile(r"^[^\w]{0,4}[(\[].*?[,，].*?[,，]", re.MULTILINE),
)
KIND = re.compile(r"\W*(?:entity|relationship)\b", re.IGNORECASE)
KINDED = re.compile(rf"[eErR](?i:(?<=[er])(?:ntity|elationship){QUOTE}{{0,3}}\s?{RARE})")
RULE = re.compile(r"^\|?\s?:?-{2,}:?\s?\|", re.MULTILINE)
# Between two records of a line. A description may hold "##", too.
MARK = re.compile(rf"##(?=(?:(?!##).){{1,{LONGEST}}}?{RARE})", re.IGNORECASE)
CLOSED = re.compile(r"([)\]])\s?[,;]?\s?(?:[-*•]\s)?(?=[(\[])")
LABEL = re.compile(r"\W{0,4}([\w ]{1,40}?)\W{0,3}[:=：]")


def with_kind(fields: list[str], types: Collection[str]) -> list[str]:
    """Returns the fields of a record with its kind in front, if that is missing and clear.

    `types` are the types of entities in lower case. A kind by another name, such as "node", gets
    its usual name.
    """
    if KIND.match(fields[0]):
        return fields
    kind = kind_named(kind_of(fields[0]))
    if kind in FIELDS and len(fields) >= FIELDS[kind]:
        return [kind, *fields[1:]]
    if kind or len(fields) < 3 or not all(map(can_be_name, fields[:2])):
        return fields
    if kind_of(fields[1]) in types:
        return ["entity", *fields] if len(fields) == 3 else fields
    if len(fields) == 4 and SCORE.fullmatch(fields[3]) and not SCORE.fullmatch(fields[2]):
        return ["relationship", *fields]
    return fields


def can_be_name(text: str) -> bool:
    """Tells whether a text may be a name: it is short, no label, and looks like one."""
    label = LABEL.match(text)
    is_labelled = label is not None and is_field_name(label[1])
    return len(text) <= LONGEST and not is_labelled and looks_like_name(text.strip())


def take_kindless(part: Part, *, claims: bool, types: Collection[str], rows: bool) -> Tuples:
    """Returns the records without a kind that stand on a line of a part, and the other lines.

    `rows` tells whether rows of tables are read; the head of a table may give them another meaning.
    """
    found, other = Tuples(), list[str]()
    is_table = not rows and RULE.search(part.text)
    if claims or is_table or not _is_possible(part.text):
        return Tuples(rest=[part])
    used = [one for one in DELIMITERS if one.field.search(part.text)]
    for line in part.text.splitlines():
        goes_on = bool(found.records) and not other and line[:1].islower()
        records, rest = _records(line, types, used)
        if goes_on and records and rest:  # a description may have two lines
            found.records[-1][-1] += f" {rest.pop(0)}"
        found.records += records
        other += rest
    text = "\n".join(other)
    if not found.records:
        found.rest = [part]
    elif text.strip():
        found.rest = [Part(text, part.is_last, part.is_data)]
    return found


def _is_possible(text: str) -> bool:
    return MARKED.search(text) is not None and any(pattern.search(text) for pattern in POSSIBLE)


def _records(
    line: str, types: Collection[str], used: Sequence[Delimiter]
) -> tuple[list[list[str]], list[str]]:
    """Returns the records of a line, and the texts in it that are none."""
    if not _is_possible(line) or (KIND.match(line) and KINDED.search(line)):
        return [], [line]
    if whole := _record(line, types, used):
        return [whole], []
    pieces = [
        piece for piece in CLOSED.sub(r"\1\n", MARK.sub("\n", line)).split("\n") if piece.strip()
    ]
    if len(pieces) < 2 or KINDED.search(line):
        return [], [line]
    records, rest = list[list[str]](), list[str]()
    for piece in pieces:
        record = _record(piece, types, used)
        if record:
            records.append(record)
        else:
            rest.append(piece)
    return records, rest


def _record(piece: str, types: Collection[str], used: Sequence[Delimiter]) -> list[str] | None:
    bracketed = BULLET.sub("", piece.strip(" ,;"), count=1)
    is_bracketed = bracketed.startswith(("(", "[")) and bracketed.endswith((")", "]"))
    text = bracketed[1:-1] if is_bracketed else bracketed.strip("|").lstrip("([")
    if not is_bracketed and text.endswith((")", "]")) and text.count(")") != text.count("("):
        return None  # the end of a record that was broken into lines
    for cells in _cells(text, used, is_bracketed=is_bracketed):
        record = with_kind(cells, types)
        if record is not cells:
            return record
    return None


def _cells(text: str, used: Sequence[Delimiter], *, is_bracketed: bool) -> Iterator[list[str]]:
    """Yields the fields of a text for each delimiter that occurs in it two to four times."""
    for delimiter in used:
        if delimiter is COMMA and not is_bracketed:
            continue
        cells = [cell.strip(' "“”') for cell in delimiter.field.split(text, maxsplit=8)]
        if len(cells) in {3, 4, 5}:
            yield cells
        if delimiter.sure and len(cells) > 1:
            return
