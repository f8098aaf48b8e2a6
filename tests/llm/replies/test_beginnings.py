"""Records inside the text of another one, and records that look like prose, are counted."""

import pytest

from graphrag_neo4j.llm.extraction import Gleaning, claims_of, extraction_of
from graphrag_neo4j.llm.replies.lists import read_list

ENTITIES = {
    "one bracket around all, and commas between": (
        (
            "[entity;Ann;person;A captain,,\nentity;Bob;person;A cook,,\n"
            "relationship;Ann;Bob;They sailed;8]"
        ),
        3,
    ),
    "bold kinds behind commas": (
        "[**entity**<SEP>Ann<SEP>person<SEP>Tall,  **entity**<SEP>Bob<SEP>person<SEP>Short]",
        2,
    ),
    "kinds in single quotation marks behind commas": (
        (
            "['entity'{tuple_delimiter}'Ann'{tuple_delimiter}'person'{tuple_delimiter}'Tall',"
            "'entity'{tuple_delimiter}'Bob'{tuple_delimiter}'person'{tuple_delimiter}'Short']"
        ),
        2,
    ),
    "an object with a misspelt field": (
        (
            '{"name": "Ann", "type": "person", "description": "x"}'
            '{"nme": "Bob", "type": "person", "description": "y"}'
        ),
        2,
    ),
    "an item behind a record with a lost delimiter": (
        '("relationship"<|>Ann<|>Bob<|>They sailed<|8)\n- Ann -> Cid: They met (5)',
        2,
    ),
    "objects behind marks of items, and nothing else between them": (
        (
            '- {"name": "Ann", "type": "person", "description": "x"}'
            '* {"name": "Bob", "type": "person", "description": "y"}'
            '1. {"name": "Cid", "type": "person", "description": "z"}'
        ),
        3,
    ),
    "a delimiter with a mark too many": (
        "'entity'<|>'Ann'<|>'person'<|>'Tall')'entity'<<|>'Bob'<|>'person'<|>'Short')",
        2,
    ),
    "bold objects with nothing between them": (
        (
            "**{'name': 'Ann', 'type': 'person', 'description': 'It's\\n1'}"
            "**{'name': 'Bob', 'type': 'person', 'description': 'It's 2'}"
        ),
        2,
    ),
}
CLAIM = "Ann<|>NONE<|>THEFT<|>TRUE<|>1909<|>NONE<|>She stole.<|>she stole it"
CLAIMS = {
    "a status that lost its delimiter": (
        f"({CLAIM})\n({CLAIM.replace('THEFT<|>TRUE', 'THEFTTRUE').replace('<|>', ', ')})",
        2,
    ),
    "a status without a delimiter behind it": (
        f"({CLAIM}({CLAIM.replace('TRUE<|>1909', 'TRUE 1909')}({CLAIM})",
        3,
    ),
}


@pytest.mark.parametrize("cause", ENTITIES)
def test_each_entity_and_relationship_is_read_or_counted(cause: str) -> None:
    reply, number = ENTITIES[cause]
    found = read_list(reply)
    assert len(found.records) + len(found.unread) == number


@pytest.mark.parametrize("cause", CLAIMS)
def test_each_claim_is_read_or_counted(cause: str) -> None:
    reply, number = CLAIMS[cause]
    found = read_list(reply, claims=True)
    assert len(found.records) + len(found.unread) == number


@pytest.mark.parametrize("name", ["Ann|Bob", "Ann|>Bob"])
def test_a_name_that_holds_a_delimiter_is_two_fields(name: str) -> None:
    found = extraction_of(Gleaning([["relationship", name, "They sailed", "8", "8"]]))
    assert (found.relationships, len(found.unusable)) == ([], 1)
    claims = claims_of(Gleaning([[name, "NONE", "T", "TRUE", "NONE", "NONE", "x", "y"]]))
    assert (claims.claims, len(claims.unusable)) == ([], 1)


@pytest.mark.parametrize(
    "record",
    [
        '| relationship | Ann, Bob | Her motto, "Go, and come", hangs | there. | 8 |',
        "(relationship|Ann, Bob|They sailed in June. They met again.|in May|8)",
    ],
)
def test_two_names_in_one_field_make_no_relationship_of_a_name_and_a_description(
    record: str,
) -> None:
    found = extraction_of(Gleaning(read_list(record).records))
    assert (found.relationships, len(found.unusable)) == ([], 1)


def test_a_relationship_may_lead_to_an_entity_with_a_name_that_looks_like_a_sentence() -> None:
    name = 'The song "Who goes there? Nobody!" of the old men from the north of the island'
    found = extraction_of(
        Gleaning(
            [["relationship", "Ann", name, "She sings it.", "8"], ["entity", name, "work", "A"]]
        )
    )
    assert [pair.target for pair in found.relationships] == [name]


def test_a_bracket_in_the_subject_of_a_claim_ends_no_record() -> None:
    claims = "\n##\n".join(
        CLAIM.replace("Ann", name) + ")" for name in ("Bob (the cook)) 3", "Cid")
    )
    found = read_list(claims, claims=True)
    assert [record[0] for record in found.records] == ["Bob (the cook)) 3", "Cid"]


@pytest.mark.parametrize(
    "description",
    [
        "It was; entity|Bob|person|x",
        'Wrote: entity, Bob, person, x. {"name": "Bob"}',
        "Knows the kinds. Entity, relationship, and claim, 8",
    ],
)
def test_a_record_as_asked_for_is_one_whatever_it_says(description: str) -> None:
    reply = f'("entity"<|>Ann<|>person<|>{description})\n##\n("entity"<|>Bob<|>person<|>x)'
    found = read_list(reply)
    assert [record[1] for record in found.records] == ["Ann", "Bob"]
    assert found.unread == []
