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
from functools import cache, lru_cache, partial
from importlib.resources.abc import Traversable
from pathlib import Path
from uuid import uuid4

import tiktoken
from tiktoken import registry

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.text.files import data

__all__ = [
    "CountTokens",
    "check",
    "count",
    "encoding",
    "encoding_for",
    "line_counter",
    "part_counter",
]

CountTokens = Callable[[str], int]
"""Gives the number of tokens of a text."""


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


def check(name: str) -> None:
    """Raises InputError if tiktoken has no encoding of this name."""
    known = tiktoken.list_encoding_names()
    if name not in known:
        raise InputError(
            f"There is no encoding {name!r}; set KG_ENCODING to one of {', '.join(sorted(known))}."
        )


def count(text: str, encoding_name: str) -> int:
    """The number of tokens of `text`; special tokens such as <|endoftext|> count as ordinary text.

    A text of more than COUNTED_AT_ONCE characters is counted in parts. Raises InputError as
    `encoding` does.
    """
    encode = encoding(encoding_name).encode
    # tiktoken fails on a megabyte of spaces in one piece.
    pieces = (text[i : i + COUNTED_AT_ONCE] for i in range(0, len(text), COUNTED_AT_ONCE))
    return sum(len(encode(piece, disallowed_special=())) for piece in pieces)


@cache
def part_counter(encoding_name: str) -> CountTokens:
    """A function like `count` for the words and parts of a chunk: it remembers those of a word."""
    encode = encoding(encoding_name).encode_ordinary
    word = lru_cache(WORDS)(lambda text: len(encode(text)))
    return lambda part: word(part) if len(part) <= WORD else len(encode(part))


@cache
def line_counter(encoding_name: str) -> CountTokens:
    """A function like `count` for lines that come again, also in later runs: it remembers them."""
    return lru_cache(REMEMBERED)(partial(count, encoding_name=encoding_name))


def encoding_for(model: str) -> str | None:
    """The name of a model's encoding, None if tiktoken does not know the model."""
    try:
        return tiktoken.encoding_name_for_model(model)
    except KeyError:
        return None


@cache
def encoding(name: str) -> tiktoken.Encoding:
    """The encoding of this name.

    Raises InputError if there is no such encoding, or if its ranks can't be loaded.
    """
    check(name)
    try:
        with _loading, _ranks_at_hand(name):
            return _load(name)
    except (OSError, ValueError) as error:  # no network; a wrong hash
        raise InputError(
            f"The ranks of the encoding {name} can't be had ({error}): connect to the network "
            "once, let TIKTOKEN_CACHE_DIR name a folder that holds them, or set "
            "KG_ENCODING=o200k_base."
        ) from error


@cache
def _load(name: str) -> tiktoken.Encoding:
    """An encoding without its ranks as Python objects, which take 28 MB and are used no more."""
    parts = (registry.ENCODING_CONSTRUCTORS or {})[name]()
    made = tiktoken.Encoding(**parts)
    parts["mergeable_ranks"].clear()
    return made


@contextmanager
def _ranks_at_hand(name: str) -> Iterator[None]:
    """Puts packaged ranks into tiktoken's cache, or into a temporary folder if that fails."""
    packed = _packaged(name)
    folder = _tiktoken_folder()
    if packed is None or (folder and _unpacked(*packed, folder)):
        yield
        return
    with tempfile.TemporaryDirectory() as own, _folder_set(own):
        _unpacked(*packed, Path(own))
        yield


def _packaged(name: str) -> tuple[Traversable, str] | None:
    """The packaged ranks of an encoding and their name in tiktoken's cache."""
    if name not in PACKAGED:
        return None
    ranks, cache_name = PACKAGED[name]
    return data(f"tiktoken/{ranks}.tiktoken.gz"), cache_name


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
