"""Reads the files of the package: Cypher statements, prompts and data.

In a wheel, `cypher/` and `prompts/` are inside the package; in a checkout, beside it.
"""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from graphrag_neo4j.errors import InputError

__all__ = ["data", "hash_of_data", "prompt_names", "read_data", "read_prompt", "read_statement"]

PACKAGE = "graphrag_neo4j"


def data(name: str) -> Traversable:
    """A file of `graphrag_neo4j/data/`."""
    return files(PACKAGE) / "data" / name


def read_data(name: str) -> bytes:
    """The content of a file of `graphrag_neo4j/data/`. Raises InputError if it is missing."""
    try:
        return data(name).read_bytes()
    except FileNotFoundError as error:
        raise InputError(
            f"The file data/{name} of graphrag-neo4j is missing. Install graphrag-neo4j again."
        ) from error


def hash_of_data(*folders: str) -> str:
    """A hash of all files in folders of `graphrag_neo4j/data/`."""
    found = hashlib.sha256()
    for folder in folders:
        for file in sorted(data(folder).iterdir(), key=lambda file: file.name):
            content = file.read_bytes()
            found.update(f"{folder}/{file.name} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]


@cache
def read_statement(name: str) -> str:
    """The text of the Cypher statement `name`, for example "extract/pairs"."""
    return (_folder("cypher") / f"{name}.cypher").read_text(encoding="utf-8")


@cache
def read_prompt(name: str) -> str:
    """The text of our own prompt `name`, for example "extract"."""
    return (_folder("prompts") / f"{name}.md").read_text(encoding="utf-8")


def prompt_names() -> list[str]:
    """The names of all our own prompts, in alphabetical order."""
    return sorted(file.name.removesuffix(".md") for file in _folder("prompts").iterdir())


def _folder(name: str) -> Traversable:
    packed = files(PACKAGE) / name
    return packed if packed.is_dir() else Path(__file__).parent.parent / name
