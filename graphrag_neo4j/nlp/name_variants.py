"""Tells by rule whether two spellings are one name: "e-mail" and "email", "car" and "cars".

Each rule is meant to be certain. Where a rule is not certain, the spellings stay two names, and a
model or a person decides. A type that contradicts another prevents every rule: a person is never
an organisation.

`block_key` is the same for all spellings that a rule here could join, so that only spellings of one
block are compared.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graphrag_neo4j.nlp.acronyms import is_acronym_of
from graphrag_neo4j.nlp.key_phrases import is_ordinary, singular
from graphrag_neo4j.nlp.languages import OTHER_PLURALS, TYPE_CLASSES, VARIANTS
from graphrag_neo4j.text import name_key

__all__ = [
    "FORMS",
    "WELL_KNOWN",
    "Named",
    "block_key",
    "contradict",
    "folded_words",
    "forms_of",
    "same_by_form",
    "type_class",
]

TITLES: Final = frozenset({"dr", "mr", "ms", "mrs", "prof", "professor", "sir", "dame", "doctor"})
LEGAL_FORMS: Final = frozenset(
    {"inc", "incorporated", "corp", "corporation", "ltd", "llc", "gmbh", "plc"}
)
FORMS: Final = 4  # that `forms_of` gives
THINGS: Final = frozenset({"concept", "product"})
# A product or a concept may bear the name of an organisation or an event, never that of a person.
COMPATIBLE: Final = frozenset(
    {
        ("concept", "event"),
        ("concept", "organization"),
        ("concept", "product"),
        ("event", "product"),
        ("organization", "product"),
    }
)

# The words of the usual name of what goes by another name, too: "ai" for artificial intelligence.
WELL_KNOWN: Final = {name_key(name): name_key(usual).split() for name, usual in VARIANTS.items()}

_ACCENT = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
_BRACKETED = re.compile(r"^(.+?)\s*\(([^()]+)\)$")
# Removed between letters, and between a letter and a digit: not in "3.5", "-5", "1/2" or ".NET".
_HYPHEN = re.compile(r"(?<=[^\W\d])[-\u2010-\u2015_/]+(?=\w)|(?<=\d)[-\u2010-\u2015_/]+(?=[^\W\d])")
_STOP = re.compile(r"(?<=\w)\.(?!\w)|(?<=[^\W\d])\.(?=\w)|(?<=\d)\.(?=[^\W\d])")
_QUIET = re.compile(r"['\"`,;:!?()\[\]{}]")


@dataclass(frozen=True, slots=True)
class Named:
    """A spelling as it is mostly written, with its most frequent type (None: there is none)."""

    name: str
    type: str | None


@dataclass(frozen=True, slots=True)
class _Form:
    """The words of a name without what makes no difference.

    `plain` lacks accents, punctuation and an article; `untitled` also lacks titles before a full
    name; `bare` also lacks the legal form of a company. `noun` is `bare` in the singular.
    """

    plain: str
    untitled: str
    bare: str
    noun: str


def block_key(name: str) -> str:
    """The key of the block of a name: two names with different keys are not the same by a rule."""
    return _form(name).noun


def folded_words(name: str) -> list[str]:
    """The words of a name without accents, punctuation and titles.

    >>> folded_words("Dr. Ada Lovelace"), folded_words("É. du Châtelet")
    (['ada', 'lovelace'], ['e', 'du', 'chatelet'])
    """
    return _without_titles(_words(name_key(name)))


def forms_of(name: str) -> tuple[str, str, str, str]:
    """The forms of a name, each with less than the one before; the last one is its `block_key`.

    Spellings agree in the first where they differ in case, punctuation, accents, spaces or an
    article only, in the second also with titles, in the third also with legal forms of companies,
    in the last also in the plural.
    """
    form = _form(name)
    return form.plain, form.untitled, form.bare, form.noun


def same_by_form(one: Named, other: Named) -> str | None:
    """The reason why two spellings are certainly one name, or None.

    >>> same_by_form(Named("e-mail", None), Named("Email", "technology"))
    'They differ in case, punctuation, accents, spaces or an article only.'
    >>> same_by_form(Named("Bill Gates", "person"), Named("Bill Gate", "person"))
    """
    if contradict([one.type, other.type]) or _case_tells(one, other):
        return None
    a, b = _form(one.name), _form(other.name)
    classes = {type_class(one.type), type_class(other.type)}
    without_form = a.untitled == a.bare or b.untitled == b.bare  # "Inc." and "Ltd." are two bodies
    whole = a.untitled == a.bare and b.untitled == b.bare
    nouns = whole and _is_common_noun(one) and _is_common_noun(other)
    known = not WELL_KNOWN.keys().isdisjoint(map(name_key, (one.name, other.name)))
    reasons = {
        "They differ in case, punctuation, accents, spaces or an article only.": a.plain == b.plain,
        "They differ in a title before the full name only.": (
            a.untitled == b.untitled and classes <= {"person", None}
        ),
        "They differ in the legal form of the company only.": (
            without_form and a.bare == b.bare and classes == {"organization"}
        ),
        "They are two well-known names of one thing.": known and a.noun == b.noun,
        "They are the singular and the plural of a common noun.": nouns and a.noun == b.noun,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _case_tells(one: Named, other: Named) -> bool:
    """Whether names that differ in case alone have different types: "Apple" and "apple"."""
    types = {type_class(type_) or type_.casefold() for type_ in (one.type, other.type) if type_}
    alike = len(types) < 2 or types <= THINGS
    return not alike and name_key(one.name) == name_key(other.name)


def type_class(type_: str | None) -> str | None:
    """The broad class of an entity type; None where the type is missing or belongs to none."""
    return TYPE_CLASSES.get((type_ or "").casefold().strip())


def contradict(types: Iterable[str | None]) -> bool:
    """Tells whether things of these types can't all be one thing.

    >>> contradict(["person", "organization"]), contradict(["PERSON", None, "character"])
    (True, False)
    """
    classes = sorted({found for type_ in types if (found := type_class(type_))})
    pairs = [(a, b) for n, a in enumerate(classes) for b in classes[n + 1 :]]
    return any(pair not in COMPATIBLE for pair in pairs)


@lru_cache(4096)
def _form(name: str) -> _Form:
    words = _without_article(_words(_without_bracket(name_key(name))))
    untitled = _without_titles(words)
    bare = untitled[:-1] if len(untitled) > 1 and untitled[-1] in LEGAL_FORMS else untitled
    usual = WELL_KNOWN.get(name_key(name), bare)
    noun = [*usual[:-1], _singular(usual[-1])] if usual else []
    forms = [_joined(one) or name_key(name) for one in (words, untitled, bare, noun)]
    return _Form(*forms)


def _words(key: str) -> list[str]:
    """The words of a name without accents, hyphens, stops and quotation marks."""
    decomposed = _ACCENT.sub("", unicodedata.normalize("NFD", key))
    text = unicodedata.normalize("NFC", decomposed).replace("&", " and ")
    text = _QUIET.sub("", text)
    return _HYPHEN.sub("", _STOP.sub("", text)).split()


def _without_bracket(key: str) -> str:
    """A name without its own acronym: "graph data science" for "graph data science (gds)"."""
    found = _BRACKETED.match(key)
    return found[1] if found and is_acronym_of(found[2], found[1]) else key


def _without_article(words: list[str]) -> list[str]:
    """ "The Beatles Story" without "the"; "The Who" keeps it: one word is too little."""
    return words[1:] if len(words) > 2 and words[0] == "the" else words


def _without_titles(words: list[str]) -> list[str]:
    """A full name without titles; a single name keeps them: "Mrs. Cratchit" is not "Cratchit"."""
    while len(words) > 2 and words[0] in TITLES:
        words = words[1:]
    return words


def _singular(word: str) -> str:
    return word if word in OTHER_PLURALS or len(word) < 4 else singular(word).casefold()


def _joined(words: Collection[str]) -> str:
    """The words without spaces; numbers stay apart, so that "1 10" is not "11 0"."""
    return re.sub(r"(?<!\d) | (?!\d)", "", " ".join(words))


def _is_common_noun(one: Named) -> bool:
    """Whether a name is a common noun: written small, or the name of a concept."""
    class_ = type_class(one.type)
    last = one.name.split()[-1]
    if last.islower():
        return class_ is None or class_ in THINGS
    ordinary = last.isupper() or is_ordinary(_singular(last.casefold()))
    return class_ == "concept" and ordinary
