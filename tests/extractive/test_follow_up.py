"""A question that follows on another one, without a model."""

import pytest

from graphrag_neo4j.extractive.follow_up import with_subject
from graphrag_neo4j.model import Message


def history(*questions: str) -> list[Message]:
    pairs = ((Message("user", one), Message("assistant", "Marley was dead.")) for one in questions)
    return [message for pair in pairs for message in pair]


@pytest.mark.parametrize(
    ("asked", "before", "meant"),
    [
        ("And who built it?", ["What is ImageNet?"], "And who built it (ImageNet)?"),
        ("Where did he live", ["Who is Jacob Marley?"], "Where did he live (Jacob Marley)?"),
        ("And what of them?", ["Who is Jacob Marley?", "And Bob?"], "And what of them (Bob)?"),
        ("Who invented it?", ["What is deep learning?"], "Who invented it (deep learning)?"),
        (
            "Who invented it?",
            ["What is ImageNet?", "And when was that?"],
            "Who invented it (ImageNet)?",
        ),
    ],
)
def test_a_pronoun_gets_the_subject_of_an_earlier_question(
    asked: str, before: list[str], meant: str
) -> None:
    assert with_subject(asked, history(*before)) == meant


@pytest.mark.parametrize("asked", ["What does Lisa Su say of it?", "What is said in these texts?"])
def test_a_question_that_says_what_it_is_about_stays(asked: str) -> None:
    assert with_subject(asked, history("What is ImageNet?")) is None


def test_a_question_without_a_subject_before_it_stays() -> None:
    assert with_subject("And who built it?", history("And why?")) is None
