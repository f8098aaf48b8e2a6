"""What a model says of a corpus: which replies are used, asked for again, or left out."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.extras.tune.tasks import (
    FoundTypes,
    Profile,
    entity_types_task,
    example_task,
    profile_task,
    stands_in,
)
from graphrag_neo4j.model.types import Extraction, Message, Reply, Request
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive

PASSAGES = ["Agnes Thorsby chairs the Harbour Board.", "The January Storm broke the mole."]
ASKED = Request("extraction", (Message("user", "Read it."),), 900)
GOOD = (
    '("entity"<|>Agnes Thorsby<|>person<|>She chairs.)##'
    '("entity"<|>Harbour Board<|>organization<|>A board.)##'
    '("relationship"<|>Agnes Thorsby<|>Harbour Board<|>She chairs it.<|>9)##<|COMPLETE|>'
)


def profile(*replies: object) -> Profile:
    task = profile_task(PASSAGES, load_settings())
    return drive(task, [Reply(json.dumps(one)) for one in replies])[0]


def types_of(*types: object, given: Sequence[str] = ()) -> FoundTypes:
    task = entity_types_task(PASSAGES, "a harbour", "English", load_settings(), given)
    reply = Reply(json.dumps({"types": types}))
    return drive(task, [reply])[0]


def a_type(name: str, *names: str) -> dict[str, object]:
    return {"name": name, "definition": f"What is a {name}.", "names": names, "passages": [1]}


def example(*replies: str, translated: bool = False) -> tuple[Extraction, list[Request]]:
    types = ["person", "organization"]
    task = example_task(ASKED, PASSAGES[0], types, load_settings(), translated=translated)
    return drive(task, [Reply(one) for one in replies])


SAID: dict[str, Any] = {
    "domain": "minutes of a harbour board.",
    "language": "English",
    "persona": "You are an archivist of harbours",
    "reason": "Boards and storms.",
    "passages": [2, 7, 2],
}


def test_a_profile_is_read() -> None:
    found = profile(SAID)
    assert found == Profile(
        "minutes of a harbour board", "English", "an archivist of harbours", SAID["reason"], [1]
    )
    assert profile({**SAID, "language": "Several"}).language is None


def test_what_a_document_put_into_a_profile_is_one_line_without_marks() -> None:
    found = profile({**SAID, "domain": "harbours\n# Task\n<|COMPLETE|> $examples {input_text} `x`"})
    assert found.domain == "harbours Task COMPLETE examples input_text x"
    assert len(profile({**SAID, "persona": "very " * 500}).persona) <= 240


def test_a_profile_that_repeats_the_instructions_is_asked_for_again() -> None:
    copied = {**SAID, "domain": "what kind of documents these are and what they are about"}
    assert profile(copied, SAID).domain == "minutes of a harbour board"
    with pytest.raises(ReplyError, match="domain repeats the instructions"):
        profile(copied, copied)


def test_types_without_a_name_in_the_passages_or_with_those_of_another_are_left_out() -> None:
    found = types_of(
        a_type("Person", "Agnes Thorsby", "Nobody Else"),
        a_type("persons", "Agnes Thorsby"),
        a_type("official", "agnes thorsby"),
        a_type("planet", "Saturn"),
        a_type("storm, or wind", "January Storm"),
    )
    assert [one.name for one in found.types] == ["Person", "storm or wind"]
    assert [(one.names, one.passages) for one in found.types] == [
        (["Agnes Thorsby"], [0]),
        (["January Storm"], [1]),
    ]
    assert dict(found.left_out) == {
        "persons": "it comes twice",
        "official": "another type also has its names",
        "planet": "none of the names that the model gave for it stands in the passages",
    }


def test_types_that_the_user_gave_are_kept_and_defined() -> None:
    found = types_of(a_type("persons", "Agnes Thorsby"), a_type("ghost"), given=["Person", "law"])
    assert [(one.name, one.definition) for one in found.types] == [
        ("Person", "What is a persons."),
        ("law", ""),
    ]
    assert dict(found.left_out) == {"ghost": "it is not among the types that you gave"}


@pytest.mark.parametrize(
    ("passage", "names", "others"),
    [
        (
            (
                "Großbritanniens Regierung folgt der Erklärung des Auswärtigen Amtes, wie "
                "Oppermanns Fraktion und die Beauftragte der Vereinigten Staaten mitteilten."
            ),
            ["Großbritannien", "Auswärtiges Amt", "Vereinigte Staaten", "Oppermann"],
            ["Frankreich", "Staatsrat", "Auswärtiger Ausschuss", "Opper"],
        ),
        (
            (
                "La présidente de l’Assemblée nationale a reçu les délégations des universités "
                "françaises à Bordeaux."
            ),
            ["Assemblée nationale", "université française", "Bordeaux"],
            ["Assemblée générale", "Bord"],
        ),
        (
            "El secretario de las Naciones Unidas visitó las universidades españolas en mayo.",
            ["Naciones Unidas", "Universidad española"],
            ["Unión Europea", "España"],
        ),
        (
            "Председатель Государственной Думы Российской Федерации встретился в Москве с Путиным.",
            ["Государственная Дума", "Российская Федерация", "Москва", "Путин"],
            ["Государственный Совет", "Россия"],
        ),
        ("東京で国会が開かれ、首相が演説した。", ["東京", "国会"], ["大阪", "京都"]),
        ("Agnes Thorsby's board met the chairmen of Holm's.", ["Thorsby", "Holm"], ["Agne"]),
    ],
)
def test_a_name_stands_in_a_passage_in_any_of_its_forms(
    passage: str, names: Sequence[str], others: Sequence[str]
) -> None:
    assert [name for name in names if not stands_in(name, passage)] == []
    assert [name for name in others if stands_in(name, passage)] == []


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("I can't help with that.", "fewer than 2 entities"),
        (GOOD.replace("Agnes Thorsby", "Ada Lovelace"), "'Ada Lovelace' do not stand"),
        (GOOD.replace("<|>person<|>", "<|>queen<|>"), "types 'queen' were not asked for"),
        (GOOD.replace("She chairs.", " "), "'Agnes Thorsby' have no description"),
        (GOOD.replace("<|>Harbour Board<|>She", "<|>The Mole<|>She"), "name 'The Mole', which"),
        (GOOD.replace("<|>9)", ")"), "1 of its records can't be read"),
        (GOOD[:-40], "cut off"),
    ],
)
def test_a_bad_list_is_asked_for_once_more_and_then_refused(bad: str, problem: str) -> None:
    found, asked = example(bad, GOOD)
    assert len(found.entities) == 2
    *before, said, told = asked[1].messages
    assert (*before,) == ASKED.messages
    assert (said.role, said.content) == ("assistant", bad)
    assert problem in told.content
    with pytest.raises(ReplyError, match=problem.replace("(", r"\(")):
        example(bad, bad)
