"""Reads tables: each row of a csv, json or jsonl file is a document."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import sha256
from textwrap import shorten
from typing import TextIO

from graphrag_neo4j.documents.text import File, ReadOptions, Unreadable
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document
from graphrag_neo4j.text.files import KeyCounts

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
    options, seen, unusable = file.options, KeyCounts(), 0
    for place, row in ROWS[file.suffix](file):
        try:
            alone = place == ALONE and options.id_column is None
            document = _document(row, source, options, seen, alone=alone)
        except InputError as error:
            unusable += 1
            if unusable <= NAMED:
                yield Unreadable(source, f"{place} {error}")
        else:
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
        delimiter = _delimiter(text, file.options)
        rows = csv.reader(_limited(text, file.options), delimiter=delimiter, strict=True)
        try:
            header = next(rows)
            for number, row in enumerate(filter(None, rows), 1):
                # Not DictReader: it names each column for a short row.
                cells = zip(header, row, strict=False)
                if len(row) > len(header):
                    yield f"row {number}", InputError("has more fields than there are columns")
                else:  # a column without a name is the index that pandas writes
                    yield f"row {number}", {name: value for name, value in cells if name}
        except csv.Error as error:
            raise InputError(f"is not a usable csv at line {rows.line_num}: {error}") from error


def _limited(text: TextIO, options: ReadOptions) -> Iterator[str]:
    """The lines of a file. Raises InputError for a line that is longer than the limit."""
    number = 0
    while line := text.readline(options.max_bytes + 1):
        number += 1
        options.refuse_larger(len(line), f"line {number} holds")
        yield line


def _delimiter(file: TextIO, options: ReadOptions) -> str:
    """The first delimiter with which the header has the wanted columns."""
    wanted = {options.text_column, options.title_column, options.id_column} - {None}
    headers = []
    for delimiter in DELIMITERS:
        file.seek(0)
        header = next(csv.reader(_limited(file, options), delimiter=delimiter), [])
        file.seek(0)
        if wanted.issubset(header):
            for name, count in Counter(filter(None, header)).items():
                if count > 1:
                    raise InputError(f"has {count} columns {name}: rename all but one")
            return delimiter
        headers.append(header)
    header = max(headers, key=len)
    missing = sorted(str(name) for name in wanted - {*header})
    hint = ": name the one with the text by --text-column" if options.text_column in missing else ""
    names = shorten(", ".join(header), 200)
    raise InputError(f"has no column {', '.join(missing)}; its columns are {names}{hint}")


def _json_rows(file: File) -> Iterator[tuple[str, object]]:
    parsed = _parsed(file.text_to_parse())
    if isinstance(parsed, InputError):
        raise parsed
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
                yield f"line {number}", _parsed(line)


def _parsed(text: str) -> object:
    """The value of a text in JSON, or an InputError. NaN and Infinity become null."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        return InputError(f"is not JSON: {error}")


ROWS: Mapping[str, Callable[[File], Iterator[tuple[str, object]]]] = {
    ".csv": _csv_rows,
    ".json": _json_rows,
    ".jsonl": _jsonl_rows,
}
"""By suffix: a function that lists the rows, or what is wrong with one, with their places."""


def _document(
    row: object, source: str, options: ReadOptions, seen: KeyCounts, *, alone: bool
) -> Document:
    """The document of a row; one that is `alone` in its file has the source of the file."""
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
    place = source if alone else f"{source}#{name}"
    return Document(text or "", place, _string(title), metadata_of(row, taken))


def _value(row: TableRow, column: str) -> object:
    if column not in row:
        raise InputError(f"has no column {column}")
    return row[column]


def _string(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)
