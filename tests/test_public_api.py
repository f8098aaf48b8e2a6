"""What `graphrag_neo4j` exports is what its public methods take, return and raise, documented."""

import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, get_args, get_type_hints

import pandas
import pytest

import graphrag_neo4j
from graphrag_neo4j import Answer, AsyncGraphRAG, Citation, GraphRAG, Source, errors
from graphrag_neo4j.index.read.ingest import Ingested
from graphrag_neo4j.index.status import Again
from graphrag_neo4j.model import events
from tests.support.paths import ROOT

NAMES: dict[str, Any] = {name: getattr(graphrag_neo4j, name) for name in graphrag_neo4j.__all__}
KNOWN = NAMES | {"pandas": pandas, "Again": Again}
CLIENTS = (AsyncGraphRAG, GraphRAG)
ALIASES = {"CitationKind", "Event", "IndexSource", "Listener", "Method"}
NOT_IN_SIGNATURES = {"__version__", "Document", "load_settings"}
# Handed on as they are: what they are made of is not for the caller.
OPAQUE = {NAMES["Graph"], NAMES["Corpus"], NAMES["Tables"], NAMES["Settings"]}


def public(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The methods and properties of a class that a caller uses, what they hold unwrapped."""
    for name, member in vars(kind).items():
        if name.startswith("_") and name not in {"__init__", "__iter__", "__getitem__"}:
            continue
        if isinstance(member, property):
            assert member.fget
            yield name, member.fget
        elif inspect.isfunction(getattr(member, "__func__", member)):
            yield name, getattr(member, "__func__", member)


def named(kind: type) -> Iterator[object]:
    """The types that the fields, or else the signatures, of a class name."""
    if dataclasses.is_dataclass(kind):
        yield from get_type_hints(kind, localns=KNOWN).values()
    else:
        for _, method in public(kind):
            yield from get_type_hints(method, localns=KNOWN).values()


def ours(hint: object) -> Iterator[type]:
    """The classes of this package in a type."""
    if inspect.isclass(hint) and hint.__module__.startswith("graphrag_neo4j"):
        yield hint
    for part in get_args(hint):
        for one in part if isinstance(part, list) else [part]:
            yield from ours(one)


def reached() -> set[type]:
    """The classes that the public methods of both clients name, and those that these name."""
    found: set[type] = set()
    todo: list[type] = [*CLIENTS, *get_args(events.Event)]
    while todo:
        kind = todo.pop()
        if kind not in found:
            found.add(kind)
            hints = [] if kind in OPAQUE else named(kind)
            todo += [one for hint in hints for one in ours(hint)]
    return found


def test_everything_that_a_signature_names_is_exported_and_nothing_else() -> None:
    wanted = {kind.__name__ for kind in reached()} | set(errors.__all__)
    assert wanted <= set(graphrag_neo4j.__all__)
    assert set(graphrag_neo4j.__all__) - wanted == ALIASES | NOT_IN_SIGNATURES
    for kind in reached():
        assert NAMES[kind.__name__] is kind


def test_it_is_sorted_imports_no_client_yet_and_a_star_imports_it() -> None:
    assert graphrag_neo4j.__all__ == sorted(graphrag_neo4j.__all__)
    script = (
        "import sys, graphrag_neo4j\n"
        "assert not {'neo4j', 'openai', 'pydantic'} & {*sys.modules}\n"
        "from graphrag_neo4j import *\n"
        "assert {*graphrag_neo4j.__all__} <= {*globals()} & {*dir(graphrag_neo4j)}\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)  # noqa: S603 - ours


def test_the_reference_has_each_name_once() -> None:
    page = (ROOT / "docs" / "reference.md").read_text("utf-8")
    names = re.findall(r"^::: graphrag_neo4j\.(\S+)$", page, re.MULTILINE)
    assert sorted(names) == graphrag_neo4j.__all__


def test_each_class_and_each_method_of_them_is_documented() -> None:
    for kind in [value for value in NAMES.values() if inspect.isclass(value)]:
        doc = vars(kind).get("__doc__") or ""
        assert doc, kind
        assert not doc.startswith(f"{kind.__name__}("), f"{kind} has only what dataclass made"
        for name, member in public(kind):
            assert member.__doc__ or name.startswith("__"), f"{kind}.{name}"


@pytest.mark.parametrize("kind", CLIENTS)
def test_help_names_each_parameter_and_the_errors(kind: type) -> None:
    for name, method in public(kind):
        doc = " ".join((method.__doc__ or "").split())
        assert "As AsyncGraphRAG" not in doc
        if name in {"__init__", "graph", "usage", "close", "aclose"}:
            continue
        assert "Raises " in doc or "`query`" in doc, name
        given = [one for one in inspect.signature(method).parameters if one not in {"self", "cls"}]
        if len(given) > 1:
            assert [one for one in given if f"`{one}`" not in doc and one != "question"] == [], name


def test_both_clients_have_the_same_methods() -> None:
    both = [
        {
            name.removeprefix("a") if name in {"aopen", "aclose"} else name: method
            for name, method in public(kind)
        }
        for kind in CLIENTS
    ]
    assert both[0].keys() - {"graph"} == both[1].keys()
    for name, method in both[1].items():
        parameters = inspect.signature(method).parameters
        assert parameters == inspect.signature(both[0][name]).parameters, name


SOURCE = Source("docs/a.txt", "A", 3, 1000, 1400, "Marley was dead.\n" * 20)
CITATION = Citation("Entities", 5, "Scrooge", supported=True, sources=[SOURCE] * 2)
COMMUNITY = graphrag_neo4j.Community(1, 0, 3, "A title", None, 5.0, "model", None)
BEHIND = graphrag_neo4j.BehindRow(reports=0, largest=0.0)
COUNTS = {"documents": 2, "chunks": 1234}
STATUS = graphrag_neo4j.Status(COUNTS, {"extract": 2}, [], {}, [], [], [], {}, BEHIND, [])


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (SOURCE, "docs/a.txt (A): Marley was dead. Marley"),
        (CITATION, "Entities (5): Scrooge, 2 sources"),
        (Answer("Marley was dead.\n" * 90, "local", [CITATION] * 3), "3 citations: Marley"),
        (STATUS, "2 documents, 1,234 chunks; 2 pending"),
        (graphrag_neo4j.IndexResult(Ingested(added=2), dropped=["a"], status=STATUS), "2 added"),
        (graphrag_neo4j.Communities([COMMUNITY] * 2), "2 on levels 0"),
        (
            graphrag_neo4j.FoundEntity(7, "SCROOGE", "person", "A miser. " * 99, 12),
            "7 SCROOGE (person), 12",
        ),
    ],
)
def test_a_result_says_what_it_is_on_one_short_line(result: object, says: str) -> None:
    shown = repr(result)
    assert shown.startswith(f"<{type(result).__name__}")
    assert says in shown
    assert len(shown) < 140
    assert "\n" not in shown
