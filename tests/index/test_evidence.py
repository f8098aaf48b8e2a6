"""What one chunk says, as rows; and the votes over what many say."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j.graph.connection import Row
from graphrag_neo4j.index.evidence import claim_rows, mention_rows, pair_rows, stated_rows
from graphrag_neo4j.model import (
    ChunkText,
    ClaimRecord,
    EntityRecord,
    Extraction,
    RelationshipRecord,
)
from graphrag_neo4j.text import entity_id

T = TypeVar("T")
NAMES = ["Ann", "ANN", "ann", "Bob", "bob", "Cid", "Ann Lee", "Ann  Lee"]
NAME = st.sampled_from(NAMES)
PROSE = st.sampled_from(["", "Sails.", "Rows.", "Sails and rows."])
ENTITIES = st.lists(st.builds(EntityRecord, NAME, st.sampled_from(["person", "ship"]), PROSE))
RELATIONSHIPS = st.lists(
    st.builds(RelationshipRecord, NAME, NAME, PROSE, st.sampled_from([1.0, 2.0, 9.0])).filter(
        lambda one: entity_id(one.source) != entity_id(one.target)
    )
)
DATE = st.sampled_from([None, "1843", "1843-12-25"])
CLAIMS = st.lists(
    st.builds(
        ClaimRecord,
        subject=NAME,
        object=st.one_of(st.none(), NAME),
        type=st.sampled_from(["THEFT", "DELAY"]),
        status=st.sampled_from([None, "TRUE"]),
        start_date=DATE,
        end_date=DATE,
        description=st.sampled_from(["Stole.", "Was late."]),
        source_text=PROSE,
    )
)
SEED = st.randoms(use_true_random=False)


def again(records: Sequence[T], chance: Random) -> list[T]:
    """The same records in another order, some of them repeated."""
    more = [*records, *chance.choices(records, k=3)] if records else []
    return chance.sample(more, len(more))


def relation(source: str, target: str, text: str = "", strength: float = 1.0) -> Extraction:
    return Extraction([], [RelationshipRecord(source, target, text, strength)])


def claim(**fields: str | None) -> ClaimRecord:
    usual: dict[str, str | None] = {
        "subject": "Ann", "object": None, "type": "THEFT", "status": "TRUE", "start_date": None,
        "end_date": None, "description": "Ann stole a ship.", "source_text": "stole a ship",
    }  # fmt: skip
    return ClaimRecord(**(usual | fields))  # type: ignore[arg-type] # names of its own fields


def claim_row(record: ClaimRecord, named: dict[str, str], text: str = "Ann stole a ship.") -> Row:
    (row,) = claim_rows(ChunkText("c", text), [record], named)
    return row


def properties(row: Row) -> dict[str, object]:
    assert isinstance(row["properties"], dict)
    return row["properties"]


@settings(deadline=None, derandomize=True)
@given(ENTITIES, RELATIONSHIPS, CLAIMS, SEED)
def test_order_and_repetition_make_no_difference(
    entities: list[EntityRecord],
    relationships: list[RelationshipRecord],
    claims: list[ClaimRecord],
    chance: Random,
) -> None:
    one = Extraction(entities, relationships)
    other = Extraction(again(entities, chance), again(relationships, chance))
    assert mention_rows("c", one) == mention_rows("c", other)
    assert stated_rows("c", one) == stated_rows("c", other)
    assert pair_rows(stated_rows("c", one)) == pair_rows(again(stated_rows("c", one), chance))
    chunk = ChunkText("c", "Sails and rows.")
    assert claim_rows(chunk, claims, {}) == claim_rows(chunk, again(claims, chance), {})
    assert len(claim_rows(chunk, claims, {})) == len(set(claims))


def test_both_directions_are_kept_apart_and_are_one_pair() -> None:
    there, back = relation("Ann", "Bob"), relation("BOB", "ANN")
    both = Extraction([], [*there.relationships, *back.relationships])
    rows = stated_rows("c", both)
    assert {(row["source"], row["target"]) for row in rows} == {
        (entity_id("Ann"), entity_id("Bob")),
        (entity_id("Bob"), entity_id("Ann")),
    }
    (pair,) = pair_rows(rows)
    assert pair["id"] == rows[0]["pair"] == rows[1]["pair"]
    assert [pair["start"], pair["end"]] == sorted([entity_id("Ann"), entity_id("Bob")])


@pytest.mark.parametrize(
    "field",
    ["subject", "object", "type", "status", "start_date", "end_date", "description", "source_text"],
)
def test_claims_that_differ_in_anything_are_two(field: str) -> None:
    rows = claim_rows(ChunkText("c", ""), [claim(), claim(**{field: "Other"})], {})
    assert len({str(row["id"]) for row in rows}) == 2


def test_a_claim_is_about_what_the_chunk_names_in_another_case_only() -> None:
    apple, fruit = ({entity_id(name): name} for name in ("Apple", "apple"))
    about = claim(subject="apple", object="APPLE")
    assert [claim_row(about, named)["subject"] for named in (apple, fruit, {**apple, **fruit})] == [
        (entity_id("Apple"), "Apple"),
        (entity_id("apple"), "apple"),
        (entity_id("apple"), "apple"),
    ]
    assert claim_row(about, fruit)["object"] == (entity_id("apple"), "apple")


def test_the_place_of_the_source_text_is_exact() -> None:
    text = "They say: Ann  “stole\na ship”."
    row = claim_row(claim(source_text='"stole a ship"'), {}, text)
    start, end = properties(row)["start"], properties(row)["end"]
    assert isinstance(start, int)
    assert isinstance(end, int)
    assert text[start:end] == "“stole\na ship”"
