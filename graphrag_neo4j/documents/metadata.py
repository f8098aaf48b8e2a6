"""What is kept of the metadata that files and programs give, and the dates in names and headings.

A value is a text, a number, a boolean, or a list of one of these kinds. Dates are texts in ISO
8601, so their order is the order of the texts.
"""

import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import date, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import cast
from uuid import UUID

from graphrag_neo4j.model.types import MetadataValue, Scalar

NOTHING = frozenset(("nan", "NaN", "NaT", "<NA>"))  # as numpy and pandas write it
LARGEST_INTEGER = 2**63 - 1
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
MONTH += r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
YEAR = r"(?P<year>[12]\d{3})"
DATES = [
    re.compile(rf"(?<![^\W_]){pattern}(?![^\W_])", re.IGNORECASE)
    for pattern in (
        rf"{YEAR}([-_./])(?P<month>\d\d?)(?:\2(?P<day>\d\d?))?(?:T\d.*)?",
        rf"{YEAR}(?P<month>\d\d)(?P<day>\d\d)(?:T?\d{{4,6}})?",
        rf"{MONTH}[ _-]{DAY}(?:,?[ _-]{YEAR})?",
        rf"{DAY}[ _-](?:of[ _-])?{MONTH}(?:,?[ _-]{YEAR})?",
        rf"{MONTH},?[ _-]{YEAR}",
    )
]
ISO = re.compile(r"\d{4}-\d\d")
LONE_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def kept(metadata: Mapping[str, object]) -> tuple[dict[str, MetadataValue], list[str]]:
    """The metadata that can be kept, and the names of what can't be; what is empty is neither."""
    values: dict[str, MetadataValue] = {}
    unkept = []
    for name, given in metadata.items():
        try:
            value = _kept(given)
        except (TypeError, ValueError, ArithmeticError, RecursionError):  # it may hold itself
            unkept.append(str(name))
        else:
            if value is not None:
                values[str(name)] = value
    return values, unkept


def _kept(value: object) -> MetadataValue | None:
    """The value that is kept, None for an empty one. Raises TypeError for what can't be kept."""
    value = _plain(value)
    if isinstance(value, str | None):
        return value or None
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=_kept) if value else None
    if isinstance(value, list | tuple | set | frozenset):
        return _kept_list(value)
    if str(value) in NOTHING:
        return None
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        return str(value)
    if isinstance(value, Scalar):
        return value
    raise TypeError(f"A {type(value).__name__} can't be kept.")


def _plain(value: object) -> object:
    """A value of the standard library or of numpy and pandas as a value of Python itself."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if hasattr(value, "tolist"):
        dates = getattr(getattr(value, "dtype", None), "kind", "") == "M"  # else they are numbers
        return (value.astype(str) if dates and hasattr(value, "astype") else value).tolist()
    if isinstance(value, Decimal | Fraction):
        return int(value) if value % 1 == 0 else float(value)
    if isinstance(value, date | time):  # pandas' NaT is one, too
        return value.isoformat()
    if isinstance(value, UUID | PurePath):
        return str(value)
    return value


def _kept_list(values: Collection[object]) -> MetadataValue | None:
    """The members in one kind, as Neo4j wants them; a list that holds lists is a text in JSON."""
    members = [one for one in map(_kept, values) if one is not None]
    if any(isinstance(one, list) for one in members):
        return json.dumps(members, ensure_ascii=False)
    kinds = {type(one) for one in members}
    if kinds == {int, float}:
        return [float(cast("float", one)) for one in members]
    if len(kinds) > 1:
        return [str(one) for one in members]
    return cast("list[Scalar]", members) or None


def date_in(text: str, year: str | None = None) -> str | None:
    """The first date in a name or heading, as 2021-03-04 or 2021-03; `year` is that of a bare day.

    >>> date_in("2021-03-minutes"), date_in("Minutes of April 5th", "2021"), date_in("Part 12")
    ('2021-03', '2021-04-05', None)
    """
    matches = (found for pattern in DATES for found in pattern.finditer(text))
    for found in sorted(matches, key=lambda one: one.start()):
        part = found.groupdict()
        known, month, day = part["year"] or year, part.get("month"), part.get("day")
        with suppress(ValueError):  # no such day
            number = int(month) if month else MONTHS.index(part["name"][:3].lower()) + 1
            if known and (day or not month or number != (int(known) + 1) % 100):  # as in 2011-12
                whole = date(int(known), number, int(day or 1)).isoformat()
                return whole if day else whole[:7]
    return None


def year_in(text: str) -> str | None:
    """The only year in a name, such as 2021."""
    years = set(LONE_YEAR.findall(text))
    return years.pop() if len(years) == 1 else None
