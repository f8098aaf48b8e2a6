"""Where a source says what an answer says: the chunks that are nearest, and a sentence of each."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphrag_neo4j.answers import Source
from graphrag_neo4j.offline.choosing import content_words
from graphrag_neo4j.offline.passages import read_passage
from graphrag_neo4j.text import find_quote

__all__ = ["nearest_sources"]


def nearest_sources(sources: Iterable[Source], said: Sequence[str], most: int) -> list[Source]:
    """The sources that share most words with what is said, each with the sentence that does.

    Where one holds it word for word, only those that do.
    """
    sources = list(sources)
    quoted = [replace(one, quote=place) for one in sources if (place := _verbatim(one, said))]
    if quoted:  # once, where chunks overlap
        return list({(one.document, one.quote): one for one in quoted}.values())[:most]
    words = _words(said)
    near = sorted(sources, key=lambda one: -len(words & content_words(one.text)))
    return [replace(one, quote=_sentence(one, words)) for one in near[:most]]


def _verbatim(source: Source, said: Sequence[str]) -> tuple[int, int] | None:
    """Where the first of these texts stands in a source: characters of its document."""
    places = (find_quote(text, source.text) for text in said)
    found = next((place for place in places if place), None)
    return (source.start + found[0], source.start + found[1]) if found else None


def _sentence(source: Source, words: frozenset[str]) -> tuple[int, int]:
    """The place of the sentence with most of these words, the first of those that have as many."""
    sentences = read_passage(source.text).sentences
    if not sentences:
        return source.start, source.end
    best = max(sentences, key=lambda one: len(words & content_words(one.text)))
    return source.start + best.start, source.start + best.end


def _words(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in content_words(text))
