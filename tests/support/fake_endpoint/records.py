"""What is known of a text, and how it is said in lists of records."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.support.fake_endpoint.words import pick

COMPLETE = "<|COMPLETE|>"
PREDICATES = ("works for", "knows", "wrote of", "BELONGS_TO", "lives in", "")


class Entity(NamedTuple):
    name: str
    type: str
    description: str


class Relationship(NamedTuple):
    """Its strength is 1 to 10. Its predicate is said in some replies."""

    source: str
    target: str
    description: str
    strength: int

    @property
    def predicate(self) -> str:
        """The verb phrase of the two names; "" for some."""
        return PREDICATES[pick(len(PREDICATES), "predicate", self.source, self.target)]


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
    records = list(records)
    kinds = {Entity: '"entity"<|>', Relationship: '"relationship"<|>', Claim: ""}
    # A quarter of the replies has no predicates, as if to a prompt that asks for none.
    plain = bool(records) and pick(4, "without predicates", records[0][0]) == 0
    rows = ((kinds[type(record)], "<|>".join(_fields(record, plain))) for record in records)
    return "".join(f"({kind}{fields})\n##\n" for kind, fields in rows) + COMPLETE


def _fields(record: Record, plain: bool) -> list[str]:
    phrase = "" if plain or not isinstance(record, Relationship) else record.predicate
    return [*map(_fold, record), *([phrase] if phrase else [])]


def _fold(value: object) -> str:
    return " ".join(str(value).split())
