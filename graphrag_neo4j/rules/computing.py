"""Reads questions that compute over the properties of entities, and writes the same as Cypher.

"How many films after 1999?"             ──▶ count of movie, released > 1999
"What is the average rating of X?"       ──▶ average of rating, of the relationships of X

A question that says more is none of these forms.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphrag_neo4j.documents.metadata import date_in
from graphrag_neo4j.rules.asking import ASKS_LIST, VALUE, class_of, words_of_predicate
from graphrag_neo4j.text.languages import ABOUT, FORMAL, base_form
from graphrag_neo4j.text.sentences import WORD

Function = Literal["average", "sum", "largest", "smallest", "list"]
WORDS: Final[Mapping[Function, str]] = {
    "average": "average|mean",
    "sum": "sum|total",
    "largest": "highest|largest|greatest|maximum|latest|newest|most recent",
    "smallest": "lowest|smallest|minimum|earliest|oldest",
    "list": "how many|number of",
}
FUNCTIONS: Final = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in WORDS.items()
}
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
EXACT = ".15g"  # all digits of a number
SHOWN_DIGITS = ".10g"  # those of a mean or a sum
YEARS = 3000  # numbers from 1000 up to this can be years
LISTED = 5  # entities with the largest or smallest values, unless the question says how many
ALL_LISTED = 30  # entities that meet conditions


@dataclass(frozen=True, slots=True)
class KnownProperty:
    """The key of a property, and the type of its entities, "" for that of relationships.

    `kinds` are "number", "date" and "text"; `years` says whether all its numbers can be years.
    """

    type: str
    key: str
    kinds: Sequence[str]
    years: bool

    @property
    def words(self) -> str:
        """Its key in words: "yearOfBirth" and "year_of_birth" are "year of birth"."""
        return re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", self.key.removeprefix("own_")).lower()


@dataclass(frozen=True, slots=True)
class PropertyCondition:
    """What the value of a property must be: a number or, of a date, a year, a month or a day."""

    key: str
    operator: str
    value: float | str

    @property
    def length(self) -> int:
        """How many characters of a date count, 0 for a number."""
        return 0 if isinstance(self.value, float) else len(self.value)

    @property
    def cypher(self) -> str:
        """The condition on an entity `e`. A property holds a value or a list."""
        held = f"left(toString(x), {self.length})" if self.length else "x"
        value = f"{self.value:{EXACT}}" if isinstance(self.value, float) else f"'{self.value}'"
        return f"any(x IN [] + e.{quoted(self.key)} WHERE {held} {self.operator} {value})"

    def __str__(self) -> str:
        value = f"{self.value:{EXACT}}" if isinstance(self.value, float) else self.value
        return f"{self.key} {self.operator} {value}"


@dataclass(frozen=True, slots=True)
class Computation:
    """What a question computes. `key` is that of a property, None to count entities alone.

    `types` are those of entities, empty for relationships of what the question names. With
    `predicates`, only entities with one of them to or from what the question names count.
    """

    function: Function
    types: tuple[str, ...]
    key: str | None
    conditions: tuple[PropertyCondition, ...]
    predicates: tuple[str, ...]
    most: int

    def said(self, n: int, values: int, total: float | None) -> str:
        """What the computation gives, in a sentence: of `n` entities, `values` and their sum."""
        what = f"{n:,} relationships"
        if self.types:
            what = f"{n:,} entities of the type {' or '.join(self.types)}"
        if self.conditions:
            what += f" with {' and '.join(map(str, self.conditions))}"
        if total is not None and values:
            value = total if self.function == "sum" else total / values
            told = f"{value:,{SHOWN_DIGITS}}"
            return f"The {self.function} of {self.key} is {told}: {values:,} values of {what}."
        if self.key:
            return f"The {self.function} values of {self.key}, of {what}:"
        return f"The graph has {what}{':' if n else '.'}"

    def cypher(self, names: Collection[str]) -> str:
        """The same as a statement for Neo4j Browser; `names` are what the question names."""
        shown = "e.name" if self.types else "n.name, e.name"
        if self.types:
            lines = [f"MATCH (e:Entity) WHERE toLower(e.type) IN {_literal(self.types)}"]
            lines += [f"  AND {one.cypher}" for one in self.conditions]
            if self.predicates:
                stated = f"toLower(p) IN {_literal(self.predicates)}"
                lines.append(
                    "  AND EXISTS { MATCH (e)-[s:STATED]-(n:Entity)\n"
                    f"    WHERE n.name IN {_literal(sorted(names))}\n"
                    f"    AND any(p IN s.predicates WHERE {stated}) }}"
                )
            holder = "e"
        else:
            named = f" WHERE n.name IN {_literal(sorted(names))}" if names else ""
            way = "-" if names else "->"
            lines, holder = [f"MATCH (n:Entity)-[r:RELATED]{way}(e:Entity){named}"], "r"
        if self.key is None:
            return "\n".join([*lines, "RETURN count(e)"])
        lines.append(f"UNWIND {holder}.{quoted(self.key)} AS x")
        end = {
            "average": "RETURN avg(x)",
            "sum": "RETURN sum(x)",
            "largest": f"RETURN {shown}, x ORDER BY x DESC LIMIT {self.most}",
            "smallest": f"RETURN {shown}, x ORDER BY x LIMIT {self.most}",
        }[self.function]
        return "\n".join([*lines, end])


def may_compute(question: str) -> bool:
    """Returns whether a question has a word such as "average", or asks for a list with a number."""
    listed = ASKS_LIST.search(question) and COMPARISON.search(question)
    return bool(listed) or _has_function(question)


def _has_function(question: str) -> bool:
    return any(form.search(question) for form in FUNCTIONS.values())


def concerns(question: str, known: Collection[KnownProperty]) -> bool:
    """Returns whether a question asks for a number of these types or properties."""
    if not _has_function(question):
        return False
    words = {found[0].lower(): found.start() for found in WORD.finditer(question)}
    types, _ = _types_named(words, {one.type for one in known if one.type})
    return bool(types) or any(words_of_predicate(words, one.words) for one in known)


def computation_asked(
    question: str,
    known: Collection[KnownProperty],
    names: Collection[str],
    predicates: Collection[str],
) -> Computation | None:
    """Reads a question that computes and says nothing more, None for another one.

    `names` are those of entities in the question, and `predicates` those of what they name.
    """
    rest = _without(question, (re.escape(name) for name in sorted(names, key=len, reverse=True)))
    function: Function = "list"
    place = 0
    for one, form in FUNCTIONS.items():
        if found := form.search(rest):
            function, place = one, found.start()
            rest = _blank(rest, found)
            break
    compared = [*COMPARISON.finditer(rest)]
    left = rest
    for found in compared:
        left = _blank(left, found)
    most = MOST.search(left)
    left = _blank(left, most) if most else left
    words = {found[0].lower(): found.start() for found in WORD.finditer(left)}
    # Without a type, the properties are those of relationships.
    types, noun = _types_named(words, {one.type for one in known if one.type})
    own = {one.key: one for one in known if one.type in (types or ("",))}
    told = {key: words_of_predicate(words.keys() - {noun}, one.words) for key, one in own.items()}
    places = {key: min(words[word] for word in said) for key, said in told.items() if said}
    used = {noun}.union(*told.values())
    stated = {one: words_of_predicate(words.keys() - used, one) for one in predicates}
    used = used.union(*stated.values())
    meant = tuple(one for one, said in stated.items() if said)
    if words.keys() - used - ABOUT - FORMAL or (names and types and not meant):
        return None
    conditions = [*_conditions(compared, places, own)]
    if len(conditions) < len(compared) or (conditions and not types):
        return None
    key = None
    if function != "list":
        kinds = ("number", "date") if function in ("largest", "smallest") else ("number",)
        suiting = [one for one in places if {*own[one].kinds} <= {*kinds}]
        if not suiting:
            return None
        key = min(suiting, key=lambda one: abs(places[one] - place))
    elif not conditions:
        return None  # what is listed by types or predicates alone needs no properties
    n = int(most[1]) if most else ALL_LISTED if function == "list" else LISTED
    return Computation(function, types, key, tuple(conditions), meant, n)


def _types_named(words: Mapping[str, int], types: Collection[str]) -> tuple[tuple[str, ...], str]:
    """Returns the types that the first such word names, and the word: "films" are movies."""
    for word in sorted(words, key=words.__getitem__):
        exact = tuple(one for one in sorted(types) if one == base_form(word, "en"))
        alike = tuple(one for one in sorted(types) if class_of(one) == class_of(word))
        if found := exact or alike:
            return found, word
    return (), ""


def _conditions(
    compared: Sequence[re.Match[str]],
    places: Mapping[str, int],
    own: Mapping[str, KnownProperty],
) -> Iterator[PropertyCondition]:
    """Yields the conditions, each on the nearest property that suits, or on the only such one.

    A year suits dates and numbers that can be years, unless the question names another property.
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
                if "text" not in one.kinds and ("date" in one.kinds or number is not None)
            ]
            near = [key for key in suiting if key in places]
            alone = [key for key in suiting if ("date" in own[key].kinds or own[key].years) is year]
            if not near and len(alone) != 1:
                return
            key = min(near, key=lambda one: abs(places[one] - found.start())) if near else alone[0]
            if number is None or "date" in own[key].kinds:
                yield PropertyCondition(key, operator, date_in(value) or value)
            else:
                yield PropertyCondition(key, operator, number)


def _without(text: str, patterns: Iterator[str]) -> str:
    for pattern in patterns:
        text = re.sub(pattern, lambda found: " " * len(found[0]), text, flags=re.IGNORECASE)
    return text


def _blank(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]}{' ' * len(found[0])}{text[found.end() :]}"


def quoted(name: str) -> str:
    """Returns the name of a property as Cypher writes it."""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else f"`{name.replace('`', '``')}`"


def _literal(values: Collection[str]) -> str:
    return json.dumps([*values], ensure_ascii=False)
