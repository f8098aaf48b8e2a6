"""Finds pairs of names that may be one thing, so that a model decides about them."""

import re
from typing import Final

from graphrag_neo4j.nlp.acronyms import initials, is_acronym_of, looks_like_acronym
from graphrag_neo4j.nlp.name_variants import (
    Named,
    block_key,
    contradict,
    folded_words,
    type_class,
)

__all__ = ["MOST_IN_BLOCK", "may_be_same", "may_mean_the_same", "name_properties"]

MOST_IN_BLOCK: Final = 10  # spellings with one word; a more frequent word says too little


def name_properties(name: str) -> dict[str, str | None]:
    """The properties of a spelling by which others with a similar name are found."""
    words = folded_words(name)
    first, last = (words[0], words[-1]) if words else (None, None)
    letters = initials(name)
    return {
        "key": block_key(name) if name else None,
        "first_word": first,
        "last_word": last,
        "initials": letters[1] if letters else None,
    }


def may_be_same(one: Named, other: Named) -> bool:
    """Tells whether two names that the rules do not join may still be one thing.

    That is so if one is a part of the other or its acronym, or if they differ in one word: in any
    one of a person's, else in one with the same first letter. Concepts are not compared: "data" is
    not "training data".

    >>> may_be_same(Named("Gates", "person"), Named("Bill Gates", "person"))
    True
    >>> may_be_same(Named("Bill Gates", "person"), Named("Melinda Gates", None))
    False
    """
    if not _comparable(one, other):
        return False
    types = {type_class(one.type), type_class(other.type)}
    a, b = folded_words(one.name), folded_words(other.name)
    if set(a) < set(b) or set(b) < set(a):
        return True
    for x, y in ((one.name, other.name), (other.name, one.name)):
        if looks_like_acronym(x) and is_acronym_of(x, y):
            return True
    differing = [(x, y) for x, y in zip(a, b, strict=False) if x != y]
    if len(a) != len(b) or len(a) < 2 or len(differing) != 1:
        return False
    x, y = differing[0]
    return x[:1] == y[:1] or (types == {"person"} and a[-1] == b[-1])


def may_mean_the_same(one: Named, other: Named) -> bool:
    """Tells whether two names of which much the same is said may be one thing.

    That is so unless their types contradict, one is a concept, or they have different numbers: so
    the rooms of a hotel and the products of a catalogue are not compared with each other.

    >>> may_mean_the_same(Named("Scrooge's nephew", "person"), Named("Fred", "person"))
    True
    >>> may_mean_the_same(Named("Room 101", "location"), Named("Room 102", "location"))
    False
    """
    numbers = [re.findall(r"\d+", one_.name) for one_ in (one, other)]
    return _comparable(one, other) and numbers[0] == numbers[1]


def _comparable(one: Named, other: Named) -> bool:
    """Whether a model may be asked: concepts, contradicting types and forms of one name are out."""
    types = {type_class(one.type), type_class(other.type)}
    forms = block_key(one.name) == block_key(other.name)
    return not (contradict(types) or "concept" in types or forms)
