"""Forms the title of a community: its most telling key phrase with the names said with it.

    protein design · David Baker · Rosetta   ──▶   Protein design: David Baker and Rosetta

A community of names alone is titled by its names. Where no name is said together with the key
phrase, further key phrases stand beside it: a name beside it would seem to have to do with it.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from graphrag_neo4j.context.material import EntityMaterial, ReportMaterial
from graphrag_neo4j.nlp.entity_types import CONCEPT, PLACE

__all__ = ["title_of"]

NAMES = 2  # names beside a key phrase
ALONE = 3  # names or key phrases of a title that has only one of both
SHORT = 0.3  # a long name replaces a short one if it has more than this part of its weight
# How telling a key phrase is by its number of words: "protein" says less than "protein design".
BY_WORDS = {1: 0.5, 2: 1.0, 3: 1.0}
LONG_PHRASE = 0.8
FAR_LESS = 0.5  # a second name of less than this part of the first one's weight is left out
PLACES = 0.4  # a place says less of what a community is about than a person or an organization


def title_of(material: ReportMaterial, weights: Mapping[str, float]) -> tuple[str, list[str]]:
    """Returns the title of a community, and the ids of the members that it names.

    `weights` rates how particular each member is to the community.
    """
    telling = {
        id_: weight * _by_kind(material.entities[id_]) for id_, weight in sorted(weights.items())
    }
    phrases = _distinct(material, telling, _is_phrase, ALONE, ())
    names = _distinct(material, telling, _is_name, ALONE, phrases[:1])
    if phrases:
        beside = _distinct(material, _beside(material, telling, phrases[0]), _is_name, NAMES, ())
        phrases[1:] = _related(material, telling, phrases[0])
        names = beside or ([] if phrases[1:] else names[:1])
    if names and phrases:
        named = [phrases[0], *names]
        title = f"{_capitalised(phrases[0])}: {_joined(names)}"
    else:
        named = names or phrases
        title = _capitalised(_joined(named))
    return title, [_id_of(material, name) for name in named]


def _is_phrase(one: EntityMaterial) -> bool:
    return one.type == CONCEPT


def _is_name(one: EntityMaterial) -> bool:
    return not _is_phrase(one)


def _by_kind(one: EntityMaterial) -> float:
    """Rates how telling an entity is by its type, or a key phrase by its words and mentions."""
    if not _is_phrase(one):
        return PLACES if one.type == PLACE else 1.0
    return BY_WORDS.get(len(one.name.split()), LONG_PHRASE) * math.sqrt(one.mentions)


def _beside(
    material: ReportMaterial, weights: Mapping[str, float], phrase: str
) -> dict[str, float]:
    """Returns the names that the documents mention together with the key phrase, with weights.

    The weight grows with the number of statements that name both. Names with far less weight than
    the first are left out. So are places, unless most of what is said of the phrase is said of
    them, too.
    """
    entities = material.entities
    own = _id_of(material, phrase)
    near = {
        id_: weights[id_] * n
        for id_, n in _said_with(material, own).items()
        if not _is_phrase(entities[id_])
        and (entities[id_].type != PLACE or 2 * n > max(2, entities[own].mentions))
    }
    most = max(near.values(), default=0.0)
    return {id_: weight for id_, weight in near.items() if weight >= FAR_LESS * most}


def _related(material: ReportMaterial, weights: Mapping[str, float], phrase: str) -> list[str]:
    """Returns key phrases for a title without names, rather those said with the first one."""
    together = _said_with(material, _id_of(material, phrase))
    related = {id_: weight * (1 + together[id_]) for id_, weight in weights.items()}
    return _distinct(material, related, _is_phrase, ALONE - 1, [phrase])


def _id_of(material: ReportMaterial, name: str) -> str:
    return next(id_ for id_, one in material.entities.items() if one.name == name)


def _said_with(material: ReportMaterial, member: str) -> Counter[str]:
    """Counts the statements that name a member together with each of the others."""
    together: Counter[str] = Counter()
    for edge in material.edges:
        if member in {edge.source, edge.target}:
            together[edge.target if edge.source == member else edge.source] += edge.weight
    return together


def _distinct(
    material: ReportMaterial,
    weights: Mapping[str, float],
    is_wanted: Callable[[EntityMaterial], bool],
    most: int,
    taken: Sequence[str],
) -> list[str]:
    """Returns the names of the members with the highest weights. They share no words."""
    selected: list[str] = []
    words = {word for name in taken for word in name.casefold().split()}
    for id_ in sorted(weights, key=lambda id_: (-weights[id_], id_)):
        one = material.entities[id_]
        own = set(one.name.casefold().split())
        usable = is_wanted(one) and not own & words
        if len(selected) < most and usable and not _is_short(material, weights, id_):
            selected.append(one.name)
            words |= own
    return selected


def _is_short(material: ReportMaterial, weights: Mapping[str, float], id_: str) -> bool:
    """Tells whether a name is a part of another important name: Ben, of Ben Bloomberg."""
    name = material.entities[id_].name
    return name.istitle() and any(
        name != other.name
        and name in other.name.split()
        and weights.get(other_id, 0.0) > SHORT * weights[id_]
        for other_id, other in material.entities.items()
    )


def _joined(names: Sequence[str]) -> str:
    """Joins names as a sentence does: "Ada, Ben and Carl".

    >>> _joined(["Ada", "Ben", "Carl"]), _joined(["Ada"])
    ('Ada, Ben and Carl', 'Ada')
    """
    *others, last = names or ("",)
    return f"{', '.join(others)} and {last}" if others else last


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
