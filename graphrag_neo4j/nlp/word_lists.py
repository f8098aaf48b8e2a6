"""Word lists for names and key phrases. The first line of each file describes its list.

Stop words of all languages come from a package. The lists here are mostly English: nouns,
adjectives and phrases that are not stop words, but that say nothing about a topic.
"""

from graphrag_neo4j.resources import data

__all__ = [
    "ABOUT",
    "ATTRIBUTIVE",
    "COMPANIES",
    "DEMONYMS",
    "DOING",
    "EVALUATIVE",
    "FIELDS",
    "GENERIC",
    "ORGANIZATIONS",
    "PLACES",
    "ROLES",
    "TIMES",
    "TITLES",
    "TRAILING",
    "TURNS",
    "UNNAMED",
    "VARIANTS",
    "VERBS",
]


def _lines(name: str) -> list[str]:
    lines = data(f"words/{name}.txt").read_text("utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def _words(name: str) -> frozenset[str]:
    return frozenset(word for line in _lines(name) for word in line.split())


ABOUT = _words("about")
ATTRIBUTIVE = _words("attributive")
COMPANIES = _words("companies")
DEMONYMS = _words("demonyms")
DOING = _words("doing")
EVALUATIVE = _words("evaluative")
FIELDS = _words("fields")
GENERIC = _words("generic")
ORGANIZATIONS = _words("organizations")
PLACES = _words("places")
ROLES = _words("roles")
TIMES = _words("times")
TITLES = _words("titles")
TRAILING = _words("trailing")
TURNS = frozenset(_lines("turns"))
UNNAMED = _words("unnamed")
VARIANTS = dict(line.split(" = ") for line in _lines("variants"))
VERBS = _words("verbs")
