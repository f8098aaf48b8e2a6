"""A question is understood together with the conversation before it."""

from collections.abc import AsyncIterator

import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.query import engine
from graphrag_neo4j.query.answer import METHODS, Method
from graphrag_neo4j.query.engine import messages_of
from graphrag_neo4j.text.tokens import CountTokens
from tests.support.carol import Indexed, indexed_carol
from tests.support.servers import TestServer

HISTORY = [("What does the book say of Fezziwig?", "He is merry [Data: Entities (5)].")]
UNDERSTOOD = "And what of his ball (about Fezziwig)?"


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server, claims=False) as indexed:
        yield indexed


async def ask(carol: Indexed, *, method: Method, **changed: object) -> tuple[str, list[Event]]:
    said: list[Event] = []
    carol.endpoint.reset()
    async with AsyncGraphRAG(carol.settings.changed(**changed), said.append) as rag:
        answer = await rag.query("And what of his ball?", method=method, history=HISTORY)
    return answer.question, said


@pytest.mark.parametrize("method", METHODS)
async def test_each_call_sees_the_question_that_stands_alone(
    carol: Indexed, method: Method
) -> None:
    question, said = await ask(carol, method=method)
    assert question == UNDERSTOOD
    assert Notice(f"The question is understood as: {UNDERSTOOD}") in said
    kinds = [call.kind for call in carol.endpoint.log if not call.inputs]
    assert kinds.count("json:self_contained_question") == 1
    assert kinds[0] == "json:self_contained_question"


async def test_a_model_that_answers_instead_leaves_the_question_as_it_was(carol: Indexed) -> None:
    carol.endpoint.change(garbage=1.0, only=["json:self_contained_question"])
    try:
        question, said = await ask(carol, method="local")
    finally:
        carol.endpoint.change(garbage=0.0, only=[])
    assert question == "And what of his ball?"
    [notice] = [one for one in said if isinstance(one, Notice)]
    assert notice.warning
    assert "asked as it stands, without what was said before" in notice.text


async def test_without_a_model_a_pronoun_gets_the_name_of_a_question_before(carol: Indexed) -> None:
    question, said = await ask(carol, method="local", openai_api_key=None, openai_base_url=None)
    assert question == "And what of his ball (Fezziwig)?"
    assert Notice(f"The question is understood as: {question}") in said


async def test_a_question_without_a_conversation_is_not_rewritten(carol: Indexed) -> None:
    carol.endpoint.reset()
    async with AsyncGraphRAG(carol.settings) as rag:
        answer = await rag.query("Who was Fezziwig?", method="local")
    assert answer.question == "Who was Fezziwig?"
    assert carol.endpoint.count("json:self_contained_question") == 0


def words(each: int) -> CountTokens:
    """Counts each word as so many tokens."""
    return lambda text: each * len(text.split())


def test_the_latest_turns_count_as_far_as_they_fit() -> None:
    history = [("one two", "three four"), ("five six", "seven eight"), ("nine", "ten")]
    said = [message.content for message in messages_of(history, words(engine.HISTORY // 6))]
    assert said == ["five six", "seven eight", "nine", "ten"]
    said = [message.content for message in messages_of(history, words(engine.HISTORY // 5))]
    assert said == ["five six", "seven", "nine", "ten"]
    assert len(messages_of(history * 9, len)) == 2 * engine.TURNS


def test_a_long_answer_is_shortened_and_loses_its_citations() -> None:
    history = [
        ("Who?", "word " * 1000 + "[Data: Entities (5)]"),
        ("And?", "So [Data: Claims (2)]."),
    ]
    count = words(engine.HISTORY // 100)
    messages = messages_of(history, count)
    assert sum(count(message.content) for message in messages) <= engine.HISTORY
    assert messages[-1].content == "So."
    assert "Data" not in messages[1].content
