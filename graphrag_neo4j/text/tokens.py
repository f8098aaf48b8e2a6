"""Counts tokens with tiktoken. No other module imports it.

tiktoken downloads the ranks of an encoding on first use. This package contains the ranks of
o200k_base and cl100k_base. They are copied to tiktoken's cache, so no network is needed. tiktoken
checks the hash of the copy.
"""

import gzip
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final
from uuid import uuid4

import tiktoken
from tiktoken import registry

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.text.files import data

__all__ = [
    "ENCODING",
    "CountTokens",
    "count",
    "count_line",
    "encoding",
    "encoding_for",
    "part_counter",
]

CountTokens = Callable[[str], int]
"""Gives the number of tokens of a text."""


ENCODING: Final = "o200k_base"
"""The encoding that all budgets are counted with, whatever the model: models differ by little."""
# By encoding: its ranks, and the name of their file in tiktoken's cache, which is the SHA-1 of the
# address that tiktoken would download them from.
PACKAGED = {
    "o200k_base": ("o200k_base", "fb374d419588a4632f3f557e76b4b70aebbca790"),
    "o200k_harmony": ("o200k_base", "fb374d419588a4632f3f557e76b4b70aebbca790"),
    "cl100k_base": ("cl100k_base", "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"),
}
FOLDER_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
COUNTED_AT_ONCE = 100_000  # characters
REMEMBERED = 50_000  # lines
WORD, WORDS = 20, 20_000  # characters of a word at most; words that are remembered
_environment = threading.Lock()
_loading = threading.Lock()  # one thread loads an encoding, the others wait for it


def count(text: str, name: str = ENCODING) -> int:
    """The number of tokens of `text`; special tokens such as <|endoftext|> count as ordinary text.

    A text of more than COUNTED_AT_ONCE characters is counted in parts.
    """
    encode = encoding(name).encode
    # tiktoken fails on a megabyte of spaces in one piece.
    pieces = (text[i : i + COUNTED_AT_ONCE] for i in range(0, len(text), COUNTED_AT_ONCE))
    return sum(len(encode(piece, disallowed_special=())) for piece in pieces)


@cache
def part_counter() -> CountTokens:
    """A function like `count` for the words and parts of a chunk: it remembers those of a word."""
    encode = encoding().encode_ordinary
    word = lru_cache(WORDS)(lambda text: len(encode(text)))
    return lambda part: word(part) if len(part) <= WORD else len(encode(part))


count_line: CountTokens = lru_cache(REMEMBERED)(count)
"""Counts lines that come again, also in later runs: it remembers them."""


def encoding_for(model: str) -> str | None:
    """The name of a model's encoding, None if this package does not hold that encoding."""
    with suppress(KeyError):
        name = tiktoken.encoding_name_for_model(model)
        return name if name in PACKAGED else None
    return None


@cache
def encoding(name: str = ENCODING) -> tiktoken.Encoding:
    """An encoding of this package, without its ranks as Python objects, which take 28 MB.

    Raises InputError where tiktoken's cache holds a broken copy, and there is no network.
    """
    tiktoken.list_encoding_names()  # finds the constructors
    try:
        with _loading, _ranks_at_hand(name):
            parts = (registry.ENCODING_CONSTRUCTORS or {})[name]()
    except (OSError, ValueError) as error:
        raise InputError(
            f"The ranks of {name} in {_tiktoken_folder()} can't be read ({error}): delete them."
        ) from error
    made = tiktoken.Encoding(**parts)
    parts["mergeable_ranks"].clear()
    return made


@contextmanager
def _ranks_at_hand(name: str) -> Iterator[None]:
    """Puts packaged ranks into tiktoken's cache, or into a temporary folder if that fails."""
    ranks, cache_name = PACKAGED[name]
    packed = data(f"tiktoken/{ranks}.tiktoken.gz")
    folder = _tiktoken_folder()
    if folder and _unpacked(packed, cache_name, folder):
        yield
        return
    with tempfile.TemporaryDirectory() as own, _folder_set(own):
        _unpacked(packed, cache_name, Path(own))
        yield


def _tiktoken_folder() -> Path | None:
    """The folder of tiktoken's cache; None if the environment turns the cache off."""
    for variable in FOLDER_VARIABLES:
        if variable in os.environ:
            value = os.environ[variable]
            return Path(value) if value else None
    return Path(tempfile.gettempdir()) / "data-gym-cache"


def _unpacked(packed: Traversable, cache_name: str, folder: Path) -> bool:
    """Unpacks the ranks into the folder; returns whether they are there now.

    Another process may do the same at the same time.
    """
    target = folder / cache_name
    if target.exists():
        return os.access(target, os.R_OK)
    part = folder / f"{cache_name}.{uuid4()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with packed.open("rb") as zipped, gzip.open(zipped) as ranks, part.open("xb") as file:
            shutil.copyfileobj(ranks, file)
        part.replace(target)
    except OSError:
        with suppress(OSError):
            part.unlink()
        return False
    return True


@contextmanager
def _folder_set(folder: str) -> Iterator[None]:
    """Sets tiktoken's folder for a moment; tiktoken reads it only from the environment."""
    variable = FOLDER_VARIABLES[0]
    with _environment:
        before = os.environ.get(variable)
        os.environ[variable] = folder
        try:
            yield
        finally:
            os.environ.pop(variable)
            if before is not None:
                os.environ[variable] = before
