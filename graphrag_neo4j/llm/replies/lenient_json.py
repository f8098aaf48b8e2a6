"""Reads JSON objects from the replies of models, also where they are not quite JSON.

Models write prose and code fences around the JSON, forget or repeat commas, brackets and quotation
marks, leave quotation marks inside a text as they are, write NaN, or stop in the middle. Valid JSON
is read by the standard library. Everything else is read here in one pass: no part of the text is
read twice, so the time grows with its length, and no text causes an error. Each repair is noted.

The package json-repair was not taken for this, because it reads some texts in quadratic time.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from graphrag_neo4j.llm.replies.json_marks import (
    COMMAS,
    COMMENT,
    ESCAPE,
    GARBAGE,
    LITERAL,
    OPENINGS,
    SPACE,
    START,
    Patterns,
    patterns_for,
)

__all__ = ["AROUND", "CUT", "Found", "read_objects"]

CONSTANTS = {"true": True, "false": False, "null": None, "nan": float("nan")}
ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
DEEPEST = 20  # levels of nesting; our schemas have three
# Steps of the reader; a reply of a million characters that says something has fewer.
MOST_STEPS = 100_000

# The notes, which are counted.
AROUND = "text around the JSON"
SYNTAX = "the JSON is not valid"
CUT = "the JSON is not complete"
TWICE = "a field occurs twice"


@dataclass(slots=True)
class Found:
    """The objects and lists of a reply, in their order.

    `odd` holds a note for each part that was repaired or left out. `open` tells whether the text
    ends where a value is not complete or another one must follow. It is False where only the last
    brackets are missing.
    """

    values: list[object] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    open: bool = False


def read_objects(text: str, fields: Iterable[str]) -> Found:
    """Returns the objects and lists in a text. `fields` are the names of the expected fields.

    >>> read_objects('Here: {"score": 8, "answer": "He said "no".",}', ["score", "answer"]).values
    [{'score': 8, 'answer': 'He said "no".'}]
    """
    try:
        return Found([json.loads(text, strict=False, object_pairs_hook=_each_once)])
    except (ValueError, RecursionError):
        return _Reader(text, patterns_for(fields)).read()


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    whole = dict(pairs)
    if len(whole) < len(pairs):
        raise ValueError(TWICE)
    return whole


Container = dict[str, object] | list[object]


class _Reader:
    """Reads a text from its beginning to its end, and builds the values that it holds."""

    def __init__(self, text: str, patterns: Patterns) -> None:
        self.text, self.patterns = text, patterns
        self.found = Found(odd=[])
        self._at = 0
        self._stack: list[Container] = []  # the containers that are open, the outermost first
        self._key: str | None = None  # the field of the innermost object that waits for its value
        self._comma = False  # whether a comma came last

    def read(self) -> Found:
        """Reads the whole text."""
        steps = 0
        while self._at < len(self.text) and steps < MOST_STEPS:
            steps += 1
            if self._stack:
                self._step()
            else:
                self._next_value()
        self.found.open |= self._key is not None or self._comma or steps == MOST_STEPS
        if self._stack or self.found.open:
            self._note(CUT)
        return self.found

    def _note(self, what: str) -> None:
        self.found.odd.append(what)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Matches at the present place, and goes to the end of what matches."""
        found = pattern.match(self.text, self._at)
        if found:
            self._at = found.end()
        return found

    def _next_value(self) -> None:
        """Goes to the next object or list outside any other."""
        found = START.search(self.text, self._at)
        end = found.start() if found else len(self.text)
        if self.text[self._at : end].strip(" \n\r\t,;"):
            self._note(AROUND)
        self._at = end
        if found:
            self._open()

    def _step(self) -> None:
        """Reads the next mark or value inside a container."""
        if self._match(SPACE) or self._pass_comment():
            return
        mark = self.text[self._at]
        if mark in "{[":
            self._open()
        elif mark in "}]":
            self._close(mark)
        elif mark == ",":
            self._pass_commas()
        elif isinstance(self._stack[-1], list):
            self._read_item()
        elif self._key is None:
            self._read_key()
        elif mark == ":":
            self._at += 1
            self._note(SYNTAX)
        else:
            self._read_value()

    def _pass_comment(self) -> bool:
        is_comment = self._match(COMMENT) is not None
        if is_comment:
            self._note(SYNTAX)
        return is_comment

    def _open(self) -> None:
        new: Container = {} if self.text[self._at] == "{" else []
        inner = self._stack[-1] if self._stack else None
        if isinstance(inner, dict) and self._key is None:
            self._note(SYNTAX)
            if not (isinstance(new, dict) and self._end_item()):
                self._at += 1  # a bracket too many
                return
        if len(self._stack) >= DEEPEST:
            self._match(OPENINGS)
            self._note(SYNTAX)
            return
        self._add(new)
        self._stack.append(new)
        self._at += 1
        self._comma = False

    def _end_item(self) -> bool:
        """Ends the innermost object if it is an item of a list, and tells whether it is."""
        is_item = len(self._stack) > 1 and isinstance(self._stack[-2], list)
        if is_item:
            self._stack.pop()
        return is_item

    def _add(self, value: object) -> None:
        """Adds a value to the innermost container."""
        if self._stack and isinstance(self._stack[-1], list):
            self._need_comma()
        self._comma = False
        if not self._stack:
            self.found.values.append(value)
            return
        inner = self._stack[-1]
        if isinstance(inner, list):
            inner.append(value)
        else:
            inner[self._key or ""] = value
            self._key = None

    def _need_comma(self) -> None:
        """Notes that a comma is missing before the next item or field."""
        if self._stack[-1] and not self._comma:
            self._note(SYNTAX)

    def _close(self, mark: str) -> None:
        self._at += 1
        if self._comma or self._key is not None:
            self._note(SYNTAX)
        self._comma, self._key = False, None
        wanted = dict if mark == "}" else list
        if isinstance(self._stack[-1], wanted):
            self._stack.pop()
            return
        self._note(SYNTAX)
        depth = next((n for n, one in enumerate(self._stack) if isinstance(one, wanted)), None)
        if depth is None or (mark == "}" and self._goes_on()):
            return  # a bracket too many
        while not isinstance(self._stack.pop(), wanted):
            pass

    def _goes_on(self) -> bool:
        """Tells whether the list goes on after a bracket."""
        self._match(SPACE)
        return self.text[self._at : self._at + 1] in {",", "{", "]"}

    def _pass_commas(self) -> None:
        if self.text[self._at] == "," and self._key is not None:
            self._key = None  # the field has no value
            self._note(SYNTAX)
        commas = self._match(COMMAS)
        if self._comma or (commas and commas[0].count(",") > 1):
            self._note(SYNTAX)
        self._comma = True

    def _read_key(self) -> None:
        found = self._match(self.patterns.key)
        if found is None:
            self._match(GARBAGE)
            self._note(SYNTAX)
            return
        self._need_comma()
        self._comma = False
        name = found["quoted"] or found["known"] or found["single"] or found["bare"] or ""
        if found["quoted"] is None:
            self._note(SYNTAX)
        self._begin_field(name)

    def _begin_field(self, name: str) -> None:
        """Notes the name of a field. An item of a list that has this field already ends before."""
        inner = self._stack[-1]
        if isinstance(inner, dict) and name in inner:
            self._note(TWICE)
            if self._end_item():
                self._begin_item()
            else:
                name = self._free(name, inner)
        self._key = name

    def _begin_item(self) -> None:
        new: Container = {}
        self._add(new)
        self._stack.append(new)

    @staticmethod
    def _free(name: str, taken: dict[str, object]) -> str:
        """Returns a name that is not taken, so that no value is overwritten."""
        return f"{name} {len(taken) + 1}"

    def _read_item(self) -> None:
        """Reads an item of a list: a text, a number, or fields of an object without its bracket."""
        key = self.patterns.key.match(self.text, self._at)
        if key and key[0].endswith(":"):
            self._note(SYNTAX)
            self._begin_item()
            self._read_key()
        elif self.text[self._at] == '"' or LITERAL.match(self.text, self._at):
            self._read_value()
        else:
            self._match(GARBAGE)
            self._note(SYNTAX)

    def _read_value(self) -> None:
        if self.text[self._at] == '"':
            self._at += 1
            self._read_text(self.patterns.text)
        elif literal := self._match(LITERAL):
            self._add(_constant(literal))
            if self._at == len(self.text):
                self._drop_last()
        else:
            self._note(SYNTAX)
            self._read_text(self.patterns.bare)

    def _drop_last(self) -> None:
        """Takes back a number at the end of the text, which may lack digits."""
        self.found.open = True
        inner = self._stack[-1]
        if isinstance(inner, list):
            inner.pop()
        else:
            inner.popitem()

    def _read_text(self, marks: re.Pattern[str]) -> None:
        start = self._at
        for mark in marks.finditer(self.text, start):
            kind = mark.lastgroup
            if kind == "inner":
                self._note(SYNTAX)
            elif kind != "escape":
                if kind == "next":
                    self._note(SYNTAX)
                self._at = mark.start() if kind == "stop" else mark.end()
                if self._at > start or kind != "stop":
                    self._add(_unescaped(_unquoted(self.text[start : mark.start()].strip())))
                else:
                    self._at += 1  # nothing stands here
                return
        self._at = len(self.text)  # the text is cut off
        self.found.open = True
        self._key = None


def _constant(found: re.Match[str]) -> object:
    if number := found["number"]:
        return float(number) if set(number) & set(".eE") else int(number)
    return CONSTANTS[found.lastgroup or "null"]


def _unquoted(text: str) -> str:
    """Returns a text without single quotation marks around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    whole = ESCAPE.sub(_character, text)
    return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else ESCAPED.get(found[2], found[2])
