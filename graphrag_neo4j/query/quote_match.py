"""Where a source says what an answer says: the chunks that are nearest, and a sentence of each.

A sentence is quoted only where it shares enough with what is said. Else the source is given as a
place without a quotation: a sentence that merely names the same thing would prove nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphrag_neo4j.nlp.sentence_ranking import content_words
from graphrag_neo4j.nlp.sentences import Sentence, read_passage
from graphrag_neo4j.query.answer import Source
from graphrag_neo4j.text import find_quote

__all__ = ["nearest_sources"]

Words = frozenset[str]
ENOUGH = 3  # words that a sentence shares with what is said, or all of them where it has fewer
SHARE = 0.4  # of the words of the shorter one of both


def nearest_sources(
    sources: Iterable[Source], said: Sequence[str], most: int, name: str = ""
) -> list[Source]:
    """The sources that share most words with what is said, each with the sentence that does.

    Where one holds it word for word, only those that do, at first one for each statement that is
    `said`; these may be more than `most`. A source without a sentence that says it
    keeps the `quote` that it has. `name`: what the citation is about; to share nothing but words
    of its name is not enough.
    """
    sources = list(sources)
    if quoted := _verbatim(sources, said):
        return quoted[: max(most, len(said))]
    statements, named = [_words(text) for text in said], _words(name)
    words = frozenset[str]().union(*statements)
    found = [_supporting(one, statements, named) for one in sources]
    near = sorted(
        zip(sources, found, strict=True),
        key=lambda one: (-one[1][0], -len(words & _words(one[0].text))),
    )
    return [replace(one, quote=place or one.quote) for one, (_, place) in near[:most]]


def _verbatim(sources: Sequence[Source], said: Sequence[str]) -> list[Source]:
    """The sources that hold one of these texts, each place once, also where chunks overlap."""
    first, others = [], []
    for text in dict.fromkeys(said):
        places = ((one, find_quote(text, one.text)) for one in sources)
        held = [_placed(one, *place) for one, place in places if place]
        first += held[:1]
        others += held[1:]
    found: dict[tuple[str, tuple[int, int]], Source] = {}
    for one in (*first, *others):
        found.setdefault((one.document, one.place), one)
    return list(found.values())


def _placed(source: Source, start: int, end: int) -> Source:
    """A source with its characters [start, end) as quote."""
    return replace(source, quote=(source.start + start, source.start + end))


def _supporting(
    source: Source, statements: Sequence[Words], named: Words
) -> tuple[int, tuple[int, int] | None]:
    """How many words the best sentence of a source shares with a statement, and its place: the
    first of those that share as many; (0, None) where none shares enough."""
    best, place = 0, None
    for sentence in read_passage(source.text).sentences:
        shared = max((_shared(sentence, words, named) for words in statements), default=0)
        if shared > best:
            best, place = shared, _placed(source, sentence.start, sentence.end).quote
    return best, place


def _shared(sentence: Sentence, statement: Words, named: Words) -> int:
    """The number of words that a sentence shares with a statement; 0 where that is too few."""
    if sentence.text.isupper():  # a heading
        return 0
    own = _words(sentence.text)
    shared = own & statement
    needed = max(min(ENOUGH, len(statement)), SHARE * min(len(own), len(statement)))
    about_name_alone = shared <= named and not statement <= named
    return 0 if about_name_alone or len(shared) < needed else len(shared)


def _words(text: str) -> Words:
    return frozenset(word.removesuffix("'s").removesuffix("’s") for word in content_words(text))
