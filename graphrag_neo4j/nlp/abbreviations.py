"""Finds the long form of a short name in the same chunk.

Powell is Jerome Powell, and MIT is the Massachusetts Institute of Technology. A short name that
fits two long names stays as it is.
"""

from collections.abc import Iterable, Mapping

from graphrag_neo4j.nlp.english import is_ordinary
from graphrag_neo4j.nlp.entity_types import CONCEPT, PERSON, is_given_name

__all__ = ["long_forms", "written"]

SMALL = frozenset(
    {"of", "the", "for", "and", "de", "la", "del", "von", "van", "der", "di", "da", "du"}
)


def long_forms(kinds: Mapping[str, str], speakers: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Maps each short name to its long name and the entity type of the long name.

    `kinds` gives the entity type of each name in the chunk, "" if it is not certain. `speakers` are
    the names in speaker tags, which count as long names, too.
    """
    long = {name: kind for name, kind in kinds.items() if " " in name and kind != CONCEPT}
    known = {name.casefold() for name in long}
    for speaker in speakers:
        name = written(speaker)
        if " " in name and name.casefold() not in known:
            long[name] = PERSON
    spoken = {written(speaker).casefold() for speaker in speakers}
    long |= {name: PERSON for name in long if name.casefold() in spoken}
    found = {}
    for name in kinds:
        fitting = [full for full, kind in long.items() if _is_short(name, full, kind)]
        if len(fitting) == 1:
            found[name] = (fitting[0], long[fitting[0]])
    return found | {name: (name, PERSON) for name in kinds if name.casefold() in spoken}


def written(speaker: str) -> str:
    """Returns the name of a speaker in the form that a sentence would use: "Ada", not "ADA"."""
    return speaker.title() if speaker.isupper() else speaker


def _is_short(name: str, full: str, kind: str) -> bool:
    words = full.split()
    if len(set(words)) == 1:  # "people called Scrooge Scrooge"
        return False
    if " " in name:
        parts = name.split()
        outer = parts[0] == words[0] and parts[-1] == words[-1]
        return kind == PERSON and len(parts) == 2 and len(words) > 2 and outer
    surname = name == words[-1] and is_given_name(words[0])  # "James DALY", as in minutes
    if name.isupper() and 2 < len(name) <= 6 and not surname:
        initials = "".join(w[0] for w in full.replace("-", " ").split() if w.lower() not in SMALL)
        return len(initials) > 2 and initials.upper() == name
    if kind == PERSON:
        return name in (words[0], words[-1])
    uncertain = kind == "" and len(words) <= 3 and not any(map(is_ordinary, words))
    first = name == words[0] and is_given_name(name)
    return uncertain and (name == words[-1] or first) and not full.isupper()
