"""Word lists for names and key phrases. The first line of each file describes its list.

Stop words of all languages come from a package. The lists here are mostly English: nouns,
adjectives and phrases that are not stop words, but that say nothing about a topic.
"""

from graphrag_neo4j.resources import read_data

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
    "OTHER_PLURALS",
    "PLACES",
    "ROLES",
    "TIMES",
    "TITLES",
    "TRAILING",
    "TURNS",
    "TYPE_CLASSES",
    "UNNAMED",
    "VARIANTS",
    "VERBS",
    "lines_of",
]


def lines_of(name: str) -> list[str]:
    """Returns the lines of a file of `data/`, without comments.

    Raises InputError if the file is missing: without it, all results would differ.
    """
    lines = read_data(name).decode("utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def _words(name: str) -> frozenset[str]:
    return frozenset(word for line in lines_of(f"words/{name}.txt") for word in line.split())


ABOUT = _words("about")
ATTRIBUTIVE = _words("attributive")
COMPANIES = _words("companies")
DEMONYMS = _words("demonyms")
DOING = _words("doing")
EVALUATIVE = _words("evaluative")
FIELDS = _words("fields")
GENERIC = _words("generic")
ORGANIZATIONS = _words("organizations")
OTHER_PLURALS = _words("other_plurals")
PLACES = _words("places")
ROLES = _words("roles")
TIMES = _words("times")
TITLES = _words("titles")
TRAILING = _words("trailing")
TURNS = frozenset(lines_of("words/turns.txt"))
TYPE_CLASSES = {
    type_: class_
    for class_, _, types in (line.partition(" = ") for line in lines_of("words/type_classes.txt"))
    for type_ in types.split()
}
UNNAMED = _words("unnamed")
VARIANTS = dict(line.split(" = ") for line in lines_of("words/variants.txt"))
VERBS = _words("verbs")
