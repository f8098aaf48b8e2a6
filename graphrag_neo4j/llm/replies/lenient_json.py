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

from graphrag_neo4j.llm.replies.json_builder import AROUND, CUT, SYNTAX, TWICE, Builder, Found
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
# Steps of the reader; a reply of a million characters that says something has fewer.
MOST_STEPS = 100_000


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


class _Reader:
    """Reads a text from its beginning to its end, and builds the values that it holds."""

    def __init__(self, text: str, patterns: Patterns) -> None:
        self.text, self.patterns = text, patterns
        self._built = Builder()
        self._at = 0

    def read(self) -> Found:
        """Reads the whole text."""
        steps = 0
        while self._at < len(self.text) and steps < MOST_STEPS:
            steps += 1
            if self._built.is_open:
                self._step()
            else:
                self._next_value()
        return self._built.end(is_cut=steps == MOST_STEPS)

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
            self._built.note(AROUND)
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
            self._at += 1
            self._built.close(mark, goes_on=self._goes_on())
        elif commas := self._match(COMMAS):
            self._built.add_commas(commas[0].count(","))
        elif self._built.is_in_list:
            self._read_item()
        elif not self._built.waits_for_value:
            self._read_key()
        elif mark == ":":
            self._at += 1
            self._built.note(SYNTAX)
        else:
            self._read_value()

    def _pass_comment(self) -> bool:
        is_comment = self._match(COMMENT) is not None
        if is_comment:
            self._built.note(SYNTAX)
        return is_comment

    def _open(self) -> None:
        if self._built.is_deep:
            self._match(OPENINGS)
            self._built.note(SYNTAX)
        else:
            self._built.open(self.text[self._at])
            self._at += 1

    def _goes_on(self) -> bool:
        """Tells whether the list goes on after a bracket."""
        self._match(SPACE)
        return self.text[self._at : self._at + 1] in {",", "{", "]"}

    def _skip(self) -> None:
        self._match(GARBAGE)
        self._built.note(SYNTAX)

    def _read_key(self) -> None:
        found = self._match(self.patterns.key)
        if found is None:
            self._skip()
            return
        name = found["quoted"] or found["known"] or found["single"] or found["bare"] or ""
        self._built.begin_field(name, is_quoted=found["quoted"] is not None)

    def _read_item(self) -> None:
        """Reads an item of a list: a text, a number, or fields of an object without its bracket."""
        key = self.patterns.key.match(self.text, self._at)
        if key and key[0].endswith(":"):
            self._built.begin_item()
            self._read_key()
        elif self.text[self._at] == '"' or LITERAL.match(self.text, self._at):
            self._read_value()
        else:
            self._skip()

    def _read_value(self) -> None:
        if self.text[self._at] == '"':
            self._at += 1
            self._read_text(self.patterns.text)
        elif literal := self._match(LITERAL):
            self._built.add(_constant(literal))
            if self._at == len(self.text):
                self._built.drop_last()
        else:
            self._built.note(SYNTAX)
            self._read_text(self.patterns.bare)

    def _read_text(self, marks: re.Pattern[str]) -> None:
        start = self._at
        for mark in marks.finditer(self.text, start):
            kind = mark.lastgroup
            if kind == "inner":
                self._built.note(SYNTAX)
            elif kind != "escape":
                if kind == "next":
                    self._built.note(SYNTAX)
                self._at = mark.start() if kind == "stop" else mark.end()
                if self._at > start or kind != "stop":
                    text = self.text[start : mark.start()].strip()
                    self._built.add(_unescaped(_unquoted(text)))
                else:
                    self._at += 1  # nothing stands here
                return
        self._at = len(self.text)  # the text is cut off
        self._built.cut_off()


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
