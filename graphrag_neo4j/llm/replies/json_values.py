"""The one door to JSON that a model wrote: valid JSON by the standard library, any other repaired.

The repairing library takes quadratic time for some texts. So it is given a text that counts how
often it is looked at, and refuses to go on after more looks than a reply of a model needs.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

import json_repair

# The notes, which are counted.
AROUND = "text around the JSON"
SYNTAX = "the JSON is not valid"
CUT = "the JSON is not complete"
TWICE = "a field occurs twice"

LONGEST = 200_000  # characters that are repaired; a reply of 8,000 tokens has about 32,000
LOOKS = 20  # at each character; real replies need up to 8
DEEPEST = 100  # brackets inside each other
LONGEST_NUMBER = 300  # digits of an integer; a longer one is infinite
JSON_FENCE = re.compile(r"^[ \t]*```\w*[ \t\r]*$|```\s*\Z", re.MULTILINE)
VALUE_START = re.compile(r"[{\[]")
# A string reaches to the end if nothing closes it. So no text is searched twice.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?P<closed>"|\Z)|[{}\[\],]', re.DOTALL)
# The library takes two similar objects for one and its update, unless a comma stands between them.
NEXT_OBJECT = re.compile(r"\}[\s#]*(?=\{)")


@dataclass(slots=True)
class JSONValues:
    """The objects and lists of a text, in their order.

    `odd` holds a note for what was repaired or left out, and `around` the texts that stand around
    them. `open` says whether the text ends inside a value. It is False where only the last
    brackets are missing.
    """

    values: list[object] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    around: list[str] = field(default_factory=list)
    open: bool = False

    def note_around(self, text: str) -> None:
        """Notes a text around the JSON, if it holds more than marks."""
        if text.strip(" \n\r\t,;#"):
            self.odd.append(AROUND)
            self.around.append(text)


def read_values(text: str) -> JSONValues:
    """Returns the objects and lists in a text, also those that are written as a text in JSON.

    >>> read_values('Here: {"score": 8, "answer": "He said "no".",}').values
    [{'score': 8, 'answer': 'He said "no".'}]
    """
    found, start = JSONValues(), 0
    plain = JSON_FENCE.sub("", text).strip()
    if plain.startswith('"') and (inner := _inner(plain)):
        return read_values(inner)
    while begins := VALUE_START.search(plain, start):
        found.note_around(plain[start : begins.start()])
        start = begins.start()
        try:
            _check_depth(plain, start)
            value, start = DECODER.raw_decode(plain, start)
        except ValueError as error:
            found.odd.append(TWICE if str(error) == TWICE else SYNTAX)
            found.values += _repaired(plain[start : start + LONGEST], found)
            return found
        found.values.append(value)
    found.note_around(plain[start:])
    if len(plain) < len(text.strip()):
        found.odd.append(AROUND)
    return found


def _check_depth(text: str, start: int) -> None:
    """Raises ValueError for a value that is nested too deeply to be walked through."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        depth += (token[0] in {"{", "["}) - (token[0] in {"}", "]"})
        if depth > DEEPEST:
            raise ValueError("too many brackets inside each other")
        if depth <= 0:
            return


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    whole = dict(pairs)
    if len(whole) < len(pairs):
        raise ValueError(TWICE)
    return whole


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= LONGEST_NUMBER else float(digits)


DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_int=_integer)


def _inner(text: str) -> str:
    """Returns the text that a JSON string holds, "" if it is none."""
    try:
        inner = json.loads(text, strict=False)
    except ValueError:
        return ""
    return inner if isinstance(inner, str) else ""


def _repaired(text: str, found: JSONValues) -> list[object]:
    text, found.open = _without_broken_end(text)
    if found.open:
        found.odd.append(CUT)
    watched = _watched(NEXT_OBJECT.sub("},", text), [LOOKS * len(text) + 1000])
    try:
        value: Any = json_repair.loads(watched, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError):
        return []
    return value if isinstance(value, list) else [value]  # a list may stand for several values


def _without_broken_end(text: str) -> tuple[str, bool]:
    """Returns a text without the value in which it is cut off, and whether it is."""
    depth, whole, end = 0, 0, 0
    for token in TOKEN.finditer(text):
        mark = token[0]
        depth += (mark in {"{", "["}) - (mark in {"}", "]"})
        if token["closed"] is None:
            whole = token.start() if mark == "," else token.end()
        end = token.end() if token["closed"] != "" else 0
        if depth > DEEPEST:
            return "", True
    if depth <= 0 or end == len(text.rstrip()):
        return text, False
    return text[:whole], True


class _Watched(str):
    """A text that may be looked at a limited number of times."""

    __slots__ = ("left",)
    left: list[int]

    def __getitem__(self, at: SupportsIndex | slice) -> str:
        part = super().__getitem__(at)
        self.left[0] -= 1 + len(part) // 200
        if self.left[0] < 0:
            raise ValueError("it takes too long to repair the JSON")
        is_rest = isinstance(at, slice) and at.start is None
        return _watched(part, self.left) if is_rest else part

    def __add__(self, other: str) -> str:
        return _watched(super().__add__(other), self.left)


def _watched(text: str, left: list[int]) -> _Watched:
    watched = _Watched(text)
    watched.left = left
    return watched
