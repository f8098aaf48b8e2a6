"""Turns the records of a model's reply into entities and relationships."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from graphrag_neo4j.llm.gleaning import Gleaning
from graphrag_neo4j.llm.replies.list_marks import FIELDS, SCORE
from graphrag_neo4j.llm.replies.signs import holds_delimiter
from graphrag_neo4j.model import EntityRecord, Extraction, RelationshipRecord
from graphrag_neo4j.text import clean_name, entity_id, entity_ids, looks_like_name, name_key

__all__ = ["extraction_of"]

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
WEAKEST = 1.0


def extraction_of(gleaned: Gleaning) -> Extraction:
    """Returns the entities and relationships, and a reason for each record that can't be used."""
    entities: list[EntityRecord] = []
    relationships: list[RelationshipRecord] = []
    unusable = list(gleaned.odd)
    records = [(_kind(record), *record[1:]) for record in gleaned.records]
    named = {
        entity_id(name): name
        for kind, *fields in records
        for name in map(clean_name, fields[: kind == "entity"])
    }
    for kind, *fields in records:
        try:
            match kind:
                case "entity":
                    entities.append(_entity(fields))
                case "relationship":
                    relationships.append(_relationship(fields, named, unusable))
                case _:
                    unusable.append("unknown kind of record")
        except _UnusableError as reason:
            unusable.append(str(reason))
    return Extraction(entities, relationships, gleaned.cut, unusable)


def _kind(record: Sequence[str]) -> str:
    """Returns the kind of a record. A kind in another language shows by the number of fields."""
    kind = clean_name(record[0]).casefold()
    if kind in FIELDS or any(map(holds_delimiter, record)):  # several records in one
        return kind
    if len(record) == FIELDS["relationship"] and SCORE.fullmatch(record[-1]):
        return "relationship"
    is_entity = len(record) == FIELDS["entity"] and not SCORE.fullmatch(record[-1])
    return "entity" if is_entity else kind


class _UnusableError(Exception):
    """Says why a record can't be used."""


def _entity(fields: Sequence[str]) -> EntityRecord:
    if len(fields) < 3:
        raise _UnusableError("entity with too few fields")
    name = clean_name(fields[0])
    if not name_key(name):
        raise _UnusableError("entity without a name")
    if holds_delimiter(name):
        raise _UnusableError("entity with too few fields")
    return EntityRecord(name, clean_name(fields[1]).casefold(), _prose(fields[2:]))


def _relationship(
    fields: Sequence[str], named: Mapping[str, str], unusable: list[str]
) -> RelationshipRecord:
    """Reads a relationship. `named` holds the names of all entities by id."""
    if len(fields) < 3:
        raise _UnusableError("relationship with too few fields")
    source, target = _end(fields[0], named), _end(fields[1], named)
    if not (name_key(source) and name_key(target)):
        raise _UnusableError("relationship without a name")
    if holds_delimiter(source) or holds_delimiter(target):
        raise _UnusableError("relationship with too few fields")
    if name_key(source) == name_key(target):
        raise _UnusableError("relationship with itself")
    if entity_id(target) not in named and _is_sentence(target):
        # Both names stood in one field, and what should be the target is the description.
        raise _UnusableError("relationship without a target")
    *description, last = fields[2:]
    strength = _strength(last)
    if not description and SCORE.fullmatch(last):
        raise _UnusableError("relationship with too few fields")
    if strength is None or not description:
        unusable.append("relationship without a strength")
        return RelationshipRecord(source, target, _prose(fields[2:]), WEAKEST)
    return RelationshipRecord(source, target, _prose(description), strength)


def _end(field: str, named: Mapping[str, str]) -> str:
    """The name of an end as the entities of the same reply write it: "Apple" also for "apple"."""
    name = clean_name(field)
    return next((named[id_] for id_ in entity_ids(name) if id_ in named), name)


def _is_sentence(name: str) -> bool:
    return any(map(str.isalpha, name)) and not looks_like_name(name)


def _strength(text: str) -> float | None:
    """Returns the number in a short field such as "8", "8/10" or "strength: 8", or None."""
    found = NUMBER.search(text) if len(text) <= 20 else None
    strength = float(found[0]) if found else -1.0
    return strength if 0 <= strength < math.inf else None


def _prose(fields: Iterable[str]) -> str:
    return "<|>".join(fields)
