"""What a chunk holds: the things that it names, where, and which of them it speaks of together."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphrag_neo4j.nlp.abbreviations import long_forms
from graphrag_neo4j.nlp.capitalization import seen_inside
from graphrag_neo4j.nlp.cjk import UNSPACED, spans_in
from graphrag_neo4j.nlp.entity_types import CONCEPT
from graphrag_neo4j.nlp.key_phrases import phrases_in
from graphrag_neo4j.nlp.languages import language_of
from graphrag_neo4j.nlp.names import NameSpan, names_in
from graphrag_neo4j.nlp.sentences import Passage, Sentence, read_passage
from graphrag_neo4j.nlp.word_lists import VARIANTS
from graphrag_neo4j.text import name_key

__all__ = ["Reading", "Thing", "read"]

NEAR = 240  # characters between two things that a sentence speaks of together
LONGEST = 60  # characters of a name


@dataclass(frozen=True, slots=True)
class Thing:
    """What a chunk names: how, what kind of thing it is ("": uncertain), and its places.

    A place is the number of a sentence and characters [start, end) of the chunk.
    """

    name: str
    kind: str
    places: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A chunk as it was read; things by the key of their names."""

    passage: Passage
    language: str
    things: dict[str, Thing]

    def pairs(self) -> dict[tuple[str, str], list[tuple[int, int]]]:
        """The pairs of things that are spoken of together, smaller key first, with the sentences
        [first, last] where they are: one; or two, for a thing that shares none with another."""
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
        """Whether the next sentence belongs to the same turn and paragraph."""
        pair = self.passage.sentences[number : number + 2]
        if len(pair) < 2 or pair[0].speaker != pair[1].speaker:
            return False
        return not self.passage.text[pair[0].end : pair[1].start].strip(" ")


def _near(
    these: Iterable[tuple[str, int, int]], others: Iterable[tuple[str, int, int]]
) -> Iterator[tuple[str, str]]:
    """The pairs of two different things side by side, one of these and one of the others."""
    for a, start, end in these:
        for b, first, last in others:
            apart = first >= end or last <= start
            if a != b and apart and max(first - end, start - last) <= NEAR:
                yield min(a, b), max(a, b)


@lru_cache(64)
def read(text: str) -> Reading:
    """Reads a chunk."""
    passage = read_passage(text)
    language = language_of(text, (word.text for word in passage.words))
    spans = spans_in(passage, language) if language in UNSPACED else _spaced(passage, language)
    return Reading(passage, language, _things(passage, spans))


def _spaced(passage: Passage, language: str) -> list[NameSpan]:
    """Names, and the key phrases that do not lie across one; short forms joined."""
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
    """Whether a phrase holds a part of a name other than an acronym: "AI ethics" stands."""
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
    """The kind that most of these say; a certain one before none."""
    votes = Counter(span.kind for span in spans if span.kind)
    return min(votes, key=lambda kind: (-votes[kind], kind), default="")


def _things(passage: Passage, spans: Iterable[NameSpan]) -> dict[str, Thing]:
    """Things by key, in the order of their keys; the most frequent spelling is the name."""
    found: defaultdict[str, list[NameSpan]] = defaultdict(list)
    for span in spans:
        name = VARIANTS.get(span.name, span.name)
        if len(name) <= LONGEST and any(c.isalpha() for c in name):
            found[name_key(name)].append(span._replace(name=name))
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
    """Where spans are, each with the number of its sentence."""
    starts = [sentence.start for sentence in sentences]
    return tuple(sorted({(bisect_right(starts, s.start) - 1, s.start, s.end) for s in spans}))
