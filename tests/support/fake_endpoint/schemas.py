"""Fills any JSON schema, the same on every run: its strings are taken from a text."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from random import Random
from typing import Any

__all__ = ["fill", "find_schema"]

Schema = Mapping[str, Any]


def fill(schema: Schema, texts: Sequence[str], chance: Random) -> object:
    """A value that fits the schema; `texts` are its strings, in turn."""
    return _Filler(schema, texts, chance).value(schema)


def find_schema(prompt: str) -> Schema:
    """The JSON schema that a prompt spells out, else one of a single text."""
    decoder = json.JSONDecoder()
    start = prompt.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(prompt, start)
        except ValueError:
            found, end = None, start + 1
        if isinstance(found, dict) and "properties" in found:
            return found
        start = prompt.find("{", end)
    return {"type": "object", "properties": {"text": {"type": "string"}}}


class _Filler:
    def __init__(self, root: Schema, texts: Sequence[str], chance: Random) -> None:
        self._root = root
        self._texts = cycle(texts or ("nothing",))
        self._chance = chance
        self._makers: dict[str, Callable[[Schema], object]] = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._integer,
            "boolean": self._boolean,
        }

    def value(self, schema: Schema) -> object:
        """A value that fits a part of the schema."""
        if "$ref" in schema:
            return self.value(self._resolve(schema["$ref"]))
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                return self.value(schema[choice][0])
        if "const" in schema or "enum" in schema:
            return self._chance.choice(schema.get("enum") or [schema["const"]])
        kind = schema.get("type", "object")
        make = self._makers.get(kind if isinstance(kind, str) else kind[0])
        return make(schema) if make else None

    def _object(self, schema: Schema) -> dict[str, object]:
        return {name: self.value(part) for name, part in schema.get("properties", {}).items()}

    def _array(self, schema: Schema) -> list[object]:
        least = schema.get("minItems", 1)
        length = self._chance.randint(least, schema.get("maxItems", least + 2))
        return [self.value(schema.get("items", {})) for _ in range(length)]

    def _integer(self, schema: Schema) -> int:
        least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        most = schema.get("maximum", schema.get("exclusiveMaximum", least + 11) - 1)
        return self._chance.randint(int(least), int(most))

    def _boolean(self, _: Schema) -> bool:
        return self._chance.random() < 0.5

    def _string(self, schema: Schema) -> str:
        text = next(self._texts)
        while len(text) < schema.get("minLength", 0):
            text += " " + next(self._texts)
        return text[: schema.get("maxLength")]

    def _resolve(self, reference: str) -> Schema:
        found: Any = self._root
        for key in reference.removeprefix("#").split("/")[1:]:
            found = found[key]
        return dict(found)
