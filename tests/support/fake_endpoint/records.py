"""What is known of a text, and how it is said in delimited tuples."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

__all__ = [
    "COMPLETE",
    "Claim",
    "Entity",
    "Knowledge",
    "Record",
    "Relationship",
    "to_rows",
    "to_tuples",
]

COMPLETE = "<|COMPLETE|>"


class Entity(NamedTuple):
    """An entity."""

    name: str
    type: str
    description: str


class Relationship(NamedTuple):
    """A relationship; its strength is 1 to 10."""

    source: str
    target: str
    description: str
    strength: int


class Claim(NamedTuple):
    """A claim; NONE stands for an object or a date that it lacks."""

    subject: str
    object: str
    type: str
    status: str
    start: str
    end: str
    description: str
    source_text: str


Record = Entity | Relationship | Claim


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that there is to say of a text."""

    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    claims: tuple[Claim, ...] = ()


def to_tuples(records: Iterable[Record]) -> str:
    """A whole reply; one record a line, so white space within them is folded."""
    return "".join(f"{_to_tuple(record)}\n##\n" for record in records) + COMPLETE


def to_rows(records: Iterable[Record]) -> str:
    """A whole reply in the rows that LightRAG reads; claims are left out, as it has none."""
    rows: list[tuple[str, ...]] = []
    for record in records:
        match record:
            case Entity(name, kind, description):
                rows.append(("entity", name, kind, description))
            case Relationship(source, target, description, _):
                rows.append(("relation", source, target, "connection", description))
    return "".join(f"{'<|#|>'.join(' '.join(f.split()) for f in row)}\n" for row in rows) + COMPLETE


def _to_tuple(record: Record) -> str:
    fields = "<|>".join(" ".join(str(value).split()) for value in record)
    match record:
        case Entity():
            return f'("entity"<|>{fields})'
        case Relationship():
            return f'("relationship"<|>{fields})'
        case Claim():
            return f"({fields})"
