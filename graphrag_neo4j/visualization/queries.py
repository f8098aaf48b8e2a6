"""The queries of `cypher/browse/` in the order in which the guide shows them.

Neo4j Browser demands the parameters of a query before it runs the query. So each parameter is
replaced by a value from the graph: the largest community, the community with the most links to it,
or an entity. A user can edit this value in the query.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.resources import read_statement
from graphrag_neo4j.visualization.rows import ExampleRow

__all__ = ["NAMES", "ExampleValues", "Query", "Section", "example_values", "literal", "sections"]

ExampleValues = Mapping[str, int | str | None]
PARAMETER = re.compile(r"\$(\w+)")
ORDER: Final = (
    ("The corpus", ("glance", "documents")),
    ("The communities", ("communities", "tree")),
    ("One community", ("report", "members", "parts", "below")),
    ("The evidence for a report", ("evidence", "sentences")),
    ("Two communities", ("shared", "together")),
    ("One entity", ("entity", "neighbours")),
    ("Timeline and pending work", ("timeline", "waiting")),
)
NAMES: Final = tuple(name for _, names in ORDER for name in names)


@dataclass(frozen=True, slots=True)
class Query:
    """A query that can be run without changes. `about` describes its result."""

    name: str
    about: str
    text: str

    @property
    def statement(self) -> str:
        """The text without its comment in the first line."""
        return self.text.partition("\n")[2] if self.text.startswith("//") else self.text


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the guide: a title and queries on one topic."""

    title: str
    queries: Sequence[Query]


async def example_values(graph: Graph) -> ExampleValues:
    """Reads example values for the parameters `community`, `other` and `entity` from a graph.

    A value is None if the graph has no such element.
    """
    rows = await graph.read("lookup/chosen", ExampleRow)
    row = rows[0] if rows else ExampleRow(community=None, other=None, entity=None)
    return {"community": row["community"], "other": row["other"], "entity": row["entity"]}


def sections(values: ExampleValues) -> list[Section]:
    """Returns all queries by section, with `values` in place of their parameters."""
    return [Section(title, [_query(name, values) for name in names]) for title, names in ORDER]


def literal(value: int | str | None) -> str:
    """Returns a value as a literal in Cypher.

    >>> print(literal("the Ghost's \\\\"))
    'the Ghost\\'s \\\\'
    """
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    text = value.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + text.replace("\n", "\\n").replace("\r", "\\r") + "'"


def _query(name: str, values: ExampleValues) -> Query:
    text = read_statement(f"browse/{name}")
    about = text.partition("\n")[0].removeprefix("//").strip()
    return Query(name, about, PARAMETER.sub(lambda m: literal(values[m[1]]), text).strip())
