"""From records to entities, relationships and claims."""

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.replies.lists import read_list
from graphrag_neo4j.llm.tasks.extraction import Gleaning, claims_of, extraction_of
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.types import (
    ChunkText,
    ClaimRecord,
    Claims,
    EntityRecord,
    Extraction,
    RelationshipRecord,
)
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive


def extraction(reply: str, *types: str) -> Extraction:
    return extraction_of(Gleaning(read_list(reply).records), types)


def name_of(text: str) -> str:
    (entity,) = extraction(f'("entity"<|>{text}<|>person<|>Someone)').entities
    return entity.name


def test_records_become_entities_and_relationships_in_their_order() -> None:
    found = extraction(
        '("entity"<|>Scrooge<|>Person<|>A miser)##("entity"<|>Marley<|>person<|>A ghost)##'
        '("relationship"<|>Marley<|>Scrooge<|>Marley warns Scrooge<|>9)##<|COMPLETE|>',
        "person",
    )
    assert found == Extraction(
        [EntityRecord("Scrooge", "person", "A miser"), EntityRecord("Marley", "person", "A ghost")],
        [RelationshipRecord("Marley", "Scrooge", "Marley warns Scrooge", 9.0)],
        unusable=[],
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Jacob\u00a0Marley", "Jacob Marley"),
        ("“Jacob Marley”", "Jacob Marley"),
        ('"Jacob Marley', "Jacob Marley"),
        ("Marley’s ghost", "Marley's ghost"),
        ("ＪＡＣＯＢ", "JACOB"),
        ("C#", "C#"),
        ("R&amp;D", "R&D"),
    ],
)
def test_names_are_shown_folded_and_without_quotes_around_them(written: str, shown: str) -> None:
    assert name_of(written) == shown


def test_types_and_predicates_keep_the_spelling_of_the_model_unless_it_is_in_capitals() -> None:
    found = extraction(
        '("entity"<|>Storch<|>PERSON<|>A minister)##("entity"<|>Rente<|>Maßnahme<|>A law)##'
        '("relationship"<|>Storch<|>Rente<|>He presented it<|>9<|>Legte Gesetzentwurf vor)##'
        '("relationship"<|>Rente<|>Storch<|>It bears his name<|>2<|>NAMED_AFTER.)##<|COMPLETE|>'
    )
    assert [one.type for one in found.entities] == ["person", "Maßnahme"]
    said = [one.predicate for one in found.relationships]
    assert said == ["legte Gesetzentwurf vor", "named after"]


@pytest.mark.parametrize("self", ["Ann", "ANN", " “ann” ", "Ａｎｎ"])
def test_a_relationship_with_itself_is_dropped_and_counted(self: str) -> None:
    found = extraction(f'("relationship"<|>Ann<|>{self}<|>Ann knows herself<|>3)##<|COMPLETE|>')
    assert not found.relationships
    assert found.unusable == ["relationship with itself"]


def test_an_end_of_a_relationship_is_the_listed_entity_whatever_its_case() -> None:
    apple, fruit = (f'("entity"<|>{name}<|>thing<|>One)##' for name in ("Apple", "apple"))
    stated = '("relationship"<|>apple<|>Jobs<|>Jobs founded it<|>9)##<|COMPLETE|>'
    assert extraction(apple + stated).relationships[0].source == "Apple"
    assert extraction(fruit + stated).relationships[0].source == "apple"
    assert extraction(apple + fruit + stated).relationships[0].source == "apple"


@pytest.mark.parametrize(
    ("given", "strength"),
    [("8", 8.0), ("8/10", 8.0), ("7.5", 7.5), ("Strength: 6", 6.0), ("(9)", 9.0), ('"5"', 5.0),
     ("0", 0.0), ("10 (high)", 10.0)],
)  # fmt: skip
def test_a_strength_is_the_number_in_a_short_last_field(given: str, strength: float) -> None:
    found = extraction(f'("relationship"<|>Ann<|>Bob<|>They met<|>{given})##<|COMPLETE|>')
    assert found.relationships == [RelationshipRecord("Ann", "Bob", "They met", strength)]
    assert not found.unusable


@pytest.mark.parametrize(
    "given", ["strong", "-3", "", "in the 3rd year of their voyage", "9" * 400, "NaN"]
)
def test_without_a_readable_strength_a_relationship_is_weak_and_counted(given: str) -> None:
    found = extraction(f'("relationship"<|>Ann<|>Bob<|>They met<|>{given})##<|COMPLETE|>')
    (relationship,) = found.relationships
    assert relationship.strength == 1.0
    assert relationship.description.startswith("They met")
    assert found.unusable == ["relationship without a strength"]


def test_a_delimiter_inside_a_description_stays_in_it() -> None:
    found = extraction(
        '("entity"<|>Ann<|>person<|>Writes <|> often)##'
        '("relationship"<|>Ann<|>Bob<|>She sends <|> to him<|>4)##<|COMPLETE|>'
    )
    assert found.entities[0].description == "Writes<|>often"
    assert found.relationships == [RelationshipRecord("Ann", "Bob", "She sends<|>to him", 4.0)]


@pytest.mark.parametrize("delimiter", ["<|>", "|", " | ", "\t", "<SEP>", ";", "｜"])
@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("", ""), ("[", "]")])
@pytest.mark.parametrize("said", ["They met", "She sends; in 1843, 8 | 9 of them to him"])
def test_a_predicate_stands_behind_the_strength_or_is_left_out(
    delimiter: str, opening: str, closing: str, said: str
) -> None:
    fields = ('"relationship"', "Ann", "Bob", said, "8")
    for more, predicate in (
        ((), ""),
        (("works for",), "works for"),
        (('"WORKS_FOR."',), "works for"),
        (("Bought (denied)",), "bought (denied)"),
    ):
        record = opening + delimiter.join((*fields, *more)) + closing
        found = extraction(f"{record}\n##\n{record}\n##\n<|COMPLETE|>")
        [one, other] = found.relationships
        assert one == other == RelationshipRecord("Ann", "Bob", said, 8.0, predicate)
        assert not found.unusable


@pytest.mark.parametrize(
    ("ends", "description", "strength", "predicate"),
    [
        ("They met<|>8<|>", "They met", 8.0, ""),
        ("They met<|>8/10<|>n/a", "They met", 8.0, ""),
        ("She sends<|>to him<|>8<|>helps", "She sends<|>to him", 8.0, "helps"),
        ("They met<|>8|helps", "They met", 8.0, "helps"),
        ("Of 1843<|>1843<|>8", "Of 1843<|>1843", 8.0, ""),
        ("1843<|>8 (high)", "1843", 8.0, ""),
        ("They met<|>helps<|>8", "They met<|>helps", 8.0, ""),
    ],
)
def test_the_strength_tells_whether_a_predicate_follows(
    ends: str, description: str, strength: float, predicate: str
) -> None:
    found = extraction(f'("relationship"<|>Ann<|>Bob<|>{ends})##<|COMPLETE|>')
    told = RelationshipRecord("Ann", "Bob", description, strength, predicate)
    assert found.relationships == [told]
    assert not found.unusable


def test_a_sentence_is_no_predicate_and_is_counted() -> None:
    said = "which says that the two have known each other since they were at school in the town"
    found = extraction(f'("relationship"<|>Ann<|>Bob<|>They met<|>8<|>{said})##<|COMPLETE|>')
    assert found.relationships == [RelationshipRecord("Ann", "Bob", "They met", 8.0)]
    assert found.unusable == ["relationship with a predicate that is too long"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ('"description": "D", "strength": 8, "predicate": "Helps"', ("D", 8.0, "helps")),
        ('"predicate": "Helps", "description": "D", "strength": 8', ("D", 8.0, "helps")),
        ('"description": "D", "strength": 8', ("D", 8.0, "")),
        ('"description": "D", "predicate": "Helps"', ("D", 1.0, "")),
    ],
)
def test_json_names_the_predicate(given: str, told: tuple[str, float, str]) -> None:
    found = extraction(f'[{{"source": "Ann", "target": "Bob", {given}}}]')
    assert found.relationships == [RelationshipRecord("Ann", "Bob", *told)]


def test_a_record_that_follows_a_predicate_without_a_border_is_one_unread_text() -> None:
    one = '("relationship"<|>Ann<|>Bob<|>They met<|>8<|>helps'
    for record in (one, one.removesuffix("<|>helps")):
        assert len(read_list(f"{record} thing<|>Cid<|>person<|>A ghost)").unread) == 1


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ('("entity"<|>Ann<|>person)', "entity with too few fields"),
        ('("entity"<|>""<|>person<|>Someone)', "entity without a name"),
        ('("entity"<|><|>person<|>Someone)', "entity without a name"),
        ('("relationship"<|>Ann<|>Bob)', "relationship with too few fields"),
        ('("relationship"<|>Ann<|>" "<|>They met<|>5)', "relationship without a name"),
        ('("event"<|>Ann<|>Bob)', "unknown kind of record"),
    ],
)
def test_a_record_that_can_not_be_used_is_counted_by_its_reason(record: str, reason: str) -> None:
    found = extraction(f'{record}##("entity"<|>Cid<|>person<|>A ghost)##<|COMPLETE|>')
    assert [entity.name for entity in found.entities] == ["Cid"]
    assert not found.relationships
    assert found.unusable == [reason]


def test_kinds_in_another_language_are_read() -> None:
    found = extraction(
        '("Entität"<|>Ann<|>person<|>A captain)##("实体"<|>Bob<|>person<|>A cook)##'
        '("Beziehung"<|>Ann<|>Bob<|>They sailed<|>8)##'
        '("Beziehung"<|>Bob<|>Ann<|>He cooks<|>8<|>kocht für)##<|COMPLETE|>'
    )
    assert [entity.name for entity in found.entities] == ["Ann", "Bob"]
    assert found.relationships == [
        RelationshipRecord("Ann", "Bob", "They sailed", 8.0),
        RelationshipRecord("Bob", "Ann", "He cooks", 8.0, "kocht für"),
    ]


def test_a_list_without_a_usable_record_is_a_failed_chunk() -> None:
    backend = LLMIndexBackend(load_settings(gleanings=0))
    with pytest.raises(ReplyError, match="can be used"):
        drive(
            backend.extract(ChunkText("c", "Ann sails.")),
            ['("entity"<|>Scrooge)##("thing"<|>Marley)##<|COMPLETE|>'],
        )


# Claims


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


@pytest.mark.parametrize("given", ["", "NONE", "PROBABLY", "TRUE or FALSE"])
def test_an_unreadable_status_is_none_and_counted(given: str) -> None:
    assert claim() == (CLAIM, [])
    found, counted = claim(status=given)
    assert found.status is None
    assert counted == ["claim with an unreadable status"]


@pytest.mark.parametrize(
    ("given", "date"),
    [("2021-05", "2021-05"), ("20210503", "2021-05-03"), ("2021-05-03T23:59:59Z", "2021-05-03")],
)
def test_a_date_is_as_precise_as_it_was_given(given: str, date: str) -> None:
    found, counted = claim(start=given)
    assert (found.start_date, counted) == (date, [])


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
    ("fields", "reason"),
    [
        ("Ann<|>NONE<|>THEFT<|>TRUE", "with too few fields"),
        ('""<|>NONE<|>THEFT<|>TRUE<|>1909<|>1909<|>Stole<|>stole', "without a subject or a descri"),
        (
            "Ann<|>NONE<|>THEFT<|>TRUE<|>1909<|>1909<|><|>stole",
            "without a subject or a description",
        ),
    ],
)
def test_a_record_that_is_no_claim_is_counted_by_its_reason(fields: str, reason: str) -> None:
    found = claims(f"({fields})\n##\n({'<|>'.join(FIELDS.values())})\n##\n<|COMPLETE|>")
    assert found.claims == [CLAIM]
    assert [one.startswith(f"claim {reason}") for one in found.unusable] == [True]
