"""What a chunk states, quoted: each thing that it names and each pair with the sentence that says
most about it."""

from collections.abc import Iterable, Sequence

import regex

from graphrag_neo4j.model import EntityRecord, Extraction, RelationshipRecord
from graphrag_neo4j.nlp.entity_recognition import Reading, Thing, read
from graphrag_neo4j.nlp.entity_types import CONCEPT
from graphrag_neo4j.nlp.sentence_ranking import quality
from graphrag_neo4j.nlp.sentences import Sentence

__all__ = ["extract"]

DEFINES = regex.compile(
    r"\s*(?:\([^()]*\)\s*)?(?:(?:is|was|are|were|ist|sind|war|est|es|è|é)\s+(?:an?|the|one|our|"
    r"ein|eine|der|die|das|un|une|le|la|el|il|uno?)\b|,\s*(?:an?|the|who|which|whose|eine?[rn]?|der|"
    r"die)\b|是|は)"
)
TWO_SENTENCES = 3  # what one sentence is better than two by
DEFINING = 2


def extract(text: str) -> Extraction:
    """The things of a chunk and its pairs, in the order of their keys; without key phrases that
    come once, and with nothing else.

    Who comes first in the sentence is a pair's source; its strength is the number of sentences.
    """
    found = read(text)
    keys, pairs = found.things, found.pairs()
    joined = {key for pair in pairs for key in pair}
    entities = [
        EntityRecord(thing.name, thing.kind, _description(found, thing))
        for key, thing in keys.items()
        if key in joined or thing.kind != CONCEPT or len(thing.places) > 1
    ]
    relationships = []
    for (a, b), places in pairs.items():
        first, last = _best_place(found, keys[a], keys[b], places)
        source, target = _in_order(keys[a], keys[b], range(first, last + 1))
        description = _quoted(found, first, last)
        relationships.append(
            RelationshipRecord(source.name, target.name, description, float(len(places)))
        )
    return Extraction(entities, relationships)


def _description(found: Reading, thing: Thing) -> str:
    """The sentence that says most about a thing; the first of those that say as much."""
    sentences = found.passage.sentences
    best = max(thing.places, key=lambda place: (_told(sentences, place), -place[0]))
    return _quoted(found, best[0], best[0])


def _told(sentences: Sequence[Sentence], place: tuple[int, int, int]) -> int:
    number, _, end = place
    sentence = sentences[number]
    defined = DEFINES.match(sentence.text, end - sentence.start) is not None
    return quality(sentence.text) + DEFINING * defined


def _best_place(
    found: Reading, one: Thing, other: Thing, places: Iterable[tuple[int, int]]
) -> tuple[int, int]:
    """Where a pair is best spoken of: a sentence that defines one by the other, or reads well."""
    sentences = found.passage.sentences
    here = {place[0]: place for thing in (one, other) for place in thing.places}

    def worth(place: tuple[int, int]) -> tuple[int, int]:
        first, last = place
        told = max(_told(sentences, here[n]) for n in (first, last) if n in here)
        return told - TWO_SENTENCES * (first != last), -first

    return max(places, key=worth)


def _in_order(one: Thing, other: Thing, numbers: range) -> tuple[Thing, Thing]:
    """The two as their sentences name them."""
    first, second = (
        min(start for number, start, _ in thing.places if number in numbers)
        for thing in (one, other)
    )
    return (one, other) if first <= second else (other, one)


def _quoted(found: Reading, first: int, last: int) -> str:
    """The text of sentences [first, last], white space folded."""
    sentences = found.passage.sentences
    text = found.passage.text[sentences[first].start : sentences[last].end]
    return " ".join(text.split())
