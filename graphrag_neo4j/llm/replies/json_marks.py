"""The marks of JSON, and the places where a text ends that is not quite JSON, as patterns."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "COMMAS",
    "COMMENT",
    "ESCAPE",
    "GARBAGE",
    "LITERAL",
    "OPENINGS",
    "SPACE",
    "START",
    "Patterns",
    "patterns_for",
]

# The places outside any value where an object or a list may begin.
START = re.compile(r'\{|\[(?=\s*[\[{\]"\d-])')
SPACE = re.compile(r"\s+")
COMMENT = re.compile(r"//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?")
COMMAS = re.compile(r",[,\s]*")
OPENINGS = re.compile(r"[\[{\s]+")
LITERAL = re.compile(
    r"(?:(?P<number>[-+]?\d{1,30}(?:\.\d{1,30})?(?:e[-+]?\d{1,3})?)"
    r"|(?P<true>true)|(?P<false>false)|(?P<null>null|none)|(?P<nan>nan|[-+]?infinity))"
    r'(?=\s*(?:[,}\]\n"]|\Z))',
    re.IGNORECASE,
)
GARBAGE = re.compile(r'[^"{}\[\],]+|.', re.DOTALL)
ESCAPE = re.compile(r"\\(?:u([\da-fA-F]{4})|(.))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns that depend on the names of the expected fields.

    `key` matches a field name and its colon. `text` finds the marks in a quoted text: escapes, the
    quotation mark that ends it, the next field where that mark is missing, and other quotation
    marks. `bare` finds the end of a text that does not begin with a quotation mark.
    """

    key: re.Pattern[str]
    text: re.Pattern[str]
    bare: re.Pattern[str]


def patterns_for(fields: Iterable[str]) -> Patterns:
    """Returns the patterns for objects that have these fields."""
    names = "|".join(map(re.escape, fields)) or r"\b\B"
    known = rf"[\"']?(?:{names})[\"']?\s*:"
    # A quotation mark ends a text if a bracket, a comma and a value, or a field follows it.
    end = rf"""(?P<end>"(?=\s*(?:\Z|[}}\]]|,\s*(?:\Z|["\[{{}}\]\d-]|{known})|{known})))"""
    following = rf"(?P<next>(?:,\s*)?(?=\"(?:{names})\"\s*:))"
    stop = rf"(?P<stop>,(?=\s*(?:[\"\[{{}}\]]|{known}|\Z))|[\n{{}}\[\]]|\Z)"
    key = (
        rf"\"(?P<quoted>[^\"\\\n]{{0,60}})\"\s*:|\"(?P<known>{names})\""
        rf"|'(?P<single>[^'\"\\\n]{{0,60}})'\s*:|[\"']?(?P<bare>\w{{1,60}})[\"']?\s*:"
    )
    return Patterns(
        re.compile(key),
        re.compile(rf"(?P<escape>\\.)|{end}|{following}|(?P<inner>\")", re.DOTALL),
        re.compile(rf"{end}|{following}|{stop}"),
    )
