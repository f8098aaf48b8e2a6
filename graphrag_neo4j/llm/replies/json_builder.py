"""Builds the objects and lists of JSON that may not be valid, and notes what it repairs."""

from dataclasses import dataclass, field

__all__ = ["AROUND", "CUT", "SYNTAX", "TWICE", "Builder", "Found"]

DEEPEST = 20  # levels of nesting; our schemas have three

# The notes, which are counted.
AROUND = "text around the JSON"
SYNTAX = "the JSON is not valid"
CUT = "the JSON is not complete"
TWICE = "a field occurs twice"

Container = dict[str, object] | list[object]


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


class Builder:
    """Puts values into objects and lists, in the order of the text.

    It repairs what does not fit: a comma or a bracket that is missing or stands there twice, and a
    field that occurs twice.
    """

    def __init__(self) -> None:
        self.found = Found()
        self._stack: list[Container] = []  # the containers that are open, the outermost first
        self._key: str | None = None  # the field of the innermost object that waits for its value
        self._comma = False  # whether a comma came last

    @property
    def is_open(self) -> bool:
        """Whether an object or a list is open."""
        return bool(self._stack)

    @property
    def is_deep(self) -> bool:
        """Whether so many containers are open that no other one is opened."""
        return len(self._stack) >= DEEPEST

    @property
    def is_in_list(self) -> bool:
        """Whether the innermost container is a list."""
        return isinstance(self._stack[-1], list)

    @property
    def waits_for_value(self) -> bool:
        """Whether the name of a field came last."""
        return self._key is not None

    def note(self, what: str) -> None:
        """Notes that a part of the text was repaired or left out."""
        self.found.odd.append(what)

    def open(self, bracket: str) -> None:
        """Opens an object or a list."""
        new: Container = {} if bracket == "{" else []
        inner = self._stack[-1] if self._stack else None
        if isinstance(inner, dict) and self._key is None:
            self.note(SYNTAX)
            if not (isinstance(new, dict) and self._end_item()):
                return  # a bracket too many
        self._push(new)

    def _push(self, new: Container) -> None:
        self.add(new)
        self._stack.append(new)

    def _end_item(self) -> bool:
        """Ends the innermost object if it is an item of a list, and tells whether it is."""
        is_item = len(self._stack) > 1 and isinstance(self._stack[-2], list)
        if is_item:
            self._stack.pop()
        return is_item

    def begin_item(self) -> None:
        """Begins an object in a list, although its bracket is missing."""
        self.note(SYNTAX)
        self._push({})

    def begin_field(self, name: str, *, is_quoted: bool) -> None:
        """Notes the name of a field. An item of a list that has this field already ends before."""
        self._need_comma()
        self._comma = False
        if not is_quoted:
            self.note(SYNTAX)
        inner = self._stack[-1]
        if isinstance(inner, dict) and name in inner:
            self.note(TWICE)
            if self._end_item():
                self._push({})
            else:
                name = f"{name} {len(inner) + 1}"  # so that no value is overwritten
        self._key = name

    def add(self, value: object) -> None:
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
            self.note(SYNTAX)

    def add_commas(self, number: int) -> None:
        """Notes the commas behind an item or a field."""
        if self._key is not None:
            self._key = None  # the field has no value
            self.note(SYNTAX)
        if self._comma or number > 1:
            self.note(SYNTAX)
        self._comma = True

    def close(self, bracket: str, *, goes_on: bool) -> None:
        """Closes an object or a list. `goes_on` tells whether another item seems to follow."""
        if self._comma or self._key is not None:
            self.note(SYNTAX)
        self._comma, self._key = False, None
        wanted = dict if bracket == "}" else list
        if isinstance(self._stack[-1], wanted):
            self._stack.pop()
            return
        self.note(SYNTAX)
        if not any(isinstance(one, wanted) for one in self._stack) or (bracket == "}" and goes_on):
            return  # a bracket too many
        while not isinstance(self._stack.pop(), wanted):
            pass

    def cut_off(self) -> None:
        """Notes that the text ends inside a value."""
        self.found.open = True
        self._key = None

    def drop_last(self) -> None:
        """Takes back a number at the end of the text, which may lack digits."""
        self.found.open = True
        inner = self._stack[-1]
        if isinstance(inner, list):
            inner.pop()
        else:
            inner.popitem()

    def end(self, *, is_cut: bool) -> Found:
        """Returns what was built. `is_cut` tells that the text was not read to its end."""
        self.found.open |= self._key is not None or self._comma or is_cut
        if self._stack or self.found.open:
            self.note(CUT)
        return self.found
