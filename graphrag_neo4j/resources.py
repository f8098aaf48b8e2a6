"""Reads the files of the package: Cypher statements, prompts and data.

In a wheel, `cypher/` and `prompts/` are inside the package; in a checkout, beside it.
"""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

__all__ = ["data", "read_prompt", "read_statement"]

PACKAGE = "graphrag_neo4j"


def data(name: str) -> Traversable:
    """A file of `graphrag_neo4j/data/`."""
    return files(PACKAGE) / "data" / name


@cache
def read_statement(name: str) -> str:
    """The text of the Cypher statement `name`, for example "extract/pairs"."""
    return (_folder("cypher") / f"{name}.cypher").read_text(encoding="utf-8")


@cache
def read_prompt(name: str) -> str:
    """The text of our own prompt `name`, for example "extract"."""
    return (_folder("prompts") / f"{name}.md").read_text(encoding="utf-8")


def _folder(name: str) -> Traversable:
    packed = files(PACKAGE) / name
    return packed if packed.is_dir() else Path(__file__).parent.parent / name
