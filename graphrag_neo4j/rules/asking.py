"""What a question asks for, by its words: to count, compare or explain, a list, a relation, a time.

"How many PEPs were rejected in 2021?" ──▶ to count; "How many PEPs were rejected?" of 2021
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import product
from typing import Final

from graphrag_neo4j.documents.metadata import date_in
from graphrag_neo4j.model.quotation import Order, Period
from graphrag_neo4j.model.types import FORMER
from graphrag_neo4j.rules.phrases import CJK
from graphrag_neo4j.rules.ranking import (
    GLOBAL,
    language_read,
    names_in,
    subject_words,
)
from graphrag_neo4j.text.languages import (
    ABOUT,
    FORMAL,
    TYPE_CLASSES,
    base_form,
    is_stop_word,
    lines_of,
)
from graphrag_neo4j.text.sentences import WORD

COUNTED = "Nothing is counted without a model: a passage may state the number."
COUNTED_BY_MODEL = "A model counts only what it reads, which is a part of the documents."
COMPARED = "Nothing is compared without a model: these are passages on what is to be compared."
EXPLAINED = "Nothing is explained without a model: a passage may state the reason."
# In the order of the file.
CANNOT: Final = (COUNTED, COMPARED, EXPLAINED)
TELLS = 4  # letters of a word of a predicate that tells something though it is a stop word
# Letters: of a word that is a stem, of a stem that is a part of both words, and of an ending.
SHORTEST_STEM, STEM, ENDING = 3, 5, 3
ASKS_WHO = re.compile(
    r"\W*(?:who|whom|whose|which|what|list|name|how many|did|does|do|is|was|are|were|has|have)\b",
    re.IGNORECASE,
)
AUXILIARY = re.compile(r"(?:do(?:es|ne|ing)?|did|ha(?:s|d|ve)|been|being|were|with|from|into)$")
ASKS_LIST = re.compile(r"^\W*(?:[Ll]ist|[Nn]ame|[Ww]hich|[Ww]ho(?! (?:is|was|are|were) [A-Z]))\b")
ASKS_TYPE = re.compile(
    r"\W*(?:which|what|list|name|show(?: me)?|how many)\s+(?:(?:all|of|the|other|different)\s+)*"
    r"([a-z]+)",
    re.IGNORECASE,
)
ASKS_TIME = re.compile(
    r"\b(?:when|since|until|what (?:has )?changed|history of|timeline|over time|evolve[ds]?)\b",
    re.IGNORECASE,
)
ASKS_WHEN = re.compile(
    r"^\W*(?:when|(?:on )?(?:what|which) (?:date|day)|wann|quand|cuándo|quando|wanneer|når|"
    r"hvornår|när|когда|коли|kiedy|ne zaman|متى|什么时候|什麼時候|何时|何時|いつ|언제)(?!\w)",
    re.IGNORECASE,
)
ASKS_NOW = re.compile(
    r" ?\b(?:now|nowadays|still|currently|current(?=\s\w)|today|at (?:present|the moment)|latest|"
    r"newest|most recent(?:ly)?)\b",
    re.IGNORECASE,
)
MONTH_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
DAY = r"\d{1,2}(?:st|nd|rd|th)?"
IN_WORDS = rf"(?:(?:{DAY} )?{MONTH_NAME}(?: {DAY})?,? )?(?:19|20)\d\d"
VALUE = rf"([12]\d{{3}}-\d\d(?:-\d\d)?|{IN_WORDS})(?!\w|-\d\d(?!\d))"
BEFORE_A_YEAR = "in|during|of|for|im|en|nel|em|w|в|у|i|år|jahr|jahre|año|année|anno|ano|jaar|roku"
PERIODS: Final[list[tuple[re.Pattern[str], tuple[Order, ...]]]] = [
    (re.compile(rf"\b{form}", re.IGNORECASE), operators)  # type: ignore[misc]
    for form, operators in (
        (rf"between {VALUE} and {VALUE}", (">=", "<=")),
        (rf"(?:from )?{VALUE} ?(?:to|until|till|through|–|-) ?{VALUE}", (">=", "<=")),
        (rf"(?:since|from) {VALUE}", (">=",)),
        (rf"after {VALUE}", (">",)),
        (rf"before {VALUE}", ("<",)),
        (rf"(?:until|till|up to|by) {VALUE}", ("<=",)),
        (rf"(?:{BEFORE_A_YEAR}) {VALUE}", (">=", "<=")),
        (r"([12]\d{3})[年년]", (">=", "<=")),
    )
]
RELATIVE = re.compile(
    r"(\b(?:in|of|during|for|since|after|before|until|by|from|to|and|between) )?\b(last|this) "
    r"(year|month)\b",
    re.IGNORECASE,
)


def not_done(question: str, *, with_model: bool) -> list[str]:
    """Returns a sentence on what the question asks for and the answer can't do, or nothing."""
    if with_model:
        return [COUNTED_BY_MODEL] if asks_to_count(question) else []
    kinds = zip(CANNOT, _kinds(question), strict=True)
    return [sentence for sentence, is_of in kinds if is_of][:1]


def asks_to_count(question: str) -> bool:
    """Returns whether a question asks how many or how often."""
    return next(_kinds(question))


def two_related(question: str) -> tuple[str, str] | None:
    """Returns the names of the two things whose relation a question asks for, None if it doesn't.

    >>> two_related("What is the relationship between Ada Lovelace and the engine?")
    ('Ada Lovelace', 'the engine')
    """
    for [form] in _forms_for(question, "words/relations.txt"):
        if found := form.search(question):
            one, other = filter(None, found.groups())
            return one, other
    return None


def type_asked(question: str) -> str | None:
    """Returns the type of which a question wants all entities, None if it says more, or another.

    >>> type_asked("Which companies are mentioned?"), type_asked("Which companies sell cars?")
    ('company', None)
    """
    found = ASKS_TYPE.match(question)
    type_ = base_form(found[1].lower(), "en") if found else ""
    if not type_ or is_stop_word(type_, "en") or GLOBAL.search(type_) or names_in(question):
        return None
    return None if subject_words(question) - {type_} else type_


@dataclass(frozen=True, slots=True)
class AskedPredicates:
    """What a question asks of the relationships of what it names.

    `forward` says whether the name comes before the predicate, and is its subject then. `classes`
    are those of what stands at the other end, none for any.
    """

    predicates: list[str]
    forward: bool
    classes: frozenset[str]

    @classmethod
    def of(
        cls, question: str, names: Collection[str], known: Mapping[str, Collection[str]]
    ) -> "AskedPredicates | None":
        """Reads a question that asks for a predicate and nothing more, None for another one.

        `names` are those in the question, and `known` holds the predicates of what they name, with
        the types at their other ends.

        >>> AskedPredicates.of("Which films did Ada direct?", ["Ada"], {"directed": ["movie"]})
        AskedPredicates(predicates=['directed'], forward=True, classes=frozenset({'work'}))
        """
        if not ASKS_WHO.match(question) or any([*_kinds(question)][1:]):
            return None
        rest = without_names(question, names)
        words = {found[0].lower(): found.start() for found in WORD.finditer(rest)}
        places = {one: found for one in known if (found := words_of_predicate(words, one))}
        # "Works for" rather than "works with".
        held = {one: len(places[one] | words.keys() & {*one.split()}) for one in places}
        asked = [one for one in places if held[one] == max(held.values())]
        said = {word for one in asked for word in places[one]}
        types = {class_of(type_) for one in asked for type_ in known[one]}
        more = {word: class_of(word) for word in words.keys() - said}
        others = {word for word in more if more[word] not in types} - FORMAL
        if not asked or any({word, base_form(word, "en")}.isdisjoint(ABOUT) for word in others):
            return None
        before = question[: min(words[word] for word in said)].lower()
        forward = any(name.lower() in before for name in names)
        return cls(asked, forward, frozenset(more.values()) & types)

    def suits(self, type_: str | None) -> bool:
        """Returns whether the type of an end is one that is asked for."""
        return not self.classes or class_of(type_ or "") in self.classes


def without_names(question: str, names: Collection[str]) -> str:
    """Returns a question with blanks instead of names; all else keeps its place."""
    for name in sorted(names, key=len, reverse=True):
        question = re.sub(re.escape(name), " " * len(name), question, flags=re.IGNORECASE)
    return question


def class_of(type_: str) -> str:
    """Returns the class of a type in any number, the singular where it has none."""
    base = base_form(type_.lower(), "en")
    return TYPE_CLASSES.get(base, base)


def words_of_predicate(words: Collection[str], predicate: str) -> set[str]:
    """Returns the words of a question that are those of a predicate; none if one is missing."""
    telling = _telling(predicate)
    found = [next((one for one in sorted(words) if akin(word, one)), None) for word in telling]
    return {one for one in found if one} if all(found) else set()


def _telling(predicate: str) -> list[str]:
    """Returns the words of a predicate that tell something: "works" in "works for (former)".

    What was so answers as what is so does; "(denied)" and "(planned)" must be asked for.
    """
    own = [found[0].lower() for found in WORD.finditer(predicate.removesuffix(FORMER))]
    telling = [word for word in own if not is_stop_word(word, "en")]
    return telling or [word for word in own if len(word) >= TELLS and not AUXILIARY.match(word)]


def akin(one: str, other: str) -> bool:
    """Returns whether two words or their base forms have one stem, as "wrote" and "writer" have."""
    pairs = product(*({word, base_form(word, "en")} for word in (one, other)))
    return any(_have_one_stem(a, b) for a, b in pairs)


def _have_one_stem(one: str, other: str) -> bool:
    """Returns whether two words have one stem, as "directed" and "directors" have."""
    short, long = sorted((one, other), key=len)
    same = next((n for n, c in enumerate(short) if c != long[n]), len(short))
    whole = same == len(short) >= SHORTEST_STEM or (same >= STEM and same == len(short) - 1)
    return whole and len(long) - same <= ENDING


def predicates_near(question: str, predicates: Collection[str]) -> list[str]:
    """Returns the predicates that have a word of a question, in any form with the same stem.

    It needs no dictionary, so "written" is not a form of "wrote".
    """
    asked = {found[0].lower() for found in WORD.finditer(question)} - FORMAL
    return [
        predicate
        for predicate in predicates
        if any(_have_one_stem(word, one) for word in _telling(predicate) for one in asked)
    ]


def _kinds(question: str) -> Iterator[bool]:
    """Yields whether a question asks to count, to compare and to explain, in the file's order."""
    for patterns in zip(*_forms_for(question, "words/kinds.txt"), strict=True):
        yield any(pattern.search(question) for pattern in patterns)


def _forms_for(question: str, file: str) -> list[list[re.Pattern[str]]]:
    """Returns the forms of a file in English and in the language of a question, by kind."""
    forms = _forms(file)
    return [forms[one] for one in dict.fromkeys(("en", language_read(question))) if one in forms]


@cache
def _forms(file: str) -> dict[str, list[re.Pattern[str]]]:
    """Returns the patterns of the kinds in a file by language. Each "…" is a group."""
    found = {}
    for language, _, kinds in (line.partition(" = ") for line in lines_of(file)):
        edge = "" if language in {*CJK, "ko"} else r"\b"
        found[language] = [
            re.compile(
                "|".join(
                    edge + re.escape(one).replace("…", "(.+)").replace(r"\*", r"\w*") + edge
                    for one in kind.strip().split(", ")
                ),
                re.IGNORECASE,
            )
            for kind in kinds.split("|")
        ]
    return found


def period_in(question: str, today: date) -> tuple[str, Period] | None:
    """Returns a question without its dates, and the period that these state; None without dates.

    >>> period_in("What was decided since last year?", date(2024, 5, 1))
    ('What was decided?', Period(bounds=(('>=', '2023'),)))
    """

    def stated(found: re.Match[str]) -> str:
        first = (
            today.replace(month=1, day=1) if found[3].lower() == "year" else today.replace(day=1)
        )
        day = first - timedelta(days=1) if found[2].lower() == "last" else first
        return f"{found[1] or 'in '}{day.isoformat()[: 4 if found[3].lower() == 'year' else 7]}"

    asked = RELATIVE.sub(stated, question)
    for form, operators in PERIODS:
        if found := form.search(asked):
            values = [date_in(one) or one for one in found.groups()]
            rest = f"{asked[: found.start()]} {asked[found.end() :]}"
            rest = re.sub(r"\s+(?=[?!.,;:]|$)", "", " ".join(rest.split()))
            bounds = zip(operators, values * (len(operators) - len(values) + 1), strict=True)
            return (rest if re.search(r"\w", rest) else question), Period(tuple(bounds))
    return None
