"""Who did what, with a date or an amount; nothing where no rule is certain."""

import pytest

from graphrag_neo4j.extractive.claims import claims_of
from graphrag_neo4j.model import ClaimRecord


def claimed(text: str) -> list[tuple[str, str | None, str, str | None]]:
    return [(c.subject, c.object, c.type, c.start_date) for c in claims_of(text)]


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
    ],
)
def test_who_did_what_with_a_date_or_an_amount(
    text: str, claim: tuple[str, str | None, str, str | None]
) -> None:
    assert claimed(text) == [claim]


def test_whose_turn_it_is_says_i() -> None:
    talk = "KEVIN SCOTT: Hi.\nLISA SU: So I joined AMD in 2012.\nKEVIN SCOTT: I see."
    assert claimed(talk) == [("Lisa Su", "AMD", "EMPLOYMENT", "2012")]


@pytest.mark.parametrize(
    "text",
    [
        "Microsoft acquired LinkedIn.",
        "Did Microsoft acquire LinkedIn in 2016?",
        "Microsoft might have acquired LinkedIn in 2016.",
        "Microsoft never acquired LinkedIn in 2016.",
        "If Microsoft acquired LinkedIn in 2016, then so be it.",
        "He acquired LinkedIn in 2016.",
        "Microsoft acquired LinkedIn in 2016 and left in 2018.",
        "Die Firma Microsoft kaufte LinkedIn im Jahr 2016.",
    ],
)
def test_where_no_rule_is_certain_nothing_is_claimed(text: str) -> None:
    assert claims_of(text) == []


def test_a_claim_is_quoted_and_not_judged() -> None:
    said = "Microsoft acquired LinkedIn in 2016."
    assert claims_of(said) == [
        ClaimRecord("Microsoft", "LinkedIn", "ACQUISITION", None, "2016", None, said, said)
    ]
