"""What one chunk says, as rows; and the votes over what many say."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j.graph import Row
from graphrag_neo4j.index.evidence import claim_rows, mention_rows, pair_rows, stated_rows, vote
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
@given(ENTITIES, RELATIONSHIPS, SEED)
def test_order_and_repetition_make_no_difference(
    entities: list[EntityRecord], relationships: list[RelationshipRecord], chance: Random
) -> None:
    one = Extraction(entities, relationships)
    other = Extraction(again(entities, chance), again(relationships, chance))
    assert mention_rows("c", one) == mention_rows("c", other)
    assert stated_rows("c", one) == stated_rows("c", other)
    assert pair_rows(stated_rows("c", one)) == pair_rows(again(stated_rows("c", one), chance))


@settings(deadline=None, derandomize=True)
@given(CLAIMS, SEED)
def test_order_and_repetition_of_claims_make_no_difference(
    claims: list[ClaimRecord], chance: Random
) -> None:
    chunk = ChunkText("c", "Sails and rows.")
    assert claim_rows(chunk, claims, {}) == claim_rows(chunk, again(claims, chance), {})
    assert len(claim_rows(chunk, claims, {})) == len(set(claims))


@settings(deadline=None, derandomize=True)
@given(ENTITIES, RELATIONSHIPS)
def test_parallel_lists_are_sorted_and_as_long_as_each_other(
    entities: list[EntityRecord], relationships: list[RelationshipRecord]
) -> None:
    for keys, rows in (
        (("names", "types", "descriptions"), mention_rows("c", Extraction(entities, []))),
        (("descriptions", "strengths"), stated_rows("c", Extraction([], relationships))),
    ):
        for row in rows:
            lists = [row[key] for key in keys]
            parallel = list(zip(*lists, strict=True))
            assert parallel == sorted(set(parallel))


@settings(deadline=None, derandomize=True)
@given(ENTITIES, RELATIONSHIPS)
def test_every_end_of_a_relationship_is_mentioned(
    entities: list[EntityRecord], relationships: list[RelationshipRecord]
) -> None:
    said = Extraction(entities, relationships)
    mentioned = [row["entity"] for row in mention_rows("c", said)]
    ends = {row[end] for row in stated_rows("c", said) for end in ("source", "target")}
    assert ends <= set(mentioned)
    assert len(mentioned) == len(set(mentioned))


def test_a_name_that_only_a_relationship_gave_has_no_type_and_description() -> None:
    rows = mention_rows("c", relation("Ann", "Bob"))
    assert [(row["names"], row["types"], row["descriptions"]) for row in rows] == [
        ([name], [], []) for name in sorted(["Ann", "Bob"], key=entity_id)
    ]


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


def test_the_same_statement_in_two_chunks_stays_two() -> None:
    (one,), (other,) = (stated_rows(chunk, relation("Ann", "Bob")) for chunk in ("c", "d"))
    assert one["id"] != other["id"]
    assert {**one, "id": "", "chunk": ""} == {**other, "id": "", "chunk": ""}


@pytest.mark.parametrize(
    "field",
    ["subject", "object", "type", "status", "start_date", "end_date", "description", "source_text"],
)
def test_claims_that_differ_in_anything_are_two(field: str) -> None:
    rows = claim_rows(ChunkText("c", ""), [claim(), claim(**{field: "Other"})], {})
    assert len({str(row["id"]) for row in rows}) == 2


def test_what_looks_like_a_name_becomes_an_entity() -> None:
    row = claim_row(claim(subject="Ann Lee", object="Holm & Sons"), named={})
    assert row["subject"] == (entity_id("Ann Lee"), "Ann Lee")
    assert row["object"] == (entity_id("Holm & Sons"), "Holm & Sons")
    assert properties(row)["subject_text"] is None
    assert properties(row)["object_text"] is None


def test_what_is_no_name_is_kept_as_text() -> None:
    long = "the man whom nobody in the whole town had ever seen"
    row = claim_row(claim(subject=long, object="He was late."), named={})
    assert (row["subject"], row["object"]) == (None, None)
    assert properties(row)["subject_text"] == long
    assert properties(row)["object_text"] == "He was late."


def test_what_the_chunk_named_is_an_entity_however_it_looks() -> None:
    title = "The Man Who Mistook His Wife for a Hat and Other Clinical Tales"
    row = claim_row(claim(subject=title.upper()), named={entity_id(title): title})
    assert row["subject"] == (entity_id(title), title.upper())


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


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(["", "a", "b", "B"]), st.integers(1, 3))), SEED)
def test_a_vote_does_not_depend_on_order(counts: list[tuple[str, int]], chance: Random) -> None:
    assert vote(counts) == vote(chance.sample(counts, len(counts)))


@pytest.mark.parametrize(
    ("counts", "winner"),
    [
        ([("b", 2), ("a", 1)], "b"),
        ([("b", 1), ("a", 1)], "a"),
        ([("a", 1), ("B", 1)], "B"),
        ([("a", 2), ("b", 1), ("b", 2)], "b"),
        ([("", 9), ("a", 1)], "a"),
        ([("", 9)], None),
        ([], None),
    ],
)
def test_the_most_frequent_text_wins_and_ties_go_to_the_smaller(
    counts: list[tuple[str, int]], winner: str | None
) -> None:
    assert vote(counts) == winner
