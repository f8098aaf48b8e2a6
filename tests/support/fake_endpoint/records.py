"""What is known of a text, and how it is said in lists of records."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

COMPLETE = "<|COMPLETE|>"


class Entity(NamedTuple):
    name: str
    type: str
    description: str


class Relationship(NamedTuple):
    """Its strength is 1 to 10."""

    source: str
    target: str
    description: str
    strength: int


class Claim(NamedTuple):
    """NONE stands for an object or a date that it lacks."""

    subject: str
    object: str
    type: str
    status: str
    start: str
    end: str
    description: str
    source_text: str


Record = Entity | Relationship | Claim


class Knowledge(NamedTuple):
    entities: Sequence[Entity]
    relationships: Sequence[Relationship]
    claims: Sequence[Claim]


def to_tuples(records: Iterable[Record]) -> str:
    """A whole reply; one record a line, so white space within them is folded."""
    kinds = {Entity: '"entity"<|>', Relationship: '"relationship"<|>', Claim: ""}
    rows = ((kinds[type(record)], "<|>".join(map(_fold, record))) for record in records)
    return "".join(f"({kind}{fields})\n##\n" for kind, fields in rows) + COMPLETE


def _fold(value: object) -> str:
    return " ".join(str(value).split())
