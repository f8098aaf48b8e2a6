"""Rules about names: which two are certainly one, which two may be, and which one is shown; no I/O.

Each rule is meant to be certain. Where none is, a model or a person decides. A type that
contradicts another prevents every rule: a person is never an organisation.
"""

import itertools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graphrag_neo4j.index.evidence import Uses, Votes, elected, votes_for
from graphrag_neo4j.rules.phrases import is_ordinary, singular
from graphrag_neo4j.text.acronyms import initials, is_acronym_of, looks_like_acronym
from graphrag_neo4j.text.languages import (
    ORGANIZATIONS,
    OTHER_PLURALS,
    PLACES,
    ROLES,
    TYPE_CLASSES,
    VARIANTS,
    base_form,
    lines_of,
)
from graphrag_neo4j.text.strings import identify, is_indexable, name_key

TITLES: Final = frozenset({"dr", "mr", "ms", "mrs", "prof", "professor", "sir", "dame", "doctor"})
ARTICLES: Final = frozenset({"a", "an", "the"})
PREPOSITIONS: Final = frozenset(["about", "at", "by", "for", "from", "in", "of", "on", "with"])
FORMS: Final = 6  # that `forms_of` gives
THINGS: Final = frozenset({"concept", "product"})
# A product, a work or a concept may bear the name of an organisation or an event, never that of a
# person.
COMPATIBLE: Final = frozenset(
    {
        ("concept", "event"),
        ("concept", "organization"),
        ("concept", "product"),
        ("concept", "work"),
        ("event", "product"),
        ("event", "work"),
        ("organization", "product"),
        ("organization", "work"),
        ("product", "work"),
    }
)
# The words of the usual name of what goes by another name, too: "ai" for artificial intelligence.
WELL_KNOWN: Final = {
    name_key(name): name_key(usual).split()
    for name, usual in [
        *VARIANTS.items(),
        *(line.split(" = ") for line in lines_of("resolution/well_known.txt")),
    ]
}
KINDS: Final = frozenset(" ".join(lines_of("resolution/kinds.txt")).split())
OTHER_TYPES: Final = sorted(type_ for type_, class_ in TYPE_CLASSES.items() if class_ != "person")
# Words in what a person is called who has another name: "Mother", "Sir", "Speaker of the House".
NO_NAMES: Final = (ROLES | TITLES | ARTICLES | PREPOSITIONS).union(
    *(line.split() for line in lines_of("resolution/kinship.txt"))
)
PARTS: Final = frozenset(" ".join(lines_of("resolution/parts.txt")).split())
KINDS_OF: Final = {"organization": KINDS | ORGANIZATIONS, "place": KINDS | PLACES}
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

# What stands before the possessive in a name, such as Ada in "Ada's Son".
OWNER: Final = re.compile(r"(.+?)(?:'s|(?<=s)')\s")
# Accents of Latin and Greek letters, and the vowel signs and the tatweel of Arabic and Hebrew: they
# are mostly left out. In other scripts, marks make other letters: "й", "が", "कि".
_ACCENT = re.compile(
    r"(?<=[A-Za-z\u0370-\u03ff])[\u0300-\u036f]+"
    r"|[\u0610-\u061a\u0640\u064b-\u0652\u0670\u06d6-\u06dc\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
_BRACKETED = re.compile(r"^(.+?)\s*\(([^()]+)\)$")
# Removed between letters, and between a letter and a digit: not in "3.5", "-5", "1/2" or ".NET".
_HYPHEN = re.compile(r"(?<=[^\W\d])[-\u2010-\u2015_/]+(?=\w)|(?<=\d)[-\u2010-\u2015_/]+(?=[^\W\d])")
_STOP = re.compile(r"(?<=\w)\.(?!\w)|(?<=[^\W\d])\.(?=\w)|(?<=\d)\.(?=[^\W\d])")
_QUIET = re.compile(r"['\"`,;:!?()\[\]{}]")
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_INDEFINITE = re.compile(r"an?\s", re.IGNORECASE)
# German adjectives in names, without accents: "europaischen". With the ending of another case they
# make the same name, if the noun after them is the same.
_GERMAN = re.compile(
    r"(.{3,}(?:isch|sam|iert|igt)|.+lich|.*[^e]ig|deutsch|gross|klein|neu|alt|jung|rot|blau|weiss|"
    r"schwarz|grun|frei|hoh|ober|unter|inner|auswartig|(?:inter)?national|sozial|liberal|zentral|"
    r"global|regional|erst|zweit|dritt)(e|e[nrsm])"
)
_RUSSIAN = re.compile(r"[\u0400-\u04ff ]+")
_RUSSIAN_ADJECTIVE = re.compile(r".+(?:ый|ий|ой)")
_RUSSIAN_PLURAL = re.compile(r".+(?:[ыи][ех]|[ыи]ми)")
_RUSSIAN_NOUN_PLURAL = re.compile(r".+(?:[ыи][ех]?|[ыи]ми|[ая]ми?|[ая]х|[ое]в)")
_PLURAL_ACRONYM = re.compile(r"(?=[A-Z.]{2})[A-Z.]+s")


@dataclass(frozen=True, slots=True)
class Spelling:
    """A name with its most frequent form and type (None: no chunk gives a type).

    `n` counts the chunks that use it: 0 means that there is no evidence of it now. `documents`
    counts their documents. `holders` are the ids of the entities that hold its evidence.
    """

    id: str
    name: str
    type: str | None
    n: int = 1
    holders: frozenset[str] = frozenset()
    documents: int = 1


Known = dict[str, Spelling]
"""Spellings by id."""


def forms_of(name: str) -> tuple[str, ...]:
    """The forms of a name, each with less than the one before; the last one is its `block_key`.

    Names agree in the first where they differ in case, punctuation, accents, spaces or an article
    only; in the second also where one abbreviates a word; in the third also with titles before a
    full name; in the fourth also with legal forms of companies; in the fifth also in the plural;
    in the last also in the case, in German and Russian.
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
    (a, a_legal, a_case), (b, b_legal, b_case) = _form(one.name), _form(other.name)
    alike = [x == y for x, y in zip(a, b, strict=True)]
    classes = {type_class(one.type), type_class(other.type)}
    cases = not (a_legal | b_legal) and "person" not in classes
    nouns = not (a_legal | b_legal) and _is_common_noun(one) and _is_common_noun(other)
    known = well_known(one.name) or well_known(other.name)
    reasons = {
        "They differ in case, punctuation, accents, spaces or an article only.": alike[0],
        "They differ in a usual abbreviation only.": alike[1],
        "They differ in a title before the full name only.": (
            alike[2] and classes <= {"person", None}
        ),
        "They differ in the legal form of the company only.": (
            alike[3] and not two_companies([one, other]) and classes == {"organization"}
        ),
        "They are two well-known names of one thing.": bool(known) and alike[4],
        "They are the singular and the plural of a common noun.": nouns and alike[4],
        "They are cases of one name.": cases and a_case == b_case,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def well_known(name: str) -> list[str] | None:
    """The words of the usual name of what a name is known to stand for; None for most names.

    >>> well_known("PCs"), well_known("computer")
    (['personal', 'computer'], None)
    """
    singular_ = name[:-1] if _PLURAL_ACRONYM.fullmatch(name) else name
    return WELL_KNOWN.get(name_key(singular_))


def is_listed(name: str) -> bool:
    """Whether a name is known to stand for something, or is what another one stands for."""
    return bool(well_known(name)) or [name_key(name)] in WELL_KNOWN.values()


def meaning(acronym: Spelling, said: Mapping[str, Collection[str]]) -> str | None:
    """The block of what documents mean by an acronym; None where none says what it stands for.

    `said` holds the documents by the block that they mean, "" for what can't be told. A block needs
    more of them than all others together: else, the meaning is "". A document that does not say
    what a well-known acronym stands for means what everybody does.

    >>> gds, ai = Spelling("1", "GDS", None), Spelling("2", "AI", None, documents=9)
    >>> meaning(gds, {"graphdatascience": "ab", "greatdismalswamp": "c"}), meaning(gds, {"": "a"})
    ('graphdatascience', '')
    >>> meaning(ai, {"awfulidiocy": "abcd"}), meaning(ai, {"awfulidiocy": "abcde"})
    ('ai', 'awfulidiocy')
    """
    usual = block_key(acronym.name) if is_listed(acronym.name) else None
    told = {key: {*documents} for key, documents in said.items() if key or usual is None}
    if not told:
        return None
    votes = Counter({key: len(documents) for key, documents in told.items()})
    silent = 0
    if usual:
        silent = max(0, acronym.documents - len(set[str]().union(*told.values())))
        votes[usual] += silent
    best = max(sorted(votes), key=lambda key: votes[key])
    others = set[str]().union(*(documents for key, documents in told.items() if key != best))
    return best if votes[best] > len(others) + silent * (best != usual) else ""


def is_called(one: Spelling) -> bool:
    """Whether a name may be a person's full name, or a first name or a surname alone."""
    words, ends = folded_words(one.name), one.name.split()
    named = len(words) > 0 and NO_NAMES.isdisjoint(words)
    return named and type_class(one.type) == "person" and not (ends[0] + ends[-1]).islower()


def bearer(
    short: Spelling, people: Iterable[Spelling], documents: Mapping[str, Collection[str]]
) -> list[Spelling]:
    """The spellings of the one person whom a short name means; empty where that isn't certain.

    `people` are the spellings of people that begin or end with it, and `documents` the documents
    that mention each spelling, by id. It is certain where every document with the short name has
    exactly one such person, and all have the same.
    """
    full = [x for x in people if " " in x.name and not OWNER.match(name_key(x.name))]
    there = {
        frozenset(block_key(one.name) for one in full if document in documents[one.id])
        for document in documents[short.id]
    }
    meant = there.pop() if len(there) == 1 else frozenset()
    return [x for x in full if len(meant) == 1 and block_key(x.name) in meant and is_called(x)]


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


def may_be_same(one: Spelling, other: Spelling) -> bool:
    """Returns whether two names that the rules do not join may still be one thing.

    That is so if one is a part of the other or its acronym, or if they differ in one word: in any
    one of a person's, else in one with the same first letter. Of concepts, one must be the acronym
    of the other, or have more words in the middle or after "of": "data" is not "training data".
    What usually names two things is not compared: a part and its whole, a person and what is
    theirs.

    >>> may_be_same(Spelling("1", "Gates", "person"), Spelling("2", "Bill Gates", "person"))
    True
    >>> may_be_same(Spelling("1", "Bill Gates", "person"), Spelling("2", "Melinda Gates", None))
    False
    """
    types = {type_class(one.type), type_class(other.type)}
    if contradict(types) or block_key(one.name) == block_key(other.name):
        return False
    if _shortens(one.name, other.name) or _shortens(other.name, one.name):
        return True
    short, long = sorted((one.name, other.name), key=lambda name: len(_bare_words(name)))
    part, words, n = _bare_words(short), _bare_words(long), len(_bare_words(short))
    is_part = {*part} < {*words}
    if "concept" in types:
        more = words[: n + 1] == [*part, "of"] or (part[:1] + part[-1:] == words[:1] + words[-1:])
        return types == {"concept"} and is_part and n > 1 and more and "and" not in words
    class_ = next(filter(None, types), None)
    if is_part or len(types - {None}) > 1:  # "Tesla", a company, and "Tesla Model X", a product
        return is_part and len(types - {None}) < 2 and not _names_another(part, long, class_)
    differing = [pair for pair in zip(part, words, strict=False) if pair[0] != pair[1]]
    if n != len(words) or n < 2 or len(differing) != 1:
        return False
    of_person = types == {"person"} and part[-1] == words[-1]
    plain = _are_plain(differing[0]) and not (of_person and not _are_plain(part[-1:]))
    return not plain and (differing[0][0][:1] == differing[0][1][:1] or of_person)


def _shortens(short: str, long: str) -> bool:
    """Whether a name ends with the acronym of another's end: "Acme AI", "Acme Applied Ink"."""
    *before, acronym = short.split()
    n, words = len(before), long.split()
    fits = words[:n] == before and looks_like_acronym(acronym)
    return fits and is_acronym_of(acronym, " ".join(words[n:]))


def _names_another(part: list[str], whole: str, class_: str | None) -> bool:
    """Whether what a name has besides the words of a part makes it the name of another thing.

    It does in what somebody owns ("Ada's Son" and "Ada"), in two things ("East and West Coast"),
    and where it tells another kind ("Internet Mania"), a part ("North Korea") or a sort ("History
    Books").
    """
    words, n, company = _bare_words(whole), len(part), class_ == "organization"
    owner = OWNER.match(name_key(whole))
    owned = owner is not None and {*part} <= {*folded_words(owner[1])}
    both = "and" in {*words} - {*part}
    if owned or class_ == "person" or (both and not company):
        return owned or both
    kinds = KINDS_OF.get(class_ or "", KINDS)
    if words[:n] == part:
        if not PREPOSITIONS.isdisjoint(words[n:]):  # "Books on AI", but not "Bank of America"
            return n == 1 and not company and _are_plain(part)
        known_kind = len(words) == n + 1 and words[n] in kinds
        capitals = {*map(str.lower, filter(looks_like_acronym, whole.split()))}
        return not known_kind and _are_plain({*words[n:]} - capitals)
    added = [word for word in words[:-n] if word not in ARTICLES] if words[-n:] == part else []
    at = next((i for i, word in enumerate(added) if word in PREPOSITIONS), 0)
    if at:  # "Episode with Ada", but not "City of London"
        return _are_plain([added[at - 1]]) and added[at - 1] not in kinds
    part_of_place = class_ == "place" and PARTS.issuperset(added) and part[0] not in PARTS
    sort = n == 1 and class_ not in {"organization", "place"} and _are_plain([*added, *part])
    return bool(added) and (part_of_place or sort)


def _are_plain(words: Iterable[str]) -> bool:
    """Whether all words are numbers or ordinary words of English, and not names."""
    return all(word.isdecimal() or is_ordinary(word) for word in words)


def _bare_words(name: str) -> list[str]:
    """The words of a name without an article before them."""
    words = folded_words(name)
    return words[1:] if len(words) > 1 and words[0] in ARTICLES else words


def shown_name(uses: Uses) -> str | None:
    """The name to show of the names that documents use for an entity; None for none.

    It is the most frequent name, or one that has all its words and more, or what this name is the
    acronym of. Names that differ in form only, as in a title or "Inc.", count as one: the most
    frequent of them is shown. Of several fuller names, the most frequent one leads on.

    >>> names = {"PG": 3, "Paul Graham": 1, "Mr. Paul Graham": 2, "Paul": 2}
    >>> shown_name([([([(name, None)], 1)], documents) for name, documents in names.items()])
    'Mr. Paul Graham'
    """
    alike: defaultdict[str, dict[str, Votes]] = defaultdict(dict)
    for name, votes in votes_for(uses, lambda use: use[0]).items():
        alike[_shown_form(name)][name] = votes
    forms = votes_for(uses, lambda use: _shown_form(use[0]))
    named = {elected(same) or "": forms[form] for form, same in alike.items()}
    shown = fuller = elected(named)
    while fuller:
        shown = fuller
        fuller = elected({name: n for name, n in named.items() if _is_fuller(name, fuller)})
    return shown


def _shown_form(name: str) -> str:
    """The same for names of which only the most frequent may be shown."""
    return f"acronym {name_key(name)}" if looks_like_acronym(name) else block_key(name)


def _is_fuller(name: str, than: str) -> bool:
    """Whether a name has all words of another, or what this is an acronym of, and more words."""
    words, fewer = ({*folded_words(one)} - TITLES - ARTICLES for one in (name, than))
    letters = iter((initials(name) or ("",))[0])
    stands_for = looks_like_acronym(than) and all(x in letters for x in than.casefold())
    return len(words) > 1 and (stands_for or fewer < words)


def name_properties(name: str) -> dict[str, str | None]:
    """The properties of a spelling by which others with a similar name are found."""
    short = name if is_indexable(name) else ""
    words, letters = folded_words(short), initials(short)
    return {
        "key": block_key(name) if name else None,
        "first_word": words[0] if words else None,
        "last_word": words[-1] if words else None,
        "initials": letters[1] if letters else None,
    }


@lru_cache(4096)
def _form(name: str) -> tuple[tuple[str, ...], frozenset[str], str]:
    """The forms of a name (`forms_of`), the legal forms of a company at its end, and its words.

    These words have no case, but a number.
    """
    key = name_key(name)
    if not is_indexable(name):  # keys are indexed
        return (identify("name", key),) * FORMS, frozenset(), key
    bracketed = _BRACKETED.match(key)
    # "graph data science" for "graph data science (gds)"
    own = bracketed and is_acronym_of(bracketed[2], bracketed[1])
    words = _words(bracketed[1] if bracketed and own else key)
    words = words[1:] if len(words) > 1 and words[0] in ARTICLES else words
    if len(words) > 3:  # "Scientists in the Crib"
        words = [words[0], *(word for word in words[1:-1] if word not in ARTICLES), words[-1]]
    spelled = words
    if len(words) > 1:  # "Mt. St. Helens", "Wall St."; a single word stays
        last = {**LAST, **ANYWHERE}.get(words[-1], words[-1])
        spelled = [*({**AHEAD, **ANYWHERE}.get(word, word) for word in words[:-1]), last]
    untitled = _without_titles(spelled)
    bare, legal = _without_legal_forms(untitled)
    usual = well_known(name) or bare
    noun = [*usual[:-1], _singular(usual[-1])] if usual else []
    cased = _without_cases(noun)
    # Without spaces; numbers stay apart, so that "1 10" is not "11 0".
    forms = (
        re.sub(r"(?<!\d) | (?!\d)", "", " ".join(x))
        for x in (words, spelled, untitled, bare, noun, cased)
    )
    return tuple(form or key for form in forms), legal, " ".join(_without_cases(usual)) or key


def _without_cases(words: list[str]) -> list[str]:
    """The words of a name with an adjective in the form that all its cases have.

    The number stays: "Deutsche Bank" is not "Deutsche Banken". Only German and Russian are known.
    """
    text = " ".join(words)
    if len(words) > 1 and _RUSSIAN.fullmatch(text):
        bases = [base_form(word, "ru") for word in words]
        if not any(map(_RUSSIAN_ADJECTIVE.fullmatch, bases[:-1])):
            return words
        # A noun's ending may be of a case or of the plural: then the names stay two.
        described = _RUSSIAN_ADJECTIVE.fullmatch(bases[0])
        many = (_RUSSIAN_PLURAL if described else _RUSSIAN_NOUN_PLURAL).fullmatch(words[0])
        return [*bases, "+"] if many else bases
    adjectives = [_GERMAN.fullmatch(word) for word in words[:-1]]
    if not any(adjectives):
        return words
    last, bare = words[-1], base_form(words[-1].capitalize(), "de").casefold()
    genitive = any(one and one[2] == "en" for one in adjectives) and last in (
        f"{bare}s",
        f"{bare}es",
    )
    stems = [
        f"{one[1]}e" if one else word for one, word in zip(adjectives, words[:-1], strict=True)
    ]
    return [*stems, bare if genitive else last]


@lru_cache(4096)
def folded_words(name: str) -> list[str]:
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
    """Whether an article before a single word makes another name: "The Who" and "WHO".

    It makes none before a word that is written the same and has the same type, as in "The Beatles",
    nor before a common noun. "A" and "an" may also be a part of a person's name: "An Wang".
    """
    rests = [_ARTICLE.sub("", name) for name in (one.name, other.name)]
    if (rests[0] == one.name) == (rests[1] == other.name):
        return False
    types = {(type_ or "").casefold() for type_ in (one.type, other.type)}
    indefinite = any(_INDEFINITE.match(name) for name in (one.name, other.name))
    same = not indefinite and rests[0] == rests[1] and len(types) == 1 and "" not in types
    nouns = _is_common_noun(one) and _is_common_noun(other)
    return not (same or nouns) and (indefinite or len(_words(name_key(rests[0]))) == 1)


def _is_common_noun(one: Spelling) -> bool:
    """Whether a name is a common noun: written small, or naming a concept or a kind of product.

    A name of one word in capitals may be that of a product: "Windows".
    """
    class_ = type_class(one.type)
    *before, last = _ARTICLE.sub("", one.name).split()
    if last.islower():
        return class_ is None or class_ in THINGS
    ordinary = last.isupper() or is_ordinary(_singular(last.casefold()))
    kind = class_ == "product" and before and all(map(is_ordinary, before))
    return ordinary and (class_ == "concept" or bool(kind))
