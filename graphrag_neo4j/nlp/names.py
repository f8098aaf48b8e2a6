"""Finds the names in a sentence by their capital letters.

    "So Fei-Fei Li joined the New York Times."  ──▶  Fei-Fei Li · New York Times

The first word of a sentence always has a capital. It counts as part of a name only if it is not an
ordinary word, or if the same chunk writes it with a capital inside a sentence.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import regex

from graphrag_neo4j.nlp.capitalization import (
    GERMAN,
    PARTICLES,
    PREFIXES,
    RANKS,
    Capitalization,
)
from graphrag_neo4j.nlp.english import is_ordinary, parts_of_speech
from graphrag_neo4j.nlp.entity_types import ADDRESSES, is_given_name, kind_of
from graphrag_neo4j.nlp.languages import base_form, is_stop_word, rarity
from graphrag_neo4j.nlp.sentences import Sentence
from graphrag_neo4j.nlp.word_lists import (
    COMPANIES,
    DEMONYMS,
    EVALUATIVE,
    GENERIC,
    ORGANIZATIONS,
    PLACES,
    ROLES,
    TIMES,
    TITLES,
    UNNAMED,
)

__all__ = ["NameSpan", "names_in"]

INFLECTED = frozenset({GERMAN, "cs", "pl", "ru", "uk"})  # a name's form changes with its case
# A stop word must have a smaller rarity (thousands of more frequent tokens), because some lists of
# stop words hold names such as "microsoft".
COMMON = 5
SHORT_ROLES = frozenset({"ceo", "cto", "cfo", "coo", "cmo", "cio", "vp", "evp", "svp"})
ARTICLES = frozenset(
    {"the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "las", "il", "lo",
     "gli", "o", "os", "as"}
)  # fmt: skip
# What people belong to or are; directly before a person's name it is not part of the name.
AFFILIATIONS = ADDRESSES | frozenset(
    {"archbishop", "bishop", "commissioner", "conservative", "democrat", "general", "imam",
     "liberal", "marshal", "rabbi", "republican", "sheriff", "socialist", "spokesman",
     "spokesperson", "spokeswoman", "tory"}
)  # fmt: skip
# More words that are not part of a full name after them: "Police Chief Maria Lopez".
BEFORE_FULL_NAMES = AFFILIATIONS | ROLES | DEMONYMS | frozenset(
    {"attorney", "brigadier", "cardinal", "commander", "corporal", "deputy", "field", "leader",
     "police", "premier", "state", "treasurer", "vice"}
)  # fmt: skip
OFFICES = frozenset(
    {"officer", "president", "vice-president", "director", "manager", "advocate", "engineer"}
)
AROUND = UNNAMED | TITLES | TIMES | ARTICLES | SHORT_ROLES
INSIDE = frozenset({"of", "for"})
NAMELESS = UNNAMED | TIMES | ROLES | EVALUATIVE | DEMONYMS | ORGANIZATIONS | PLACES
PLURAL = regex.compile(r"((?=\p{Lu}|\p{N}+\p{Lu})[\p{Lu}\p{N}]{2,6}|\p{Lu}+-\p{N}{1,4}|\p{N}{3})s")


class NameSpan(NamedTuple):
    """The characters [start, end) of a chunk, the name there, and its type ("" if uncertain)."""

    start: int
    end: int
    name: str
    kind: str


def names_in(sentence: Sentence, language: str, inside: frozenset[str]) -> Iterator[NameSpan]:
    """Yields the names in a sentence. `inside` is the result of `capitalization.seen_inside`."""
    capitals = Capitalization(sentence, language, inside)
    if capitals.is_heading:
        return
    texts, words = capitals.texts, sentence.words
    for run in capitals.runs():
        for first, last in _split(texts, *_trimmed(capitals, *run, language, inside)):
            keeps = _keeps_possessive(texts, first, last)
            spelled = _spelled(texts[first:last], _dotted(sentence, first, last), keeps=keeps)
            if name := _name(spelled, language):
                kind = kind_of(spelled, texts[max(0, first - 2) : first], texts[last:][:1])
                yield NameSpan(words[first].start, words[last - 1].end, name, kind)


def _trimmed(
    capitals: Capitalization, first: int, last: int, language: str, inside: frozenset[str]
) -> tuple[int, int]:
    """Removes the words at both ends of a run that are not part of the name."""
    texts = capitals.texts
    opening = capitals.starts_anew(first) and texts[first] not in inside
    alone = last - first == 1
    saint = texts[first].lower() in PREFIXES and not alone
    if opening and not saint and _is_opening(texts[first], language, alone=alone):
        first += 1
    first = _full_name(texts, first, last)
    while first < last and _is_before(texts, first, last, language):
        first += 1
    if language == GERMAN:  # "Präsidentin Christine Lagarde"
        first = next((i for i in range(first, last - 1) if is_given_name(texts[i])), first)
    while first < last and _is_after(texts, first, last):
        last -= 1
    return first, last


def _is_before(texts: Sequence[str], first: int, last: int, language: str) -> bool:
    """Tells whether the first word is not part of the name: "Republican" in front of a person.

    An article of another language is part of a name in English text: "Las Vegas".
    """
    word, left = texts[first].lower().rstrip("."), texts[first + 1 : last]
    if word in RANKS:
        return True
    if len(left) == 1 and word in ADDRESSES and _is_surname(left[0]):
        return True
    if language == "en" and word in ARTICLES and word not in {"the", "a", "an"}:
        return not left or not texts[first][0].isupper()
    return _is_around(texts[first])


def _full_name(texts: Sequence[str], first: int, last: int) -> int:
    """Returns where a full name begins after words that say who somebody is, else `first`."""
    at = first
    while at < last and not is_given_name(texts[at]) and _describes_person(texts[at]):
        at += 1
    if last - at > 1 and is_given_name(texts[at]):
        return at
    belongs = at > first and texts[at - 1].lower() in AFFILIATIONS
    return at if belongs and last - at == 2 and _is_surname(texts[last - 1]) else first


def _describes_person(word: str) -> bool:
    return word.lower().rstrip(".") in BEFORE_FULL_NAMES or _is_around(word)


def _is_surname(word: str) -> bool:
    lower = word.lower()
    return not is_ordinary(word) and lower not in ORGANIZATIONS and lower not in PLACES


def _is_after(texts: Sequence[str], first: int, last: int) -> bool:
    """Tells whether the last word is not part of the name. After "de" it is: "Rio de Janeiro"."""
    if last - first > 2 and texts[last - 2].lower() in PARTICLES:
        return False
    return _is_around(texts[last - 1]) or texts[last - 1].lower() in INSIDE | PARTICLES


def _is_opening(word: str, language: str, *, alone: bool) -> bool:
    """Tells whether a word is capitalised only because it begins a sentence."""
    lower = word.lower()
    if not word[1:].islower():
        return False
    if language != "en":
        return alone or is_stop_word(lower, language)
    if not alone and parts_of_speech([lower]) in ("N", "S", "J"):
        return lower in EVALUATIVE or lower in GENERIC or is_stop_word(lower, language)
    if "-" in lower:  # "Sitting-room"
        return all(is_ordinary(part) or is_stop_word(part, language) for part in lower.split("-"))
    return is_ordinary(word) or (is_stop_word(lower, language) and rarity(lower) < COMMON)


def _is_around(word: str) -> bool:
    lower = word.lower().replace("’", "'").rstrip(".")
    return lower in AROUND or lower.partition("'")[0] in UNNAMED


def _split(texts: Sequence[str], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Splits a run into its names.

    "Kevin's Microsoft" is two names, "Moore's Law" is one. "Microsoft CTO Kevin Scott" is two, and
    so is "Pat Roberts of Kansas", but not "University of Kansas".
    """
    start = first
    for i in range(first, last - 1):
        if i > start and _is_role_between(texts, i, last):
            yield start, i
            start = i + 1
        elif _owns(texts, start, i):
            yield start, i + 1
            start = i + 1
        elif i - start > 1 and texts[i].lower() == "of" and is_given_name(texts[start]):
            yield start, i
            start = i + 1 + (texts[i + 1].lower() == "the")
    if start < last:
        yield start, last


def _is_role_between(texts: Sequence[str], at: int, last: int) -> bool:
    """Tells whether a word is the role of the person that is named after it: "CTO"."""
    after = texts[at + 1 : last]
    role = texts[at].lower() in ROLES | ADDRESSES and not is_given_name(texts[at])
    return role and len(after) > 1 and is_given_name(after[0])


def _owns(texts: Sequence[str], start: int, at: int) -> bool:
    """Tells whether a word is a possessive after which another name begins."""
    owner = texts[at].replace("’", "'")
    if not owner.endswith("'s"):
        return False
    shouted = texts[at + 1].isupper() or owner[:-2].isupper()
    if texts[start].lower() in PREFIXES and at == start + 1:  # "St. James's Park"
        return False
    return at > start or shouted or not is_ordinary(texts[at + 1])


def _dotted(sentence: Sentence, first: int, last: int) -> frozenset[int]:
    """Returns which words of a name have a full stop after them: "St." in "St. Louis"."""
    words, start = sentence.words, sentence.start
    gaps = (sentence.text[words[i].end - start :][:1] for i in range(first, last - 1))
    return frozenset(number for number, gap in enumerate(gaps) if gap == ".")


def _keeps_possessive(texts: Sequence[str], first: int, last: int) -> bool:
    """Tells whether a name ends with a possessive: "St Mary's is", but not "St Mary's mayor"."""
    saint = last - first == 2 and texts[first].lower() in PREFIXES
    return saint and parts_of_speech(texts[last : last + 1]) not in ("N", "S", "J")


def _spelled(
    texts: Sequence[str], dotted: Collection[int] = (), *, keeps: bool = False
) -> list[str]:
    """Returns the words of a name as the text spells them.

    A possessive, unless the name `keeps` it, or the plural of an acronym or of a number is removed
    from the end.
    """
    words = [text.replace("’", "'") + "." * (i in dotted) for i, text in enumerate(texts)]
    if not keeps:
        words[-1] = words[-1].removesuffix("'s")
    if plural := PLURAL.fullmatch(words[-1]):
        words[-1] = plural[1]
    return words


def _name(spelled: Sequence[str], language: str) -> str:
    """Returns the name that the words make, or "" if they are not a name."""
    words = list(spelled)
    if len(words) == 1:
        return _single(words[0], language)
    while len(words) > 1 and words[-1].lower().rstrip(".") in COMPANIES:
        words.pop()
    if words[-1].lower() in OFFICES or not any(word[1:] for word in words):
        return ""
    shouted = all(word.isupper() and len(word) > 2 for word in words)
    return " ".join(word.title() if shouted else word for word in words)


def _single(word: str, language: str) -> str:
    """Returns a name of one word, or "" if the word is not a name."""
    lower = word.lower()
    if len(word) < 2 or "'" in word or not any(c.isalpha() for c in word) or lower in NAMELESS:
        return ""
    acronym = word[1:] != word[1:].lower()
    if language == "en":
        return "" if is_ordinary(word) and not acronym else word
    if is_stop_word(lower, language) or (rarity(word) < COMMON and not acronym):
        return ""
    base = base_form(word, language) if language in INFLECTED else word
    return base if base[0].isupper() else word
