"""Sentences chosen for what they share with all (centrality) and not with those chosen (diversity).

Words alone decide, counted; ties go to the smaller text by code point. So a choice is the same on
every machine.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from graphrag_neo4j.nlp.languages import base_form, is_stop_word, language_of
from graphrag_neo4j.nlp.sentences import WORD, read_passage

__all__ = ["base_words", "centrality", "choose", "content_words", "quality", "repeats"]

LIKE = 0.5  # share of common words from which two sentences say the same
IDEAL = range(8, 36)  # words
FILLERS = ("you know", "i mean", "kind of", "sort of", "like,", "um,", "uh,", "right?", "thank")
OPENINGS = frozenset(
    {"and", "but", "so", "or", "yeah", "yes", "well", "like", "because", "okay", "no", "oh"}
)


@lru_cache(50_000)
def content_words(text: str) -> frozenset[str]:
    """The words of a sentence that are no stop words, in lower case; pairs of characters where
    it is written without spaces."""
    words = [found[0].lower() for found in WORD.finditer(text)]
    language = language_of(text, words)
    if language in ("zh", "ja", "th"):
        return frozenset(text[i : i + 2] for i in range(len(text) - 1) if text[i : i + 2].isalpha())
    return frozenset(word for word in words if not is_stop_word(word, language))


@lru_cache(50_000)
def base_words(text: str) -> frozenset[str]:
    """The content words of a text in their dictionary form."""
    words = content_words(text)
    language = language_of(text, [found[0].lower() for found in WORD.finditer(text)])
    return frozenset(
        base_form(word.removesuffix("'s").removesuffix("’s"), language) for word in words
    )


@lru_cache(50_000)
def quality(text: str) -> int:
    """How well a sentence reads by itself: from about -4 to 2."""
    lower = f"{text.lower()} "
    n = max(len(WORD.findall(text)), len(text.encode()) // 30)
    found = 2 if n in IDEAL else 0
    found -= 2 if n < 5 else 0
    found -= 1 if text.endswith("?") else 0
    found -= 1 if text[0].islower() else 0
    found -= 1 if lower.split(maxsplit=1)[0].rstrip(",") in OPENINGS else 0
    return found - min(2, sum(lower.count(filler) for filler in FILLERS))


@lru_cache(50_000)
def _sentences(text: str) -> frozenset[str]:
    return frozenset(sentence.text for sentence in read_passage(text).sentences)


def centrality(texts: Sequence[str]) -> dict[str, float]:
    """How much each text shares with the others: the mean count of its words, from 0 to 1."""
    counts = Counter(word for text in texts for word in content_words(text))
    most = max(counts.values(), default=1)
    return {
        text: sum(sorted(counts[word] for word in content_words(text)))
        / (most * max(IDEAL.start, len(content_words(text))))
        for text in texts
    }


def choose(scores: Mapping[str, float], most: int, used: Iterable[str] = ()) -> list[str]:
    """The best of these texts, at most so many, none like another or like those `used`."""
    taken = list(used)
    chosen: list[str] = []
    for text in sorted(scores, key=lambda text: (-scores[text], text)):
        if len(chosen) == most:
            break
        if not any(_alike(text, other) for other in taken):
            chosen.append(text)
            taken.append(text)
    return chosen


def repeats(one: str, other: str) -> bool:
    """Whether two texts have a sentence in common."""
    return one in other or other in one or bool(_sentences(one) & _sentences(other))


def _alike(one: str, other: str) -> bool:
    """Whether two texts say about the same: one holds most of the other's words."""
    if repeats(one, other):
        return True
    a, b = content_words(one), content_words(other)
    return len(a & b) > LIKE * max(1, min(len(a), len(b)))
