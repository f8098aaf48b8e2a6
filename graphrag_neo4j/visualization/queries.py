"""The queries of `cypher/browse/`, in the order in which a person explores.

Neo4j Browser asks for a query's parameters before it runs it, so here each parameter is replaced
by a value of the graph at hand: the largest community, the one most linked with it, an entity. A
person changes a value where it stands.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.resources import read_statement

__all__ = ["NAMES", "Query", "Section", "Values", "chosen", "literal", "sections"]

Values = Mapping[str, int | str | None]
PARAMETER = re.compile(r"\$(\w+)")
ORDER: Final = (
    ("The corpus", ("glance", "documents")),
    ("Its communities", ("communities", "tree")),
    ("One community", ("report", "members", "parts", "below")),
    ("What a report rests on", ("evidence", "sentences")),
    ("Two communities", ("shared", "together")),
    ("One entity", ("entity", "neighbours")),
    ("Time, and what is left to do", ("timeline", "waiting")),
)
NAMES: Final = tuple(name for _, names in ORDER for name in names)


@dataclass(frozen=True, slots=True)
class Query:
    """A query that can be pasted and run as it is; `about`: what it tells or draws."""

    name: str
    about: str
    text: str

    @property
    def statement(self) -> str:
        """The text without its comment."""
        return self.text.partition("\n")[2] if self.text.startswith("//") else self.text


@dataclass(frozen=True, slots=True)
class Section:
    """Queries that belong together."""

    title: str
    queries: Sequence[Query]


async def chosen(graph: Graph) -> Values:
    """Values for the parameters `community`, `other` and `entity`; None where there is none."""
    rows = await graph.read("look/chosen")
    return rows[0] if rows else {"community": None, "other": None, "entity": None}


def sections(values: Values) -> list[Section]:
    """All queries, with `values` in place of their parameters."""
    return [Section(title, [_query(name, values) for name in names]) for title, names in ORDER]


def literal(value: int | str | None) -> str:
    """A value as it is written in Cypher.

    >>> print(literal("the Ghost's \\\\"))
    'the Ghost\\'s \\\\'
    """
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    text = value.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + text.replace("\n", "\\n").replace("\r", "\\r") + "'"


def _query(name: str, values: Values) -> Query:
    text = read_statement(f"browse/{name}")
    about = text.partition("\n")[0].removeprefix("//").strip()
    return Query(name, about, PARAMETER.sub(lambda m: literal(values[m[1]]), text).strip())
