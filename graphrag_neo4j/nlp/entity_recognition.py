"""Recognises the entities in a chunk, their places, and the pairs that are named together."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphrag_neo4j.nlp.abbreviations import long_forms
from graphrag_neo4j.nlp.capitalization import seen_inside
from graphrag_neo4j.nlp.cjk import CJK, spans_in
from graphrag_neo4j.nlp.entity_types import CONCEPT
from graphrag_neo4j.nlp.formulas import noise_in
from graphrag_neo4j.nlp.key_phrases import phrases_in
from graphrag_neo4j.nlp.languages import language_of
from graphrag_neo4j.nlp.names import NameSpan, names_in
from graphrag_neo4j.nlp.sentences import Passage, Sentence, read_passage
from graphrag_neo4j.text import name_key

__all__ = ["Reading", "Thing", "read"]

NEAR = 240  # characters between two entities that form a pair, at most
LONGEST = 60  # characters of a name


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity in a chunk, with its name, its type (`kind`; "" if uncertain) and its places.

    A place is the number of a sentence and the characters [start, end) of the chunk.
    """

    name: str
    kind: str
    places: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a chunk. `things` holds the entities by the keys of their names."""

    passage: Passage
    language: str
    things: dict[str, Thing]

    def pairs(self) -> dict[tuple[str, str], list[tuple[int, int]]]:
        """Returns the pairs of entities that are named together, with their sentences.

        The smaller key comes first in a pair. Sentences are given as (first, last) numbers. They
        are the same, unless an entity shares no sentence with another one; then a pair may span two
        sentences.
        """
        places = self._by_sentence()
        found: defaultdict[tuple[str, str], dict[tuple[int, int], None]] = defaultdict(dict)
        for number in sorted(places):
            for pair in _near(places[number], places[number]):
                found[pair][number, number] = None
        joined = {key for pair in found for key in pair}
        for number in sorted(places):
            if self._goes_on(number):
                alone = [place for place in places[number] if place[0] not in joined]
                alone += [place for place in places.get(number + 1, ()) if place[0] not in joined]
                both = [*places[number], *places.get(number + 1, ())]
                for pair in _near(alone, both):
                    found[pair][number, number + 1] = None
        return {pair: list(found[pair]) for pair in sorted(found)}

    def _by_sentence(self) -> dict[int, list[tuple[str, int, int]]]:
        places: defaultdict[int, list[tuple[str, int, int]]] = defaultdict(list)
        for key, thing in self.things.items():
            for number, start, end in thing.places:
                places[number].append((key, start, end))
        return places

    def _goes_on(self, number: int) -> bool:
        """Tells whether the next sentence has the same speaker and is in the same paragraph."""
        pair = self.passage.sentences[number : number + 2]
        if len(pair) < 2 or pair[0].speaker != pair[1].speaker:
            return False
        return not self.passage.text[pair[0].end : pair[1].start].strip(" ")


def _near(
    these: Iterable[tuple[str, int, int]], others: Iterable[tuple[str, int, int]]
) -> Iterator[tuple[str, str]]:
    """Yields the pairs of different entities, one of each list, that are at most NEAR apart."""
    for a, start, end in these:
        for b, first, last in others:
            apart = first >= end or last <= start
            if a != b and apart and max(first - end, start - last) <= NEAR:
                yield min(a, b), max(a, b)


@lru_cache(64)
def read(text: str) -> Reading:
    """Recognises the entities in the text of a chunk. Greetings, credits and licences name none."""
    passage = read_passage(text)
    language = language_of(text, (word.text for word in passage.words))
    spans = spans_in(passage, language) if language in CJK else _with_spaces(passage, language)
    noise = [passage.sentences[number] for number in sorted(noise_in(passage))]
    content = [s for s in spans if not any(one.start <= s.start < one.end for one in noise)]
    return Reading(passage, language, _things(passage, content))


def _with_spaces(passage: Passage, language: str) -> list[NameSpan]:
    """Finds names, with long forms for short ones, and key phrases that do not overlap a name."""
    inside = seen_inside(passage)
    names = [s for sentence in passage.sentences for s in names_in(sentence, language, inside)]
    kinds = {name: _vote(found) for name, found in _by_name(names).items()}
    joined = long_forms(kinds, passage.speakers)
    spans = []
    for span in names:
        name, kind = joined.get(span.name, (span.name, kinds[span.name]))
        spans.append(span._replace(name=name, kind=kind))
    taken = {i for span in names for i in range(span.start, span.end)}
    phrases = phrases_in(passage, language)
    return [*spans, *(s for s in phrases if not _crosses(s, taken, passage.text))]


def _crosses(span: NameSpan, taken: set[int], text: str) -> bool:
    """Tells whether a phrase overlaps a name. An acronym is allowed, as in "AI ethics"."""
    held = [i for i in range(span.start, span.end) if i in taken]
    if not held:
        return False
    whole = len(held) == span.end - span.start
    return whole or not text[held[0] : held[-1] + 1].isupper()


def _by_name(spans: Iterable[NameSpan]) -> dict[str, list[NameSpan]]:
    found: defaultdict[str, list[NameSpan]] = defaultdict(list)
    for span in spans:
        found[span.name].append(span)
    return found


def _vote(spans: Iterable[NameSpan]) -> str:
    """Returns the most frequent entity type, or "" if none is certain."""
    votes = Counter(span.kind for span in spans if span.kind)
    return min(votes, key=lambda kind: (-votes[kind], kind), default="")


def _things(passage: Passage, spans: Iterable[NameSpan]) -> dict[str, Thing]:
    """Returns entities in the order of their keys. The most frequent spelling is the name."""
    found: defaultdict[str, list[NameSpan]] = defaultdict(list)
    for span in spans:
        if len(span.name) <= LONGEST and any(c.isalpha() for c in span.name):
            found[name_key(span.name)].append(span)
    things = {}
    for key in sorted(found):
        spellings = Counter(span.name for span in found[key])
        name = min(spellings, key=lambda spelling: (-spellings[spelling], spelling))
        kinds = [span for span in found[key] if span.kind != CONCEPT]
        kind = _vote(kinds) if kinds else CONCEPT
        things[key] = Thing(name, kind, _places(passage.sentences, found[key]))
    return things


def _places(
    sentences: Sequence[Sentence], spans: Iterable[NameSpan]
) -> tuple[tuple[int, int, int], ...]:
    """Returns the places of spans, each with the number of its sentence."""
    starts = [sentence.start for sentence in sentences]
    return tuple(sorted({(bisect_right(starts, s.start) - 1, s.start, s.end) for s in spans}))
