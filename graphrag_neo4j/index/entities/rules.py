"""Rules about names: which two are certainly one, and which two may be; without I/O.

Each rule is meant to be certain. Where none is, a model or a person decides. A type that
contradicts another prevents every rule: a person is never an organisation.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graphrag_neo4j.rules.phrases import is_ordinary, singular
from graphrag_neo4j.text.acronyms import initials, is_acronym_of, looks_like_acronym
from graphrag_neo4j.text.languages import OTHER_PLURALS, TYPE_CLASSES, VARIANTS, lines_of
from graphrag_neo4j.text.strings import identify, is_indexable, name_key

TITLES: Final = frozenset({"dr", "mr", "ms", "mrs", "prof", "professor", "sir", "dame", "doctor"})
FORMS: Final = 5  # that `forms_of` gives
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
LEGAL_FORMS: Final = {
    word: line.split()[0]
    for line in lines_of("resolution/legal_forms.txt")
    for word in line.split()
}
# Abbreviations of a word before others, of the last word, and of any word.
AHEAD: Final = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort"}
LAST: Final = {"st": "street", "ave": "avenue", "rd": "road", "blvd": "boulevard", "sq": "square"}
ANYWHERE: Final = {
    "univ": "university", "inst": "institute", "dept": "department", "intl": "international",
    "natl": "national", "assn": "association", "assoc": "association", "bros": "brothers",
    "govt": "government",
}  # fmt: skip

_ACCENT = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
_BRACKETED = re.compile(r"^(.+?)\s*\(([^()]+)\)$")
# Removed between letters, and between a letter and a digit: not in "3.5", "-5", "1/2" or ".NET".
_HYPHEN = re.compile(r"(?<=[^\W\d])[-\u2010-\u2015_/]+(?=\w)|(?<=\d)[-\u2010-\u2015_/]+(?=[^\W\d])")
_STOP = re.compile(r"(?<=\w)\.(?!\w)|(?<=[^\W\d])\.(?=\w)|(?<=\d)\.(?=[^\W\d])")
_QUIET = re.compile(r"['\"`,;:!?()\[\]{}]")
_ARTICLE = re.compile(r"^the\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spelling:
    """A name with its most frequent form and type (None: no chunk gives a type).

    `n` counts how often chunks and claims use it: 0 means that there is no evidence of it now.
    `holders` are the ids of the entities that hold its evidence.
    """

    id: str
    name: str
    type: str | None
    n: int = 1
    holders: frozenset[str] = frozenset()


Known = dict[str, Spelling]
"""Spellings by id."""


def forms_of(name: str) -> tuple[str, ...]:
    """The forms of a name, each with less than the one before; the last one is its `block_key`.

    Names agree in the first where they differ in case, punctuation, accents, spaces or an article
    only; in the second also where one abbreviates a word; in the third also with titles before a
    full name; in the fourth also with legal forms of companies; in the last also in the plural.
    """
    return _form(name)[0]


def block_key(name: str) -> str:
    """The same for all names that a rule could join, so that only names of one block are compared.

    >>> block_key("Dr. Ada Lovelace"), block_key("Müller & Söhne GmbH & Co. KG")
    ('adalovelace', 'mullerandsohne')
    """
    return _form(name)[0][-1]


def same_by_form(one: Spelling, other: Spelling) -> str | None:
    """The reason why two spellings are certainly one name, or None.

    >>> same_by_form(Spelling("1", "e-mail", None), Spelling("2", "Email", "technology"))
    'They differ in case, punctuation, accents, spaces or an article only.'
    >>> same_by_form(Spelling("1", "Bill Gates", "person"), Spelling("2", "Bill Gate", "person"))
    """
    if contradict([one.type, other.type]) or _case_tells(one, other) or _article_tells(one, other):
        return None
    (a, a_legal), (b, b_legal) = _form(one.name), _form(other.name)
    alike = [x == y for x, y in zip(a, b, strict=True)]
    classes = {type_class(one.type), type_class(other.type)}
    nouns = not (a_legal | b_legal) and _is_common_noun(one) and _is_common_noun(other)
    known = not WELL_KNOWN.keys().isdisjoint(map(name_key, (one.name, other.name)))
    reasons = {
        "They differ in case, punctuation, accents, spaces or an article only.": alike[0],
        "They differ in a usual abbreviation only.": alike[1],
        "They differ in a title before the full name only.": (
            alike[2] and classes <= {"person", None}
        ),
        "They differ in the legal form of the company only.": (
            alike[3] and not two_companies([one, other]) and classes == {"organization"}
        ),
        "They are two well-known names of one thing.": known and alike[4],
        "They are the singular and the plural of a common noun.": nouns and alike[4],
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def two_companies(spellings: Iterable[Spelling]) -> bool:
    """Whether names have legal forms that contradict: "Inc." and "Ltd.", not "Co." and "Co., Ltd.".

    Then a name without any could be either.
    """
    forms = sorted({_form(one.name)[1] for one in spellings}, key=len)
    return any(not less <= more for less, more in itertools.pairwise(forms))


def type_class(type_: str | None) -> str | None:
    """The broad class of an entity type; None where the type is missing or belongs to none."""
    return TYPE_CLASSES.get((type_ or "").casefold().strip())


def contradict(types: Iterable[str | None]) -> bool:
    """Returns whether things of these types can't all be one thing.

    >>> contradict(["person", "organization"]), contradict(["PERSON", None, "character"])
    (True, False)
    """
    classes = sorted({found for type_ in types if (found := type_class(type_))})
    pairs = [(a, b) for n, a in enumerate(classes) for b in classes[n + 1 :]]
    return any(pair not in COMPATIBLE for pair in pairs)


def name_properties(name: str) -> dict[str, str | None]:
    """The properties of a spelling by which others with a similar name are found."""
    short = name if is_indexable(name) else ""
    words, letters = _folded_words(short), initials(short)
    return {
        "key": block_key(name) if name else None,
        "first_word": words[0] if words else None,
        "last_word": words[-1] if words else None,
        "initials": letters[1] if letters else None,
    }


def may_be_same(one: Spelling, other: Spelling) -> bool:
    """Returns whether two names that the rules do not join may still be one thing.

    That is so if one is a part of the other or its acronym, or if they differ in one word: in any
    one of a person's, else in one with the same first letter. Concepts are not compared: "data" is
    not "training data".

    >>> may_be_same(Spelling("1", "Gates", "person"), Spelling("2", "Bill Gates", "person"))
    True
    >>> may_be_same(Spelling("1", "Bill Gates", "person"), Spelling("2", "Melinda Gates", None))
    False
    """
    types = {type_class(one.type), type_class(other.type)}
    if contradict(types) or "concept" in types or block_key(one.name) == block_key(other.name):
        return False
    a, b = _folded_words(one.name), _folded_words(other.name)
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


@lru_cache(4096)
def _form(name: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The forms of a name (`forms_of`), and the legal forms of a company at its end."""
    key = name_key(name)
    if not is_indexable(name):  # keys are indexed
        return (identify("name", key),) * FORMS, frozenset()
    bracketed = _BRACKETED.match(key)
    # "graph data science" for "graph data science (gds)"
    own = bracketed and is_acronym_of(bracketed[2], bracketed[1])
    words = _words(bracketed[1] if bracketed and own else key)
    words = words[1:] if len(words) > 1 and words[0] == "the" else words
    spelled = words
    if len(words) > 1:  # "Mt. St. Helens", "Wall St."; a single word stays
        last = {**LAST, **ANYWHERE}.get(words[-1], words[-1])
        spelled = [*({**AHEAD, **ANYWHERE}.get(word, word) for word in words[:-1]), last]
    untitled = _without_titles(spelled)
    bare, legal = _without_legal_forms(untitled)
    usual = WELL_KNOWN.get(key, bare)
    noun = [*usual[:-1], _singular(usual[-1])] if usual else []
    # Without spaces; numbers stay apart, so that "1 10" is not "11 0".
    forms = (
        re.sub(r"(?<!\d) | (?!\d)", "", " ".join(x)) for x in (words, spelled, untitled, bare, noun)
    )
    return tuple(form or key for form in forms), legal


@lru_cache(4096)
def _folded_words(name: str) -> list[str]:
    """The words of a name without accents, punctuation and titles."""
    return _without_titles(_words(name_key(name)))


def _words(key: str) -> list[str]:
    """The words of a name without accents, hyphens, stops and quotation marks."""
    decomposed = _ACCENT.sub("", unicodedata.normalize("NFD", key))
    text = unicodedata.normalize("NFC", decomposed).replace("&", " and ")
    text = _QUIET.sub("", text)
    return _HYPHEN.sub("", _STOP.sub("", text)).split()


def _without_titles(words: list[str]) -> list[str]:
    """A full name without titles; a single name keeps them: "Mrs. Cratchit" is not "Cratchit"."""
    n = 0
    while len(words) - n > 2 and words[n] in TITLES:
        n += 1
    return words[n:]


def _without_legal_forms(words: list[str]) -> tuple[list[str], frozenset[str]]:
    """The name of a company without the legal forms at its end, and these: "co" and "ltd"."""
    found: set[str] = set()
    end = len(words)
    while end > 1:
        tails = {words[end - 1]: 1}
        for n in (2, 3):  # "S. A." is one form
            if n < end and max(map(len, words[end - n : end])) == 1:
                tails = {"".join(words[end - n : end]): n, **tails}
        form = next((one for one in tails if one in LEGAL_FORMS), None)
        if form:
            found.add(LEGAL_FORMS[form])
            end -= tails[form]
        elif found and words[end - 1] in {"and", "de"}:  # "& Co.", "S.A. de C.V."
            end -= 1
        else:
            break
    return words[:end], frozenset(found)


def _singular(word: str) -> str:
    return word if word in OTHER_PLURALS or len(word) < 4 else singular(word).casefold()


def _case_tells(one: Spelling, other: Spelling) -> bool:
    """Whether names that differ in case alone have different types: "Apple" and "apple"."""
    types = {type_class(type_) or type_.casefold() for type_ in (one.type, other.type) if type_}
    alike = len(types) < 2 or types <= THINGS
    return not alike and name_key(one.name) == name_key(other.name)


def _article_tells(one: Spelling, other: Spelling) -> bool:
    """Whether "the" before a single word makes another name: "The Who" and "WHO".

    It makes none before a word that is written the same and has the same type: "The Beatles".
    """
    rests = [_ARTICLE.sub("", name) for name in (one.name, other.name)]
    if (rests[0] == one.name) == (rests[1] == other.name):
        return False
    types = {(type_ or "").casefold() for type_ in (one.type, other.type)}
    same = rests[0] == rests[1] and len(types) == 1 and "" not in types
    return not same and len(_words(name_key(rests[0]))) == 1


def _is_common_noun(one: Spelling) -> bool:
    """Whether a name is a common noun: written small, or the name of a concept."""
    class_ = type_class(one.type)
    last = one.name.split()[-1]
    if last.islower():
        return class_ is None or class_ in THINGS
    ordinary = last.isupper() or is_ordinary(_singular(last.casefold()))
    return class_ == "concept" and ordinary
