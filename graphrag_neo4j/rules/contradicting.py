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

T = TypeVar("T")
Kind = Literal["date", "number", "name", "role", "denied", "other"]
SHARED, SHARE = 2, 0.5  # words that two sentences share at least, and their part of the shorter
SHARE_TO_JUDGE = 0.3  # the part where a model judges the pair
SURE = 2.0  # what is added to the score of a pair that the rules find
SERIES = 3  # sentences that differ in one place are a series, such as the figures of each quarter
ROUNDED = 0.05  # a number that differs by less may be rounded
YEAR = re.compile(r"(?<![\d.,-])(?:1[0-9]|20)\d\d(?![\d-]|[.,]\d)")
FIGURE = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion))?(?![\w-])")
SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
NUMERALS: Final = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    "twenty",
)
SPELLED_OUT: Final = {word: float(n) for n, word in enumerate(NUMERALS, start=1) if n > 1}
NAME = re.compile(r"\b[A-Z]\w+(?:[ -](?:of |the |von |de )?[A-Z]\w+)*")
DENIAL = re.compile(
    r"\b(?:not|never|no longer|den(?:y|ie[ds])|\w+n['’]t|nicht|nie|kein\w*)\b", re.IGNORECASE
)
PRESENT = re.compile(
    r"\b(?:is|are|has|have|can|will|now|today|currently|still|remains?|employs|costs|owns|leads)\b"
)
ANOTHER_TIME = re.compile(
    r"\b(?:(?:that|this|next|last) (?:day|week|month|season|quarter|year)"
    r"|(?:first|second|third|fourth|last) (?:half|quarter|round|season))\b"
)
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
    def dates(self) -> frozenset[str]:
        """The dates and years in it, in ISO 8601."""
        found = {date_in(one[0]) or "" for form in DATES for one in form.finditer(self.text)}
        found |= {*YEAR.findall(self.text)}
        # "12 May 2021" also holds a month and a year.
        longest = {one for one in found if not any(one != day and one in day for day in found)}
        return frozenset(longest - {""})

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers in it, apart from dates."""
        rest = self.text
        for form in (*DATES, YEAR):
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
        """The names in it; a word at its beginning counts only if it is a name elsewhere, too."""
        found = {one[0] for one in NAME.finditer(self.text) if one.start() or " " in one[0]}
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

    They are of different documents. A sentence that differs from several others in one place is one
    of a series, and is left out. With `loosely`, pairs that share fewer words are added for a model
    to judge, of the kind "other".
    """
    named = frozenset(word for name in names for word in base_words(name))
    found, near = list[Clash](), list[Clash]()
    told = [(one, one.words - named) for one in statements]
    for (one, words), (other, others) in combinations(told, 2):
        if one.document == other.document or one.text == other.text:
            continue
        shared = words & others
        share = len(shared) / (min(len(words), len(others)) or 1)
        score = share + len(shared) / (len(words | others) or 1) + len(shared) / 10
        alike = words == others or (len(shared) >= SHARED and share >= SHARE)
        kind = _difference(frozenset(names), shared, one, other) if alike else None
        if kind and not (kind != "date" and _may_have_changed(one, other)):
            found.append(Clash(kind, one, other, SURE + score))
        elif loosely and len(shared) >= SHARED and share >= SHARE_TO_JUDGE:
            near.append(Clash("other", one, other, score))
    clashes = defaultdict[str, set[str]](set)
    for clash in found:
        clashes[clash.one.text].add(clash.other.text)
        clashes[clash.other.text].add(clash.one.text)
    series = {text for text, others in clashes.items() if len(others) >= SERIES}
    return near + [one for one in found if not series & {one.one.text, one.other.text}]


def _difference(
    own: frozenset[str], shared: frozenset[str], one: DatedStatement, other: DatedStatement
) -> Kind | None:
    """Returns the kind of the only value in which two sentences differ, None if there is none."""
    if bool(DENIAL.search(one.text)) != bool(DENIAL.search(other.text)):
        return "denied"
    dates = _differ(one.dates, other.dates, lambda a, b: a.startswith(b) or b.startswith(a))
    numbers = _differ(one.numbers, other.numbers, lambda a, b: abs(a - b) <= ROUNDED * max(a, b))
    if any(ANOTHER_TIME.search(it.text) for it in (one, other)):
        return None
    if dates or numbers:
        return None if dates and numbers else "date" if dates else "number"
    roles = one.words & ROLES, other.words & ROLES
    if all(roles) and not roles[0] & roles[1]:
        return "role"
    has_role = shared & ROLES or all(HAS_ROLE.search(it.text) for it in (one, other))
    others = one.names - own, other.names - own
    return "name" if has_role and all(others) and not others[0] & others[1] else None


def _differ(one: Collection[T], other: Collection[T], is_same: Callable[[T, T], bool]) -> bool:
    """Returns whether each has one value that is none of the other's."""
    rests = [
        [a for a in values if not any(is_same(a, b) for b in others)]
        for values, others in ((one, other), (other, one))
    ]
    return all(len(rest) == 1 for rest in rests)


def _may_have_changed(one: DatedStatement, other: DatedStatement) -> bool:
    """Returns whether both hold at the times of their documents, which differ."""
    dated = bool(one.date and other.date) and one.date[:7] != other.date[:7]
    present = PRESENT.search(one.text) or PRESENT.search(other.text)
    return dated and bool(present) and not (one.dates and other.dates)
