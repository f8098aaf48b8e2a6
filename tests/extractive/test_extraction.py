"""What a chunk states is quoted from it, the same on every machine."""

import pytest

from graphrag_neo4j.extractive.extraction import extract
from graphrag_neo4j.nlp.sentences import read_passage
from graphrag_neo4j.text import find_quote
from tests.nlp.test_entity_recognition import CHINESE, ENGLISH, FRENCH, GERMAN

WRAPPED = "Shopify is a company\nthat sells software. And, you know, like, Shopify, um, Reddit?"


@pytest.mark.parametrize("text", [ENGLISH, GERMAN, CHINESE, FRENCH, WRAPPED])
def test_every_description_stands_in_the_chunk(text: str) -> None:
    found = extract(text)
    said = [one.description for one in found.entities]
    said += [one.description for one in found.relationships]
    assert said
    assert all(find_quote(description, text) for description in said)


def test_a_thing_is_described_by_the_sentence_that_defines_it() -> None:
    text = "We talked to Helion. Helion is a company that builds fusion reactors. I like Helion."
    [helion] = [one for one in extract(text).entities if one.name == "Helion"]
    assert helion.description == "Helion is a company that builds fusion reactors."


def test_a_pair_is_described_by_its_best_sentence_and_counts_them_all() -> None:
    text = "So, like, Reddit, Shopify? Reddit bought its first shop from Shopify. Shopify, Reddit!"
    [pair] = extract(text).relationships
    assert (pair.source, pair.target) == ("Reddit", "Shopify")
    assert pair.description == "Reddit bought its first shop from Shopify."
    assert pair.strength == 3


def test_a_key_phrase_that_comes_once_and_alone_is_not_stated() -> None:
    assert extract("Then it was time for neuroscience.").entities == []
    assert [one.name for one in extract("Then it was time for Shopify.").entities] == ["Shopify"]


def test_evidence_is_of_the_chunk_alone() -> None:
    before = extract(ENGLISH)
    extract(GERMAN)
    read_passage(CHINESE)
    assert extract(ENGLISH) == before
