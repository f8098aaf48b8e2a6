"""A Christmas Carol: what a real model found in it, replayed for any chunk of the book."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

from tests.support.fake_endpoint.records import Claim, Entity, Knowledge, Relationship
from tests.support.paths import DATA

CAROL = DATA / "christmas_carol"
WORD = re.compile(r"[^\W_]+")
SHINGLE = 5
"""Words in a row that, when shared, mean that a text stems from a unit of the book."""
Rows = list[tuple[Any, set[int], list[str]]]


def recall(text: str) -> Knowledge | None:
    """What the real model found in these lines of the book, by names; None for another text."""
    units_of, *records = _book()
    units = {unit for one in _shingles(text, SHINGLE) for unit in units_of.get(one, ())}
    folded = _fold(text)
    found = (
        [row for row, of, names in rows if of & units and held(name in folded for name in names)]
        for rows, held in zip(records, (all, all, any), strict=True)
    )
    return Knowledge(*found) if units else None


@cache
def _book() -> tuple[dict[str, set[int]], Rows, Rows, Rows]:
    """The units that have a run of words; records with their units and the names that show them."""
    text = (CAROL / "book.txt").read_text(encoding="utf-8")
    index = json.loads((CAROL / "index.json").read_text(encoding="utf-8"))
    units = defaultdict[str, set[int]](set)
    for number, (start, end) in enumerate(index["units"]):
        for shingle in _shingles(text[start:end]):
            units[shingle].add(number)
    for row in index["claims"]:
        row |= {"units": [row["unit"]], "source_text": row["source"]}

    def rows(kind: str, record: Any, *names: str) -> Rows:  # noqa: ANN401 - a class
        made = [record(*(row[field] for field in record._fields)) for row in index[kind]]
        told = [({*row["units"]}, [_fold(row[name]) for name in names]) for row in index[kind]]
        return [(one, *more) for one, more in zip(made, told, strict=True)]

    entities = rows("entities", Entity, "name")
    relationships = rows("relationships", Relationship, "source", "target")
    return units, entities, relationships, rows("claims", Claim, "subject", "source")


def _fold(text: str) -> str:
    """The words alone, in lower case, with a space around each, so that `in` finds whole words."""
    return f" {' '.join(WORD.findall(text.casefold()))} "


def _shingles(text: str, step: int = 1) -> Iterable[str]:
    words = text.casefold().split()
    for start in range(0, len(words) - SHINGLE + 1, step):
        yield " ".join(words[start : start + SHINGLE])
