"""English parts of speech and noun phrases.

The usual part of speech of a word comes from Brill's lexicon (in `data/lexicon`). A few rules that
look at the words around it correct the errors that matter for noun phrases.
"""

import gzip
import re
from collections.abc import Iterator, Sequence
from functools import cache

from graphrag_neo4j.nlp.languages import base_form, is_stop_word, rank
from graphrag_neo4j.nlp.word_lists import (
    ATTRIBUTIVE,
    DOING,
    EVALUATIVE,
    FIELDS,
    GENERIC,
    ROLES,
    TRAILING,
    VERBS,
)
from graphrag_neo4j.resources import read_data

__all__ = ["is_ordinary", "noun_phrases", "parts_of_speech", "singular"]

# Letters: N noun, S plural noun, A acronym, g an -ing that names a field, J adjective,
# V participle, G any other -ing, D determiner, M modal, X verb, n name, x all else.
LETTERS = {
    "NN": "N", "NNS": "S", "NNP": "n", "NNPS": "n", "JJ": "J", "VBG": "G", "VBN": "V",
    "VBD": "V", "DT": "D", "PRP$": "D", "WP$": "D", "MD": "M", "VB": "X", "VBP": "X", "VBZ": "X",
}  # fmt: skip
ENDINGS = (
    ("ly", "x"), ("ing", "G"), ("ed", "V"), ("ous", "J"), ("ful", "J"), ("ive", "J"),
    ("able", "J"), ("ible", "J"), ("ic", "J"), ("ical", "J"), ("less", "J"), ("ish", "J"),
    ("ional", "J"), ("iest", "J"), ("ier", "J"), ("ness", "N"), ("ss", "N"), ("us", "N"),
    ("is", "N"), ("s", "S"),
)  # fmt: skip
# A verb follows a word of SUBJECTS. After a word of AUXILIARIES a participle is a verb.
SUBJECTS = frozenset({"i", "you", "we", "they", "who", "he", "she", "it", "that", "which", "not"})
AUXILIARIES = frozenset(
    {"have", "has", "had", "having", "is", "are", "was", "were", "be", "been", "being", "am", "get",
     "got", "gets"}
)  # fmt: skip
VERBAL = ("x", "n", "N", "S")  # after these a participle is a verb
NOMINAL = ("N", "S", "J", "A", "g", "D")
# Plurals whose singular has another meaning, and plurals that can stand before another noun.
UNCOUNTED = frozenset(
    {"media", "data", "arts", "studies", "sports", "news", "sciences", "savings", "odds", "goods"}
)
BEFORE_NOUNS = frozenset(
    {"systems", "sports", "operations", "communications", "sales", "arms", "games", "women"}
)
ACRONYM = re.compile(r"[A-Z][A-Z0-9]{1,5}s?")
PHRASE = re.compile(r"(?<![JVgNA])[JVgNA]*[NSgA]")
MOST_WORDS = 4


def parts_of_speech(words: Sequence[str]) -> str:
    """Returns one letter for each word of a sentence, as LETTERS defines them."""
    letters = [_usual(word) for word in words]
    for i, word in enumerate(words):
        before = words[i - 1].lower().replace("’", "'") if i else ""
        last, after = letters[i - 1] if i else "", (*letters[i + 1 : i + 2], "")[0]
        if (letters[i] in "NSX" and _wants_a_verb(before, last)) or (
            letters[i] == "N" and before == "to" and _is_verb(word, before_noun=after in NOMINAL)
        ):
            letters[i] = "X"
        elif letters[i] == "X" and last in ("D", "J") and word.lower() not in VERBS:
            letters[i] = "N"
        elif letters[i] == "V" and (last in VERBAL or before in AUXILIARIES or "'" in before):
            letters[i] = "X"
    return "".join(letters)


def noun_phrases(words: Sequence[str], letters: str) -> Iterator[tuple[int, int]]:
    """Yields noun phrases as ranges [first, last) of word numbers, without empty words."""
    for found in PHRASE.finditer(letters):
        first, last = found.span()
        if letters[last - 1] == "g" and letters[last : last + 1] in tuple("DSJn"):
            last -= 1  # "teaching the class"
        last = _end(words, letters, first, last)
        first = _start(words, letters, first, last)
        if first < last:
            yield max(first, last - MOST_WORDS), last


@cache
def singular(word: str) -> str:
    """Returns the singular of a noun in lower case. The letters of an acronym do not change."""
    if ACRONYM.fullmatch(word):
        return word.removesuffix("s")
    lower = word.lower()
    plural = _lexicon().get(lower) == "S" or lower in BEFORE_NOUNS or _usual(lower) == "S"
    countable = lower not in UNCOUNTED and not lower.endswith("ics")
    return base_form(lower, "en") if plural and countable else lower


def is_ordinary(word: str) -> bool:
    """Tells whether a word in lower case is an ordinary English word.

    A noun that is often written with a capital, such as Apple or Congress, is not ordinary.
    """
    lower = word.lower()
    letter = _lexicon().get(lower, "n")
    return letter != "n" and not (letter in "NS" and rank(lower.capitalize()) <= rank(lower))


def _start(words: Sequence[str], letters: str, first: int, last: int) -> int:
    """Returns the beginning of a phrase without empty words."""
    while first < last and _is_empty(words, letters, first, last):
        first += 1
    return first


def _is_empty(words: Sequence[str], letters: str, first: int, last: int) -> bool:
    """Tells whether the first word of a phrase says nothing about its topic."""
    word, letter, alone = words[first].lower(), letters[first], last - first == 1
    if letter == "A" or (alone and letter in "NSg"):
        return False
    if letter == "g":  # "learning rate" stands, "writing code" does not
        return last - first > 2 or letters[first + 1] == "g" or word in DOING
    if letter in "NS" and word in ATTRIBUTIVE:
        return False
    nothing = len(word) < 3 or not word[0].isalpha() or word in EVALUATIVE or word in ROLES
    return nothing or singular(word) in GENERIC


def _end(words: Sequence[str], letters: str, first: int, last: int) -> int:
    """Returns the end of a phrase without empty words."""
    while last > first:
        word, letter = words[last - 1], letters[last - 1]
        if letter in "NSAg" and (last - first == 1 or singular(word) not in TRAILING):
            break
        last -= 1
    return last


def _wants_a_verb(before: str, letter: str) -> bool:
    """Tells whether a verb follows a word such as "we", "can" or "doesn't"."""
    return before in SUBJECTS or letter == "M" or before.endswith("n't")


def _is_verb(word: str, *, before_noun: bool) -> bool:
    """Tells whether a noun after "to" is a verb.

    It is a verb if the lexicon does not know it, or if a noun follows and the lexicon knows other
    forms of the verb.
    """
    if word.lower() not in _lexicon():
        return True
    stem = word.lower().removesuffix("e")
    forms = (stem + "ed", stem[:-1] + "ied")
    return before_noun and any(_lexicon().get(form) == "V" for form in forms)


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
        last = _lexicon().get(lower.rpartition("-")[2])
        return last if last in ("J", "G", "g", "D", "M", "n") else "J"
    stem = _lexicon().get(lower.removesuffix("s"), "N") if lower.endswith("s") else "N"
    if stem != "N":
        return "X" if stem == "X" else "x"
    return next((letter for ending, letter in ENDINGS if lower.endswith(ending)), "N")


@cache
def _lexicon() -> dict[str, str]:
    """Returns the letters by word in lower case. An ordinary word takes precedence over a name."""
    letters: dict[str, str] = {}
    text = gzip.decompress(read_data("lexicon/brill_lexicon.txt.gz")).decode("utf-8")
    for line in text.splitlines():
        word, _, tag = line.partition(" ")
        if word and tag and " " not in tag:
            letter = LETTERS.get(tag, "x")
            if word.islower() or word.lower() not in letters:
                letters[word.lower()] = letter
    return letters
