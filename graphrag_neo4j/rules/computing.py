"""Reads questions that compute over properties and columns.

"How many films after 1999?"             ──▶ count of movie, released > 1999
"What is the average rating of X?"       ──▶ average of rating, of the relationships of X
"How many rows of North above 20?"       ──▶ count of rows, region = north and price > 20

A question that says more is none of these forms.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from graphrag_neo4j.documents.metadata import date_in
from graphrag_neo4j.model.computation import (
    KINDS_OF,
    MOST_LISTED,
    MOST_SHOWN,
    Computation,
    Function,
    Holder,
    KnownProperty,
    PropertyCondition,
    kind_shown,
    table_name,
)
from graphrag_neo4j.rules.asking import (
    ASKS_LIST,
    VALUE,
    akin,
    class_of,
    without_names,
    words_of_predicate,
)
from graphrag_neo4j.text.languages import ABOUT, FORMAL, base_form
from graphrag_neo4j.text.sentences import WORD

WORDS: Final[Mapping[Function, str]] = {
    "average": "average|mean",
    "sum": "sum|total|altogether",
    "largest": r"highest|largest|greatest|maximum|latest|newest|most recent|most|top(?= \d)",
    "smallest": "lowest|smallest|minimum|earliest|oldest|fewest",
    "list": "how many|number of",
}
FUNCTIONS: Final = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in WORDS.items()
}
SUPERLATIVE = re.compile(r"\b(?:\w{2,}est|worst)\b", re.IGNORECASE)
LOOSE = re.compile(r"\b(?:most|fewest|mean)\b", re.IGNORECASE)  # "the most important"
OPERATORS: Final = {
    "after": ">", "later than": ">", "above": ">", "over": ">", "more than": ">",
    "greater than": ">", "higher than": ">", "before": "<", "earlier than": "<", "below": "<",
    "under": "<", "less than": "<", "lower than": "<", "fewer than": "<", "since": ">=",
    "from": ">=", "at least": ">=", "until": "<=", "up to": "<=", "at most": "<=", "in": "=",
    "equal to": "=", "of": "=",
}  # fmt: skip
DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?![\w-])"
COMPARISON = re.compile(
    rf"\b(?:between (?:{VALUE}|({NUMBER})) and (?:{VALUE}|({NUMBER}))"
    rf"|({'|'.join(OPERATORS)}) (?:{VALUE}|({NUMBER})))",
    re.IGNORECASE,
)
MOST = re.compile(r"\b(?:the|top|first|last) (\d+)\b", re.IGNORECASE)
# What a row of any table, and any document with metadata, may be called.
ROWS: Final = frozenset(("row", "record", "document", "entry", "item", "line"))
YEARS = 3000  # numbers from 1000 up to this can be years


def may_compute(question: str) -> bool:
    """Returns whether a question has a word such as "average" or "best", or asks for a list."""
    return bool(ASKS_LIST.search(question)) or compares(question)


def compares(question: str) -> bool:
    """Returns whether a question has a word such as "average", or one such as "best"."""
    return _has_function(question) or bool(SUPERLATIVE.search(question))


def _has_function(question: str) -> bool:
    return any(form.search(question) for form in FUNCTIONS.values())


def asks_for_number(question: str) -> bool:
    """Returns whether a question surely asks for a number, or for the largest or smallest ones."""
    return _has_function(LOOSE.sub(" ", question))


def names_properties(question: str, known: Collection[KnownProperty]) -> bool:
    """Returns whether a question names what has properties, one of these, or one of their texts."""
    own = {f"{one.holder} {one.type} {one.key}": one for one in known}
    named = any(over.noun for over in _holders(question, known))
    return named or bool(_told(_words(question), own) or _without_values(question, own, "")[1])


def computation_asked(
    question: str,
    known: Collection[KnownProperty],
    names: Collection[str],
    predicates: Collection[str],
) -> Computation | None:
    """Reads a question that computes and says nothing more, None for another one.

    `names` are those of entities in the question, and `predicates` those of what they name.
    """
    tries = (_read(question, one, known, names, predicates) for one in _holders(question, known))
    return next(filter(None, tries), None)


class _Over(NamedTuple):
    """What a question may compute over, and the word that names it, "" if none does."""

    holder: Holder
    types: tuple[str, ...]
    noun: str


def _holders(question: str, known: Collection[KnownProperty]) -> Iterator[_Over]:
    """Yields what a question may compute over: what it names, or else what has its properties."""
    words = _words(question)
    entities = {one.type for one in known if one.holder == "entity"}
    tables = {
        one.type: ROWS | {base_form(word, "en") for word in _words(table_name(one.type))}
        for one in known
        if one.holder == "document" and one.type
    }
    types, noun = _types_named(words, entities)
    if types:
        yield _Over("entity", types, noun)
    for word in words:
        base = base_form(word, "en")
        if called := [one for one, of in tables.items() if base in of]:
            yield _Over("document", tuple(sorted(called)), word)
        if base == "document":
            yield _Over("document", ("",), word)
    if not types:
        yield _Over("relationship", ("",), "")
        yield _Over("document", tuple(sorted(tables)), "")
        yield _Over("entity", tuple(sorted(entities)), "")


class _Form(NamedTuple):
    """A function, its place, what is compared, how many are wanted, and the other words."""

    function: Function
    place: int
    compared: Sequence[re.Match[str]]
    most: int | None
    words: Mapping[str, int]

    @classmethod
    def of(cls, question: str) -> "_Form":
        function: Function = "list"
        place, most, rest = 0, MOST.search(question), question
        for name, form in FUNCTIONS.items():
            if found := form.search(rest):
                function, place, rest = name, found.start(), _blank(rest, found)
                break
        compared = [*COMPARISON.finditer(rest)]
        for found in [*compared, *filter(None, [most])]:
            rest = _blank(rest, found)
        return cls(function, place, compared, int(most[1]) if most else None, _words(rest))


def _read(
    question: str,
    over: _Over,
    known: Collection[KnownProperty],
    names: Collection[str],
    predicates: Collection[str],
) -> Computation | None:
    """Reads a question over certain entities, relationships or documents."""
    holder, types, noun = over
    own: dict[str, KnownProperty] = {}
    for one in known:
        if one.holder == holder and one.type in types:
            texts = [*one.texts, *(own[one.key].texts if one.key in own else ())]
            own[one.key] = replace(one, texts=texts)
    if holder == "document":
        names, predicates = (), ()
    question = without_names(question, names)
    rest, valued = _without_values(question, own, noun)
    form = _Form.of(rest)
    words = {word: place for word, place in form.words.items() if word != noun}
    told = _told(words, own)
    naming = set[str]().union(*told.values())
    stated = {one: words_of_predicate(words.keys() - naming, one) for one in predicates}
    left = words.keys() - naming.union(*stated.values()) - ABOUT - FORMAL
    meant = tuple(one for one, said in stated.items() if said)
    is_table = holder == "document" and not noun and len(types) == 1
    if left and not (is_table and _names_rows(left, question)):
        return None
    if holder == "entity" and names and not meant:
        return None
    key = _property(form, told, own)
    conditions = (
        *_conditions(form.compared, told, words, own, key),
        *_text_conditions(valued, told),
    )
    if len(conditions) < len(form.compared) + len(valued) or (
        holder == "relationship" and conditions
    ):
        return None
    if not key and (form.function != "list" or not conditions):
        return None  # what is listed by types or predicates alone needs no properties
    keys = {key, *(one for condition in conditions for one in condition.keys)} - {None}
    spare = {one for one in told if valued and own[one].kind == "text"}  # "starring" for star1
    used = set[str]().union(*(said for one, said in told.items() if one in keys | spare))
    if naming - used:
        return None  # it says more of a property
    having = {one.type for one in known if one.holder == holder and one.key in keys}
    return Computation(
        holder,
        tuple(one for one in types if one in having),
        form.function,
        key,
        own[key].kind if key else kind_shown(conditions),
        conditions,
        meant,
        form.most or (MOST_LISTED if form.function == "list" else MOST_SHOWN),
    )


def _without_values(
    question: str, own: Mapping[str, KnownProperty], noun: str
) -> tuple[str, list[dict[str, list[str]]]]:
    """Returns a question without texts that are values, and the forms of each by property."""
    forms: dict[str, dict[str, list[str]]] = {}
    for key, one in own.items():
        for text in one.texts:
            forms.setdefault(text.strip().lower(), {}).setdefault(key, []).append(text)
    valued = []
    for text in sorted(forms.keys() - {noun, *FORMAL, *ABOUT}, key=lambda one: (-len(one), one)):
        found = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE)
        if found and not _has_function(text):
            valued.append(forms[text])
            question = _blank(question, found)
    return question, valued


def _property(
    form: _Form, told: Mapping[str, set[str]], own: Mapping[str, KnownProperty]
) -> str | None:
    """Returns the named property, nearest to the function, whose values it takes."""
    taken = [one for one in told if own[one].kind in KINDS_OF[form.function]]
    return _nearest(taken, told, form.words, form.place)


def _nearest(
    keys: Collection[str], told: Mapping[str, set[str]], words: Mapping[str, int], place: int
) -> str | None:
    """Returns the property that is named nearest to a place, None if that could be two of them."""

    def distance(key: str) -> int:
        return min(abs(words[word] - place) for word in told[key])

    best = min(keys, key=lambda key: (distance(key), -len(told[key])), default=None)
    return None if [told[key] for key in keys].count(told.get(best or "", set())) > 1 else best


def _told(words: Collection[str], own: Mapping[str, KnownProperty]) -> dict[str, set[str]]:
    """Returns the words that name each property: all of its own, or some that name no whole one."""
    whole, some = dict[str, set[str]](), dict[str, set[str]]()
    for key, one in own.items():
        parts = one.words.split()
        telling = [part for part in parts if part not in FORMAL | ABOUT] or parts
        alike = [{word for word in words if akin(part, word)} for part in telling]
        if said := set[str]().union(*alike):
            (whole if all(alike) else some)[key] = said | {*words} & {*parts}
    named = set[str]().union(*whole.values())
    return whole | {key: said for key, said in some.items() if said - named}


def _names_rows(left: Collection[str], question: str) -> bool:
    """Returns whether all that is left of a question is a noun, for the rows of a table."""
    [word, *others] = left
    asked = re.search(rf"\b(?:which|what) {re.escape(word)}\b", question, re.IGNORECASE)
    return not others and bool(asked or base_form(word, "en") != word)


def _words(text: str) -> dict[str, int]:
    return {found[0].lower(): found.start() for found in WORD.finditer(text)}


def _types_named(words: Mapping[str, int], types: Collection[str]) -> tuple[tuple[str, ...], str]:
    """Returns the types that the first such word names, and the word: "films" are movies."""
    for word in sorted(words, key=words.__getitem__):
        exact = tuple(one for one in sorted(types) if one == base_form(word, "en"))
        alike = tuple(one for one in sorted(types) if class_of(one) == class_of(word))
        if found := exact or alike:
            return found, word
    return (), ""


def _text_conditions(
    valued: Sequence[Mapping[str, Sequence[str]]], told: Mapping[str, set[str]]
) -> Iterator[PropertyCondition]:
    """Yields the conditions on texts, each on the property that is named, or on the only one.

    Columns such as star1 and star2 are one property. Two texts of one property make no condition:
    they may be meant to be one or the other, or both.
    """
    for forms in valued:
        keys = [key for key in forms if key in told] or [*forms]
        if len({key.rstrip("0123456789") for key in keys}) > 1:
            return
        if len(keys) > 1 or [{*one} for one in valued].count({*forms}) == 1:
            values = dict.fromkeys(value for key in keys for value in forms[key])
            yield PropertyCondition(tuple(keys), "text", "IN", tuple(values))


def _conditions(
    compared: Sequence[re.Match[str]],
    told: Mapping[str, set[str]],
    words: Mapping[str, int],
    own: Mapping[str, KnownProperty],
    computed: str | None,
) -> Iterator[PropertyCondition]:
    """Yields the conditions, each on the nearest property that suits, or on the only such one.

    A year suits dates and numbers that can be years, unless the question names another property
    than the one that is `computed`.
    """
    for found in compared:
        texts = [*filter(None, found.groups())]
        operators = [OPERATORS[one.lower()] for one in texts if one.lower() in OPERATORS]
        values = [one.replace(",", "") for one in texts if one.lower() not in OPERATORS]
        for value, operator in zip(values, operators or (">=", "<="), strict=True):
            number = float(value) if DIGITS.fullmatch(value) else None
            year = number is None or 1000 <= number < YEARS
            suiting = [
                key
                for key, one in own.items()
                if one.kind == "date" or (one.kind == "number" and number is not None)
            ]
            near = [key for key in told if key in suiting and (key != computed or not year)]
            alone = [key for key in suiting if (own[key].kind == "date" or own[key].years) is year]
            if near:
                key = _nearest(near, told, words, found.start())
            else:
                key = alone[0] if len(alone) == 1 else None
            if key is None:
                return
            if number is None or own[key].kind == "date":
                yield PropertyCondition((key,), "date", operator, date_in(value) or value)
            else:
                yield PropertyCondition((key,), "number", operator, number)


def _blank(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]}{' ' * len(found[0])}{text[found.end() :]}"
