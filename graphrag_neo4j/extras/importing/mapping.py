"""The mapping of an import from Neo4j: which nodes, relationships and properties become what.

`read_mapping` reads the file, and `suggest_mapping` makes a first one from a database.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Final, TypedDict

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.settings import plain_problem
from graphrag_neo4j.settings.checks import did_you_mean
from graphrag_neo4j.text.strings import without_capitals

SAMPLE: Final = 200  # nodes of a label, or relationships of a type, that a suggestion looks at
LONGEST_NAME: Final = 80  # characters; a longer text isn't a name
SHORTEST_TEXT: Final = 300  # characters; from here on, a property is a text to be read
NAMES: Final = ("name", "title", "label")  # what the name of a property holds, the best first
DESCRIPTIONS: Final = ("description", "summary", "abstract", "tagline", "bio", "comment", "about")
# Properties with further names, without capitals and underscores.
ALIASES: Final = ("aliases", "alias", "alsoknownas", "aka", "alternativenames", "othernames")
HEAD: Final = """\
# Which nodes and relationships `kg-build import neo4j` brings, and which of their properties.
# A model may read all of them: remove what it should not see, and what is of no use.
#
#   name         the property with the name of the entity
#   key          the property that identifies a node of the label (default: the name)
#   type         the type of the entity (default: the label)
#   aliases      a property with further names: a text or a list of texts
#   description  a property with a short text
#   properties   other properties of the entity; they also stand in its record, and are metadata to
#                filter by
#   text         properties with long texts, which are read as documents
#   predicate    a verb phrase from start to end (default: the type)
#
# A node with several of these labels is taken by the first.
"""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MappedNodes(_Part):
    """The properties of the nodes with a label; `type` is that of their entities."""

    name: str
    key: str | None = None
    type: str | None = None
    aliases: str | None = None
    description: str | None = None
    properties: tuple[str, ...] = ()
    text: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """The property that identifies a node."""
        return self.key or self.name

    @property
    def told(self) -> tuple[str, ...]:
        """The properties that stand in the record."""
        return (*filter(None, [self.description, self.aliases]), *self.properties)


class MappedRelationships(_Part):
    """The predicate of the relationships of a type, and their properties."""

    predicate: str | None = None
    properties: tuple[str, ...] = ()


class GraphMapping(_Part):
    """The labels and relationship types to import; all others are left out."""

    nodes: dict[str, MappedNodes] = Field(min_length=1)
    relationships: dict[str, MappedRelationships | None] = {}


def read_mapping(path: Path) -> GraphMapping:
    """Reads a mapping file. Raises InputError that names the first flaw."""
    try:
        return GraphMapping.model_validate(yaml.safe_load(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise InputError(f"{path} is not YAML: {' '.join(str(error).split())}.") from None
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        *place, last = ["", *problem["loc"]]
        if problem["type"] == "extra_forbidden":
            known = {
                "nodes": MappedNodes.model_fields,
                "relationships": MappedRelationships.model_fields,
            }.get(str(place[1]) if place[1:] else "", GraphMapping.model_fields)
            where = f"{'.'.join(map(str, place[1:]))} " if place[1:] else ""
            raise InputError(
                f"{path}: {where}can't hold {last}.{did_you_mean(str(last), known)}"
            ) from None
        where = ".".join(map(str, [*place[1:], last])) or "the file"
        raise InputError(f"{path}: {where} {plain_problem(problem)}.") from None


class SampledLabelRow(TypedDict):
    """A label, the number of its nodes, and the properties of some."""

    label: str
    n: int
    sample: list[dict[str, Any]]


class SampledTypeRow(TypedDict):
    """A relationship type, and the properties of some relationships."""

    type: str
    sample: list[dict[str, Any]]


class UniqueRow(TypedDict):
    """A label, and a property that is unique among its nodes."""

    label: str
    property: str


async def suggest_mapping(graph: Graph) -> str:
    """A first mapping of a database, as the text of a file.

    Labels with fewer nodes come first, because they say more. Raises InputError if no label has a
    property that can be a name.
    """
    unique = {row["label"]: row["property"] for row in await graph.read("import/unique", UniqueRow)}
    nodes = {}
    for row in await graph.read("import/labels", SampledLabelRow, limit=SAMPLE):
        if suggested := _suggested(_columns(row["sample"]), unique.get(row["label"])):
            nodes[row["label"]] = suggested
    if not nodes:
        raise InputError("No label of this database has a property with texts that can be names.")
    relationships: dict[str, dict[str, Any]] = {}
    for kind in await graph.read("import/types", SampledTypeRow, limit=SAMPLE):
        columns = _columns(kind["sample"])
        relationships[kind["type"]] = {
            "predicate": phrase(kind["type"]),
            **({"properties": [*columns]} if columns else {}),
        }
    content = {"nodes": nodes, "relationships": relationships}
    return HEAD + yaml.safe_dump(content, sort_keys=False, allow_unicode=True)


def phrase(type_: str) -> str:
    """A relationship type as a verb phrase.

    >>> phrase("ACTED_IN")
    'acted in'
    """
    return without_capitals(type_.replace("_", " "))


def _columns(sample: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The values of each property that can be shown; a vector, a list of numbers, can't."""
    columns: dict[str, list[Any]] = {}
    for properties in sample:
        for name, value in properties.items():
            if not (isinstance(value, list) and any(isinstance(one, float) for one in value)):
                columns.setdefault(name, []).append(value)
    return dict(sorted(columns.items()))


def _suggested(columns: Mapping[str, Sequence[Any]], key: str | None) -> dict[str, Any] | None:
    """The mapping of a label; None if no property can be a name."""
    lengths = {
        name: mean(map(len, values))
        for name, values in columns.items()
        if all(isinstance(value, str) for value in values)
    }
    most = max(map(len, columns.values()), default=0)
    names = [
        name
        for name, length in lengths.items()
        if length <= LONGEST_NAME and 2 * len(columns[name]) > most
    ]
    if not names:
        return None
    names.sort(key=lambda one: next((n for n, p in enumerate(NAMES) if p in one.casefold()), 9))
    if key is None and len({*columns[names[0]]}) < len(columns[names[0]]):
        different = (one for one, it in columns.items() if len({*map(str, it)}) == len(it) == most)
        key = next(different, None)
    name, texts = names[0], [one for one, length in lengths.items() if length >= SHORTEST_TEXT]
    described = [one for one in DESCRIPTIONS if one in lengths and one not in {name, *texts}][:1]
    called = [
        one
        for one in columns
        if one.casefold().replace("_", "") in ALIASES and one not in {name, key, *texts}
    ][:1]
    others = [one for one in columns if one not in {name, key, *called, *described, *texts}]
    return {
        "name": name,
        **({"key": key} if key not in {None, name} else {}),
        **({"aliases": called[0]} if called else {}),
        **({"description": described[0]} if described else {}),
        **({"properties": others} if others else {}),
        **({"text": texts} if texts else {}),
    }
