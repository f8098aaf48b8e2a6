"""The tables of records in a context, as a model would read them."""

import re
from dataclasses import dataclass

__all__ = ["CITATION", "Row", "holds_tables", "read_tables"]

TABLE = re.compile(r"^# (\w+)\nid \|[^\n]*\n((?:\d+ \| [^\n]*\n?)*)", re.MULTILINE)
CITATION = re.compile(r"\s*\[Data: [^\]]*\]")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: its kind, the number it is cited by, its other fields."""

    kind: str
    ref: int
    fields: tuple[str, ...]

    @property
    def said(self) -> str:
        """Its last field, without what that cites."""
        return CITATION.sub("", self.fields[-1])


def holds_tables(text: str) -> bool:
    """Whether a text holds such a table."""
    return TABLE.search(text) is not None


def read_tables(text: str) -> dict[str, list[Row]]:
    """The rows of each table of a text."""
    return {kind: _rows(kind, body) for kind, body in TABLE.findall(text + "\n")}


def _rows(kind: str, body: str) -> list[Row]:
    rows = []
    for line in body.splitlines():
        ref, *fields = line.split(" | ")
        rows.append(Row(kind, int(ref), tuple(fields)))
    return rows
