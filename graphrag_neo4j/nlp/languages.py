"""Languages: detects the language of a text, and knows stop words, base forms and word frequencies.

Stop words come from the package stopwordsiso and base forms from simplemma. The rank of a word
among the tokens of o200k_base (tiktoken) tells how frequent the word is, in any language.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache

from graphrag_neo4j import tokens

__all__ = ["base_form", "is_stop_word", "language_of", "rank", "rarity"]

DEFAULT = "en"
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
LATIN = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs", "tr", "ro")
WORDS = 400  # words of a text that are used to detect its language
SHORT = 5  # letters; only stop words of at most this length are used to detect a language
UNRANKED = 200_000  # the rank of a word that is not a token
# Korean particles at the end of a word.
PARTICLE = re.compile(
    r"(?<=..)(?:은|는|이|가|을|를|의|에|에서|에게|으로|로|와|과|도|만|부터|까지)$"
)


def language_of(text: str, words: Iterable[str]) -> str:
    """Returns the language (ISO 639-1) of a text and its words. The default is English."""
    for language, script in SCRIPTS.items():
        if len(script.findall(text)) > SHARE * len(text):
            return language
    votes: Counter[str] = Counter()
    for word, _ in zip(words, range(WORDS), strict=False):
        for language in _telling().get(word.lower(), ()):
            votes[language] += 1
    return min(votes, key=lambda language: (-votes[language], LATIN.index(language)), default="en")


def is_stop_word(word: str, language: str) -> bool:
    """Tells whether a word in lower case is a stop word of a language."""
    return word in _stop_words(language)


@lru_cache(100_000)
def base_form(word: str, language: str) -> str:
    """Returns the dictionary form of a word, or the word itself if no form is known."""
    if language == "ko":
        return PARTICLE.sub("", word)
    # The import takes a moment, and not every command needs base forms.
    import simplemma  # noqa: PLC0415
    from simplemma.strategies.dictionaries.dictionary_factory import (  # noqa: PLC0415
        SUPPORTED_LANGUAGES,
    )

    known = language in SUPPORTED_LANGUAGES
    return simplemma.lemmatize(word, lang=language) if known else word


def rarity(word: str) -> int:
    """Returns the rank of a word among tokens in thousands, or 200 if it is not a token."""
    return rank(word) // 1000


@lru_cache(100_000)
def rank(word: str) -> int:
    """Returns the rank of a word among tokens, or 200,000. A smaller rank is more frequent."""
    ids = tokens.encoding("o200k_base").encode_ordinary(" " + word)
    return ids[0] if len(ids) == 1 else UNRANKED


@cache
def _stop_words(language: str) -> frozenset[str]:
    import stopwordsiso  # noqa: PLC0415 - it reads the words of all languages

    known = stopwordsiso.stopwords(language) if stopwordsiso.has_lang(language) else ()
    return frozenset(known)


@cache
def _telling() -> dict[str, list[str]]:
    """Maps short stop words to the languages that have them."""
    languages: dict[str, list[str]] = {}
    for language in LATIN:
        for word in _stop_words(language):
            if len(word) <= SHORT:
                languages.setdefault(word, []).append(language)
    return languages
