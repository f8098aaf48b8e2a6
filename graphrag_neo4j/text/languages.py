"""Languages and their words: the language of a text, stop words, base forms, frequencies, lists.

Stop words come from the package stopwordsiso and base forms from simplemma. The rank of a word
among the tokens of o200k_base (tiktoken) tells how frequent the word is, in any language. The lists
in `data/words` are mostly English: words that aren't stop words, but that say nothing about a
topic, and words that tell what a name is. The first line of each file describes its list.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain, islice

from graphrag_neo4j.files import read_data
from graphrag_neo4j.text import tokens

# Scripts that identify one language. The order matters: Japanese also uses Chinese characters.
SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "zh": re.compile(r"[\u3400-\u9fff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "uk": re.compile(r"[іїєґІЇЄҐ]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
SHARE = 0.1  # share of a text's characters in a script that identifies the language
FEW = 0.02  # the share of the letters that Ukrainian has and Russian lacks
LATIN = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs", "tr", "ro")
WORDS = 400  # words of a text that are used to detect its language
SHORT = 5  # letters; only stop words of at most this length are used to detect a language
GENITIVE_S = frozenset({"de", "nl", "sv", "da", "no"})  # languages: "Adenauers Rede"
PREFIXED = frozenset({"ar", "he"})  # articles and prepositions are written with the next word
UNRANKED = 200_000  # the rank of a word that is not a token
# Korean particles at the end of a word.
PARTICLE = re.compile(
    r"(?<=..)(?:은|는|이|가|을|를|의|에|에서|에게|으로|로|와|과|도|만|부터|까지)$"
)
_loading = threading.Lock()  # of a dictionary


def lines_of(name: str) -> list[str]:
    """Returns the lines of a file of `data/`, without comments.

    Raises InputError if the file is missing: without it, all results would differ.
    """
    lines = read_data(name).decode("utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def word_set(words: str) -> frozenset[str]:
    """Returns the words of a text that has one space between them."""
    return frozenset(words.split())


def _words(name: str) -> frozenset[str]:
    return frozenset(word for line in lines_of(f"words/{name}.txt") for word in line.split())


ABOUT = _words("about")
ATTRIBUTIVE = _words("attributive")
COMPANIES = _words("companies")
DEMONYMS = _words("demonyms")
DOING = _words("doing")
EVALUATIVE = _words("evaluative")
FIELDS = _words("fields")
FORMAL = _words("formal")
GENERIC = _words("generic")
ORGANIZATIONS = _words("organizations")
OTHER_PLURALS = _words("other_plurals")
PLACES = _words("places")
ROLES = _words("roles")
TIMES = _words("times")
TITLES = _words("titles")
TRAILING = _words("trailing")
TURNS = frozenset(lines_of("words/turns.txt"))
UNNAMED = _words("unnamed")
VARIANTS = dict(line.split(" = ") for line in lines_of("words/variants.txt"))
VERBS = _words("verbs")
WHOLE = {
    language: tuple(part.split() for part in words.split("|"))
    for language, _, words in (line.partition(" = ") for line in lines_of("words/whole.txt"))
}
TYPE_CLASSES = {
    type_: class_
    for class_, _, types in (line.partition(" = ") for line in lines_of("words/type_classes.txt"))
    for type_ in types.split()
}


def language_of(text: str, words: Iterable[str]) -> str:
    """Returns the language (ISO 639-1) of a text and its words. The default is English."""
    if not text.isascii():
        for language, script in SCRIPTS.items():
            if len(script.findall(text)) > (FEW if language == "uk" else SHARE) * len(text):
                return language
    known = _languages_of()
    votes = Counter(chain.from_iterable(known.get(one.lower(), ()) for one in islice(words, WORDS)))
    return min(votes, key=lambda language: (-votes[language], LATIN.index(language)), default="en")


def is_stop_word(word: str, language: str) -> bool:
    """Returns whether a word in lower case, such as "the" or "l'", is a stop word of a language."""
    return word.rstrip("'’") in _stop_words(language)


@lru_cache(100_000)
def base_form(word: str, language: str) -> str:
    """Returns the dictionary form of a word, or the word itself if no form is known."""
    if language == "ko":
        return PARTICLE.sub("", word)
    if not _has_dictionary(language):
        return word
    import simplemma  # noqa: PLC0415 - it takes a moment, and not every command needs it

    return simplemma.lemmatize(word, lang=language)


def shown_form(word: str, language: str) -> str:
    """Returns the dictionary form of a word, or the word itself where that would be a guess.

    In Arabic and Hebrew it is always the word: the dictionary form lacks the article, which is
    written with the word.
    """
    known = language == "ko" or (language not in PREFIXED and is_in_dictionary(word, language))
    return base_form(word, language) if known else word


def word_forms(word: str, language: str) -> set[str]:
    """Returns a word, its base form, and what it is without the -s of the genitive, without case.

    A dictionary may know the base form of a word only with, or only without, its capital.
    """
    bare = word.removesuffix("s") if language in GENITIVE_S else word
    known = (base_form(one, language) for one in (word, word.lower()))
    return {one.casefold() for one in (word, bare, *known)}


def is_in_dictionary(word: str, language: str) -> bool:
    """Returns whether a word, in any of its forms, is in the dictionary of a language."""
    if not _has_dictionary(language):
        return False
    import simplemma  # noqa: PLC0415

    return simplemma.is_known(word, lang=language)


@cache
def _has_dictionary(language: str) -> bool:
    """Returns whether there is a dictionary of a language, which is loaded then.

    Threads that ask simplemma for a word at the same time would load it once for each.
    """
    import simplemma  # noqa: PLC0415
    from simplemma.strategies.dictionaries.dictionary_factory import (  # noqa: PLC0415
        SUPPORTED_LANGUAGES,
    )

    if language not in SUPPORTED_LANGUAGES:
        return False
    with _loading:
        simplemma.is_known("a", language)
    return True


def rarity(word: str) -> int:
    """Returns the rank of a word among tokens in thousands, or 200 if it is not a token."""
    return word_rank(word) // 1000


@lru_cache(100_000)
def word_rank(word: str) -> int:
    """Returns the rank of a word among tokens, or 200,000. A smaller rank is more frequent."""
    ids = tokens.encoding().encode_ordinary(" " + word)
    return ids[0] if len(ids) == 1 else UNRANKED


@cache
def _stop_words(language: str) -> frozenset[str]:
    import stopwordsiso  # noqa: PLC0415 - it reads the words of all languages

    known = stopwordsiso.stopwords(language) if stopwordsiso.has_lang(language) else ()
    return frozenset(known)


@cache
def _languages_of() -> dict[str, list[str]]:
    """Maps short stop words to the languages that have them."""
    languages: dict[str, list[str]] = {}
    for language in LATIN:
        for word in _stop_words(language):
            if len(word) <= SHORT:
                languages.setdefault(word, []).append(language)
    return languages
