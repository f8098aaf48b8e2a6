"""Forms the title of a community: its most telling key phrase with its most telling names.

    protein design · David Baker · Rosetta   ──▶   Protein design: David Baker and Rosetta

A community of names alone is titled by its names, and one of key phrases alone by its key phrases.
"""

import math
from collections.abc import Callable, Mapping, Sequence

from graphrag_neo4j.context.report_material import EntityMaterial, ReportMaterial
from graphrag_neo4j.nlp.entity_types import CONCEPT, PLACE

__all__ = ["title_of"]

NAMES = 2  # names beside a key phrase
ALONE = 3  # names or key phrases of a title that has only one of both
SHORT = 0.3  # a long name replaces a short one if it has more than this part of its weight
# How telling a key phrase is by its number of words: "protein" says less than "protein design".
BY_WORDS = {1: 0.5, 2: 1.0, 3: 1.0}
LONG_PHRASE = 0.8
PLACES = 0.4  # a place says less of what a community is about than a person or an organization


def title_of(material: ReportMaterial, weights: Mapping[str, float]) -> tuple[str, list[str]]:
    """Returns the title of a community, and the ids of the members that it names.

    `weights` rates how particular each member is to the community.
    """
    telling = {
        id_: weight * _by_kind(material.entities[id_]) for id_, weight in sorted(weights.items())
    }
    phrases = _distinct(material, telling, _is_phrase, ALONE, ())
    names = _distinct(material, telling, lambda one: not _is_phrase(one), ALONE, phrases[:1])
    if phrases:
        near = _beside(material, telling, phrases[0])
        beside = _distinct(material, near, lambda one: not _is_phrase(one), NAMES, phrases[:1])
        names = beside or names[:1]
    id_of = {one.name: id_ for id_, one in material.entities.items()}
    if names and phrases:
        title = f"{_capitalised(phrases[0])}: {_joined(names[:NAMES])}"
        return title, [id_of[name] for name in (phrases[0], *names[:NAMES])]
    return _capitalised(_joined(names or phrases)), [id_of[name] for name in names or phrases]


def _is_phrase(one: EntityMaterial) -> bool:
    return one.type == CONCEPT


def _by_kind(one: EntityMaterial) -> float:
    """Rates how telling an entity is by its type, or a key phrase by its words and mentions."""
    if not _is_phrase(one):
        return PLACES if one.type == PLACE else 1.0
    return BY_WORDS.get(len(one.name.split()), LONG_PHRASE) * math.sqrt(one.mentions)


def _beside(
    material: ReportMaterial, weights: Mapping[str, float], phrase: str
) -> dict[str, float]:
    """Returns the weights of the members that the documents name together with the key phrase."""
    id_of = {one.name: id_ for id_, one in material.entities.items()}
    ends = [{edge.source, edge.target} for edge in material.edges]
    near = {end for pair in ends if id_of[phrase] in pair for end in pair}
    return {id_: weight for id_, weight in weights.items() if id_ in near}


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
