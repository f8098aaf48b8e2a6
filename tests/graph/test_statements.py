"""Each statement is used, says what it does, is understood by Neo4j, and gives the rows it should.

A call names its statement by a text, or builds the name by an f-string. Where the next argument is
a TypedDict or a dataclass, its fields must be the columns of the statement. Only a statement that
the package shows, and never runs itself, returns columns without one.
"""

import ast
import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, is_typeddict

import pytest

import graphrag_neo4j
from graphrag_neo4j.files import read_statement
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import (
    FILTERS_SINCE,
    INDEXED_KINDS,
    SEARCH_SINCE,
    ensure_vector_indexes,
)
from graphrag_neo4j.graph.schema import RESERVED

PACKAGE = Path(graphrag_neo4j.__file__).parent
CYPHER = PACKAGE.parent / "cypher"
STATEMENTS: Final = sorted(
    path.relative_to(CYPHER).with_suffix("").as_posix() for path in CYPHER.rglob("*.cypher")
)


@cache
def expressions() -> Sequence[tuple[str, ast.expr]]:
    """All expressions of the package, each with the name of its module."""
    return [
        (".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts), node)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.expr)
    ]


def named(node: ast.expr, module: str) -> list[str]:
    """The statements that an expression can name: a text, a choice of two, or one of a table."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value] if node.value in STATEMENTS else []
    if isinstance(node, ast.IfExp):
        return [*named(node.body, module), *named(node.orelse, module)]
    constants = vars(importlib.import_module(module)).values()
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        table = getattr(importlib.import_module(module), node.value.id, None)
        found = [*table.values()] if isinstance(table, Mapping) else []
    elif isinstance(node, ast.Attribute):
        found = [getattr(one, node.attr, None) for one in constants if isinstance(one, tuple)]
    else:
        found = []
    return [one for one in found if one in STATEMENTS]


@cache
def typed() -> Mapping[str, type]:
    """The type of the rows of each statement whose caller reads typed rows."""
    found: dict[str, type] = {}
    for module, node in expressions():
        if not isinstance(node, ast.Call):
            continue
        for one, row in zip(node.args, node.args[1:], strict=False):
            if (names := named(one, module)) and isinstance(row, ast.Name):
                kind = getattr(importlib.import_module(module), row.id, None)
                if isinstance(kind, type) and (is_typeddict(kind) or is_dataclass(kind)):
                    rows = dict.fromkeys(names, kind)
                    # The caller that names the statement itself reads all of its columns.
                    found = found | rows if isinstance(one, ast.Constant) else rows | found
    return found


def test_each_statement_is_used_and_found_by_its_name() -> None:
    texts = {node.value for _, node in expressions() if isinstance(node, ast.Constant)}
    assert [name for name in STATEMENTS if name not in texts] == []


def test_the_first_line_of_each_says_what_it_does() -> None:
    first = {name: read_statement(name).splitlines()[0] for name in STATEMENTS}
    wrong = [n for n, line in first.items() if not re.fullmatch(r"// [A-Z][^ ]* .{5,}", line)]
    assert wrong == []


@pytest.mark.parametrize(
    ("kind", "variables"), [("Entity", "entity|mention"), ("RELATED", "pair|stated")]
)
def test_our_own_names_are_kept_from_properties_of_other_databases(
    kind: Literal["Entity", "RELATED"], variables: str
) -> None:
    texts = [re.sub("//.*", "", read_statement(name)) for name in STATEMENTS]
    used = {one for text in texts for one in re.findall(rf"\b(?:{variables})\.(\w+)", text)}
    assert len(used) > 9
    assert used - RESERVED[kind] == set()


# Statements with the clause SEARCH, which older servers do not know.
FILTERED: Final = "selection/nearest_by_index"
BY_CLAUSE: Final = frozenset({FILTERED, *(f"vector_search/{kind}" for kind in INDEXED_KINDS)})
# Commands on the schema want the values of their parameters before they are planned.
PARAMETERS: Final[Mapping[str, dict[str, Any]]] = {
    "doctor/vector_index": {"dimensions": 8},
    "doctor/fulltext_index": {"analyzer": "english"},
}
CYPHER_25_SINCE: Final = (2025, 6)


def planned(graph: Graph, language: str) -> dict[str, set[str]]:
    """The columns of each statement that this server knows, all planned and none run."""
    since = dict.fromkeys(BY_CLAUSE, SEARCH_SINCE) | {FILTERED: FILTERS_SINCE}
    known = [name for name in STATEMENTS if graph.version >= since.get(name, (0, 0))]
    with graph.lend_driver() as driver, driver.session(database=graph.database) as session:
        return {
            # Those with the clause SEARCH name their language themselves.
            name: set(
                session.run(
                    f"EXPLAIN {'' if name in BY_CLAUSE else language} {read_statement(name)}",
                    PARAMETERS.get(name),
                ).keys()
            )
            for name in known
        }


def agrees(name: str, columns: set[str]) -> bool:
    """Whether the columns are those of the row that the caller reads; without a row, none."""
    if row := typed().get(name):
        if is_dataclass(row):
            every = {field.name for field in fields(row)}
            needed = {field.name for field in fields(row) if field.default is MISSING}
        else:
            keys: Any = row
            needed, every = keys.__required_keys__, keys.__required_keys__ | keys.__optional_keys__
        return needed <= columns <= every
    return bool(columns) == name.startswith("browse/")  # people run these in Neo4j Browser


@pytest.mark.parametrize("language", ["", "CYPHER 25"])
async def test_neo4j_understands_each_and_its_columns_are_those_of_its_row(
    graph: Graph, language: str
) -> None:
    if language and graph.version < CYPHER_25_SINCE:
        pytest.skip("this server knows Cypher 5 only")
    await ensure_vector_indexes(graph, 8, replace=True)  # SEARCH is planned with its index only
    columns = planned(graph, language)
    assert len(columns) >= len(STATEMENTS) - len(BY_CLAUSE)
    assert {name: given for name, given in columns.items() if not agrees(name, given)} == {}
