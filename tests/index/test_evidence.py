"""What one chunk says, as rows; and the votes over what many say."""

from collections.abc import Sequence
from dataclasses import fields, replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.graph.connection import Row
from graphrag_neo4j.index.evidence import claim_rows, combined, mention_rows, pair_rows, stated_rows
from graphrag_neo4j.model.types import (
    ChunkText,
    ClaimRecord,
    EntityRecord,
    Extraction,
    RelationshipRecord,
    T,
)
from graphrag_neo4j.text.strings import entity_id

NAMES = ["Ann", "ANN", "ann", "Bob", "bob", "Cid", "Ann Lee", "Ann  Lee"]
NAME = st.sampled_from(NAMES)
PROSE = st.sampled_from(["", "Sails.", "Rows.", "Sails and rows."])
ENTITIES = st.lists(st.builds(EntityRecord, NAME, st.sampled_from(["person", "ship"]), PROSE))
RELATIONSHIPS = st.lists(
    st.builds(
        RelationshipRecord,
        NAME,
        NAME,
        PROSE,
        st.sampled_from([1.0, 2.0, 9.0]),
        st.sampled_from(["", "owns", "helps"]),
    ).filter(lambda one: entity_id(one.source) != entity_id(one.target))
)
DATE = st.sampled_from([None, "1843", "1843-12-25"])
CLAIMS = st.lists(
    st.builds(
        ClaimRecord,
        NAME,
        st.one_of(st.none(), NAME),
        st.sampled_from(["THEFT", "DELAY"]),
        st.sampled_from([None, "TRUE"]),
        DATE,
        DATE,
        st.sampled_from(["Stole.", "Was late."]),
        PROSE,
    )
)
SEED = st.randoms(use_true_random=False)


def again(records: Sequence[T], chance: Random) -> list[T]:
    """The same records in another order, some of them repeated."""
    more = [*records, *chance.choices(records, k=3)] if records else []
    return chance.sample(more, len(more))


CLAIM = ClaimRecord("Ann", None, "THEFT", "TRUE", None, None, "Ann stole a ship.", "stole a ship")


def claim_row(record: ClaimRecord, named: dict[str, str], text: str = "Ann stole a ship.") -> Row:
    [row] = claim_rows(ChunkText("c", text), [record], named)
    return row


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
    both = [RelationshipRecord("Ann", "Bob", "", 1.0), RelationshipRecord("BOB", "ANN", "", 1.0)]
    rows = stated_rows("c", Extraction([], both))
    ann, bob = entity_id("Ann"), entity_id("Bob")
    assert {(row["source"], row["target"]) for row in rows} == {(ann, bob), (bob, ann)}
    [pair] = pair_rows(rows)
    assert pair["id"] == rows[0]["pair"] == rows[1]["pair"]
    assert [pair["start"], pair["end"]] == sorted([ann, bob])


def test_each_statement_has_its_predicate_and_a_row_without_any_has_no_list() -> None:
    said = [
        RelationshipRecord("Ann", "Bob", "She helps.", 2.0, "helps"),
        RelationshipRecord("Ann", "Bob", "She came.", 3.0),
        RelationshipRecord("Bob", "Ann", "He came.", 1.0),
    ]
    rows = {row["source"]: row for row in stated_rows("c", Extraction([], said))}
    both, none = rows[entity_id("Ann")], rows[entity_id("Bob")]
    lists = (both["descriptions"], both["strengths"], both["predicates"])
    assert lists == (["She came.", "She helps."], [3.0, 2.0], ["", "helps"])
    assert none["predicates"] is None


def test_properties_are_one_value_or_a_sorted_list_in_one_kind() -> None:
    here = {"born": 1956, "seen": 1, "mixed": 7, "tags": ["b", "a"], "alone": [2, 1], "flag": True}
    there = {"born": 1956, "seen": 0.5, "mixed": "x", "tags": ["c", "a"]}
    together = {
        "alone": [2, 1],
        "born": 1956,
        "flag": True,
        "mixed": ["7", "x"],
        "seen": [0.5, 1.0],
        "tags": ["a", "b", "c"],
    }
    assert combined([here, there]) == combined([there, {}, here]) == together
    assert combined([{"x": True}, {"x": 1}]) == {"x": ["1", "true"]}
    assert combined([{"x": b"a"}, {"x": b"b"}]) == {"x": ["b'a'", "b'b'"]}


def test_claims_that_differ_in_anything_are_two() -> None:
    others = [replace(CLAIM, **{field.name: "Other"}) for field in fields(ClaimRecord)]
    rows = claim_rows(ChunkText("c", ""), [CLAIM, *others], {})
    assert len({str(row["id"]) for row in rows}) == 1 + len(others)


def test_a_claim_is_about_what_the_chunk_names_in_another_case_only() -> None:
    apple, fruit = ({entity_id(name): name} for name in ("Apple", "apple"))
    about = replace(CLAIM, subject="apple", object="APPLE")
    assert [claim_row(about, named)["subject"] for named in (apple, fruit, {**apple, **fruit})] == [
        (entity_id("Apple"), "Apple"),
        (entity_id("apple"), "apple"),
        (entity_id("apple"), "apple"),
    ]
    assert claim_row(about, fruit)["object"] == (entity_id("apple"), "apple")


def test_the_place_of_the_source_text_is_exact() -> None:
    text = "They say: Ann  “stole\na ship”."
    held = claim_row(replace(CLAIM, source_text='"stole a ship"'), {}, text)["properties"]
    assert isinstance(held, dict)
    assert text[held["start"] : held["end"]] == "“stole\na ship”"
