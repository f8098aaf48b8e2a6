"""Finds the entity type of a name by rules: a person, an organization or a place.

Given names, places and some famous names stand in lists of the package, in `data/names`.
"""

from collections.abc import Sequence
from functools import cache

from graphrag_neo4j.nlp.english import is_ordinary
from graphrag_neo4j.nlp.word_lists import (
    COMPANIES,
    ORGANIZATIONS,
    PLACES,
    ROLES,
    TITLES,
    lines_of,
)

__all__ = [
    "ADDRESSES",
    "CONCEPT",
    "ORGANIZATION",
    "PERSON",
    "PLACE",
    "is_given_name",
    "is_joined_place",
    "kind_of",
]

PERSON, ORGANIZATION, PLACE, CONCEPT = "person", "organization", "place", "concept"
# Common names of places that the lists lack.
CALLED = (
    "Africa", "Antarctica", "Asia", "Europe", "North America", "South America", "America",
    "Britain", "Great Britain", "England", "Scotland", "Wales", "UK", "U.K.", "USA", "U.S.",
    "Korea", "Russia", "New York", "New York City", "Bay Area", "Silicon Valley", "Deutschland",
    "Österreich", "Schweiz", "München", "Köln", "Wien", "Frankreich", "España",
)  # fmt: skip
# Words that begin the names of organizations, and endings of German organizations.
BEFORE_NAMES = frozenset(
    {"universität", "hochschule", "institut", "bundesamt", "banque", "banco", "banca", "université",
     "école", "ministère", "universidad", "escuela", "ministerio", "scuola", "ministero"}
)  # fmt: skip
BODIES = ("bank", "universität", "ministerium", "gesellschaft", "verband", "stiftung")
# Offices of people that stand before a surname, as forms of address do: "Senator Warren".
ADDRESSES = frozenset(
    {"admiral", "ambassador", "chancellor", "colonel", "congressman", "congresswoman",
     "councillor", "detective", "governor", "inspector", "lieutenant", "mayor", "president",
     "senator", "sergeant"}
)  # fmt: skip
# Words that stand directly after the name of a person, and before the name of an employer.
AFTER_PERSON = frozenset({"who", "said", "says", "told", "asked", "wrote", "thinks", "whose"})
MADE = frozenset({"joined", "founded", "cofounded", "co-founded", "acquired"})
HEADS = frozenset({"ceo", "cto", "cfo", "coo", "co-founder", "cofounder", "chairman", "vp"})
WORKING = HEADS | frozenset(
    {"professor", "student", "students", "researcher", "researchers", "engineer", "engineers",
     "scientist", "job", "intern", "internship", "work", "works", "worked", "working", "studied",
     "taught", "degree", "phd", "fellow", "president", "team", "faculty", "executive", "lead"}
)  # fmt: skip


def kind_of(words: Sequence[str], before: Sequence[str] = (), after: Sequence[str] = ()) -> str:
    """Returns the entity type of a name, or "" if no rule is certain.

    `words` are the words of the name, `before` and `after` the words around it.
    """
    lower = [word.lower().rstrip(".") for word in words]
    name = " ".join(words)
    if name in _famous():
        return _famous()[name]
    if _is_organization(lower):
        return ORGANIZATION
    if name in _places() or (len(words) > 1 and lower[-1] in PLACES):
        return PLACE
    if _is_person(words, [w.lower().rstrip(".") for w in before], [w.lower() for w in after]):
        return PERSON
    return ORGANIZATION if _is_employer([word.lower() for word in before]) else ""


@cache
def is_given_name(word: str) -> bool:
    """Tells whether a word is a given name of people."""
    return word in _given_names() or (word.partition("-")[0] in _given_names() and "-" in word)


def is_joined_place(before: str, after: str) -> bool:
    """Tells whether "and" between two words is inside a place's name: "Trinidad and Tobago"."""
    return (before, after) in _joined_places()


def _is_organization(lower: Sequence[str]) -> bool:
    if lower[-1].endswith(BODIES) and lower[-1] not in BODIES:
        return True
    if len(lower) < 2:
        return False
    if lower[0] in BEFORE_NAMES:
        return True
    head = lower[lower.index("of") - 1] if "of" in lower[1:] else lower[-1]
    return head in ORGANIZATIONS or lower[-1] in COMPANIES


def _is_employer(before: Sequence[str]) -> bool:
    """Tells whether the words before a name say that somebody works or studies there."""
    who, how = ("", "", *before)[-2:]
    return how in MADE or (how == "at" and who in WORKING) or (how == "of" and who in HEADS)


def _is_person(words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> bool:
    last = before[-1] if before else ""
    if last in TITLES or last in ADDRESSES:
        return True
    if not 2 <= len(words) <= 3 or any(word.isupper() and len(word) > 2 for word in words):
        return False
    if is_given_name(words[0]) and (not is_ordinary(words[-1]) or is_given_name(words[-1])):
        return True
    proper = not any(is_ordinary(word) for word in words)
    return proper and (last in ROLES or (bool(after) and after[0] in AFTER_PERSON))


@cache
def _given_names() -> frozenset[str]:
    return frozenset(lines_of("names/given_names.txt"))


@cache
def _places() -> frozenset[str]:
    """Countries, the states of the USA, large cities; without those that are people's names."""
    return frozenset((*lines_of("names/places.txt"), *CALLED))


@cache
def _joined_places() -> frozenset[tuple[str, str]]:
    """The words on both sides of "and" or "and the" in the names of places."""
    halves = (name.partition(" and ") for name in _places() if " and " in name)
    return frozenset(
        (before.split()[-1], after.removeprefix("the ").split()[0]) for before, _, after in halves
    )


@cache
def _famous() -> dict[str, str]:
    """Famous names with their kind."""
    kinds = {"PERS": PERSON, "ORG": ORGANIZATION, "LOC": PLACE}
    lines = (line.rpartition(" ") for line in lines_of("names/famous.txt"))
    return {name: kinds[kind] for name, _, kind in lines}
