"""The examples in docstrings of the package give what they say."""

import doctest
from importlib import import_module

import pytest

from tests.support.paths import ROOT

MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "graphrag_neo4j").rglob("*.py"))
    if ">>>" in path.read_text("utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_say(module: str) -> None:
    ran = doctest.testmod(import_module(module), report=True)
    assert ran.attempted
    assert not ran.failed
