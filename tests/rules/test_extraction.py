"""What a chunk states and claims is quoted from it; nothing is claimed where no rule is certain."""

import pytest

from graphrag_neo4j.rules.extraction import dated_claims, extract_by_rules
from graphrag_neo4j.text.strings import find_quote
from tests.rules.test_recognition import CHINESE, ENGLISH, FRENCH, GERMAN

WRAPPED = "Shopify is a company\nthat sells software. And, you know, like, Shopify, um, Reddit?"


@pytest.mark.parametrize("text", [ENGLISH, GERMAN, CHINESE, FRENCH, WRAPPED])
def test_every_description_stands_in_the_chunk(text: str) -> None:
    found = extract_by_rules(text)
    said = [one.description for one in found.entities]
    said += [one.description for one in found.relationships]
    assert said
    assert all(find_quote(description, text) for description in said)


def test_a_thing_is_described_by_the_sentence_that_defines_it_a_pair_by_its_best() -> None:
    text = "We talked to Helion. Helion is a company that builds fusion reactors. I like Helion."
    [helion] = [one for one in extract_by_rules(text).entities if one.name == "Helion"]
    assert helion.description == "Helion is a company that builds fusion reactors."
    text = "So, like, Reddit, Shopify? Reddit bought its first shop from Shopify. Shopify, Reddit!"
    [pair] = extract_by_rules(text).relationships
    assert (pair.source, pair.target) == ("Reddit", "Shopify")
    assert pair.description == "Reddit bought its first shop from Shopify."
    assert pair.strength == 3


def test_a_key_phrase_that_comes_once_and_alone_is_not_stated() -> None:
    assert extract_by_rules("Then it was time for neuroscience.").entities == []
    assert [one.name for one in extract_by_rules("Then it was time for Shopify.").entities] == [
        "Shopify"
    ]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (
            "In the news: Microsoft acquired LinkedIn for $26 billion in June 2016.",
            ("Microsoft", "LinkedIn", "ACQUISITION", "2016-06"),
        ),
        ("Helion, a fusion company, raised $500 million.", ("Helion", None, "FUNDING", None)),
        ("Stanford was founded on October 1, 1891.", ("Stanford", None, "FOUNDING", "1891-10-01")),
        ("Apple Inc. bought Reddit in 2014.", ("Apple", "Reddit", "ACQUISITION", "2014")),
        (
            "KEVIN SCOTT: Hi.\nLISA SU: So I joined AMD in 2012.\nKEVIN SCOTT: I see.",
            ("Lisa Su", "AMD", "EMPLOYMENT", "2012"),
        ),
    ],
)
def test_who_did_what_with_a_date_or_an_amount_is_claimed(
    text: str, claim: tuple[str, str | None, str, str | None]
) -> None:
    [found] = dated_claims(text)
    assert (found.subject, found.object, found.type, found.start_date) == claim
    assert found.status is None  # it is quoted and not judged
    assert found.description in text
    assert found.source_text in text


@pytest.mark.parametrize(
    "text",
    [
        "Microsoft acquired LinkedIn.",
        "Did Microsoft acquire LinkedIn in 2016?",
        "Microsoft might have acquired LinkedIn in 2016.",
        "If Microsoft acquired LinkedIn in 2016, then so be it.",
        "He acquired LinkedIn in 2016.",
        "Microsoft acquired LinkedIn in 2016 and left in 2018.",
        "Die Firma Microsoft kaufte LinkedIn im Jahr 2016.",
    ],
)
def test_where_no_rule_is_certain_nothing_is_claimed(text: str) -> None:
    assert dated_claims(text) == []


def test_words_for_no_name_make_no_entity() -> None:
    text = "UNKNOWN and NULL and N/A work with IBM. Undefined bought None for IBM in 2001."
    extraction = extract_by_rules(text)
    assert [one.name for one in extraction.entities] == ["IBM"]
    assert extraction.relationships == []
    assert dated_claims(text) == []
