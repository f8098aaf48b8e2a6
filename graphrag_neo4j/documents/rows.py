"""Reads tables: each row of a csv, json or jsonl file, or of a workbook, is a document."""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, time
from functools import reduce
from hashlib import sha256
from io import BytesIO
from itertools import islice
from textwrap import shorten
from typing import TextIO
from zipfile import ZipFile

from graphrag_neo4j.documents.metadata import DATES, ISO, date_in
from graphrag_neo4j.documents.packed import unpacked
from graphrag_neo4j.documents.parts import part_label
from graphrag_neo4j.documents.text import File, Remark, Unreadable, refuse_broken
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import KeyCounts
from graphrag_neo4j.model.types import Document, Part
from graphrag_neo4j.settings.reading import ReadOptions

TableRow = Mapping[str, object]
NAMED = 100  # unusable rows of a file that are named; the others are only counted
ALONE = "its object"
DELIMITERS = ",;\t|"
NAMED_DELIMITER = re.compile(r"\"?sep=(.)\"?\s*\Z", re.IGNORECASE)
LARGEST_LIMIT = 2**31 - 1  # bytes of a csv field; Python's default is 128 KiB
JUDGED = 1000  # first rows of a csv that tell the kinds of its columns
NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?")
CODE = re.compile(r"0\d+|\d{16,}")  # as a number it would lose digits
Kind = Callable[[str], object]


def documents_of_rows(file: File, source: str) -> Iterator[Document | Unreadable]:
    """Gives a document for each row of a file while it is read (json: after parsing all of it).

    A row without an id is identified by a hash of its content; equal rows get "-2" and so on. A
    blank text gives a document without text. A json file that is one object is identified by the
    name of the file. Raises InputError if the file as a whole can't be used, OSError and
    UnicodeError.
    """
    kinds = _kinds(_csv_rows(file)) if ROWS[file.suffix] is _csv_rows else {}
    return _documents(ROWS[file.suffix](file), source, file.options, kinds)


def read_sheets(file: File, source: str) -> Iterator[Document | Unreadable]:
    """Gives a document for each row of the sheets of a workbook that have the wanted columns.

    If several have them, their names are in the sources. Raises InputError for a file that is
    broken or unpacks to more than the limit, and if no sheet has the columns.
    """
    sheets = _sheets(file)
    usable = _usable([header for _, header, _ in sheets], file.options)
    others = sum(1 for _, header, _ in sheets if header) - len(usable)
    file.tell(others, f"{{n}} sheets have no column {file.options.text_column} and were left out")
    for name, header, rows in (sheets[number] for number in usable):
        text = header.index(file.options.text_column)
        for _, row in rows:
            row[text] = _string(row[text])  # it may be a number or a date
        named = ((place, _named(header, row)) for place, row in rows)
        yield from _documents(named, source, file.options, {}, name if len(usable) > 1 else "")


def _kinds(rows: Iterator[tuple[str, object]]) -> dict[str, Kind]:
    """What reads the cells of each column of a csv: as numbers or as dates, if most of them are."""
    columns: dict[str, list[str]] = {}
    with suppress(InputError, UnicodeError):  # raised again where the rows become documents
        for _, row in islice(rows, JUDGED):
            for name, cell in row.items() if isinstance(row, dict) else ():
                if cell:
                    columns.setdefault(name, []).append(cell)
    kinds: dict[str, Kind] = {}
    for name, cells in columns.items():
        for kind in () if any(map(CODE.fullmatch, cells)) else (_number, _date):
            if 2 * sum(kind(cell) is not None for cell in cells) > len(cells):
                kinds[name] = kind
    return kinds


def _read_cells(row: TableRow, kinds: Mapping[str, Kind]) -> dict[str, object]:
    """The cells of a row of a csv, each of its column's kind; another one stays a text."""
    read = {name: kind(str(row[name])) for name, kind in kinds.items() if name in row}
    return {**row, **{name: value for name, value in read.items() if value is not None}}


def _number(cell: str) -> float | None:
    if not NUMBER.fullmatch(cell):
        return None
    return int(cell) if cell.lstrip("-").isdigit() else float(cell)


def _date(cell: str) -> str | None:
    if ISO.match(cell) and date_in(cell[:10]):
        return cell  # with its time
    return date_in(cell) if any(form.fullmatch(cell) for form in DATES) else None


def _documents(
    rows: Iterable[tuple[str, object]],
    source: str,
    options: ReadOptions,
    kinds: Mapping[str, Kind],
    sheet: str = "",
) -> Iterator[Document | Unreadable]:
    """The documents of a table, which is a sheet with that name if there are several."""
    seen, unusable = KeyCounts(), 0
    within, said = (f"{sheet}/", f"sheet {sheet}, ") if sheet else ("", "")
    for place, row in rows:
        try:
            document = _document(row, source, options, seen, place=place, within=within, said=said)
        except InputError as error:
            unusable += 1
            if unusable <= NAMED:
                yield Unreadable(source, f"{said}{place} {error}")
        else:
            if kinds:
                document = replace(document, metadata=_read_cells(document.metadata, kinds))
            yield document
    if unusable > NAMED:
        yield Unreadable(source, f"and {unusable - NAMED:,} more rows can't be used")


def metadata_of(row: TableRow, taken: Collection[str | None]) -> dict[str, object]:
    """The metadata of a row: its values without `taken` columns and empty ones."""
    return {
        name: value for name, value in row.items() if name not in taken and value not in (None, "")
    }


def _csv_rows(file: File) -> Iterator[tuple[str, object]]:
    csv.field_size_limit(min(file.options.max_bytes, LARGEST_LIMIT))  # of the whole process
    with file.open(newline="") as text:
        # Excel lets the first line name the delimiter.
        named = NAMED_DELIMITER.match(text.readline(file.options.max_bytes))
        start = text.tell() if named else 0
        delimiters = named[1] if named else DELIMITERS
        tables = [_header(text, start, one, file.options) for one in delimiters]
        best = _usable([header for header, _ in tables], file.options)[0]
        header, blanks = tables[best]
        text.seek(start)
        lines = _limited(text, file.options)
        rows = csv.reader(lines, delimiter=delimiters[best], strict=True, skipinitialspace=blanks)
        try:
            numbered = enumerate(rows, 1)  # as a spreadsheet does
            next(row for _, row in numbered if _is_filled(row))
            for number, row in numbered:
                if any(row[len(header) :]):
                    yield f"row {number}", InputError("has more fields than there are columns")
                elif row:
                    yield f"row {number}", _named(header, row)
        except csv.Error as error:
            raise InputError(f"is not a usable csv at line {rows.line_num}: {error}") from error


def _header(
    text: TextIO, start: int, delimiter: str, options: ReadOptions
) -> tuple[list[str], bool]:
    """The header of a csv with this delimiter, and whether blanks follow it: they aren't text."""
    header: list[str] = []
    for blanks in (False, True):
        text.seek(start)
        rows = csv.reader(_limited(text, options), delimiter=delimiter, skipinitialspace=blanks)
        header = next(filter(_is_filled, rows), [])
        if not any(name.startswith(" ") for name in header[1:]):
            break
    return _names(header), blanks


def _names(header: Sequence[object]) -> list[str]:
    """The names of columns. Only the first may have none: it is the index that pandas writes."""
    names = [str(cell).strip() for cell in header]
    return (
        [name or f"column {n}" * (n > 1) for n, name in enumerate(names, 1)] if any(names) else []
    )


def _is_filled(row: Sequence[object]) -> bool:
    return any(str(cell).strip() for cell in row)


def _named(header: Sequence[str], row: Sequence[object]) -> dict[str, object]:
    """The cells of a row by column."""
    # Not DictReader: it names each column for a short row.
    return {name: value for name, value in zip(header, row, strict=False) if name}


def _limited(text: TextIO, options: ReadOptions) -> Iterator[str]:
    """The lines of a file. Raises InputError for a line that is longer than the limit."""
    number = 0
    while line := text.readline(options.max_bytes + 1):
        number += 1
        options.refuse_larger(len(line), f"line {number} holds")
        yield line


def _usable(headers: Sequence[Sequence[str]], options: ReadOptions) -> list[int]:
    """The numbers of the headers that have the wanted columns. Raises InputError if none has."""
    wanted = {options.text_column, options.title_column, options.id_column} - {None}
    usable = [number for number, header in enumerate(headers) if wanted.issubset(header)]
    for number in usable:
        for name, count in Counter(filter(None, headers[number])).items():
            if count > 1:
                raise InputError(f"has {count} columns {name}: rename all but one")
    if usable:
        return usable
    header = max(headers, key=len, default=())
    if not header:
        raise InputError("is empty")
    missing = sorted(str(name) for name in wanted - {*header})
    raise InputError(f"has no column {', '.join(missing)}{_there(header, options, missing)}")


def _there(names: Iterable[str], options: ReadOptions, missing: Collection[str]) -> str:
    """The end of a sentence on missing columns: those that are there, and what helps."""
    hint = ": name the one with the text by --text-column" if options.text_column in missing else ""
    return f"; its columns are {shorten(', '.join(filter(None, names)), 200)}{hint}"


def _json_rows(file: File) -> Iterator[tuple[str, object]]:
    text = file.text_to_parse()
    if not text.strip():
        raise InputError("is empty")
    parsed = _parsed(text)
    if isinstance(parsed, InputError):
        lines = text.strip().split("\n")
        if not isinstance(_parsed(lines[0]), dict):
            raise parsed
        yield from _line_rows(lines, text[: text.find(lines[0])].count("\n") + 1)  # it is jsonl
    elif isinstance(parsed, dict) and file.options.text_column not in parsed:
        yield from _items(_listed(parsed, file), file.options)
    elif isinstance(parsed, list):
        yield from _items(parsed, file.options)
    else:
        yield ALONE, parsed


def _items(items: Iterable[object], options: ReadOptions) -> Iterator[tuple[str, object]]:
    """The rows of a list; a text in it is a document without metadata."""
    for number, item in enumerate(items, 1):
        yield f"item {number}", {options.text_column: item} if isinstance(item, str) else item


def _listed(parsed: Mapping[str, object], file: File) -> Sequence[object]:
    """The only list of documents that an object holds.

    Raises InputError if there is none, or several.
    """
    column = file.options.text_column
    lists = {
        name: value
        for name, value in parsed.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    }
    lists = {name: value for name, value in lists.items() if column in value[0]} or lists
    if not lists:
        raise InputError(f"has no column {column}{_there(parsed, file.options, [column])}")
    if len(lists) > 1:
        names = shorten(", ".join(lists), 200)
        raise InputError(f"holds several lists, {names}: save each as a file")
    if len(parsed) > 1:
        [name] = lists
        file.remark(Remark(f"only the list {name:.100} was read"))
    return next(iter(lists.values()))


def _jsonl_rows(file: File) -> Iterator[tuple[str, object]]:
    with file.open() as text:
        yield from _line_rows(_limited(text, file.options))


def _line_rows(lines: Iterable[str], first: int = 1) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(lines, first):
        if line.strip():
            yield f"line {number}", _parsed(line)


def _parsed(text: str) -> object:
    """The value of a text in JSON, or an InputError. NaN and Infinity become null."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        return InputError(f"is not JSON: {error}")


ROWS: Mapping[str, Callable[[File], Iterator[tuple[str, object]]]] = {
    **dict.fromkeys((".csv", ".tsv"), _csv_rows),
    ".json": _json_rows,
    **dict.fromkeys((".jsonl", ".ndjson"), _jsonl_rows),
}
"""By suffix: a function that lists the rows, or what is wrong with one, with their places."""
SHEETS = (".xlsx", ".xlsm")
"""The suffixes of workbooks."""
OLD = b"\xd0\xcf\x11\xe0"
CELL_PLACE = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]{1,3})(\d{1,7})[\"']")
SHARED_TEXT = re.compile(rb"\bt\s*=\s*[\"']s[\"'][^>]{0,200}>[^<]{0,20}<(?:\w+:)?v>\s*(\d{1,9})")
CELL_BYTES = 10  # the bytes of a file's limit that a cell counts for, also an empty one


def _sheets(file: File) -> list[tuple[str, list[str], list[tuple[str, list[object]]]]]:
    """The name of each sheet, its header, and its other rows with their places.

    The header is the first row that is not empty; an empty sheet has none.
    """
    from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra

    with file.path.open("rb") as opened:
        if opened.read(len(OLD)) == OLD:
            raise InputError("is encrypted, or an .xls: save it as .xlsx without a password")
    found = []
    with refuse_broken("workbook"):
        archive = unpacked(file, ".xml", ".rels")
        _refuse_multiplying(archive, file.options)
        archive.seek(0)
        workbook = CalamineWorkbook.from_filelike(archive)
        shown = [one.name for one in workbook.sheets_metadata if "Visible" in str(one.visible)]
        hidden = len(workbook.sheet_names) - len(shown)
        file.tell(hidden, "{n} hidden sheets were left out")
        for name in shown:
            sheet = workbook.get_sheet_by_name(name)
            first = sheet.start[0] + 1 if sheet.start else 1
            rows = [
                (f"row {number}", [*map(_plain, row)])
                for number, row in enumerate(sheet.to_python(), first)
                if _is_filled(row)
            ]
            header = _names(rows[0][1]) if rows else []
            found.append((name, header, rows[1:]))
    return found


def _refuse_multiplying(archive: BytesIO, options: ReadOptions) -> None:
    """Raises InputError for a workbook that takes much more memory than its parts.

    The library makes a cell of each between the first and the last one of a sheet, and cells may
    share a long text.
    """
    lengths, shown, area = [0], 0, 0
    with ZipFile(archive) as parts:
        for name in sorted(parts.namelist(), key=lambda one: "sharedStrings" not in one):
            data = parts.read(name)
            if "sharedStrings" in name:
                lengths = [*map(len, data.split(b"</si>"))]
            rows = columns = 0
            for letters, row in (found.groups() for found in CELL_PLACE.finditer(data)):
                columns, rows = max(columns, _column(letters)), max(rows, int(row))
            area = max(area, rows * columns)
            for found in SHARED_TEXT.finditer(data):
                shown += lengths[min(int(found[1]), len(lengths) - 1)]
    options.refuse_larger(max(area * CELL_BYTES, shown), "has cells that unpack to")


def _column(letters: bytes) -> int:
    return reduce(lambda number, letter: number * 26 + letter % 32, letters, 0)


def _plain(cell: object) -> object:
    """The value of a cell as JSON has it."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, date | time):
        return cell.isoformat()
    return cell if isinstance(cell, str | bool | int | float) else str(cell)


def _document(
    row: object,
    source: str,
    options: ReadOptions,
    seen: KeyCounts,
    *,
    place: str,
    within: str,
    said: str,
) -> Document:
    """The document of a row; one that is alone in its file has the source of the file.

    `within` and `said` name the sheet: in the source, and before the place.
    """
    if isinstance(row, InputError):
        raise row
    if not isinstance(row, dict):
        raise InputError("is not a JSON object")
    if options.id_column is None:
        name = sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:32]
        times = seen.add(name)
        name += f"-{times}" if times > 1 else ""
    elif not (name := _string(_value(row, options.id_column))):
        raise InputError(f"has nothing in its column {options.id_column}")
    elif seen.add(name) > 1:
        raise InputError(f"repeats the id {name}")
    text = _value(row, options.text_column)
    if not isinstance(text, str | None):
        raise InputError(f"has no text in its column {options.text_column}")
    title = _value(row, options.title_column) if options.title_column else row.get("title")
    taken = {options.text_column, options.title_column or "title", options.id_column}
    by_id = f"{options.id_column} {name}" if options.id_column else ""
    if by_id or place != ALONE:
        source = f"{source}#{within}{name}"
    parts = [] if place == ALONE else [Part(0, part_label(said + (by_id or place)))]
    metadata = metadata_of(row, taken)
    return Document(text or "", source, _string(title), metadata, None, parts, None)


def _value(row: TableRow, column: str) -> object:
    if column not in row:
        raise InputError(
            f"has no column {column}, only {shorten(', '.join(row), 200) or 'nothing'}"
        )
    return row[column]


def _string(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)
