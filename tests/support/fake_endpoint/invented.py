"""What a model might find in any text: invented by fixed rules, the same on every run.

Names are runs of capitalised words, concepts are the longer words; two of them in one sentence
are related; a sentence with a number is a claim. Everything said is taken from the text.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice
from typing import NamedTuple

from tests.support.fake_endpoint.book import recall
from tests.support.fake_endpoint.records import Claim, Entity, Knowledge, Relationship
from tests.support.fake_endpoint.words import COMMON, DELIMITERS, SENTENCE, pick, shorten

NAME = re.compile(r"[^\W\d_a-z][\w’'-]*(?:(?:[ \t]+|\n)(?:of[ \t]+)?[^\W\d_a-z][\w’'-]*){0,3}")
LONG_WORD = re.compile(r"\b\w{7,24}\b")
NO_NOUN = ("ly", "ing", "ed", "ive", "ous", "ful")
YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
NUMBER = re.compile(r"\d|\b(?:two|three|four|five|six|ten|hundred|thousand|million|percent)\b")
TYPES = ("person", "organization", "place", "product", "work", "event")
TYPES_OF_LONGER = ("person", "person", "person", "organization", "work")
ENDINGS = {"university": "organization", "inc": "organization", "street": "place"}
STATUSES = ("TRUE",) * 8 + ("SUSPECTED", "FALSE")


class _Sentence(NamedTuple):
    """A sentence, what of it goes into a description, and the names in it, in their order.

    `exact`: it is shown as it stands in the text.
    """

    text: str
    told: str
    names: tuple[str, ...]
    exact: bool


@lru_cache(maxsize=5_000)
def know(text: str) -> Knowledge:
    """What the book's model found in a text; of another text, what is invented.

    That is a dozen entities for 600 tokens, as many relationships, and a few claims.
    """
    if recalled := recall(text):
        return recalled
    clean = DELIMITERS.sub(lambda match: " " * len(match[0]), text)
    mentions = _mentions(clean)
    names = _choose(mentions, most=min(14, 4 + len(text) // 260))
    found = list(_sentences(text, clean, mentions, names))
    numbers = (one for one in found if one.exact and NUMBER.search(one.text))
    return Knowledge(
        _entities(found),
        list(islice(_relationships(found), len(names))),
        [_claim(one) for one in islice(numbers, 5)],
    )


def _mentions(text: str) -> list[tuple[int, str]]:
    """Places of names and of longer words that may be nouns."""
    names = [(match.start(), _trim(match[0])) for match in NAME.finditer(text)]
    words = [(match.start(), match[0]) for match in LONG_WORD.finditer(text) if match[0].islower()]
    return sorted(
        (place, name)
        for place, name in names + words
        if len(name) > 1 and name not in COMMON and not name.endswith(NO_NOUN)
    )


@lru_cache(maxsize=20_000)
def _trim(found: str) -> str:
    """A name without the common words that it begins or ends with, such as a sentence's first."""
    words = found.replace("'", "’").split()
    while words and words[0].partition("’")[0].lower() in COMMON:
        words.pop(0)
    while words and words[-1].partition("’")[0].lower() in COMMON:
        words.pop()
    return " ".join(words).removesuffix("’s").rstrip("’-")


def _choose(mentions: list[tuple[int, str]], most: int) -> dict[str, str]:
    """The names that count, at most so many: how each is written first, by its lower case."""
    first: dict[str, str] = {}
    times = Counter[str]()
    for _, name in mentions:
        key = name.lower()
        first.setdefault(key, name)
        times[key] += 1 if name == key else 4
    return {key: first[key] for key, _ in times.most_common(most)}


def _sentences(
    text: str, clean: str, mentions: list[tuple[int, str]], names: dict[str, str]
) -> Iterator[_Sentence]:
    """The sentences that hold a name."""
    found = [match.span() for match in SENTENCE.finditer(clean)]
    spans = [(start, end) for start, end in found if end - start > 15]
    starts = [start for start, _ in spans]
    held: dict[int, dict[str, None]] = {}
    for place, name in mentions:
        number = bisect_right(starts, place) - 1
        if number >= 0 and (shown := names.get(name.lower())):
            held.setdefault(number, {})[shown] = None
    for number, here in held.items():
        start, end = spans[number]
        said = " ".join(clean[start:end].split())
        yield _Sentence(said, shorten(said, 22), tuple(here), text[start:end] == clean[start:end])


def _entities(found: list[_Sentence]) -> list[Entity]:
    first: dict[str, str] = {}
    for sentence in found:
        for name in sentence.names:
            first.setdefault(name, sentence.told)
    return [Entity(name, _type(name), f"{name}: {told}") for name, told in first.items()]


def _type(name: str) -> str:
    if name.islower():
        return "concept"
    *others, last = name.lower().split()
    types = TYPES_OF_LONGER if others else TYPES
    return ENDINGS.get(last) or types[pick(len(types), "type", name.lower())]


def _relationships(found: list[_Sentence]) -> Iterator[Relationship]:
    for sentence in found:
        for source, target in islice(combinations(sentence.names, 2), 3):
            strength = 1 + pick(10, "strength", source, target)
            yield Relationship(source, target, sentence.told, strength)


def _claim(sentence: _Sentence) -> Claim:
    subject, *others = sentence.names
    year = YEAR.search(sentence.text)
    return Claim(
        subject=subject,
        object=others[0] if others else "NONE",
        type="EVENT IN TIME" if year else "FIGURE",
        status=STATUSES[pick(len(STATUSES), "status", sentence.text)],
        start=f"{year[0]}-01-01" if year else "NONE",
        end=f"{year[0]}-12-31" if year else "NONE",
        description=f"Of {subject} it is said: {sentence.told}",
        source_text=sentence.text,
    )
