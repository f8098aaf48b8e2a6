"""What Neo4j computes over the properties of entities, relationships and documents.

A computation is a few values, never text that becomes Cypher; it also writes itself as a statement
that can be run in Neo4j Browser.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import unquote

from graphrag_neo4j.text.strings import counted

Holder = Literal["entity", "relationship", "document"]
Kind = Literal["number", "date", "text"]
Function = Literal["average", "sum", "largest", "smallest", "list"]
METADATA: Final = "meta_"  # what the properties of documents begin with that hold metadata
EXACT: Final = ".15g"  # all digits of a number
SHOWN_DIGITS: Final = ".10g"  # those of a mean
MOST_SHOWN: Final = (
    5  # entities with the largest or smallest values, unless the question says how many
)
MOST_LISTED: Final = 30  # entities that meet conditions
DAY: Final = re.compile(r"\d{4}(-\d\d){0,2}")  # a year, a month or a day
# The kinds of values that a function takes.
KINDS_OF: Final[Mapping[Function, tuple[Kind, ...]]] = {
    "average": ("number",),
    "sum": ("number",),
    "largest": ("number", "date"),
    "smallest": ("number", "date"),
    "list": (),
}


@dataclass(frozen=True, slots=True)
class KnownProperty:
    """The key of a property, and the type of the entities that have it.

    The type of rows is the source of their table; that of other documents, and of relationships,
    is "". `kind` is that of most values, and `years` says whether all its numbers can be years.
    `texts` holds the values that occur in the question, in any case, and `examples` some others.
    """

    holder: Holder
    type: str
    key: str
    kind: Kind
    years: bool = False
    texts: Sequence[str] = ()
    examples: Sequence[str] = ()

    @property
    def words(self) -> str:
        """Its key in words: "yearOfBirth" and "year_of_birth" are "year of birth"."""
        return re.sub(
            r"_|(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)", " ", shown_key(self.key)
        ).lower()


@dataclass(frozen=True, slots=True)
class PropertyCondition:
    """What the value of one of the properties `keys` must be.

    `value` is a number, the forms of a text or, of a date, a year, a month or a day.
    """

    keys: tuple[str, ...]
    kind: Kind
    operator: str
    value: float | str | tuple[str, ...]

    @property
    def length(self) -> int:
        """How many characters of a date count, 0 for other kinds."""
        return len(str(self.value)) if self.kind == "date" else 0

    @property
    def cypher(self) -> str:
        """The condition on a node `e`. A property holds a value or a list."""
        held = f"left(toString(x), {self.length})" if self.kind == "date" else "x"
        value = f"{self.value:{EXACT}}" if isinstance(self.value, float) else _literal(self.value)
        [first, *others] = [f"e.{quoted(key)}" for key in self.keys]
        values = f"[{', '.join([first, *others])}]" if others else f"[] + {first}"
        return f"any(x IN {values} WHERE {held} {self.operator} {value})"

    def __str__(self) -> str:
        value, operator = self.value, self.operator
        if isinstance(value, float):
            value = f"{value:{EXACT}}"
        elif isinstance(value, tuple):
            value, operator = value[0].strip(), "="
        return f"{' or '.join(map(shown_key, self.keys))} {operator} {value}"


@dataclass(frozen=True, slots=True)
class Computation:
    """What a question computes, over what holds the properties. `key` is None to count alone.

    `types` are those of the entities or documents. With `predicates`, only entities with one of
    them to or from what the question names count, or relationships with one of them.
    """

    holder: Holder
    types: tuple[str, ...]
    function: Function
    key: str | None
    kind: Kind
    conditions: tuple[PropertyCondition, ...]
    predicates: tuple[str, ...]
    most: int

    @property
    def shown(self) -> str | None:
        """The property whose values are shown, None for no one."""
        compared = (one.keys[0] for one in self.conditions if one.kind != "text")
        return self.key or next(compared, None)

    def said(self, names: Collection[str], n: int, values: int, total: float | None) -> str:
        """What the computation gives, in a sentence: of `n` entities, `values` and their sum.

        `names` are what the question names.
        """
        what = counted(n, "relationship")
        if self.holder == "entity":
            what = f"{counted(n, 'entity', 'entities')} of the type {' or '.join(self.types)}"
        elif self.holder == "document":
            tables = " and ".join(table_name(one) for one in self.types if one)
            what = f"{counted(n, 'row')} of {tables}" if tables else counted(n, "document")
        whose = " or ".join(sorted(names))
        if self.predicates:
            what += f" ({' or '.join(self.predicates)}: {whose})"
        elif whose and self.holder == "relationship":
            what += f" of {whose}"
        if self.conditions:
            what += f" with {' and '.join(map(str, self.conditions))}"
        key = shown_key(self.key or "")
        if total is not None and values:
            value = total if self.function == "sum" else total / values
            told = f"{value:,{EXACT if self.function == 'sum' else SHOWN_DIGITS}}"
            return f"The {self.function} of {key} is {told}: {counted(values, 'value')} of {what}."
        if self.key:
            return f"The {self.function} values of {key}, of {what}:"
        return f"The graph has {what}{':' if n else '.'}"

    def cypher(self, names: Collection[str]) -> str:
        """The same as a statement for Neo4j Browser; `names` are what the question names."""
        shown = {"entity": "e.name", "relationship": "n.name, e.name", "document": "e.title"}
        named = f"n.name IN {_literal(sorted(names))}"
        match, within = "(e:Entity)", f"toLower(e.type) IN {_literal(self.types)}"
        if self.holder == "relationship":
            match = f"(n:Entity)-[r:RELATED]{'-' if names else '->'}(e:Entity)"
            within = named if names else ""
        elif self.holder == "document":
            table = f"split(e.source, '#')[0] IN {_literal(self.types)}"
            match, within = (
                "(e:Document)",
                table if any(self.types) else "NOT e.source CONTAINS '#'",
            )
        where = [*filter(None, [within]), *(one.cypher for one in self.conditions)]
        if self.predicates:
            stated = f"any(p IN s.predicates WHERE toLower(p) IN {_literal(self.predicates)})"
            also = f"{named} AND " if self.holder == "entity" else ""
            where.append(f"EXISTS {{ MATCH (e)-[s:STATED]-(n:Entity) WHERE {also}{stated} }}")
        all_ = "\n  AND ".join(where)
        lines = [f"MATCH {match} WHERE {all_}" if where else f"MATCH {match}"]
        if self.key is None:
            return "\n".join([*lines, "RETURN count(e)"])
        values = f"{'r' if self.holder == 'relationship' else 'e'}.{quoted(self.key)}"
        lines.append(f"UNWIND {values} AS x")
        if self.holder == "document" and self.kind == "number":
            lines.append("WITH * WHERE x IS :: INTEGER OR x IS :: FLOAT")
        listed = f"RETURN {shown[self.holder]}, x ORDER BY x"
        end = {
            "average": "RETURN avg(x)",
            "sum": "RETURN sum(x)",
            "largest": f"{listed} DESC LIMIT {self.most}",
            "smallest": f"{listed} LIMIT {self.most}",
        }[self.function]
        return "\n".join([*lines, end])


def table_name(source: str) -> str:
    """Returns the name of a table's file: "sales.csv"."""
    return unquote(source).rpartition("/")[2]


def shown_key(key: str) -> str:
    """Returns the key of a property as it was where it comes from."""
    return key.removeprefix(METADATA).removeprefix("own_")


def quoted(name: str) -> str:
    """Returns the name of a property as Cypher writes it."""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else f"`{name.replace('`', '``')}`"


def _literal(value: str | Collection[str]) -> str:
    return json.dumps(value if isinstance(value, str) else [*value], ensure_ascii=False)


def kind_shown(conditions: Iterable[PropertyCondition]) -> Kind:
    """Returns the kind of the values that are shown where only conditions are met."""
    return next((one.kind for one in conditions if one.kind != "text"), "text")
