"""Makes records of fields that have names: of JSON objects, rows of tables, and labelled lists."""

import re
from collections.abc import Mapping

__all__ = [
    "FIELD_NAMES",
    "field_name",
    "is_field_name",
    "is_first_name",
    "kind_named",
    "named_record",
]

# The names that models give to each field, in the order in which the fields stand in a record.
# Where two names of one field are there, the first one of the tuple is used.
ENTITY = (
    ("name", "entity_name", "entity", "title", "node", "label", "id"),
    ("type", "entity_type", "category", "class", "kind", "label"),
    (
        "description",
        "entity_description",
        "desc",
        "summary",
        "details",
        "definition",
        "explanation",
    ),
)
RELATIONSHIP = (
    ("source", "source_entity", "source_name", "from", "head", "subject", "src", "start",
     "entity_1", "entity1", "source_id", "src_id"),
    ("target", "target_entity", "target_name", "to", "tail", "object", "tgt", "end",
     "entity_2", "entity2", "target_id", "tgt_id"),
    ("description", "relationship_description", "desc", "explanation", "details", "summary",
     "relationship", "relation", "predicate", "relationship_type", "type", "label"),
    ("strength", "relationship_strength", "weight", "score", "relationship_score", "rank"),
)  # fmt: skip
CLAIM = (
    ("subject", "subject_entity", "subject_name", "entity"),
    ("object", "object_entity", "object_name"),
    ("type", "claim_type", "category"),
    ("status", "claim_status"),
    ("start_date", "claim_start_date", "start", "date", "claim_date"),
    ("end_date", "claim_end_date", "end"),
    ("description", "claim_description", "claim", "desc"),
    ("source_text", "claim_source_text", "claim_source", "source_quote", "quote", "source",
     "evidence", "text"),
)  # fmt: skip
SCHEMAS = {"entity": ENTITY, "relationship": RELATIONSHIP, "claim": CLAIM}
KIND_FIELDS = ("kind", "record_type", "record", "type")
FIELD_NAMES = {
    *KIND_FIELDS,
    *(name for schema in SCHEMAS.values() for names in schema for name in names),
}
KINDS = {
    "entity": ("entity", "entities", "nodes", "node", "extracted_entities", "entity_list"),
    "relationship": ("relationship", "relationships", "relations", "relation", "edges", "links"),
    "claim": ("claim", "claims", "covariates"),
}
FIRST_NAMES = {*ENTITY[0], *RELATIONSHIP[0], *CLAIM[0]}
KIND_OF_NAME = {name: kind for kind, names in KINDS.items() for name in names}
NO_LETTER = re.compile(r"[\W_]+")


def field_name(text: str) -> str:
    """Returns the name of a field in lower case, with "_" between its words."""
    return NO_LETTER.sub("_", text[:60].casefold()).strip("_")


def is_first_name(name: str) -> bool:
    """Tells whether a name of a field is one of those with which a record begins."""
    return name in FIRST_NAMES


def is_field_name(text: str) -> bool:
    """Tells whether a text is one of the names that models give to a field."""
    return field_name(text) in FIELD_NAMES


def kind_named(text: str) -> str:
    """Returns the kind of record that the name of a list or a heading stands for, "" if none."""
    return KIND_OF_NAME.get(field_name(text), "")


def named_record(fields: Mapping[str, str], kind: str, *, claims: bool) -> list[str] | None:
    """Returns the record that named fields make, None if they make none.

    `kind` is the kind of record that is expected here, "" if it is not known.
    """
    if claims:
        return _claim(fields)
    said = next((KIND_OF_NAME.get(fields.get(name, "").casefold()) for name in KIND_FIELDS
                 if fields.get(name, "").casefold() in KIND_OF_NAME), kind)  # fmt: skip
    rest = {name: text for name, text in fields.items() if text.casefold() not in KIND_OF_NAME}
    ends = [_first(rest, names) for names in RELATIONSHIP[:2]]
    if said != "entity" and all(end is not None for end in ends):
        return ["relationship", *_values(rest, RELATIONSHIP)]
    name, *others = (_first(rest, names) for names in ENTITY)
    if said != "relationship" and name is not None and any(one is not None for one in others):
        return ["entity", *_values(rest, ENTITY)]
    return None


def _claim(fields: Mapping[str, str]) -> list[str] | None:
    needed = (CLAIM[0], CLAIM[6])
    if any(_first(fields, names) is None for names in needed):
        return None
    return [_first(fields, names) or "" for names in CLAIM]


def _values(fields: Mapping[str, str], schema: tuple[tuple[str, ...], ...]) -> list[str]:
    """Returns the fields in their order. A strength that is missing is left out."""
    used: set[str] = set()
    values = []
    for names in schema:
        name = next((name for name in names if name in fields and name not in used), None)
        used.add(name or "")
        if name or names[0] != "strength":
            values.append(fields[name] if name else "")
    return values


def _first(fields: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((fields[name] for name in names if name in fields), None)
