"""A public class or function of the package has a name of its own: a word means one thing."""

import ast
from collections import defaultdict

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
