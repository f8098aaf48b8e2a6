"""A Christmas Carol: what a real model found in it, replayed for any chunk of the book."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

from tests.support.fake_endpoint.records import Claim, Entity, Knowledge, Relationship
from tests.support.paths import DATA

__all__ = ["CAROL", "recall"]

CAROL = DATA / "christmas_carol"
WORD = re.compile(r"[^\W_]+")
SHINGLE = 5
"""Words in a row that, when shared, mean that a text stems from a unit of the book."""


def recall(text: str) -> Knowledge | None:
    """What the real model found in these lines of the book; None for any other text."""
    book = _christmas_carol()
    units = book.units_of(text)
    return book.knowledge_of(text, units) if units else None


@cache
def _christmas_carol() -> "Book":
    """The book, read once."""
    index = json.loads((CAROL / "index.json").read_text(encoding="utf-8"))
    return Book((CAROL / "book.txt").read_text(encoding="utf-8"), index)


class Book:
    """A text cut into units, and what was found in each of them."""

    def __init__(self, text: str, index: dict[str, Any]) -> None:
        self._units: dict[str, set[int]] = defaultdict(set)
        for number, (start, end) in enumerate(index["units"]):
            for shingle in _shingles(text[start:end]):
                self._units[shingle].add(number)
        self._entities = [
            (
                Entity(row["name"], row["type"], row["description"]),
                {*row["units"]},
                _fold(row["name"]),
            )
            for row in index["entities"]
        ]
        self._relationships = [
            (
                Relationship(row["source"], row["target"], row["description"], row["strength"]),
                {*row["units"]},
                _fold(row["source"]),
                _fold(row["target"]),
            )
            for row in index["relationships"]
        ]
        self._claims = [
            (_to_claim(row), row["unit"], _fold(row["subject"]), _fold(row["source"]))
            for row in index["claims"]
        ]

    def units_of(self, text: str) -> set[int]:
        """The numbers of the units that share a run of words with the text."""
        found: set[int] = set()
        for shingle in _shingles(text, step=SHINGLE):
            found |= self._units.get(shingle, set())
        return found

    def knowledge_of(self, text: str, units: set[int]) -> Knowledge:
        """Those records of the units whose names (or, of a claim, source) stand in the text."""
        folded = _fold(text)
        return Knowledge(
            tuple(r for r, of, name in self._entities if of & units and name in folded),
            tuple(
                r
                for r, of, source, target in self._relationships
                if of & units and source in folded and target in folded
            ),
            tuple(
                r
                for r, of, subject, source in self._claims
                if of in units and (source in folded or subject in folded)
            ),
        )


def _to_claim(row: dict[str, str]) -> Claim:
    names = ("subject", "object", "type", "status", "start", "end", "description", "source")
    return Claim(*(row[name] for name in names))


def _fold(text: str) -> str:
    """The words alone, in lower case, with a space around each, so that `in` finds whole words."""
    return f" {' '.join(WORD.findall(text.casefold()))} "


def _shingles(text: str, step: int = 1) -> Iterable[str]:
    words = text.casefold().split()
    for start in range(0, len(words) - SHINGLE + 1, step):
        yield " ".join(words[start : start + SHINGLE])
