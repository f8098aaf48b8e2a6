"""Which sentences of different documents on one thing can't both be true, told by their words.

"Volta Docks was founded in 1911." and "Volta Docks, founded in 1913, …" share their words, and
differ in one date. Others differ in a number, in a role or in the name that has it, or in a "not".
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final, Literal, TypeVar

from graphrag_neo4j.documents.metadata import DATES, date_in
from graphrag_neo4j.rules.ranking import base_words
from graphrag_neo4j.text.languages import ROLES, TIMES
from graphrag_neo4j.text.sentences import ENDED

T = TypeVar("T")
Kind = Literal["date", "number", "name", "role", "denied", "other"]
# Words that two sentences share at least, and their part: of all words of both where they differ in
# a value, of the words of the shorter one where it denies the other, or where a model judges them.
OF_ALL, OF_DENIED, OF_JUDGED = (2, 0.6), (3, 0.75), (2, 0.3)
SURE = 2.0  # what is added to the score of a pair that the rules find
SERIES = 3  # sentences that differ in one place are a series, such as the figures of each quarter
ROUNDED = 0.05  # a number that differs by less may be rounded
YEAR = re.compile(r"(?<![\d.,-])(?:1[0-9]|20)\d\d(?![\d-]|[.,]\d)")
FIGURE = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion))?(?![\w-])")
SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
NUMERALS: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    "twenty",
)
SPELLED_OUT: Final = {word: float(n) for n, word in enumerate(NUMERALS, start=2)}
NAME = re.compile(r"\b[A-Z]\w+(?:[ -](?:of |the |von |de )?[A-Z]\w+)*")
# In the main clause: "He asked whether it was not so." denies nothing.
DENIAL = re.compile(
    r"^(?:(?![,;:]|\b(?:that|who|which|when|whether|if|because|and|but|to|as|since)\b).)*?"
    r"\b(?:not|never|no longer|den(?:y|ie[ds])|\w+n['’]t|nicht|nie|kein\w*)\b",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"(?<=\S )[A-Z][\w-]* \d[\d.]*(?![–-]\d)")  # a name such as "PEP 8"
PRESENT = re.compile(
    r"\b(?:is|are|has|have|can|will|now|today|currently|still|remains?|employs|costs|owns|leads)\b"
)
PLANS = re.compile(r"\b(?:plan(?:s|ned)?|expect(?:s|ed)?|will|would|hopes?|aims?|due)\b")
ANOTHER_TIME = re.compile(
    r"\b(?:(?:that|this|next|last) (?:day|week|month|season|quarter|year)"
    r"|(?:first|second|third|fourth|last) (?:half|quarter|round|season)|as of)\b"
)
SPEAKS = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b")  # another person in another document
HAS_ROLE = re.compile(
    r"\b(?:by|born|capital|headquarter\w*|located|led|runs?|ran|heads?|chairs?)\b"
)


@dataclass(frozen=True)
class DatedStatement:
    """A sentence, the ref of its chunk, and its document with the date of this ("" for none)."""

    text: str
    chunk: int
    document: str
    date: str = ""

    @cached_property
    def is_clear(self) -> bool:
        """Whether it is a whole sentence that says itself who is meant."""
        return bool(ENDED.search(self.text)) and not SPEAKS.search(self.text)

    @cached_property
    def denies(self) -> bool:
        """Whether its main clause has a "not"."""
        return bool(DENIAL.search(self.text))

    @cached_property
    def dates(self) -> frozenset[str]:
        """The dates and years in it, in ISO 8601."""
        found = {date_in(one[0]) or "" for form in DATES for one in form.finditer(self.text)}
        found |= {*YEAR.findall(self.text)}
        # "12 May 2021" also holds a month and a year.
        longest = {one for one in found if not any(one != day and one in day for day in found)}
        return frozenset(longest - {""})

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers in it, apart from those of dates and names."""
        rest = self.text
        for form in (*DATES, YEAR, NUMBERED):
            rest = form.sub(" ", rest)
        found = {
            SPELLED_OUT[word] for word in re.findall(r"[a-z]+", rest.lower()) if word in SPELLED_OUT
        }
        for one in FIGURE.findall(rest):
            number, _, scale = one.partition(" ")
            found.add(float(number.replace(",", "")) * SCALES.get(scale, 1))
        return frozenset(found)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it, with their numbers. A word at its beginning is none."""
        found = {one[0] for one in NAME.finditer(self.text) if one.start() or " " in one[0]}
        found |= {one for one in NUMBERED.findall(self.text) if one.split()[0].lower() not in TIMES}
        return frozenset(one for one in found if one.lower() not in TIMES)

    @cached_property
    def words(self) -> frozenset[str]:
        """The base words in it, apart from numbers, months and names."""
        names = {word for name in self.names for word in base_words(name)}
        plain = {word for word in base_words(self.text) if word.isalpha()}
        return frozenset(plain - names - TIMES - SPELLED_OUT.keys())


@dataclass(frozen=True, slots=True)
class Clash:
    """Two statements that differ in a value of one kind; `score` says how likely they clash."""

    kind: Kind
    one: DatedStatement
    other: DatedStatement
    score: float


def clashes_among(
    names: Collection[str], statements: Sequence[DatedStatement], *, loosely: bool = False
) -> list[Clash]:
    """Returns the pairs of statements on what has these `names` that seem to contradict each other.

    They are whole sentences of different documents. A sentence that differs from several others in
    one place is one of a series, and is left out. With `loosely`, pairs that share fewer words are
    added for a model to judge, of the kind "other".
    """
    own, named = frozenset(names), frozenset(word for name in names for word in base_words(name))
    found, near = list[Clash](), list[Clash]()
    told = [(one, one.words - named) for one in statements]
    for (one, words), (other, others) in combinations(told, 2):
        if one.document == other.document or one.text == other.text:
            continue
        n, share, of_all = _likeness(words, others)
        if not n or share < OF_JUDGED[1]:
            continue
        kind = _difference(own, words & others, one, other)
        if kind == "denied":
            sure = n >= OF_DENIED[0] and share >= OF_DENIED[1]
        else:  # a role is what differs, so it is not one of the words that are shared
            roles = ROLES if kind == "role" else frozenset[str]()
            m, _, part = _likeness(words - roles, others - roles)
            sure = (m >= OF_ALL[0] and part >= OF_ALL[1]) or words == others
        clear = one.is_clear and other.is_clear
        if kind and sure and clear and not _may_have_changed(kind, one, other):
            found.append(Clash(kind, one, other, SURE + share + of_all + n / 10))
        elif loosely and n >= OF_JUDGED[0]:
            near.append(Clash("other", one, other, share + of_all + n / 10))
    clashes = defaultdict[str, set[str]](set)
    for clash in found:
        clashes[clash.one.text].add(clash.other.text)
        clashes[clash.other.text].add(clash.one.text)
    series = {text for text, others in clashes.items() if len(others) >= SERIES}
    return near + [one for one in found if not series & {one.one.text, one.other.text}]


def _likeness(words: frozenset[str], others: frozenset[str]) -> tuple[int, float, float]:
    """Returns how many words both have, and their part of the fewer words and of all."""
    n = len(words & others)
    return n, n / (min(len(words), len(others)) or 1), n / (len(words | others) or 1)


def _difference(
    own: frozenset[str], shared: frozenset[str], one: DatedStatement, other: DatedStatement
) -> Kind | None:
    """Returns the kind of the only value in which two sentences differ, None if there is none."""
    own_names = one.names - own, other.names - own
    apart = bool(own_names[0] - own_names[1] and own_names[1] - own_names[0])
    if one.denies != other.denies:
        return None if apart else "denied"
    if any(ANOTHER_TIME.search(it.text) for it in (one, other)):
        return None
    dates = _differ(one.dates, other.dates, lambda a, b: a.startswith(b) or b.startswith(a))
    numbers = _differ(one.numbers, other.numbers, lambda a, b: abs(a - b) <= ROUNDED * max(a, b))
    if dates or numbers:
        return None if apart or (dates and numbers) else "date" if dates else "number"
    roles = one.words & ROLES, other.words & ROLES
    if all(roles) and not roles[0] & roles[1]:
        return "role"
    has_role = shared & ROLES or all(HAS_ROLE.search(it.text) for it in (one, other))
    return "name" if has_role and apart else None


def _differ(one: Collection[T], other: Collection[T], is_same: Callable[[T, T], bool]) -> bool:
    """Returns whether each has one value that is none of the other's."""
    rests = [
        [a for a in values if not any(is_same(a, b) for b in others)]
        for values, others in ((one, other), (other, one))
    ]
    return all(len(rest) == 1 for rest in rests)


def _may_have_changed(kind: Kind, one: DatedStatement, other: DatedStatement) -> bool:
    """Returns whether both hold at the times of their documents, which differ."""
    dated = bool(one.date and other.date) and one.date[:7] != other.date[:7]
    if kind in {"name", "role"}:  # another one may have done the same at another time
        return dated and not one.dates & other.dates
    if kind == "date":
        return dated and any(PLANS.search(it.text) for it in (one, other))
    present = PRESENT.search(one.text) or PRESENT.search(other.text)
    return dated and bool(present) and not (one.dates and other.dates)
