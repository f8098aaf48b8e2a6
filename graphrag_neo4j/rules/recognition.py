"""Recognises the entities in a chunk, their places, and the pairs that are named together."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from graphrag_neo4j.rules.names import GERMAN, is_given_name, names_in_sentence, seen_inside
from graphrag_neo4j.rules.phrases import (
    CJK,
    CONCEPT,
    PERSON,
    NameSpan,
    cjk_spans,
    is_ordinary,
    phrases_in,
)
from graphrag_neo4j.text.languages import language_of
from graphrag_neo4j.text.sentences import SentencedText, read_passage, written
from graphrag_neo4j.text.strings import is_name, name_key

NEAR_CHARACTERS = 240  # characters between two entities that form a pair, at most
LONGEST_THING = 60  # characters of a name
SMALL = frozenset(
    ["of", "the", "for", "and", "de", "la", "del", "von", "van", "der", "di", "da", "du"]
)


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity in a chunk, with its name, its type (`kind`; "" if uncertain) and its places.

    A place is the number of a sentence and the characters [start, end) of the chunk.
    """

    name: str
    kind: str
    places: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """The result of reading a chunk. `things` holds the entities by the keys of their names."""

    passage: SentencedText
    language: str
    things: dict[str, Thing]

    def pairs(self) -> dict[tuple[str, str], list[tuple[int, int]]]:
        """Returns the pairs of entities that are named together, with their sentences.

        The smaller key comes first in a pair. Sentences are given as (first, last) numbers. They
        are the same, unless an entity shares no sentence with another one; then a pair may span two
        sentences.
        """
        places: defaultdict[int, list[tuple[str, int, int]]] = defaultdict(list)
        for key, thing in self.things.items():
            for number, start, end in thing.places:
                places[number].append((key, start, end))
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

    def _goes_on(self, number: int) -> bool:
        """Returns whether the next sentence has the same speaker and is in the same paragraph."""
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
            if a != b and apart and max(first - end, start - last) <= NEAR_CHARACTERS:
                yield min(a, b), max(a, b)


@lru_cache(64)
def recognise(text: str, speaker: str | None = None) -> RecognisedText:
    """Recognises the entities in the text of a chunk; `speaker` speaks before its first tag."""
    passage = read_passage(text, speaker)
    language = language_of(text, (word.text for word in passage.words))
    spans = cjk_spans(passage, language) if language in CJK else _spans(passage, language)
    return RecognisedText(passage, language, _things(passage, spans))


def _spans(passage: SentencedText, language: str) -> list[NameSpan]:
    """Finds names, with long forms for short ones, and key phrases that do not overlap a name."""
    inside = seen_inside(passage)
    names = [
        s for sentence in passage.sentences for s in names_in_sentence(sentence, language, inside)
    ]
    small = {word.text for word in passage.words}  # "Dev" is nobody where "dev" stands, too
    names = [
        s._replace(kind="") if s.kind == PERSON and s.name.lower() in small else s for s in names
    ]
    if language == GERMAN:  # "Möhrings" is a genitive where the chunk also has "Möhring"
        known = {span.name for span in names}
        nominative = {name: name[:-1] for name in known if name[-1] == "s" and name[:-1] in known}
        names = [s._replace(name=nominative.get(s.name, s.name)) for s in names]
    types: defaultdict[str, list[str]] = defaultdict(list)
    for span in names:
        types[span.name].append(span.kind)
    voted = {name: _vote(found) for name, found in types.items()}
    long = _long_forms(voted, {written(speaker) for speaker in passage.speakers})
    spans = []
    for span in names:
        name, type_ = long.get(span.name, (span.name, voted[span.name]))
        spans.append(span._replace(name=name, kind=type_))
    taken = {i for span in names for i in range(span.start, span.end)}
    phrases = phrases_in(passage, language)
    return [*spans, *(s for s in phrases if not _crosses(s, taken, passage.text))]


def _long_forms(types: Mapping[str, str], speakers: set[str]) -> dict[str, tuple[str, str]]:
    """Maps short names to the long names of the same chunk, each with its type.

    Powell is Jerome Powell, and MIT is the Massachusetts Institute of Technology. A short name that
    fits two long names stays as it is. `types` gives the type of each name, "" if it is uncertain;
    the names of speakers also count as long names.
    """
    spoken = {name.casefold() for name in speakers}
    long = {name: type_ for name, type_ in types.items() if " " in name}
    known = {name.casefold() for name in long}
    long |= {name: PERSON for name in speakers if " " in name and name.casefold() not in known}
    long |= {name: PERSON for name in long if name.casefold() in spoken}
    found = {}
    for name in types:
        fitting = [full for full, type_ in long.items() if _is_short(name, full, type_)]
        if len(fitting) == 1:
            found[name] = (fitting[0], long[fitting[0]])
    return found | {name: (name, PERSON) for name in types if name.casefold() in spoken}


def _is_short(name: str, full: str, type_: str) -> bool:
    words = full.split()
    if len(set(words)) == 1:  # "people called Scrooge Scrooge"
        return False
    if " " in name:
        parts = name.split()
        outer = parts[0] == words[0] and parts[-1] == words[-1]
        return type_ == PERSON and len(parts) == 2 and len(words) > 2 and outer
    surname = name == words[-1] and is_given_name(words[0])  # "James DALY", as in minutes
    if name.isupper() and 2 < len(name) <= 6 and not surname:
        initials = "".join(w[0] for w in full.replace("-", " ").split() if w.lower() not in SMALL)
        return len(initials) > 2 and initials.upper() == name
    if type_ == PERSON:
        return name in (words[0], words[-1])
    uncertain = type_ == "" and len(words) <= 3 and not any(map(is_ordinary, words))
    first = name == words[0] and is_given_name(name)
    return uncertain and (name == words[-1] or first) and not full.isupper()


def _crosses(span: NameSpan, taken: set[int], text: str) -> bool:
    """Returns whether a phrase overlaps a name. An acronym is allowed, as in "AI ethics"."""
    held = [i for i in range(span.start, span.end) if i in taken]
    if not held:
        return False
    return len(held) == span.end - span.start or not text[held[0] : held[-1] + 1].isupper()


def _vote(types: Iterable[str]) -> str:
    """Returns the most frequent entity type, or "" if none is certain."""
    votes = Counter(type_ for type_ in types if type_)
    return min(votes, key=lambda type_: (-votes[type_], type_), default="")


def _things(passage: SentencedText, spans: Iterable[NameSpan]) -> dict[str, Thing]:
    """Returns entities in the order of their keys. The most frequent spelling is the name."""
    starts = [sentence.start for sentence in passage.sentences]
    found: defaultdict[str, list[NameSpan]] = defaultdict(list)
    for span in spans:
        if len(span.name) <= LONGEST_THING and any(map(str.isalpha, span.name)):
            found[name_key(span.name)].append(span)
    things = {}
    for key in sorted(filter(is_name, found)):
        spellings = Counter(span.name for span in found[key])
        name = min(spellings, key=lambda spelling: (-spellings[spelling], spelling))
        types = [span.kind for span in found[key] if span.kind != CONCEPT]
        places = {(bisect_right(starts, s.start) - 1, s.start, s.end) for s in found[key]}
        type_ = _vote(types) if types else CONCEPT
        things[key] = Thing(name, type_, tuple(sorted(places)))
    return things
