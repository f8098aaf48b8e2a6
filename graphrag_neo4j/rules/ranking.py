"""What sentences say, how well they read, and what a question names.

Only counts of words are used, and equal scores are ordered by text. So the result is the same on
every machine.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from graphrag_neo4j.rules.phrases import CJK, is_ordinary
from graphrag_neo4j.text.languages import (
    ABOUT,
    LATIN,
    TIMES,
    WHOLE,
    base_form,
    is_stop_word,
    language_of,
)
from graphrag_neo4j.text.sentences import WORD, read_passage
from graphrag_neo4j.text.strings import without_possessive

FIRM = 2  # stop words that tell the language of a text: "mit" alone is German, and a university
LIKE = 0.5  # two sentences with a larger share of common words say the same
# Characters that link words or ask: in a language without spaces, a pair with one isn't a word.
LINKS = re.compile("[的了是吗呢吧啊谁哪么怎はがをの]")
IDEAL = range(8, 36)  # words in a sentence that reads well
FILLERS = ("you know", "i mean", "kind of", "sort of", "like,", "um,", "uh,", "right?", "thank")
OPENINGS = frozenset(
    {"and", "but", "so", "or", "yeah", "yes", "well", "like", "because", "okay", "no", "oh"}
)


@lru_cache(50_000)
def _read(text: str, language: str | None = None) -> tuple[frozenset[str], str, bool]:
    """Returns the content words of a text, its language, and whether its words are sure of that.

    Without a `language`, its words decide.
    """
    words = [found[0].lower() for found in WORD.finditer(text)]
    language = language or language_of(text, words)
    if language in ("zh", "ja", "th"):
        pairs = (text[i : i + 2] for i in range(len(text) - 1))
        told = frozenset(one for one in pairs if one.isalpha() and not LINKS.search(one))
        return told, language, True
    content = [word for word in words if not is_stop_word(word, language)]
    firm = sum(map(str.isalpha, words)) - sum(map(str.isalpha, content)) >= FIRM
    return frozenset(content), language, firm or language not in LATIN


def language_read(text: str) -> str:
    """Returns the language that a text is read in."""
    return _read(text)[1]


def content_words(text: str) -> frozenset[str]:
    """Returns the words of a sentence in lower case without stop words.

    For a language without spaces it returns pairs of characters, without those of LINKS.
    """
    return _read(text)[0]


@lru_cache(50_000)
def base_words(text: str, language: str | None = None) -> frozenset[str]:
    """Returns the content words of a text in their dictionary forms, in lower case.

    Without a `language`, the words of the text decide; where too few do, it is English.
    """
    words, own, firm = _read(text, language)
    language = language or (own if firm else "en")
    return frozenset(base_form(without_possessive(word), language).casefold() for word in words)


@lru_cache(50_000)
def quality(text: str) -> int:
    """Rates how well a sentence reads without its context, from about -4 to 2."""
    lower = f"{text.lower()} "
    n = max(len(WORD.findall(text)), len(text.encode()) // 30)
    found = 2 if n in IDEAL else 0
    found -= 2 if n < 5 else 0
    found -= 1 if text.endswith("?") else 0
    found -= 1 if text[0].islower() else 0
    found -= 1 if lower.split(maxsplit=1)[0].rstrip(",") in OPENINGS else 0
    return found - min(2, sum(lower.count(filler) for filler in FILLERS))


def centrality(texts: Sequence[str]) -> dict[str, float]:
    """Rates how much each text shares with the others, from 0 to 1.

    It is the mean count of the text's words, divided by the largest count of a word.
    """
    counts = Counter(word for text in texts for word in content_words(text))
    most = max(counts.values(), default=1)
    return {
        text: sum(counts[word] for word in content_words(text))
        / (most * max(IDEAL.start, len(content_words(text))))
        for text in texts
    }


def choose(scores: Mapping[str, float], most: int, used: Iterable[str] = ()) -> list[str]:
    """Selects at most `most` of the best texts that are not similar to each other or to `used`."""
    return list(islice(best_first(scores, used), max(0, most)))


def best_first(scores: Mapping[str, float], used: Iterable[str] = ()) -> Iterator[str]:
    """Yields the texts that are not similar to better ones or to `used`, the best first.

    Each takes the longer, the more were yielded before.
    """
    taken = list(used)
    for text in sorted(scores, key=lambda text: (-scores[text], text)):
        if not any(alike(text, other) for other in taken):
            taken.append(text)
            yield text


def repeats(one: str, other: str) -> bool:
    """Returns whether two texts have a sentence in common."""
    return one in other or other in one or bool(_sentences(one) & _sentences(other))


def alike(one: str, other: str) -> bool:
    """Returns whether two texts say about the same: one has most words of the other."""
    a, b = content_words(one), content_words(other)
    return repeats(one, other) or len(a & b) > LIKE * max(1, min(len(a), len(b)))


@lru_cache(50_000)
def _sentences(text: str) -> frozenset[str]:
    return frozenset(sentence.text for sentence in read_passage(text).sentences)


GLOBAL: Final = re.compile(
    r"\b(themes?|topics?|overall|overview|summar\w+|trends?|main|across|in general|"
    r"most (?:common|important|discussed)|patterns?|corpus|collection|dataset)\b",
    re.IGNORECASE,
)


@lru_cache(100)
def names_in(question: str) -> tuple[str, ...]:
    """Returns the names in a question: rows of words that begin with a capital.

    In German none are found, because all nouns have a capital there.

    >>> names_in("Did Fei-Fei Li meet Andrew Ng's students in Boston?")
    ('Fei-Fei Li', 'Andrew Ng', 'Boston')
    """
    words = [without_possessive(found[0]) for found in WORD.finditer(question)]
    language = language_of(question, words)
    if language == "de":
        return ()
    rows: list[list[str]] = [[]]
    for number, word in enumerate(words):
        capital = word[:1].isupper() and word != "I" and word.lower() not in ABOUT
        # The stop words come first: for the others a lexicon must be read.
        opening = number == 0 and (is_stop_word(word.lower(), language) or is_ordinary(word))
        if capital and not opening:
            rows[-1].append(word)
        else:
            rows.append([])
    return tuple(" ".join(row) for row in rows if row)


def names_written(question: str) -> tuple[str, ...]:
    """Returns the names in a question without what a capital doesn't make a name.

    These are stop words, months and days, and all words of a title or of capitals.

    >>> names_written("Did Napoleon write in May?"), names_written("The Life Of Napoleon")
    (('Napoleon',), ())
    """
    if not any(found[0].islower() for found in islice(WORD.finditer(question), 1, None)):
        return ()
    language = language_read(question)
    return tuple(
        name
        for name in names_in(question)
        if name.lower() not in TIMES and not is_stop_word(name.lower(), language)
    )


def subject_words(question: str) -> frozenset[str]:
    """Returns the base words of what a question is about: without "say", "theme" and the like."""
    return base_words(question, language_read(question)) - ABOUT


def is_global(question: str) -> bool:
    """Returns whether a question has a word such as "themes" or "overall", and names nothing.

    >>> is_global("What are the main themes?"), is_global("What are the main themes of Dune?")
    (True, False)
    >>> is_global("Was sind die Hauptthemen?"), is_global("Was sind die Hauptthemen der Sitzung?")
    (True, False)
    """
    english = GLOBAL.search(question) is not None and not names_in(question)
    return english or is_on_whole(question)


@lru_cache(100)
def is_on_whole(question: str) -> bool:
    """Returns whether a question asks about all documents in a language other than English.

    All its words are words such as "theme", with at least one, or stop words, of one language. The
    language needn't be known, which is a guess for a few words; base forms are those of the guess.
    """
    return any(_is_on_whole(question.lower(), language) for language in WHOLE)


def _is_on_whole(question: str, language: str) -> bool:
    telling, beside = WHOLE[language]
    words = [part for found in WORD.finditer(question) for part in found[0].split("-")]
    guessed = language_of(question, words) == language  # to load all dictionaries takes a minute
    if language in CJK:
        known = sorted([*telling, *beside], key=len, reverse=True)
        words = re.findall("|".join(known) + r"|\w", question)

    def is_in(word: str, listed: Sequence[str]) -> bool:
        base = base_form(word, language) if guessed else word
        return not {word, base}.isdisjoint(listed) or any(
            one[-1] == "*" and word.startswith(one[:-1]) for one in listed
        )

    others = [word for word in words if not is_in(word, telling)]
    return len(others) < len(words) and all(
        is_in(word, beside) or is_stop_word(word, language) for word in others
    )
