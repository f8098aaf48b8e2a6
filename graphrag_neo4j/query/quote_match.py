"""Finds the chunks that best support the statements of an answer, and a sentence in each of them.

A sentence is quoted only if it shares enough words with a statement. Otherwise the source is given
as a place without a quotation, because a sentence that only names the same thing proves nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphrag_neo4j.query.answer import Source
from graphrag_neo4j.text import find_quote, without_possessive
from graphrag_neo4j.text.sentence_ranking import content_words
from graphrag_neo4j.text.sentences import Sentence, read_passage

Words = frozenset[str]
# A sentence supports a statement if both share this many words (or, if the statement has fewer,
# all of its words), and this part of the words of the shorter one.
ENOUGH = 3
SHARE = 0.4


def nearest_sources(
    sources: Iterable[Source], stated: Sequence[str], most: int, name: str = ""
) -> list[Source]:
    """Returns at most `most` sources that share the most words with the statements in `stated`.

    Each source gets the sentence that supports a statement as its `quote`; a source without such a
    sentence keeps the `quote` that it has. `name` is the name of the cited element. A sentence
    that shares only words of this name with a statement does not support it.

    If sources hold statements word for word, only these sources are returned: first one for each
    statement, then the others. They may be as many as there are statements, even if these are more
    than `most`.
    """
    sources = list(sources)
    if quoted := _verbatim(sources, stated):
        return quoted[: max(most, len(stated))]
    statements, named = [_words(text) for text in stated], _words(name)
    words = frozenset[str]().union(*statements)
    found = [_supporting(one, statements, named) for one in sources]
    near = sorted(
        zip(sources, found, strict=True),
        key=lambda one: (-one[1][0], -len(words & _words(one[0].text))),
    )
    return [replace(one, quote=place or one.quote) for one, (_, place) in near[:most]]


def _verbatim(sources: Sequence[Source], stated: Sequence[str]) -> list[Source]:
    """Returns the sources that hold one of these texts. Overlapping chunks give a place once."""
    first, others = [], []
    for text in dict.fromkeys(stated):
        places = ((one, find_quote(text, one.text)) for one in sources)
        quoted = [_placed(one, *place) for one, place in places if place]
        first += quoted[:1]
        others += quoted[1:]
    found: dict[tuple[str, tuple[int, int]], Source] = {}
    for one in (*first, *others):
        found.setdefault((one.document, one.place), one)
    return list(found.values())


def _placed(source: Source, start: int, end: int) -> Source:
    """Returns a source with the characters [start, end) of its text as its quote."""
    return replace(source, quote=(source.start + start, source.start + end))


def _supporting(
    source: Source, statements: Sequence[Words], named: Words
) -> tuple[int, tuple[int, int] | None]:
    """Finds the first sentence of a source that shares the most words with a statement.

    Returns the number of these words and the place of the sentence, or (0, None) if no sentence
    shares enough words.
    """
    best, place = 0, None
    for sentence in read_passage(source.text).sentences:
        shared = max((_shared(sentence, words, named) for words in statements), default=0)
        if shared > best:
            best, place = shared, _placed(source, sentence.start, sentence.end).quote
    return best, place


def _shared(sentence: Sentence, statement: Words, named: Words) -> int:
    """Returns the number of words that a sentence shares with a statement, or 0 if too few."""
    if sentence.text.isupper():  # a heading
        return 0
    own = _words(sentence.text)
    shared = own & statement
    needed = max(min(ENOUGH, len(statement)), SHARE * min(len(own), len(statement)))
    about_name_alone = shared <= named and not statement <= named
    return 0 if about_name_alone or len(shared) < needed else len(shared)


def _words(text: str) -> Words:
    return frozenset(without_possessive(word) for word in content_words(text))
