"""The form of a table of the report, which is written as HTML, Markdown and CSV."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

__all__ = ["NONE", "Cell", "Column", "Form", "Table", "explained_once", "formatted"]

Cell = str | float | int | None
Form = Literal["text", "count", "one decimal", "two decimals", "share", "percent", "money", "p"]
NONE: Final = "–"
LEAST_P: Final = 0.001


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, how its values are shown, and what it means (empty if it is plain)."""

    name: str
    form: Form = "text"
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the report.

    `name` names its CSV file, and `part` the part of the report. `rows` hold plain values; a share
    is between 0 and 1. `note` explains the table. `empty` is the sentence that stands in its place
    if it has no rows. With `heat`, the values from 0 to 100 are shown on coloured ground. The page
    and Markdown show the first `most` rows, or all if it is 0; the CSV file always has all.
    """

    name: str
    part: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    empty: str = ""
    heat: bool = False
    most: int = 0

    @property
    def shown(self) -> Sequence[Sequence[Cell]]:
        """The rows of the page and of Markdown."""
        return self.rows[: self.most] if self.most else self.rows

    @property
    def left_out(self) -> str:
        """A sentence that says how many rows are not shown, or nothing."""
        n = len(self.rows) - len(self.shown)
        first = f"These are the first {len(self.shown):,} of {len(self.rows):,} rows."
        return f"{first} `--format csv` writes all of them." if n else ""


def formatted(value: Cell, form: Form) -> str:
    """Returns a value as people read it.

    >>> formatted(0.2511, "share"), formatted(None, "p"), formatted(0.0002, "p")
    ('25.1 %', '–', '<0.001')
    """
    if value is None:
        return NONE
    if isinstance(value, str):
        return value
    if form == "p":
        return f"<{LEAST_P:g}" if value < LEAST_P else f"{value:.3f}"
    if form == "money":
        return f"${value:,.2f}" if value >= 1 or not value else f"${value:.4f}"
    return {
        "one decimal": f"{value:,.1f}",
        "two decimals": f"{value:,.2f}",
        "share": f"{100 * value:.1f} %",
        "percent": f"{value:.1f} %",
    }.get(form, f"{value:,.0f}")


def explained_once(tables: Iterable[Table]) -> list[Table]:
    """Returns the tables without the notes and meanings that stand at an earlier table already."""
    told: set[object] = set()
    found = []
    for table in tables:
        columns = tuple(table.columns)
        known = columns in told
        plain = [replace(one, meaning="") for one in columns] if known else columns
        note = "" if table.note in told else table.note
        found.append(replace(table, columns=plain, note=note))
        if table.rows:
            told |= {columns, table.note}
    return found
