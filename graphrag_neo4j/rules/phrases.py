"""Finds key phrases: the topics of a chunk that are not names. In Chinese and Japanese, also names.

In English they are noun phrases, and single nouns that are rare or repeated. The usual part of
speech of a word comes from Brill's lexicon (in `data/lexicon`); a few rules that look at the words
around it correct the errors that matter for noun phrases. In other languages with spaces they are
words between stop words that the chunk repeats. Chinese words and their tags come from jieba (the
package rjieba). In Japanese, runs of Chinese characters and of katakana are taken.
"""

import gzip
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import regex

from graphrag_neo4j.files import read_data
from graphrag_neo4j.text.languages import (
    ATTRIBUTIVE,
    DEMONYMS,
    DOING,
    EVALUATIVE,
    FIELDS,
    GENERIC,
    ROLES,
    TIMES,
    TRAILING,
    TURNS,
    VERBS,
    base_form,
    is_stop_word,
    rarity,
    shown_form,
    word_rank,
    word_set,
)
from graphrag_neo4j.text.sentences import Sentence, SentencedText, Word

PERSON, ORGANIZATION, PLACE, CONCEPT = "person", "organization", "place", "concept"
RARE = 20  # rarity (thousands of more frequent tokens) of a noun that may occur only once
TOPICAL = 4  # rarity of a noun that must occur OFTEN
OFTEN = 3  # times in a chunk
AGAIN = 2  # times that a phrase of several words must occur in other languages
LONGEST = 3  # words of such a phrase
SHORTEST = 4  # letters of a single word; in Korean, words have few letters
MOST_WORDS = 4  # in an English phrase
# Letters: N noun, S plural noun, A acronym, g an -ing that names a field, J adjective,
# V participle, G any other -ing, D determiner, M modal, X verb, n name, x all else.
LETTERS = {
    "NN": "N", "NNS": "S", "NNP": "n", "NNPS": "n", "JJ": "J", "VBG": "G", "VBN": "V",
    "VBD": "V", "DT": "D", "PRP$": "D", "WP$": "D", "MD": "M", "VB": "X", "VBP": "X", "VBZ": "X",
}  # fmt: skip
ENDINGS = {
    "ly": "x", "ing": "G", "ed": "V", "ous": "J", "ful": "J", "ive": "J", "able": "J", "ible": "J",
    "ic": "J", "ical": "J", "less": "J", "ish": "J", "ional": "J", "iest": "J", "ier": "J",
    "ness": "N", "ss": "N", "us": "N", "is": "N", "s": "S",
}  # fmt: skip
# A verb follows a word of SUBJECTS. After a word of AUXILIARIES a participle is a verb.
SUBJECTS = word_set("i you we they who he she it that which not")
AUXILIARIES = word_set("have has had having is are was were be been being am get got gets")
# Plurals whose singular has another meaning, and plurals that can stand before another noun.
UNCOUNTED = word_set("media data arts studies sports news sciences savings odds goods")
BEFORE_NOUNS = word_set("systems sports operations communications sales arms games women")
ACRONYM = re.compile(r"[A-Z][A-Z0-9]{1,5}s?")
PHRASE = re.compile(r"(?<![JVgNA])[JVgNA]*[NSgA]")

CJK = frozenset({"zh", "ja"})
TAGS = {"nr": PERSON, "nrfg": PERSON, "ns": PLACE, "nt": ORGANIZATION, "nz": "", "nrt": ""}
NOUNS = word_set("n an b j eng ng")
BODIES = (
    "集团", "公司", "大学", "银行", "学院", "研究院", "研究所", "委员会", "中心", "协会", "基金会",
    "医院", "法院",
)  # fmt: skip
LONGEST_NOUN = 10  # characters of a Chinese key phrase
LONG = 4  # characters of a long Chinese or Japanese noun, which may occur only once
KATAKANA = regex.compile(r"[\p{Katakana}ー]{3}")
JAPANESE = regex.compile(
    r"[\p{Katakana}ー]{3,}\p{Han}*|\p{Han}{2,10}|\p{Lu}[\p{L}\p{N}]+(?: \p{Lu}\p{L}+)*"
)
BODY = regex.compile(r"(?:大学|会社|銀行|研究所|委員会|協会|財団|学院|庁|省)$")


class NameSpan(NamedTuple):
    """The characters [start, end) of a chunk, the name there, and its type ("" if uncertain)."""

    start: int
    end: int
    name: str
    kind: str


def phrases_in(passage: SentencedText, language: str) -> list[NameSpan]:
    """Returns all occurrences of the key phrases in a chunk."""
    found = [
        span
        for sentence in passage.sentences
        for words in _unbroken(sentence)
        for span in (_english(words) if language == "en" else _repeatable(words, language))
    ]
    counts = Counter(span.name for span in found)
    if language == "en":
        return [span for span in found if _is_key(span.name, counts[span.name])]
    kept = [s for s in found if _is_repeated(s.name, counts[s.name], language)]
    places = {(span.start, span.end) for span in kept}
    return [
        span
        for span in kept
        if not any(
            start <= span.start and span.end <= end and (start, end) != span[:2]
            for start, end in places
        )
    ]


def _unbroken(sentence: Sentence) -> Iterator[Sequence[Word]]:
    """Yields the sequences of words between punctuation marks."""
    words, first = sentence.words, 0
    for i, (before, word) in enumerate(pairwise(words), start=1):
        gap = sentence.text[before.end - sentence.start : word.start - sentence.start]
        if gap.strip():
            yield words[first:i]
            first = i
    yield words[first:]


def _english(words: Sequence[Word]) -> Iterator[NameSpan]:
    texts = [word.text for word in words]
    letters = parts_of_speech(texts)
    for found in PHRASE.finditer(letters):
        first, last = found.span()
        if letters[last - 1] == "g" and letters[last : last + 1] in tuple("DSJn"):
            last -= 1  # "teaching the class"
        while last > first and not _ends_phrase(texts, letters, first, last):
            last -= 1
        while first < last and _is_empty(texts, letters, first, last):
            first += 1
        if first < last:
            first = max(first, last - MOST_WORDS)
            before = [one if one.isupper() else one.lower() for one in texts[first : last - 1]]
            name = " ".join([*before, singular(texts[last - 1])])
            yield NameSpan(words[first].start, words[last - 1].end, name, CONCEPT)


def _ends_phrase(words: Sequence[str], letters: str, first: int, last: int) -> bool:
    whole = last - first == 1 or singular(words[last - 1]) not in TRAILING
    return letters[last - 1] in "NSAg" and whole


def _is_empty(words: Sequence[str], letters: str, first: int, last: int) -> bool:
    """Returns whether the first word of a phrase says nothing about its topic."""
    word, letter, alone = words[first].lower(), letters[first], last - first == 1
    if letter == "A" or (alone and letter in "NSg"):
        return False
    if letter == "g":  # "learning rate" stands, "writing code" does not
        return last - first > 2 or letters[first + 1] == "g" or word in DOING
    if letter in "NS" and word in ATTRIBUTIVE:
        return False
    nothing = len(word) < 3 or not word[0].isalpha() or word in EVALUATIVE or word in ROLES
    return nothing or singular(word) in GENERIC


def _is_key(name: str, count: int) -> bool:
    """Returns whether an English noun phrase that occurs `count` times is a key phrase."""
    if " " in name:
        return name not in TURNS
    empty = any(name in words for words in (GENERIC, EVALUATIVE, ROLES, TIMES, DEMONYMS))
    if empty or len(name) < SHORTEST or not name.islower() or any(c.isdigit() for c in name):
        return False
    common = min(rarity(name), rarity(name + "s"))
    return common >= RARE or (common >= TOPICAL and count >= OFTEN)


def _repeatable(words: Sequence[Word], language: str) -> Iterator[NameSpan]:
    """Yields all phrases of at most LONGEST words without stop words."""
    if language == "ko" and words[-1:] and words[-1].text.endswith("다"):
        words = words[:-1]  # the verb, which ends a Korean sentence
    run: list[Word] = []
    for word in (*words, None):
        lower = word.text.lower() if word else ""
        if word and lower[0].isalpha() and lower not in TIMES and not is_stop_word(lower, language):
            run.append(word)
            continue
        for first in range(len(run)):
            for last in range(first + 1, min(first + LONGEST, len(run)) + 1):
                texts = [part.text.lower() for part in run[first:last]]
                texts[-1] = shown_form(texts[-1], language)
                yield NameSpan(run[first].start, run[last - 1].end, " ".join(texts), CONCEPT)
        run = []


def _is_repeated(name: str, count: int, language: str) -> bool:
    if " " in name or language == "ko":
        return count >= AGAIN
    return count >= OFTEN and len(name) >= SHORTEST


def parts_of_speech(words: Sequence[str]) -> str:
    """Returns one letter for each word of an English sentence, as LETTERS defines them."""
    letters = [_usual(word) for word in words]
    for i, word in enumerate(words):
        before = words[i - 1].lower().replace("’", "'") if i else ""
        last, after = letters[i - 1] if i else "", (*letters[i + 1 : i + 2], "")[0]
        wants_verb = before in SUBJECTS or last == "M" or before.endswith("n't")
        verb = before == "to" and _is_verb(word, before_noun=bool(after) and after in "NSJAgD")
        if (letters[i] in "NSX" and wants_verb) or (letters[i] == "N" and verb):
            letters[i] = "X"
        elif letters[i] == "X" and last in ("D", "J") and word.lower() not in VERBS:
            letters[i] = "N"
        elif letters[i] == "V" and (
            (last and last in "xnNSA") or before in AUXILIARIES or "'" in before
        ):
            letters[i] = "X"
    return "".join(letters)


@cache
def singular(word: str) -> str:
    """Returns the singular of a noun in lower case. The letters of an acronym do not change."""
    if ACRONYM.fullmatch(word):
        return word.removesuffix("s")
    lower = word.lower()
    plural = _lexicon().get(lower) == "S" or lower in BEFORE_NOUNS or _usual(lower) == "S"
    countable = lower not in UNCOUNTED and not lower.endswith("ics")
    return base_form(lower, "en") if plural and countable else lower


@cache
def is_ordinary(word: str) -> bool:
    """Returns whether a word is an ordinary English word.

    A noun that is often written with a capital, such as Apple or Congress, is not ordinary.
    """
    lower = word.lower()
    letter = _lexicon().get(lower, "n")
    return letter != "n" and not (
        letter in "NS" and word_rank(lower.capitalize()) <= word_rank(lower)
    )


def _is_verb(word: str, *, before_noun: bool) -> bool:
    """Returns whether a noun after "to" is a verb.

    It is a verb if the lexicon does not know it, or if a noun follows and the lexicon knows other
    forms of the verb.
    """
    if word.lower() not in _lexicon():
        return True
    stem = word.lower().removesuffix("e")
    return before_noun and any(_lexicon().get(f) == "V" for f in (stem + "ed", stem[:-1] + "ied"))


@cache
def _usual(word: str) -> str:
    """Returns the letter of a word without its context."""
    lower = word.lower().replace("’", "'")
    if word[0].isupper() and ACRONYM.fullmatch(word):
        return "A"
    if "'" in lower or not (lower[0].isalpha() or "-" in lower):
        return "x"
    letter = _known(lower) or _unknown(lower)
    return "n" if word[0].isupper() and letter not in "DXgx" else letter


def _known(lower: str) -> str | None:
    """Returns the letter of a word in our lists or in the lexicon, or None."""
    if lower in FIELDS:
        return "g"
    if lower in VERBS:
        return "X"
    letter = _lexicon().get(lower)
    if letter in ("J", "V", "G") and is_stop_word(lower, "en") and lower not in ATTRIBUTIVE:
        return "J" if lower in EVALUATIVE else "x"
    plural_of_none = lower in BEFORE_NOUNS or lower.endswith("ics")
    return "N" if letter == "S" and plural_of_none else letter


def _unknown(lower: str) -> str:
    """Guesses the letter of an unknown word by its last part, its singular or its ending."""
    if "-" in lower:
        last = _lexicon().get(lower.rpartition("-")[2], "J")
        return last if last in "JGgDMn" else "J"
    stem = _lexicon().get(lower.removesuffix("s"), "N") if lower.endswith("s") else "N"
    if stem != "N":
        return "X" if stem == "X" else "x"
    return next((letter for ending, letter in ENDINGS.items() if lower.endswith(ending)), "N")


@cache
def _lexicon() -> dict[str, str]:
    """Returns the letters by word in lower case. An ordinary word takes precedence over a name."""
    letters: dict[str, str] = {}
    text = gzip.decompress(read_data("lexicon/brill_lexicon.txt.gz")).decode("utf-8")
    for line in text.splitlines():
        word, _, tag = line.partition(" ")
        if word and tag and " " not in tag and (word.islower() or word.lower() not in letters):
            letters[word.lower()] = LETTERS.get(tag, "x")
    return letters


def cjk_spans(passage: SentencedText, language: str) -> list[NameSpan]:
    """Returns all occurrences of the names and key phrases in a Chinese or Japanese chunk."""
    spans_of = _chinese if language == "zh" else _japanese
    found = [s for sentence in passage.sentences for s in spans_of(sentence.text, sentence.start)]
    counts = Counter(span.name for span in found)

    def is_key(span: NameSpan) -> bool:
        long = len(span.name) >= LONG or KATAKANA.match(span.name) is not None
        return long or span.kind != CONCEPT or counts[span.name] >= AGAIN

    return [span for span in found if is_key(span) and not is_stop_word(span.name, language)]


def _chinese(text: str, start: int) -> Iterator[NameSpan]:
    """Yields names by their tags, with a following word such as "university", and noun phrases."""
    import rjieba  # noqa: PLC0415 - it takes a moment

    run, tags, begin, at = "", list[str](), start, start
    for word, tag in [*rjieba.tag(text), ("", "x")]:
        goes_on = bool(run) and tag in NOUNS and len(run + word) <= LONGEST_NOUN
        kinds = [TAGS[tag] for tag in tags if tag in TAGS]
        if not goes_on or (kinds and word not in BODIES):
            if len(run) > 1:
                body = kinds and run.endswith(BODIES) and run not in BODIES
                kind = ORGANIZATION if body else (*kinds, CONCEPT)[0]
                yield NameSpan(begin, begin + len(run), run, kind)
            run, tags, begin = "", [], at
        if tag in TAGS or tag in NOUNS:
            run, tags = run + word, [*tags, tag]
        at += len(word)


def _japanese(text: str, start: int) -> Iterator[NameSpan]:
    for found in JAPANESE.finditer(text):
        kind = ORGANIZATION if BODY.search(found[0]) and len(found[0]) >= LONG else CONCEPT
        yield NameSpan(start + found.start(), start + found.end(), found[0], kind)
