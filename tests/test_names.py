"""A word means one thing: a class or a function in the package, a constant in its folder."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.support.paths import ROOT

# Names that several modules define, each with the reason why it means one thing.
SHARED: dict[str, str] = {}
MOST_SHARED = 16
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def test_no_public_class_or_function_is_defined_in_two_modules() -> None:
    modules = defaultdict[str, list[str]](list)
    for path in sorted((ROOT / "graphrag_neo4j").rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, DEFINITIONS) and not node.name.startswith("_"):
                modules[node.name].append(str(path.relative_to(ROOT)))
    twice = {name: where for name, where in modules.items() if len(where) > 1}
    assert {name: where for name, where in twice.items() if name not in SHARED} == {}
    assert set(SHARED) <= set(twice), "These names are defined once: take them out of the list."
    assert len(SHARED) <= MOST_SHARED


def test_no_constant_is_defined_in_two_modules_of_a_folder() -> None:
    modules = defaultdict[tuple[str, str], set[str]](set)
    for path in sorted((ROOT / "graphrag_neo4j").rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else [node]
            for name in (one for target in targets for one in _named(target)):
                modules[str(path.parent.relative_to(ROOT)), name].add(path.name)
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}


def _named(target: ast.AST) -> Iterator[str]:
    """The constants that the target of an assignment names."""
    if isinstance(target, ast.AnnAssign):
        target = target.target
    for part in target.elts if isinstance(target, ast.Tuple) else [target]:
        if isinstance(part, ast.Name) and part.id.isupper() and len(part.id) > 1:
            yield part.id
