"""Splits one record of a reply into its fields, by the delimiter that the record has."""

import re
from collections.abc import Callable, Iterable, Sequence

from graphrag_neo4j.llm.replies.list_marks import (
    ARROW,
    ARROWS,
    COMMA,
    FIELDS,
    FIELDS_OF_CLAIM,
    SCORE,
    STATUS_SAID,
    Delimiter,
    expected_fields,
    is_status,
    kind_of,
)

__all__ = ["UNREAD", "is_record", "records_of", "split_before"]

PAIRED = ('""', "''", "“”", "‘’")
OUR_DELIMITER = "<|>"
UNREAD = ("", "")  # the fields of a record of which nothing can be told
SENTENCE_END = (".", "!", "?", '"', "”", "。")
# What is left of a delimiter when a character of it is missing, and all other delimiters but those
# that sentences have, such as a comma or a bar between spaces.
LOOSE = re.compile(
    rf"{ARROW}|<>|<\||\|>|<SEP>|\$?\{{tuple_delimiter\}}|\|\||(?<!\s)\|(?!\s)|｜", re.IGNORECASE
)
# A kind in quotation marks or behind brackets, at the end of a field: a second record.
KIND_AT_END = re.compile(
    r"[\s()\[\]#,;]{0,9}[\"“”](entity|relationship)[\"“”]\s*$"
    r"|(?:[)\]]|##)[\s#,;]{0,6}[(\[]\W{0,3}(\w{3,20})\W{0,3}$",
    re.IGNORECASE,
)


def is_record(fields: Sequence[str], *, claims: bool) -> bool:
    """Tells whether fields with an unusual delimiter are a record, and no prose."""
    if not claims:
        return kind_of(fields[0]) in FIELDS
    named = kind_of(fields[0]) == "claim"
    enough = len(fields) >= FIELDS_OF_CLAIM + named
    return enough and is_status(fields[3 + named])


def records_of(body: str, delimiter: Delimiter, *, claims: bool) -> list[list[str]]:
    """Returns the fields of a record, or of several records that nothing separates."""
    if delimiter is not ARROWS:
        cells, between = _cells(body, delimiter)
        fitted = [_fitted(*one, delimiter, claims=claims) for one in _split_cells(cells, between)]
        return [_tidied(record) for record in fitted]
    fields = delimiter.field.split(body)
    if len(fields) > expected_fields(fields[0]):
        fields = _joined(fields)
    if delimiter.sure and len(fields) < _wanted(fields[0], claims=claims):
        fields = _loosely(body, fields, claims=claims)
    split = _unfused_claims(fields) if claims else _unfused(fields)
    return [_tidied(record) for record in split]


def _wanted(kind: str, *, claims: bool) -> int:
    known = FIELDS_OF_CLAIM if claims else 0
    return FIELDS.get(kind_of(kind), known)


def _tidied(fields: Sequence[str]) -> list[str]:
    kind, *others = (_unquoted(" ".join(field.split())) for field in fields)
    return [kind_of(kind) if kind_of(kind) in FIELDS and "*" in kind else kind, *others]


def _loosely(body: str, fields: list[str], *, claims: bool) -> list[str]:
    """Returns more fields, if a part of the record's delimiters are others or damaged."""
    loose = LOOSE.split(body)
    kind = kind_of(loose[0])
    if len(loose) != _wanted(kind, claims=claims):
        return fields
    if claims:
        return loose if is_status(loose[3]) else fields
    return fields if kind == "relationship" and not SCORE.fullmatch(loose[-1]) else loose


def split_before(body: str, delimiter: Delimiter) -> tuple[str, str]:
    """Splits off what stands before a record on the same line: another record, in another form."""
    first = delimiter.field.search(body)
    end = first.start() if first else 0
    found = KIND_AT_END.search(body, max(0, end - 60), end)
    if found and found.start() > 1 and found[1]:
        start = found.start(1) - 1
        return body[:start], body[start:]
    # A bracket at the end of a line closes a record; another one may stand in a subject.
    closing = _last_of((")\n", "]\n"), body, end) or _last_of(")]", body, end)
    if STATUS_SAID.search(body, 0, closing):
        return body[:closing], body[closing:]
    return "", body


def _last_of(marks: Iterable[str], text: str, end: int) -> int:
    """Returns the place behind the first character of the last mark before `end`, 0 if none."""
    return max(text.rfind(mark, 0, end) for mark in marks) + 1


def _unfused(fields: list[str]) -> list[list[str]]:
    """Returns the records that were written without anything between them."""
    if len(fields) <= expected_fields(fields[0]):
        return [fields]
    records: list[list[str]] = [[]]
    for place, text in enumerate(fields):
        records[-1].append(text)
        found = KIND_AT_END.search(text, max(0, len(text) - 60)) if place else None
        kind = (found[1] or found[2]) if found else ""
        if found and len(fields) - place >= FIELDS.get(kind.casefold(), 3):
            records[-1][-1] = text[: found.start()]
            records.append([kind])
    return records


def _unfused_claims(fields: list[str]) -> list[list[str]]:
    """Returns the claims that were written without anything between them.

    The subject of all but the first can't be told from the source text before it, so it is "".
    """
    more = FIELDS_OF_CLAIM - 1
    claims = [fields]
    while len(claims[-1]) > more + 4 and all(is_status(claims[-1][at]) for at in (3, 3 + more)):
        claims[-1:] = [claims[-1][: more + 1], ["", *claims[-1][more + 1 :]]]
    return claims


def _split_cells(cells: list[str], between: list[str]) -> list[tuple[list[str], list[str]]]:
    """Splits the cells of several records that nothing separates."""
    found: list[tuple[list[str], list[str]]] = []
    start, kind = 0, ""
    for place in range(1, len(cells)):
        again = KIND_AT_END.search(cells[place], max(0, len(cells[place]) - 60))
        if again and again[1] and len(cells) - place >= expected_fields(again[1]) - 1:
            whole = [*cells[start:place], cells[place][: again.start()]]
            found.append(([kind or whole[0], *whole[1:]], between[start:place]))
            start, kind = place, again[1]
    whole = cells[start:]
    return [*found, ([kind or whole[0], *whole[1:]], between[start:])]


def _fitted(
    cells: list[str], between: list[str], delimiter: Delimiter, *, claims: bool
) -> list[str]:
    """Returns the fields of a record whose delimiter may also occur inside its last fields."""

    def joined(start: int, end: int) -> str:
        pairs = zip(cells[start:end], [*between[start : end - 1], ""], strict=True)
        return "".join(cell + mark for cell, mark in pairs)

    if claims:
        return _fitted_claim(cells, joined)
    if delimiter is COMMA:
        cells = [_without_quotes(cell) for cell in cells]
    size = expected_fields(cells[0])
    if len(cells) <= size:
        return cells
    if kind_of(cells[0]) == "relationship" and SCORE.fullmatch(cells[-1]):
        return [*cells[:3], joined(3, len(cells) - 1), cells[-1]]
    return [*cells[:3], joined(3, len(cells))]


def _fitted_claim(cells: list[str], joined: Callable[[int, int], str]) -> list[str]:
    """Returns the eight fields of a claim, whose place is shown by its status."""
    first = 1 if kind_of(cells[0]) == "claim" else 0
    status = next((at for at in range(first + 3, len(cells)) if is_status(cells[at])), None)
    if status is None or len(cells) - status < 5:
        return cells
    subject = joined(first, status - 2)
    text = status + 3
    ends = (at for at in range(text, len(cells) - 1) if cells[at].rstrip().endswith(SENTENCE_END))
    source = next(ends, text) + 1
    return [
        subject,
        *cells[status - 2 : text],
        joined(text, source),
        joined(source, len(cells)) if source < len(cells) else "",
    ]


def _cells(body: str, delimiter: Delimiter) -> tuple[list[str], list[str]]:
    """Returns the texts between the delimiters, and the delimiters.

    Text in quotation marks stays together. Bars around a row of a table are left out.
    """
    cells: list[str] = []
    between: list[str] = []
    end = 0
    for found in delimiter.field.finditer(body):
        cells.append(body[end : found.start()])
        between.append(found[0])
        end = found.end()
    cells.append(body[end:])
    if len(cells) > 1 and not cells[0].strip():
        del cells[0], between[0]
    while len(cells) > expected_fields(cells[0]) and not cells[-1].strip():
        del cells[-1], between[-1]
    return _requoted(cells, between)


def _requoted(cells: list[str], between: list[str]) -> tuple[list[str], list[str]]:
    """Joins the cells that a delimiter inside quotation marks had split."""
    if not any(mark in cell for cell in cells for mark in '"“'):
        return cells, between
    closing = [cell.rstrip().endswith(('"', "”")) for cell in cells]
    next_closing, last = [0] * len(cells), -1
    for place in range(len(cells) - 1, -1, -1):
        last = place if closing[place] else last
        next_closing[place] = last
    whole, marks, place = [], [], 0
    while place < len(cells):
        cell, end = cells[place].strip(), place
        is_odd = cell.count('"') % 2 == 1
        opened = (cell.startswith('"') and is_odd) or (cell.startswith("“") and "”" not in cell)
        if opened and place + 1 < len(cells) and next_closing[place + 1] > 0:
            end = next_closing[place + 1]
        pairs = zip(cells[place : end + 1], [*between[place:end], ""], strict=True)
        whole.append("".join(text + mark for text, mark in pairs))
        marks += between[end : end + 1]
        place = end + 1
    return whole, marks


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
    return [OUR_DELIMITER.join(parts) for parts in whole]


def _without_quotes(cell: str) -> str:
    """Returns a cell without the quotation marks around it, even if others stand inside."""
    text = cell.strip()
    return text[1:-1] if len(text) > 1 and text[0] + text[-1] in PAIRED else cell


def _unquoted(field: str) -> str:
    """Returns a field without the quotation marks around it."""
    if len(field) > 1 and field[0] + field[-1] in PAIRED and field[0] not in field[1:-1]:
        return field[1:-1].strip()
    return field
