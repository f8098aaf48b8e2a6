"""Each statement is used, says what it does, is understood by Neo4j, and gives the rows it should.

A call names its statement by a text, or builds the name by an f-string that stands in BUILT. Where
the next argument is a TypedDict or a dataclass, its fields must be the columns of the statement.
Only a statement that the package shows, and never runs itself, returns columns without one.
"""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args, is_typeddict

import graphrag_neo4j
from graphrag_neo4j.evaluate.answers import GraphPart
from graphrag_neo4j.graph import INDEXED_KINDS, Graph, RefKind
from graphrag_neo4j.graph.indexes import SEARCH_SINCE
from graphrag_neo4j.index.stages.summarize import DESCRIBED_KINDS
from graphrag_neo4j.integrations.explore.guide import NAMES
from graphrag_neo4j.text.files import read_statement

PACKAGE = Path(graphrag_neo4j.__file__).parent
CYPHER = PACKAGE.parent / "cypher"
STATEMENTS: Final = sorted(
    path.relative_to(CYPHER).with_suffix("").as_posix() for path in CYPHER.rglob("*.cypher")
)
FOLDERS = {name.partition("/")[0] for name in STATEMENTS}
READING = ("extraction", "claims")
# Names that are built: the f-string as it stands in the code, and what it makes.
BUILT: Final[Mapping[str, tuple[str, ...]]] = {
    "browse/{name}": NAMES,
    "embed/forget_{kind}": INDEXED_KINDS,
    "embed/page_{kind}": INDEXED_KINDS,
    "embed/{statement}": ("save", "flawed", "failed"),
    "evaluation/{part}": get_args(GraphPart),
    "evidence/refs_{kind}": get_args(RefKind),
    "extract/count_{kind}": READING,
    "extract/done_{kind}": READING,
    "extract/failed_{kind}": READING,
    "extract/pending_{kind}": READING,
    "import/refs_{kind}": ("chunk", "claim", "entity", "relationship"),
    "vector_search/{kind}": INDEXED_KINDS,
    "summarize/failed_{self.kind}": DESCRIBED_KINDS,
    "summarize/group_{self.kind}": DESCRIBED_KINDS,
    "summarize/otherwise_{kind}": DESCRIBED_KINDS,
    "summarize/save_{self.kind}": DESCRIBED_KINDS,
    "summarize/{self.kind}": DESCRIBED_KINDS,
}
# F-strings that look like a statement, and name a file of a page.
OTHER_FILES = {"map/{name}", "evaluation/{name}"}


@cache
def modules() -> Mapping[str, ast.Module]:
    """The package's modules by name, as they are written."""
    return {
        ".".join(("graphrag_neo4j", *path.relative_to(PACKAGE).with_suffix("").parts)): ast.parse(
            path.read_text("utf-8")
        )
        for path in PACKAGE.rglob("*.py")
    }


def expressions() -> Iterator[tuple[str, ast.expr]]:
    """All expressions of the package, each with the name of its module."""
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.expr):
                yield module, node


def pattern(node: ast.expr) -> str | None:
    """The name of a statement, or the pattern that builds it; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if node.value in STATEMENTS else None
    if isinstance(node, ast.JoinedStr):
        text = ast.unparse(node)[2:-1]
        ours = text.partition("/")[0] in FOLDERS and " " not in text
        return text if ours and text not in OTHER_FILES else None
    return None


def expanded(name: str) -> list[str]:
    """The statements that a name or a pattern stands for."""
    if name not in BUILT:
        return [name]
    folder, rest = name.split("/")
    fixed = "" if rest.count("{") > 1 else rest.partition("{")[0]
    return [f"{folder}/{fixed}{value}" for value in BUILT[name]]


@cache
def used() -> frozenset[str]:
    """The names and patterns in the package."""
    return frozenset(name for _, node in expressions() if (name := pattern(node)))


@cache
def typed() -> Mapping[str, type]:
    """The type of the rows of each statement whose caller reads typed rows."""
    found: dict[str, type] = {}
    for module, node in expressions():
        if not isinstance(node, ast.Call):
            continue
        for one, row in zip(node.args, node.args[1:], strict=False):
            if (name := pattern(one)) and isinstance(row, ast.Name):
                kind = getattr(importlib.import_module(module), row.id, None)
                if isinstance(kind, type) and (is_typeddict(kind) or is_dataclass(kind)):
                    found.update(dict.fromkeys(expanded(name), kind))
    return found


def test_each_statement_is_used_and_each_name_is_a_statement() -> None:
    assert {name for name in used() if "{" in name} == BUILT.keys()
    assert sorted({one for name in used() for one in expanded(name)}) == STATEMENTS


def test_the_first_line_of_each_says_what_it_does() -> None:
    first = {name: read_statement(name).splitlines()[0] for name in STATEMENTS}
    wrong = [n for n, line in first.items() if not re.fullmatch(r"// [A-Z][^ ]* .{5,}", line)]
    assert wrong == []


# Statements with the clause SEARCH, which older servers do not know.
BY_CLAUSE: Final = frozenset(f"vector_search/{kind}" for kind in INDEXED_KINDS)
# Commands on the schema want the values of their parameters before they are planned.
PARAMETERS: Final[Mapping[str, dict[str, Any]]] = {
    "doctor/vector_index": {"dimensions": 8},
    "doctor/fulltext_index": {"analyzer": "english"},
}


def planned(graph: Graph) -> dict[str, set[str]]:
    """The columns of each statement that this server knows, all planned and none run."""
    known = [name for name in STATEMENTS if graph.version >= SEARCH_SINCE or name not in BY_CLAUSE]
    with graph.lend_driver() as driver, driver.session(database=graph.database) as session:
        return {
            name: set(
                session.run(f"EXPLAIN {read_statement(name)}", PARAMETERS.get(name, {})).keys()
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


async def test_neo4j_understands_each_and_its_columns_are_those_of_its_row(graph: Graph) -> None:
    columns = planned(graph)
    assert len(columns) >= len(STATEMENTS) - len(BY_CLAUSE)
    assert {name: given for name, given in columns.items() if not agrees(name, given)} == {}
