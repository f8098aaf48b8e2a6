"""Finds the names in a sentence by their capital letters, and their types by rules.

    "So Fei-Fei Li joined the New York Times."  ──▶  Fei-Fei Li (person) · New York Times

The first word of a sentence always has a capital. It counts as part of a name only if it is not an
ordinary word, or if the same chunk writes it with a capital inside a sentence. Given names, places
and some famous names stand in lists of the package, in `data/names`.
"""

from collections.abc import Iterator, Sequence
from functools import cache

import regex

from graphrag_neo4j.rules.phrases import (
    ORGANIZATION,
    PERSON,
    PLACE,
    NameSpan,
    is_ordinary,
    parts_of_speech,
)
from graphrag_neo4j.text.languages import (
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
    is_stop_word,
    lines_of,
    rarity,
    shown_form,
    word_rank,
    word_set,
)
from graphrag_neo4j.text.sentences import Sentence, SentencedText

GERMAN = "de"  # all its nouns are capitalised, and "von" is also an ordinary preposition
INFLECTED = frozenset({GERMAN, "cs", "pl", "ru", "uk"})  # a name's form changes with its case
# A stop word must have a smaller rarity (thousands of more frequent tokens), because some lists of
# stop words hold names such as "microsoft".
COMMON = 5
HEADING = 0.7  # a sentence with a larger share of capitalised words is a heading

BESIDE = {
    key: word_set(words)
    for key, _, words in (line.partition(" = ") for line in lines_of("words/beside_names.txt"))
}
# Small words inside names: PARTICLES in all languages, FOREIGN in English text alone, as in "Dar es
# Salaam". Before those that are English words, too, no stop word stands.
PARTICLES = BESIDE["particles"] | {"de la", "von der", "van der", "van den"}
AFTER_NAMES = BESIDE["after_names"]
FOREIGN = BESIDE["foreign"] | AFTER_NAMES
# Words with a full stop that are the first part of a name ("St. Louis"), and that stand before one.
PREFIXES, RANKS = BESIDE["prefixes"], BESIDE["ranks"]
ABBREVIATED = TITLES | PREFIXES | RANKS
ARTICLES = BESIDE["articles"]
# Offices of people that stand before a surname, as forms of address do: "Senator Warren".
ADDRESSES = BESIDE["addresses"]
# What people belong to or are; directly before a person's name it is not part of the name.
AFFILIATIONS = ADDRESSES | BESIDE["affiliations"]
# More words that are not part of a full name after them: "Police Chief Maria Lopez".
BEFORE_FULL_NAMES = AFFILIATIONS | ROLES | DEMONYMS | BESIDE["before_full_names"]
AROUND = UNNAMED | TITLES | TIMES | ARTICLES | BESIDE["around"]
NAMELESS = UNNAMED | TIMES | ROLES | EVALUATIVE | DEMONYMS | ORGANIZATIONS | PLACES
# Endings of German organizations.
BODY_ENDINGS = ("bank", "universität", "ministerium", "gesellschaft", "verband", "stiftung")
HEADS = BESIDE["heads"]
WORKING = HEADS | BESIDE["working"]  # words before the name of an employer

CAPITAL = regex.compile(r"\p{Lu}|\p{Ll}{1,2}\p{Lu}\p{L}")
# The number of a model: "Boeing 737s", "Nokia 3310". Numbers from 1000 to 2099 are years.
NUMERAL = regex.compile(r"\p{N}{1,3}(?:\.\p{N})?|\p{N}{3}s|(?!1|20)\p{N}{4}|[IVX]{1,4}")
UNNUMBERED = TIMES | UNNAMED  # "May 5", "Section 1"
NAME_BREAKS = frozenset('.!?:"“”«»‘…')
PLURAL = regex.compile(r"((?=\p{Lu}|\p{N}+\p{Lu})[\p{Lu}\p{N}]{2,6}|\p{Lu}+-\p{N}{1,4}|\p{N}{3})s")


def seen_inside(passage: SentencedText) -> frozenset[str]:
    """Returns the words of a chunk that are capitalised inside a sentence, and pairs of them."""
    found: set[str] = set()
    for sentence in passage.sentences:
        texts = [word.text for word in sentence.words]
        for at, text in enumerate(texts):
            if CAPITAL.match(text) and not _is_opening_place(sentence, at):
                found.add(text)
                gap = sentence.text[: sentence.words[at].start - sentence.start]
                if "\n" not in gap[-2:]:  # else a line may begin there
                    found.add(" ".join(texts[at : at + 2]))
    return frozenset(found)


def names_in_sentence(
    sentence: Sentence, language: str, inside: frozenset[str]
) -> Iterator[NameSpan]:
    """Yields the names in a sentence. `inside` is the result of `seen_inside`."""
    texts, words = [word.text for word in sentence.words], sentence.words
    heading = _is_heading(sentence, texts, language)
    for run in _runs(sentence, texts, language):
        for first, last in _split(texts, *_trimmed(sentence, texts, run, language, inside)):
            spelled = _spelled(sentence, texts, first, last)
            before, after = texts[max(0, first - 2) : first], texts[last:][:1]
            person = _is_person(spelled, before, after, language)
            if (name := _name(spelled, language, person=person)) and (person or not heading):
                type_ = _type_of(spelled, before, person=person)
                yield NameSpan(words[first].start, words[last - 1].end, name, type_)


def _is_heading(sentence: Sentence, texts: Sequence[str], language: str) -> bool:
    """Returns whether most words are capitalised: then a capital tells nothing."""
    capital = sum(CAPITAL.match(text) is not None for text in texts)
    most = len(texts) > 3 and capital > HEADING * len(texts)
    return most and not sentence.text.endswith((".", "!", "?")) and language != GERMAN


def _is_opening_place(sentence: Sentence, at: int) -> bool:
    """Returns whether a word begins a sentence or a quote: also after "1." or "(3)", as in laws."""
    words = sentence.words
    numbered = all(word.text[0].isdigit() for word in words[:at])
    return numbered or _starts_anew(sentence, words[at - 1].end, words[at].start)


def _starts_anew(sentence: Sentence, end: int, start: int) -> bool:
    """Returns whether the text between two words ends a sentence or begins a quote."""
    gap = sentence.text[end - sentence.start : start - sentence.start]
    return gap.strip() != "." and not NAME_BREAKS.isdisjoint(gap)


def _runs(sentence: Sentence, texts: Sequence[str], language: str) -> Iterator[tuple[int, int]]:
    """Yields the ranges [first, last) of capitalised words, with the small words inside names."""
    capital = [CAPITAL.match(text) is not None for text in texts]
    last, n = 0, len(texts)
    for first in range(n):
        if first < last or not capital[first]:
            continue
        last = first + 1
        while last < n and _joined(sentence, last) and not _begins_line(sentence, last, language):
            numbered = NUMERAL.fullmatch(texts[last]) and texts[last - 1].lower() not in UNNUMBERED
            if not (capital[last] or numbered):
                ends = (end for end in (last + 2, last + 1) if end < n and capital[end])
                links = (end for end in ends if _links(sentence, texts, last, end, language))
                if (end := next(links, 0)) == 0:
                    break
                last = end
            last += 1
        yield first, last


def _begins_line(sentence: Sentence, at: int, language: str) -> bool:
    """Returns whether a stop word stands first in a line: "Quorum\nDer Leiter" isn't one name."""
    one, other = sentence.words[at - 1 : at + 1]
    gap = sentence.text[one.end - sentence.start : other.start - sentence.start]
    return "\n" in gap and is_stop_word(other.text.lower(), language)


def _joined(sentence: Sentence, at: int) -> bool:
    """Returns whether only a space, "&" or the dot of an initial stands before a word."""
    one, other = sentence.words[at - 1 : at + 1]
    gap = sentence.text[one.end - sentence.start : other.start - sentence.start]
    abbreviated = len(one.text) == 1 or one.text.lower() in ABBREVIATED
    return gap != "." and (gap.strip() in ("", "&") or (gap.strip() == "." and abbreviated))


def _links(sentence: Sentence, texts: Sequence[str], at: int, end: int, language: str) -> bool:
    """Returns whether the small words [at, end) are inside the name around them."""
    link, before = " ".join(texts[at:end]).lower(), texts[at - 1].lower().rstrip(".")
    if link in FOREIGN:
        links = language == "en" and not (link in AFTER_NAMES and is_stop_word(before, "en"))
    elif link in PARTICLES:
        links = language != GERMAN or is_given_name(texts[at - 1])
    elif link in ("for", "the"):
        links = before in (ORGANIZATIONS if link == "for" else BESIDE["before_the"])
    else:
        times = {before, texts[end].lower()} & TIMES
        links = link in ("of", "of the") and before not in ROLES and not times
    return links and all(_joined(sentence, i) for i in range(at, end + 1))


def _trimmed(
    sentence: Sentence,
    texts: Sequence[str],
    run: tuple[int, int],
    language: str,
    inside: frozenset[str],
) -> tuple[int, int]:
    """Removes the words at both ends of a run that are not part of the name."""
    first, last = run
    saint = texts[first].lower() in PREFIXES and last - first > 1
    # A stop word may stand inside a sentence for other reasons, so the word after it counts, too.
    stop_word = is_stop_word(texts[first].lower(), language)
    stop = language != "en" and stop_word
    seen = " ".join(texts[first : first + 2]) if stop and last - first > 1 else texts[first]
    if _is_opening_place(sentence, first) and seen not in inside and not saint:
        known = last - first in (2, 3) and not stop_word and _is_full_name(texts[first:last])
        first += not known and _is_opening(texts[first], language, alone=last - first == 1)
    first = _full_name(texts, first, last)
    while first < last and _is_before(texts, first, last, language, inside):
        first += 1
    if language in INFLECTED:  # "Präsidentin Christine Lagarde"
        bases = (shown_form(text, language) for text in texts[first : last - 1])
        first = next((i for i, base in enumerate(bases, first) if is_given_name(base)), first)
    while first < last and (
        _is_around(texts[last - 1]) or texts[last - 1].lower() in PARTICLES | {"of", "for"}
    ):
        if last - first > 2 and texts[last - 2].lower() in PARTICLES:  # "Rio de Janeiro"
            break
        last -= 1
    return first, last


def _is_before(
    texts: Sequence[str], first: int, last: int, language: str, inside: frozenset[str]
) -> bool:
    """Returns whether the first word is not part of the name: "Republican" in front of a person.

    An article of another language is part of a name in English text: "Las Vegas". Elsewhere it is
    one if it has a capital inside a sentence: "à La Rochelle".
    """
    word, left = texts[first].lower().rstrip("."), texts[first + 1 : last]
    if word in RANKS or (len(left) == 1 and word in ADDRESSES and _is_surname(left[0])):
        return True
    if language == "en" and word in ARTICLES and word not in {"the", "a", "an"}:
        return not left or not texts[first][0].isupper()
    if word in ARTICLES and left and " ".join(texts[first : first + 2]) in inside:
        return language == "en"
    return word in ("of", "for") or _is_around(texts[first])


def _full_name(texts: Sequence[str], first: int, last: int) -> int:
    """Returns where a full name begins after words that say who somebody is, else `first`."""
    at = first
    while at < last and not is_given_name(texts[at]):
        if texts[at].lower().rstrip(".") not in BEFORE_FULL_NAMES and not _is_around(texts[at]):
            break
        at += 1
    if last - at > 1 and is_given_name(texts[at]):
        return at
    belongs = at > first and texts[at - 1].lower() in AFFILIATIONS
    return at if belongs and last - at == 2 and _is_surname(texts[last - 1]) else first


def _is_surname(word: str) -> bool:
    lower = word.lower()
    return not is_ordinary(word) and lower not in ORGANIZATIONS and lower not in PLACES


def _is_around(word: str) -> bool:
    lower = word.lower().replace("’", "'").rstrip(".")
    return lower in AROUND or lower.partition("'")[0] in UNNAMED


def _is_opening(word: str, language: str, *, alone: bool) -> bool:
    """Returns whether a word is capitalised only because it begins a sentence."""
    lower = word.lower()
    if len(word) > 1 and not word[1:].islower():
        return lower.endswith(("'", "’")) and is_stop_word(lower, language)  # "L'Assemblée"
    if language != "en":
        return alone or is_stop_word(lower, language)
    stop = is_stop_word(lower, language) and rarity(lower) < COMMON
    if not alone and parts_of_speech([lower]) in ("N", "S", "J"):
        return stop or lower in EVALUATIVE or lower in GENERIC
    if "-" in lower:  # "Sitting-room"
        return all(is_ordinary(part) or is_stop_word(part, "en") for part in lower.split("-"))
    return stop or is_ordinary(word)


def _split(texts: Sequence[str], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Splits a run into its names.

    "Kevin's Microsoft" is two names, "Moore's Law" and "St. James's Park" are one. "Microsoft CTO
    Kevin Scott" is two, and so is "Pat Roberts of Kansas", but not "University of Kansas".
    """
    start = first
    for i in range(first, last - 1):
        word, after = texts[i].replace("’", "'"), texts[i + 1]
        role = word.lower() in ROLES | ADDRESSES and not is_given_name(word)
        saint = texts[start].lower() in PREFIXES and i == start + 1
        another = i > start or not is_ordinary(after) or after.isupper() or word[:-2].isupper()
        if i > start and role and last - i > 2 and is_given_name(after):
            yield start, i
            start = i + 1
        elif word.endswith("'s") and another and not saint:
            yield start, i + 1
            start = i + 1
        elif i - start > 1 and word.lower() == "of" and is_given_name(texts[start]):
            yield start, i
            start = i + 1 + (after.lower() == "the")
    if start < last:
        yield start, last


def _spelled(sentence: Sentence, texts: Sequence[str], first: int, last: int) -> list[str]:
    """Returns the words of a name as the text spells them, with the stop of "St.".

    From the end a possessive is removed, but not from "St Mary's", and the plural of an acronym or
    of a number.
    """
    words = [text.replace("’", "'") for text in texts[first:last]]
    for i in range(first, last - 1):
        if sentence.text[sentence.words[i].end - sentence.start :][:1] == ".":
            words[i - first] += "."
    saint = last - first == 2 and texts[first].lower() in PREFIXES
    if not saint or parts_of_speech(texts[last : last + 1]) in ("N", "S", "J"):
        words[-1] = words[-1].removesuffix("'s")
    if plural := PLURAL.fullmatch(words[-1]):
        words[-1] = plural[1]
    return words


def _name(spelled: Sequence[str], language: str, *, person: bool) -> str:
    """Returns the name that the words make, or "" if they are not a name."""
    words = list(spelled)
    if len(words) > 1:
        while len(words) > 1 and words[-1].lower().rstrip(".") in COMPANIES:
            words.pop()
        if words[-1].lower() in BESIDE["offices"] or not any(word[1:] for word in words):
            return ""
        shouted = all(word.isupper() and len(word) > 2 for word in words)
        return " ".join(word.title() if shouted else word for word in words)
    word, lower = words[0], words[0].lower()
    if len(word) < 2 or "'" in word or not any(c.isalpha() for c in word) or lower in NAMELESS:
        return ""
    acronym = word[1:] != word[1:].lower()
    if person or language == "en":
        return "" if is_ordinary(word) and not (acronym or person) else word
    if is_stop_word(lower, language) or (rarity(word) < COMMON and not acronym):
        return ""
    base = shown_form(word, language) if language in INFLECTED else word
    return base if base[0].isupper() else word


def _type_of(words: Sequence[str], before: Sequence[str], *, person: bool) -> str:
    """Returns the entity type of a name, or "" if no rule is certain.

    `words` are the words of the name, and `before` those before it; a `person` has one anyway, but
    for well-known names and those of bodies and places.
    """
    lower, name = [word.lower().rstrip(".") for word in words], " ".join(words)
    who, last = ("", "", *(word.lower().rstrip(".") for word in before))[-2:]
    if name in _famous():
        return _famous()[name]
    if _is_organization(lower):
        return ORGANIZATION
    if name in _places() or (len(words) > 1 and lower[-1] in PLACES):
        return PLACE
    if person:
        return PERSON
    works = (last == "at" and who in WORKING) or (last == "of" and who in HEADS)
    return ORGANIZATION if works or last in BESIDE["made"] else ""


def _is_organization(lower: Sequence[str]) -> bool:
    if lower[-1].endswith(BODY_ENDINGS) and lower[-1] not in BODY_ENDINGS:
        return True
    head = lower[lower.index("of") - 1] if "of" in lower[1:] else lower[-1]
    named = lower[0] in BESIDE["before_bodies"] or head in ORGANIZATIONS or lower[-1] in COMPANIES
    return len(lower) > 1 and named


def _is_person(
    words: Sequence[str], before: Sequence[str], after: Sequence[str], language: str
) -> bool:
    """Returns whether a name is certainly that of a person."""
    last = before[-1].lower().rstrip(".") if before else ""
    if last in TITLES | ADDRESSES:
        return True
    if language in INFLECTED:  # "Павла Дурова"
        words = [shown_form(words[0], language), *words[1:]]
    if len(words) == 1:  # "Ada will ask", but not "in Austin" or "the Julia"
        word, place = words[0], last in ARTICLES | BESIDE["before_places"]
        usual = not is_ordinary(word) or word_rank(word) < word_rank(word.lower())
        return is_given_name(word) and usual and not place and language != GERMAN
    if len(words) > 3 or any(word.isupper() and len(word) > 2 for word in words):
        return False
    described = last in ROLES or any(word.lower() in BESIDE["after_person"] for word in after)
    return _is_full_name(words) or (described and not any(map(is_ordinary, words)))


def _is_full_name(words: Sequence[str]) -> bool:
    """Returns whether words begin with a given name and end with what may be a surname."""
    last = words[-1]
    surname = not is_ordinary(last) or is_given_name(last) or last in _surnames()
    return is_given_name(words[0]) and surname


@cache
def is_given_name(word: str) -> bool:
    """Returns whether a word is a given name of people."""
    return word in _given_names() or ("-" in word and word.partition("-")[0] in _given_names())


@cache
def _given_names() -> frozenset[str]:
    return frozenset(lines_of("names/given_names.txt"))


@cache
def _surnames() -> frozenset[str]:
    """Surnames that are also ordinary words: "Wood"."""
    return frozenset(lines_of("names/surnames.txt"))


@cache
def _places() -> frozenset[str]:
    """Countries, the states of the USA, large cities; without those that are people's names."""
    return frozenset(lines_of("names/places.txt"))


@cache
def _famous() -> dict[str, str]:
    """Famous names with their type."""
    types = {"PERS": PERSON, "ORG": ORGANIZATION, "LOC": PLACE}
    lines = (line.rpartition(" ") for line in lines_of("names/famous.txt"))
    return {name: types[type_] for name, _, type_ in lines}
