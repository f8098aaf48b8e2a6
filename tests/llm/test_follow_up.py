"""A question of a conversation is made self-contained, or it stays as it was."""

import json

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm import LLMQueryBackend
from graphrag_neo4j.model import Message, Request
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive

HISTORY = [Message("user", "Who was Marley?"), Message("assistant", "Scrooge's partner.")]
INSTEAD = "He lived in the chambers that Scrooge took over."


def rewritten(question: str, *replies: str) -> tuple[str | None, list[Request]]:
    backend = LLMQueryBackend.from_settings(load_settings())
    return drive(backend.self_contained(question, HISTORY), replies)


def as_json(question: str) -> str:
    return json.dumps({"question": question}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("And where did he live?", "Where did Marley live?"),
        ("他住在哪里？", "马利住在哪里？"),
        ("وأين عاش؟", "أين عاش مارلي؟"),
        ("Tell me more", "Tell me more about Marley and his partner."),
        ("And where", "Where did Marley live?"),
        ("Who was Marley?", "Who was Marley?"),
    ],
)
def test_the_question_is_rewritten_in_one_call(question: str, written: str) -> None:
    found, asked = rewritten(question, as_json(written))
    assert found == (written.replace("？", "?"))
    [request] = asked
    assert request.step == "rating"
    [message] = request.messages
    assert "Assistant: Scrooge's partner." in message.content
    assert message.content.index("Scrooge's partner") < message.content.rindex(question)


@pytest.mark.parametrize(
    ("question", "reply", "why"),
    [
        ("And where did he live?", INSTEAD, "an answer instead of a question"),
        ("And where", INSTEAD + " [Data: Entities (5)]", "an answer instead of a question"),
        ("Tell me more", "He was dead. He was cold. He was poor. He was sad. So.", "an answer"),
        ("And where?", "Where " + "and where " * 60 + "?", "too long for a question"),
        ("And where?", "  ", "no question"),
    ],
)
def test_a_reply_that_is_not_a_question_is_refused(question: str, reply: str, why: str) -> None:
    with pytest.raises(ReplyError, match=why):
        rewritten(question, as_json(reply))
