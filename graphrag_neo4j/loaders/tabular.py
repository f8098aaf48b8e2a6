"""Reads csv, json and jsonl: each row is a document."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import sha256
from textwrap import shorten
from typing import Any, TextIO

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.key_counts import KeyCounts
from graphrag_neo4j.loaders.sources import MEGABYTE, ReadOptions, Unreadable
from graphrag_neo4j.loaders.text import File
from graphrag_neo4j.model import Document, Scalar

__all__ = ["FORMATS", "metadata_of", "read_rows"]

TableRow = Mapping[str, object]

NAMED = 100  # unusable rows of a file that are named; the others are only counted
ALONE = "its object"
DELIMITERS = ",;\t|"
LARGEST_LIMIT = 2**31 - 1  # bytes of a csv field; Python's default is 128 KiB


def read_rows(file: File, source: str) -> Iterator[Document | Unreadable]:
    """Gives a document for each row of a file while it is read (json: after parsing all of it).

    A row without an id is identified by a hash of its content; equal rows get "-2" and so on. A
    blank text gives a document without text. A json file that is one object is identified by the
    name of the file. Raises InputError if the file as a whole can't be used, OSError and
    UnicodeError.
    """
    options = file.options
    list_rows, columns_of = FORMATS[file.path.suffix.lower()]
    seen = KeyCounts()
    unusable = 0
    for place, value in list_rows(file):
        try:
            row = columns_of(value)
            name = _name(row, options, seen)
            alone = place == ALONE and options.id_column is None
            document = _document(row, source if alone else f"{source}#{name}", options)
        except InputError as error:
            unusable += 1
            if unusable <= NAMED:
                yield Unreadable(source, f"{place} {error}")
        else:
            yield document
    if unusable > NAMED:
        yield Unreadable(source, f"and {unusable - NAMED:,} more rows can't be used")


def metadata_of(row: TableRow, taken: Collection[str | None]) -> dict[str, Scalar]:
    """The metadata of a row: its values without `taken` columns and empty ones."""
    return {
        name: _scalar(value)
        for name, value in row.items()
        if name not in taken and value not in (None, "")
    }


def _csv_rows(file: File) -> Iterator[tuple[str, object]]:
    csv.field_size_limit(min(file.options.max_bytes, LARGEST_LIMIT))  # of the whole process
    with file.open(newline="") as text:
        delimiter = _delimiter(text, file.options)
        rows = csv.reader(_limited(text, file.options), delimiter=delimiter, strict=True)
        try:
            header = next(rows)
            for number, row in enumerate(filter(None, rows), 1):
                yield f"row {number}", (header, row)
        except csv.Error as error:
            raise InputError(f"is not a usable csv at line {rows.line_num}: {error}") from error


def _limited(text: TextIO, options: ReadOptions) -> Iterator[str]:
    """The lines of a file. Raises InputError for a line that is longer than the limit."""
    longest = options.max_bytes
    number = 0
    while line := text.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise InputError(
                f"line {number} holds more than the limit of {longest // MEGABYTE:,} MB: "
                "KG_MAX_FILE_MB sets another"
            )
        yield line


def _delimiter(file: TextIO, options: ReadOptions) -> str:
    """The first delimiter with which the header has the wanted columns."""
    wanted = {options.text_column, options.title_column, options.id_column} - {None}
    headers = []
    for delimiter in DELIMITERS:
        file.seek(0)
        lines = _limited(file, options)
        headers.append(next(csv.reader(lines, delimiter=delimiter), []))
        file.seek(0)
        if wanted.issubset(headers[-1]):
            _refuse_twins(headers[-1])
            return delimiter
    header = max(headers, key=len)
    missing = sorted(str(name) for name in wanted - {*header})
    names = shorten(", ".join(header), 200)
    hint = ": name the one with the text by --text-column" if options.text_column in missing else ""
    raise InputError(f"has no column {', '.join(missing)}; its columns are {names}{hint}")


def _refuse_twins(header: list[str]) -> None:
    for name, count in Counter(filter(None, header)).items():
        if count > 1:
            raise InputError(f"has {count} columns {name}: rename all but one")


def _fitting(row: tuple[list[str], list[str]]) -> TableRow:
    """The columns of a row, with the header. Not DictReader: it names each column for a short row.

    A column without a name is left out: it is the index that pandas writes.
    """
    header, fields = row
    if len(fields) > len(header):
        raise InputError("has more fields than there are columns")
    return {name: value for name, value in zip(header, fields, strict=False) if name}


def _json_rows(file: File) -> Iterator[tuple[str, object]]:
    parsed = _parse(file.text_to_parse())
    if isinstance(parsed, list):
        yield from ((f"item {number}", item) for number, item in enumerate(parsed, 1))
    elif isinstance(parsed, dict) and (column := file.options.text_column) not in parsed:
        raise InputError(
            f"has no column {column}, so it holds no document: --text-column names another column"
        )
    else:
        yield ALONE, parsed


def _jsonl_rows(file: File) -> Iterator[tuple[str, object]]:
    with file.open() as text:
        for number, line in enumerate(_limited(text, file.options), 1):
            if line.strip():
                yield f"line {number}", line


def _parsed(line: str) -> TableRow:
    return _columns(_parse(line))


def _columns(value: object) -> TableRow:
    if not isinstance(value, dict):
        raise InputError("is not a JSON object")
    return value


def _parse(text: str) -> object:
    """Parses JSON. NaN and Infinity, which JSON does not have, become null."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}") from error


Lister = Callable[[File], Iterator[tuple[str, object]]]
FORMATS: Mapping[str, tuple[Lister, Callable[[Any], TableRow]]] = {
    ".csv": (_csv_rows, _fitting),
    ".json": (_json_rows, _columns),
    ".jsonl": (_jsonl_rows, _parsed),
}
"""By suffix: a function that lists the rows with their places, and one for a row's columns."""


def _name(row: TableRow, options: ReadOptions, seen: KeyCounts) -> str:
    """The name of a row, which is unique in its file."""
    if options.id_column is None:
        name = sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:32]
        times = seen.add(name)
        return name if times == 1 else f"{name}-{times}"
    name = _string(_value(row, options.id_column))
    if not name:
        raise InputError(f"has nothing in its column {options.id_column}")
    if seen.add(name) > 1:
        raise InputError(f"repeats the id {name}")
    return name


def _document(row: TableRow, source: str, options: ReadOptions) -> Document:
    text = _value(row, options.text_column)
    if not isinstance(text, str | None):
        raise InputError(f"has no text in its column {options.text_column}")
    title = _value(row, options.title_column) if options.title_column else row.get("title")
    taken = {options.text_column, options.title_column or "title", options.id_column}
    return Document(text or "", source, _string(title), metadata_of(row, taken))


def _value(row: TableRow, column: str) -> object:
    if column not in row:
        raise InputError(f"has no column {column}")
    return row[column]


def _string(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


def _scalar(value: object) -> Scalar:
    """A value that Neo4j can store; an integer of more than 64 bits becomes a text."""
    if isinstance(value, str | bool | float) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    return _string(value)
