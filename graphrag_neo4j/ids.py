"""Ids as hashes of content: the same parts give the same id on every machine and in every run."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import lru_cache

from graphrag_neo4j.text import fold, name_key

__all__ = ["entity_id", "entity_ids", "identify", "pair_id"]

BLOCK = 1_000_000  # characters of a part that are hashed at once


def identify(kind: str, *parts: str | int) -> str:
    """Returns 32 hex digits that identify a thing of this kind with these parts (BLAKE2b).

    >>> identify("entity", "ebenezer scrooge")
    '108fa925829e518595870fdf109a0a34'
    """
    hashed = hashlib.blake2b(digest_size=16)
    for piece in _json([kind, *parts]):
        hashed.update(piece.encode())
    return hashed.hexdigest()


def _json(parts: Sequence[str | int]) -> Iterator[str]:
    """The pieces of the parts as a list in JSON, which keeps ("a", "bc") and ("ab", "c") apart.

    A part may be a text of a gigabyte, so a long one is never copied as a whole.
    """
    if all(isinstance(part, int) or len(part) <= BLOCK for part in parts):
        yield json.dumps(parts, ensure_ascii=False)
        return
    for number, part in enumerate(parts):
        yield ", " if number else "["
        if isinstance(part, int):
            yield str(part)
            continue
        yield '"'
        for start in range(0, len(part), BLOCK):
            yield json.dumps(part[start : start + BLOCK], ensure_ascii=False)[1:-1]
        yield '"'
    yield "]"


def entity_id(name: str) -> str:
    """The id of the entity with this name.

    Spellings with one `name_key` share an id, but a name without capitals has one of its own:
    "Apple" and "APPLE" are one spelling, and "apple" is another.
    """
    return entity_ids(name)[0]


@lru_cache(maxsize=10_000)  # a name is looked for again and again while its chunk is read
def entity_ids(name: str) -> tuple[str, str]:
    """The id of a name as it is written, and the id that it has with, or without, capitals."""
    key = name_key(name)
    ids = identify("entity", key), identify("entity", key, "lower")
    return (ids[1], ids[0]) if fold(name).islower() else ids


def pair_id(one: str, other: str) -> str:
    """The id of the pair of two entities, given in either order."""
    return identify("related", *sorted((one, other)))
