"""The forms in which models write lists: each file holds a reply, and what is read and counted."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.llm.replies.lists import read_list
from tests.support.paths import DATA

REPLIES = sorted((DATA / "replies" / "lists").glob("*.json"))


@pytest.mark.parametrize("path", REPLIES, ids=lambda path: path.stem)
def test_a_reply_is_read_as_a_person_would_read_it(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    found = read_list(case["reply"], claims=path.stem.startswith("claims"))
    assert found.records == case["records"]
    assert found.unread == case["unread"]
    assert found.is_empty == case["is_empty"]


DESCRIPTIONS = (
    "Uses | in shell, a || b, and a; b, c",
    'Wrote {"name": "Bob", "type": "person", "description": "x"} to a file',
    "Keeps a list: - Bob (person): A cook",
    "Said that (Bob, person, A cook) is a tuple",
    "The head is | Name | Type | Description | here",
    "Name: Bob, Type: person, Description: A cook",
    "Bob -> Cid: they met (8)",
    "An entity, a relationship, and a claim: TRUE or FALSE",
)


@pytest.mark.parametrize("description", DESCRIPTIONS)
@pytest.mark.parametrize("delimiter", ["<|>", "<SEP>", "{tuple_delimiter}", "\t", "｜", " | "])
def test_a_description_becomes_no_record(description: str, delimiter: str) -> None:
    fields = ['"entity"', "Ann", "person", description]
    reply = f"({delimiter.join(fields)})\n##\n<|COMPLETE|>"
    found = read_list(reply)
    assert found.records == [["entity", "Ann", "person", description.strip()]]
    assert found.unread == []


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_a_description_in_json_becomes_no_record(description: str) -> None:
    reply = json.dumps(
        {"entities": [{"name": "Ann", "type": "person", "description": description}]}
    )
    found = read_list(reply)
    assert found.records == [["entity", "Ann", "person", description]]
    assert found.unread == []


@pytest.mark.parametrize(
    "reply",
    [
        "Ada is a person, a mathematician.",
        "The passage is about ships. There was a captain (Ann) and a cook; they sailed.",
        "Here is the list:",
        "# Entities",
        "I hope this helps!",
    ],
)
def test_prose_is_no_record_and_no_empty_list(reply: str) -> None:
    found = read_list(reply)
    assert (found.records, found.unread) == ([], [])


@pytest.mark.parametrize(
    "line",
    [
        "(Bob the cook of the ship)",
        "- Bob, the cook of the ship",
        "Bob | the cook",
        '"Bob", the cook',
        "entity Bob person A cook",
        "Bob, Ann, they sailed, 8",
        "Bob\tperson\tA cook",
    ],
)
def test_text_that_could_be_a_record_is_unread_and_kept(line: str) -> None:
    found = read_list(f'("entity"<|>Ann<|>person<|>A captain)\n##\n{line}\n##\n<|COMPLETE|>')
    assert found.records == [["entity", "Ann", "person", "A captain"]]
    assert found.unread == [line]


@pytest.mark.parametrize(
    "line",
    [
        "Ada|poet|A mathematician.",
        "Ada|Babbage|They worked together.",
        "Ada and Babbage were seen by all who came to dinner|x|y|8",
    ],
)
def test_a_record_without_a_kind_that_is_not_clear_is_counted(line: str) -> None:
    found = read_list(f"{line}\n<|COMPLETE|>")
    assert (found.records, found.unread) == ([], [line])


UNCLOSED = '("entity"<|>Ann<|>person<|>A captain'
OTHERS = (
    '{"name": "Bob", "type": "person", "description": "A cook"}',
    "{'name': 'Bob', 'type': 'person', 'description': 'A cook'}",
    '["entity", "Bob", "person", "A cook"]',
    "(entity|Bob|person|A cook)",
)


@pytest.mark.parametrize("other", OTHERS)
def test_a_record_without_its_end_swallows_no_record_of_another_form(other: str) -> None:
    found = read_list(f"{UNCLOSED}\n{other}\n<|COMPLETE|>")
    assert sorted(found.records) == [
        ["entity", "Ann", "person", "A captain"],
        ["entity", "Bob", "person", "A cook"],
    ]


def test_objects_with_nothing_between_them_are_counted_one_by_one() -> None:
    objects = "".join(f"{{'name': '{name}', 'type': 'person'}}" for name in ("Ann", "Bob", "Cid"))
    found = read_list(f"{objects}<|COMPLETE|>")
    assert len(found.records) + len(found.unread) == 3
