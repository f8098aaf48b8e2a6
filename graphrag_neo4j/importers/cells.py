"""Reads the cells of a row of a table, each as the type that it must have."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.text import storable

__all__ = ["Cells"]

LARGEST_REF = 10**18  # a larger number can't be a citation


@dataclass(frozen=True, slots=True)
class Cells:
    """A row of `file`. A method with several columns reads the first of them that has a value.

    `tally["replaced"]` counts characters that can't be stored. For a value of another type, every
    method raises InputError that names the file and the column.
    """

    file: str
    row: Mapping[str, object]
    tally: Counter[str]

    def text(self, *columns: str) -> str:
        """A text, or a number as a text; empty if there is no value."""
        column, value = self._first(columns)
        if value is None:
            return ""
        if not isinstance(value, str | int | float):
            raise self._other(column, "a text")
        return self._stored(str(value))

    def texts(self, *columns: str) -> tuple[str, ...]:
        """The texts of a list, each of them once, in their order; a text alone is a list of one."""
        column, value = self._first(columns)
        listed = [value] if isinstance(value, str) else value or []
        if not (isinstance(listed, list) and all(isinstance(one, str) for one in listed)):
            raise self._other(column, "a list of texts")
        return tuple(dict.fromkeys(map(self._stored, listed)))

    def number(self, column: str) -> int | None:
        """A number that can be a citation's ref; None if there is none, or if it is below 0."""
        value = self.real(column)
        return int(value) if value is not None and 0 <= value < LARGEST_REF else None

    def real(self, *columns: str) -> float | None:
        """A finite number; None if there is none."""
        column, value = self._first(columns)
        if value is None:
            return None
        number = _parsed(value)
        if number is None:
            raise self._other(column, "a number")
        return number if math.isfinite(number) else None

    def records(self, column: str) -> list[object]:
        """The items of a list."""
        value = self.row.get(column)
        if value is not None and not isinstance(value, list):
            raise self._other(column, "a list")
        return value or []

    def _first(self, columns: tuple[str, ...]) -> tuple[str, object]:
        found = ((name, self.row.get(name)) for name in columns)
        return next((one for one in found if one[1] is not None), (columns[0], None))

    def _stored(self, text: str) -> str:
        text, replaced = storable(text)
        self.tally["replaced"] += replaced
        return text

    def _other(self, column: str, kind: str) -> InputError:
        return InputError(
            f"{self.file} holds something else than {kind} in its column {column}: it is not a "
            "table that microsoft/graphrag 2 or 3 has written."
        )


def _parsed(value: object) -> float | None:
    """A number, or the number that a text contains."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None
