"""Reads the values of a reply in JSON where their meaning is clear, although their form differs.

These functions are validators of the schemas. The context of a validation is a list of notes, which
are counted: each value that is rounded, clamped, converted or left out adds a note.
"""

import math
import re
from typing import Any

from pydantic import ValidationError, ValidationInfo, ValidatorFunctionWrapHandler

__all__ = ["MIDDLE", "note", "read_rating", "read_reference", "read_score", "read_text", "usable"]

LONGEST_LIST = 1000  # items that are read
MIDDLE = 50  # the score where the model gave none
NUMBER = re.compile(r"-?\d{1,9}(?:[.,]\d{1,9})?")
OF = re.compile(r"\s*(?:/|of|out of)\s*(\d{1,9})")
INTEGER = re.compile(r"\d{1,15}")


def note(info: ValidationInfo, what: str) -> None:
    if info.context is not None:
        info.context.append(what)


def _number(value: object, most: float, info: ValidationInfo) -> float | None:
    """Reads a number from 0 to `most`, or None. Everything but a number in this range is noted."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
        return value
    note(info, "a number in another form")
    if isinstance(value, str):
        value = _number_in(value, most)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    return min(max(value, 0), most)


def _number_in(text: str, most: float) -> float | None:
    """Returns the number in a text such as "85", "85 %", "8/10" or "8 out of 10"."""
    found = NUMBER.search(text[:200])
    if found is None:
        return None
    number = float(found[0].replace(",", "."))
    whole = OF.match(text, found.end())
    return number * most / float(whole[1]) if whole and int(whole[1]) else number


def read_score(value: object, info: ValidationInfo) -> int:
    """Reads a helpfulness from 0 to 100. A number between 0 and 1 is a share of 100."""
    number = _number(value, 100, info)
    if number is None:
        return MIDDLE
    if number != int(number):
        note(info, "a score with decimals")
        number = number * 100 if number < 1 else number
    return round(number)


def read_rating(value: object, info: ValidationInfo) -> float | None:
    return None if value is None else _number(value, 10, info)


def read_text(value: object, info: ValidationInfo) -> object:
    """Reads a text that may be given as a number or as a list of texts."""
    if isinstance(value, str):
        return value
    note(info, "a text in another form")
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def read_reference(value: object, info: ValidationInfo) -> object:
    """Reads the id of a report that may be given as a text or as an object with an id."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    note(info, "an id in another form")
    if isinstance(value, dict):
        value = value.get("id", value.get("report"))
    found = INTEGER.search(value[:200]) if isinstance(value, str) else None
    return int(found[0]) if found else value if isinstance(value, int | float) else None


def usable(value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:  # noqa: ANN401 - as pydantic has it
    """Returns the usable items of a list. A single item counts as a list of one."""
    if not isinstance(value, list):
        note(info, "a list in another form")
    items = value if isinstance(value, list) else [value]
    kept: list[Any] = []
    for item in items[:LONGEST_LIST]:
        try:
            kept += handler([item])
        except ValidationError:
            note(info, "an item that can't be used")
    for _ in items[LONGEST_LIST:]:
        note(info, "an item that can't be used")
    if items and not kept:
        raise ValueError("the list holds no item that can be used")
    return kept
