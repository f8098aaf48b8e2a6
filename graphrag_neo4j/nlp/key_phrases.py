"""Finds key phrases: the topics of a chunk that are not names.

In English they are noun phrases, and single nouns that are rare or repeated. In other languages
with spaces they are words between stop words that the chunk repeats.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from graphrag_neo4j.nlp.english import noun_phrases, parts_of_speech, singular
from graphrag_neo4j.nlp.entity_types import CONCEPT
from graphrag_neo4j.nlp.languages import base_form, is_stop_word, rarity
from graphrag_neo4j.nlp.names import NameSpan
from graphrag_neo4j.nlp.sentences import Passage, Sentence, Word
from graphrag_neo4j.nlp.word_lists import DEMONYMS, EVALUATIVE, GENERIC, ROLES, TIMES, TURNS

__all__ = ["phrases_in"]

RARE = 20  # rarity (thousands of more frequent tokens) of a noun that may occur only once
TOPICAL = 4  # rarity of a noun that must occur OFTEN
OFTEN = 3  # times in a chunk
AGAIN = 2  # times that a phrase of several words must occur in other languages
LONGEST = 3  # words of such a phrase
KOREAN = "ko"  # its words have few letters
SHORTEST = 4  # letters of a single word


def phrases_in(passage: Passage, language: str) -> list[NameSpan]:
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
    return _longest([s for s in found if _is_repeated(s.name, counts[s.name], language)])


def _longest(spans: list[NameSpan]) -> list[NameSpan]:
    """Removes the spans that lie inside other spans."""
    places = {(span.start, span.end) for span in spans}
    return [
        span
        for span in spans
        if not any(
            start <= span.start and span.end <= end and (start, end) != (span.start, span.end)
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
    for first, last in noun_phrases(texts, parts_of_speech(texts)):
        before = [text if text.isupper() else text.lower() for text in texts[first : last - 1]]
        name = " ".join([*before, singular(texts[last - 1])])
        yield NameSpan(words[first].start, words[last - 1].end, name, CONCEPT)


def _is_key(name: str, count: int) -> bool:
    """Tells whether an English noun phrase that occurs `count` times is a key phrase."""
    if " " in name:
        return name not in TURNS
    if any(c.isdigit() for c in name):
        return False
    empty = name in GENERIC or name in EVALUATIVE or name in ROLES or name in TIMES
    if empty or name in DEMONYMS or len(name) < SHORTEST or not name.islower():
        return False
    common = min(rarity(name), rarity(name + "s"))
    return common >= RARE or (common >= TOPICAL and count >= OFTEN)


def _repeatable(words: Sequence[Word], language: str) -> Iterator[NameSpan]:
    """Yields all phrases of at most LONGEST words without stop words."""
    run: list[Word] = []
    for word in (*words, None):
        if word and _says_something(word.text, language):
            run.append(word)
            continue
        for first in range(len(run)):
            for last in range(first + 1, min(first + LONGEST, len(run)) + 1):
                texts = [part.text.lower() for part in run[first:last]]
                texts[-1] = base_form(texts[-1], language)
                yield NameSpan(run[first].start, run[last - 1].end, " ".join(texts), CONCEPT)
        run = []


def _says_something(text: str, language: str) -> bool:
    lower = text.lower()
    return text[0].isalpha() and lower not in TIMES and not is_stop_word(lower, language)


def _is_repeated(name: str, count: int, language: str) -> bool:
    if " " in name or language == KOREAN:
        return count >= AGAIN
    return count >= OFTEN and len(name) >= SHORTEST
