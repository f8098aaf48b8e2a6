"""Records inside the text of another one, and records that look like prose, are counted."""

import pytest

from graphrag_neo4j.llm.claims import claims_of
from graphrag_neo4j.llm.extraction import extraction_of
from graphrag_neo4j.llm.gleaning import Gleaning
from graphrag_neo4j.llm.replies.lists import read_list

TYPES = ("person", "place")
ENTITIES = {
    "commas behind a full stop of full width": (
        "entity，Ann，person，是人。 ## entity，Bob，person，A cook ## entity，Cid，person，A boy",
        3,
    ),
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
    "a misspelt kind with semicolons": (
        "'entity';'Ann';'person';'A captain'\n\n'entty';'Bob';'person';'A cook'",
        2,
    ),
    "a label without its colon": (
        (
            "Name: Ann\nType: person\nDescription: A captain\n##\nName: Bob\nType person\n"
            "Description: A cook"
        ),
        2,
    ),
    "a misspelt label": (
        (
            "Name: Ann\nType: person\nDescription: A captain\n##\nSource_entty: Ann\n"
            "Target_entity: Bob\nRelationship_description: They sailed"
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
    "an object without its opening brace": (
        (
            '{"name": "Ann", "type": "person", "description": "x"\n'
            '"source": "Ann", "target": "Bob", "description": "y", "strength": "8"}'
        ),
        2,
    ),
    "a row without its kind behind a row": (
        "| entity | Ann | person | Sailed in 1843, 8 |\nBob | person | A cook",
        2,
    ),
    "an item behind a record with a lost delimiter": (
        '("relationship"<|>Ann<|>Bob<|>They sailed<|8)\n- Ann -> Cid: They met (5)',
        2,
    ),
    "commas and no kind behind a row": (
        "| entity | Ann | person | A captain |\n\nBob,person,Wrote C# and ## on C",
        2,
    ),
    "a delimiter lost behind the kind": (
        (
            '"entity"{tuple_delimiter}Ann{tuple_delimiter}person{tuple_delimiter}Tall)'
            '"entity"${tuple_delimiterBob{tuple_delimiter}person{tuple_delimiter}Short)'
        ),
        2,
    ),
    "nothing between a word and a kind": (
        "entity,Ann,person,It is a portentity,Bob,person,A cook.entity,Cid,person,A boy",
        3,
    ),
    "a misspelt kind without quotation marks": (
        "entity, Ann, person, Tall)\n##\nentty, Bob, person, Short)\n##\nentity, Cid, person, Old)",
        3,
    ),
    "nothing between a word and a kind, and a space behind each delimiter": (
        (
            "entity; Ann; person; It is a portentity; Bob; person; It is a portrelationship; Ann; "
            "Bob; They sailed; 8"
        ),
        3,
    ),
    "objects behind marks of items, and nothing else between them": (
        (
            '- {"name": "Ann", "type": "person", "description": "x"}'
            '* {"name": "Bob", "type": "person", "description": "y"}'
            '1. {"name": "Cid", "type": "person", "description": "z"}'
        ),
        3,
    ),
    "full-width bars between spaces on one line": (
        "entity ｜ Ann ｜ person ｜ Tall.entity ｜ Bob ｜ person ｜ x.entity ｜ Cid ｜ person ｜ x",
        3,
    ),
    "quoted kinds behind a quoted word": (
        (
            "'entity'; 'Ann'; 'person'; 'A port''entity'; 'Bob'; 'person'; 'A cook'"
            "'entity'; 'Cid'; 'person'; 'A boy'"
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
    "pairs without a kind, each broken into two lines": (
        "Ann<|>Bob<|>Sailed in 1843,\nand again<|>8\nBob<|>Cid<|>Sailed in 1850,\nand again<|>8",
        2,
    ),
    "bold kinds behind a word and commas of full width": (
        "**entity**，Ann，person，a port**entity**，Bob，person，a port**entity**，Cid，person，x",
        3,
    ),
    "another delimiter behind the kind only": (
        "[entity;Ann;person;A boy,  entity||Bob;person;是人。,  entity;Cid;person;A cook]",
        3,
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
    "a label of a status without its colon": (
        f"[({CLAIM}\nSubject: Bob\nObject: NONE\nType: THEFT\nStatus TRUE\nDescription: He stole]",
        2,
    ),
}


@pytest.mark.parametrize("cause", ENTITIES)
def test_each_entity_and_relationship_is_read_or_counted(cause: str) -> None:
    reply, number = ENTITIES[cause]
    found = read_list(reply, types=TYPES)
    assert len(found.records) + len(found.unread) == number


@pytest.mark.parametrize("cause", CLAIMS)
def test_each_claim_is_read_or_counted(cause: str) -> None:
    reply, number = CLAIMS[cause]
    found = read_list(reply, claims=True)
    assert len(found.records) + len(found.unread) == number


@pytest.mark.parametrize(
    "name", ["Ann|Bob", "Ann{tuple_delimiterBob", "Ann$tuple_delimiter}Bob", "Ann|>Bob"]
)
def test_a_name_that_holds_a_delimiter_is_two_fields(name: str) -> None:
    found = extraction_of(Gleaning([["relationship", name, "They sailed", "8", "8"]]))
    assert (found.relationships, len(found.unusable)) == ([], 1)
    claims = claims_of(Gleaning([[name, "NONE", "T", "TRUE", "NONE", "NONE", "x", "y"]]))
    assert (claims.claims, len(claims.unusable)) == ([], 1)


@pytest.mark.parametrize(
    "record",
    [
        '["relationship", "Ann, "Bob", "Her motto, \\\\"Go, and come\\\\", hangs there.", "8"]',
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


def test_a_bracket_in_a_subject_does_not_part_it_where_a_claim_in_another_form_stands_before() -> (
    None
):
    other = CLAIM.replace("<|>", ",")
    mine = CLAIM.replace("Ann", "Bob (the cook) 1").replace("THEFT<|>", "THEFT<SEP>")
    found = read_list(f"({other})\n\n{mine})", claims=True)
    assert sorted(record[0] for record in found.records) == ["Ann", "Bob (the cook) 1"]


def test_the_number_of_an_item_is_no_subject() -> None:
    reply = "1.\n| Ann\tNONE | THEFT | TRUE | 1909 | NONE | She stole. | she stole it |"
    claims = claims_of(Gleaning(read_list(reply, claims=True).records))
    assert (claims.claims, len(claims.unusable)) == ([], 1)


def test_a_bracket_in_the_subject_of_a_claim_ends_no_record() -> None:
    claims = "\n##\n".join(
        CLAIM.replace("Ann", name) + ")" for name in ("Bob (the cook)) 3", "Cid")
    )
    found = read_list(claims, claims=True)
    assert [record[0] for record in found.records] == ["Bob (the cook)) 3", "Cid"]


def test_a_label_of_a_new_record_ends_the_one_before_it() -> None:
    """Otherwise, the source of the second relationship would become that of the first one."""
    rest = "Target: {}\nDescription: They sailed\nStrength: 8\n"
    found = read_list(f"Kind: relationship\nSource Ann\n{rest.format('Bob')}"
                      f"Kind: relationship\nSource: Cid\n{rest.format('Dora')}")  # fmt: skip
    assert ["relationship", "Cid", "Dora", "They sailed", "8"] in found.records
    assert not any(record[1:3] == ["Cid", "Bob"] for record in found.records)


def test_a_field_with_a_label_may_be_broken_into_two_lines() -> None:
    found = read_list("Source: Ann\nTarget: Cid\n2\nDescription: They sailed\nStrength: 8\n")
    assert found.records == [["relationship", "Ann", "Cid 2", "They sailed", "8"]]


@pytest.mark.parametrize("between", ["\n", " | ", "\n\t"])
def test_a_field_with_a_label_keeps_the_stop_at_its_end(between: str) -> None:
    found = read_list(between.join(["Source: Ann", "Target: Bob", "Description: They sailed.",
                                    "Strength: 8"]))  # fmt: skip
    assert found.records == [["relationship", "Ann", "Bob", "They sailed.", "8"]]


def test_a_kind_and_a_name_in_one_text_of_an_array_are_two_fields() -> None:
    found = read_list('["relationship, Ann", "Bob", "They sailed, 8", "8"]')
    assert found.records == [["relationship", "Ann", "Bob", "They sailed, 8", "8"]]


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
    found = read_list(reply, types=TYPES)
    assert [record[1] for record in found.records] == ["Ann", "Bob"]
    assert found.unread == []
