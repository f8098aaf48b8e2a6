"""The tables of a report as Markdown, and as CSV files.

Texts come from models and documents, so nothing in them may become Markdown or a formula.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

from graphrag_neo4j.evaluation.report.tables import Cell, Column, Table, explained_once, formatted
from graphrag_neo4j.visualization.web_page import CONTROLS

__all__ = ["csv_of", "markdown_of"]

MARKS: Final = re.compile(r"([\\`*_\[\]<>|#~&])")
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
LONGEST_NAME: Final = 80


def markdown_of(title: str, facts: Sequence[str], tables: Iterable[Table]) -> str:
    """Returns the tables as a Markdown document."""
    lines = [f"# {_plain(title)}", "", *(f"- {_plain(fact)}" for fact in facts)]
    part = ""
    for table in explained_once(tables):
        if table.part != part:
            part = table.part
            lines += ["", f"## {part}"]
        lines += ["", f"### {_plain(table.title)}", ""]
        lines += _table(table) if table.rows else [table.empty]
    return "\n".join(lines) + "\n"


def csv_of(tables: Iterable[Table]) -> dict[str, str]:
    """Returns the content of a CSV file for each table that has rows, by the name of the file.

    Numbers stand there as they are: a share is between 0 and 1, and what is not known is empty.
    """
    files: dict[str, str] = {}
    for table in tables:
        if table.rows:
            files[_file_name(table.name, files)] = _csv(table)
    return files


def _table(table: Table) -> list[str]:
    heads = [_plain(column.name) for column in table.columns]
    rules = ["---" if column.form == "text" else "---:" for column in table.columns]
    rows = [
        [_plain(formatted(value, column.form)) for value, column in _cells(row, table.columns)]
        for row in table.shown
    ]
    meanings = [f"- {one.name}: {one.meaning}." for one in table.columns if one.meaning]
    told = " ".join(filter(None, (table.note, table.left_out)))
    note = [_sentences(told), ""] if told else []
    return [
        *note,
        *(_row(row) for row in (heads, rules, *rows)),
        *([""] if meanings else []),
        *meanings,
    ]


def _cells(row: Sequence[Cell], columns: Sequence[Column]) -> Iterable[tuple[Cell, Column]]:
    return zip(row, columns, strict=True)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    return MARKS.sub(r"\\\1", CONTROLS.sub(" ", text))


def _sentences(text: str) -> str:
    """Returns our own sentences, which have commands between ` and `."""
    return _plain(text).replace("\\`", "`")


def _csv(table: Table) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.name for column in table.columns])
    writer.writerows([_safe(value) for value in row] for row in table.rows)
    return text.getvalue()


def _safe(value: Cell) -> Cell:
    """Puts a quotation mark before a text that a spreadsheet would take for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _file_name(name: str, taken: Iterable[str]) -> str:
    stem = re.sub(r"[^\w-]+", "-", name).strip("-")[:LONGEST_NAME]
    known, n, found = set(taken), 1, f"{stem}.csv"
    while found in known:
        n += 1
        found = f"{stem}-{n}.csv"
    return found
