"""From records to claims."""

import pytest

from graphrag_neo4j.llm.extraction import Gleaning, claims_of
from graphrag_neo4j.llm.replies.lists import read_list
from graphrag_neo4j.model import ClaimRecord, Claims

FIELDS = {
    "subject": "Holm & Sons",
    "object": "Harbour Board",
    "type": "double payment",
    "status": "SUSPECTED",
    "start": "1909",
    "end": "1909-12-31",
    "description": "Holm & Sons had been paid twice.",
    "source": "had been paid twice in 1909",
}
CLAIM = ClaimRecord(
    "Holm & Sons", "Harbour Board", "DOUBLE PAYMENT", "SUSPECTED", "1909", "1909-12-31",
    "Holm & Sons had been paid twice.", "had been paid twice in 1909",
)  # fmt: skip


def claims(reply: str) -> Claims:
    return claims_of(Gleaning(read_list(reply).records))


def claim(**fields: str) -> tuple[ClaimRecord, list[str]]:
    """A claim with some fields as given, and what was counted."""
    found = claims(f"({'<|>'.join((FIELDS | fields).values())})\n##\n<|COMPLETE|>")
    assert len(found.claims) == 1
    return found.claims[0], list(found.unusable)


def test_a_record_of_eight_fields_is_a_claim() -> None:
    assert claim() == (CLAIM, [])


@pytest.mark.parametrize("given", ["", "NONE", "PROBABLY", "TRUE or FALSE"])
def test_an_unreadable_status_is_none_and_counted(given: str) -> None:
    found, counted = claim(status=given)
    assert found.status is None
    assert counted == ["claim with an unreadable status"]


@pytest.mark.parametrize(
    ("given", "date"),
    [
        ("2021-05", "2021-05"),
        ("20210503", "2021-05-03"),
        ("2021-05-03T23:59:59Z", "2021-05-03"),
    ],
)
def test_a_date_is_as_precise_as_it_was_given(given: str, date: str) -> None:
    found, counted = claim(start=given)
    assert found.start_date == date
    assert not counted


@pytest.mark.parametrize(
    "given",
    ["May 1911", "2021-13", "2021-02-30", "0000", "0000-01", "21", "2021-5", "٢٠٢١", "２０２１",
     "10000", "yesterday", "2021-05-03T25:00:00"],
)  # fmt: skip
def test_an_unreadable_date_is_none_and_counted(given: str) -> None:
    found, counted = claim(start=given, end=given)
    assert (found.start_date, found.end_date) == (None, None)
    assert counted == ["claim with an unreadable date"] * 2


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("(Ann<|>NONE<|>THEFT<|>TRUE)", "claim with too few fields"),
        (
            '(""<|>NONE<|>THEFT<|>TRUE<|>1909<|>1909<|>Stole<|>stole)',
            "claim without a subject or a description",
        ),
        (
            "(Ann<|>NONE<|>THEFT<|>TRUE<|>1909<|>1909<|><|>stole)",
            "claim without a subject or a description",
        ),
    ],
)
def test_a_record_that_is_no_claim_is_counted_by_its_reason(record: str, reason: str) -> None:
    found = claims(f"{record}\n##\n({'<|>'.join(FIELDS.values())})\n##\n<|COMPLETE|>")
    assert found == Claims([CLAIM], unusable=[reason])
