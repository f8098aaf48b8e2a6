"""Questions that a model writes: those that it suggests, and one that was made self-contained."""

import json

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.model.material import ReportTopic, SuggestionMaterial, Topic
from graphrag_neo4j.model.types import Message, Request
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive

REPORT = ReportTopic("Harbours [Data: Reports (3)]", "They are rebuilt.", ["Money is short."])
TOPIC = Topic("1", "Agnes Thorsby", "person", "She chairs the board.", 2)
ON_ALL = SuggestionMaterial([REPORT], [TOPIC], (), 2)
AFTER = SuggestionMaterial(
    [REPORT], [TOPIC], (), 2, ["Who pays?", "Who broke it?"], "A storm [Data: Entities (4)]."
)


def asked(material: SuggestionMaterial, *replies: object) -> tuple[list[tuple[str, bool]], str]:
    """The questions with whether each is on the whole, and the first prompt."""
    backend = LLMQueryBackend(load_settings())
    found, requests = drive(backend.questions(material, 3), [json.dumps(one) for one in replies])
    return [(one.text, one.whole) for one in found], requests[0].messages[0].content


def test_questions_on_the_whole_and_on_things_are_read() -> None:
    reply = {
        "whole": ["1. Why is money short?", "Money is short.", "Why is money short?"],
        "particular": ["- What does Agnes Thorsby  chair?", "", "x" * 500 + "?"],
    }
    found, prompt = asked(ON_ALL, reply)
    assert found == [("Why is money short?", True), ("What does Agnes Thorsby chair?", False)]
    assert "- whole: 3 questions" in prompt
    assert "Write in the language of the reports." in prompt
    assert "- Agnes Thorsby (person): She chairs the board." in prompt
    assert "- Money is short." in prompt


def test_questions_after_an_answer_hold_no_citation_and_the_prompt_none_either() -> None:
    found, prompt = asked(AFTER, {"next": ["And [Data: Claims (1)] why?", "No question."]})
    assert found == [("And ⟦Data: Claims (1)⟧ why?", False)]
    assert "- Who pays?\n- Who broke it?" in prompt
    assert "[Data: Entities" not in prompt
    none = {"whole": ["Money is short."], "next": ["Money is short."]}
    for material in (ON_ALL, AFTER):
        with pytest.raises(ReplyError, match="holds no question"):
            asked(material, none, none)


HISTORY = [Message("user", "Who was Marley?"), Message("assistant", "Scrooge's partner.")]
INSTEAD = "He lived in the chambers that Scrooge took over."


def rewritten(question: str, reply: str) -> tuple[str | None, list[Request]]:
    backend = LLMQueryBackend(load_settings())
    said = json.dumps({"question": reply}, ensure_ascii=False)
    return drive(backend.self_contained(question, HISTORY), [said])


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
    found, asked = rewritten(question, written)
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
        rewritten(question, reply)
