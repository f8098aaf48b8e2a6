"""Extracts entities and relationships from a chunk. Their descriptions are quoted sentences."""

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
TWO_SENTENCES = 3  # points that a quotation of two sentences loses against one sentence
DEFINING = 2  # points for a sentence that defines its subject ("Oslo is the …")


def extract(text: str) -> Extraction:
    """Returns the entities and relationships of a chunk in the order of their keys.

    A key phrase that occurs only once and has no relationship is left out. The source of a
    relationship is the entity that comes first in the sentence. Its strength is the number of
    sentences that name both entities.
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
    """Returns the first of the sentences that describe an entity best."""
    sentences = found.passage.sentences
    best = max(thing.places, key=lambda place: (_worth(sentences, place), -place[0]))
    return _quoted(found, best[0], best[0])


def _worth(sentences: Sequence[Sentence], place: tuple[int, int, int]) -> int:
    """Rates in points how well the sentence at a place describes the entity there."""
    number, _, end = place
    sentence = sentences[number]
    defined = DEFINES.match(sentence.text, end - sentence.start) is not None
    return quality(sentence.text) + DEFINING * defined


def _best_place(
    found: Reading, one: Thing, other: Thing, places: Iterable[tuple[int, int]]
) -> tuple[int, int]:
    """Returns the sentences that describe a pair best: they define one of them or read well."""
    sentences = found.passage.sentences
    here = {place[0]: place for thing in (one, other) for place in thing.places}

    def worth(place: tuple[int, int]) -> tuple[int, int]:
        first, last = place
        best = max(_worth(sentences, here[n]) for n in (first, last) if n in here)
        return best - TWO_SENTENCES * (first != last), -first

    return max(places, key=worth)


def _in_order(one: Thing, other: Thing, numbers: range) -> tuple[Thing, Thing]:
    """Returns the two entities in the order in which the sentences name them."""
    first, second = (
        min(start for number, start, _ in thing.places if number in numbers)
        for thing in (one, other)
    )
    return (one, other) if first <= second else (other, one)


def _quoted(found: Reading, first: int, last: int) -> str:
    """Returns the text of the sentences `first` to `last`, with white space folded."""
    sentences = found.passage.sentences
    text = found.passage.text[sentences[first].start : sentences[last].end]
    return " ".join(text.split())
