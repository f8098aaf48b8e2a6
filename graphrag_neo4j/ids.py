"""Ids as hashes of content: the same parts give the same id on every machine and in every run."""

import hashlib
import json

from graphrag_neo4j.text import name_key

__all__ = ["entity_id", "identify", "pair_id"]


def identify(kind: str, *parts: str | int) -> str:
    """Returns 32 hex digits that identify a thing of this kind with these parts (BLAKE2b).

    >>> identify("entity", "ebenezer scrooge")
    '108fa925829e518595870fdf109a0a34'
    """
    # JSON keeps ("a", "bc") and ("ab", "c") apart.
    text = json.dumps([kind, *parts], ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def entity_id(name: str) -> str:
    """The id of the entity with this name; spellings with one `name_key` share an id."""
    return identify("entity", name_key(name))


def pair_id(one: str, other: str) -> str:
    """The id of the pair of two entities, given in either order."""
    return identify("related", *sorted((one, other)))
