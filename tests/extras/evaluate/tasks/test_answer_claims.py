"""The claims of an answer: its sentences, the three steps, and what is not accepted."""

import json
from collections.abc import Sequence

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.extras.evaluate.tasks.claims import (
    AnswerPart,
    ClaimSteps,
    SentenceClaims,
    added_content,
    answer_parts,
)
from graphrag_neo4j.model.types import Request
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive

QUESTION = "Who was Jacob Marley?"
ANSWER = """# Marley

Marley was rich, and he paid 15 clerks [Data: Reports (3)]. It is said that it was so. What a life!

- **Death**: He died in 1836 [1].

### References
- [1] carol.txt
"""
SENTENCES = (
    "Marley was rich, and he paid 15 clerks.",
    "It is said that it was so.",
    "What a life!",
    "Death: He died in 1836.",
)


def selected(*verdicts: str, text: str = "") -> str:
    items = [
        {"number": number, "verdict": verdict, "text": text if verdict == "part" else ""}
        for number, verdict in enumerate(verdicts, start=1)
    ]
    return json.dumps({"selected": items})


def resolved(*verdicts: str) -> str:
    """A verdict is "clear", "ambiguous", or the text that the sentence is resolved to."""
    items = [
        {"number": number, "verdict": one, "text": ""}
        if one in {"clear", "ambiguous"}
        else {"number": number, "verdict": "resolved", "text": one}
        for number, one in enumerate(verdicts, start=1)
    ]
    return json.dumps({"resolved": items})


def decomposed(*claims: Sequence[str]) -> str:
    items = [{"number": number, "claims": listed} for number, listed in enumerate(claims, start=1)]
    return json.dumps({"decomposed": items})


def found(
    part: AnswerPart, *replies: str, question: str = QUESTION
) -> tuple[list[SentenceClaims], list[Request]]:
    return drive(ClaimSteps(load_settings()).claims(question, part), replies)


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        (ANSWER, list(SENTENCES)),
        ("", []),
        ("---\n\n***", []),
        ("Ο Μάρλεϊ ήταν πλούσιος. Πέθανε.", ["Ο Μάρλεϊ ήταν πλούσιος.", "Πέθανε."]),
        ("| A | B |\n|---|---|\n| Ann | rich |", ["A | B", "Ann | rich"]),
        ("He was\nrich.\nHe died.\n1. One\n2. Two", ["He was rich.", "He died.", "One", "Two"]),
        ("**Wealth:**\nHe was rich.", ["He was rich."]),
    ],
)
def test_sentences_of_all_forms_are_found(answer: str, sentences: list[str]) -> None:
    assert [one for part in answer_parts(answer) for one in part.sentences] == sentences


def test_claims_are_found_in_three_steps() -> None:
    (part,) = answer_parts(ANSWER)
    assert part.context == "\n".join(["Marley", *SENTENCES])
    claims, requests = found(
        part,
        selected("keep", "keep", "none", "part", text="He died in 1836."),
        resolved("clear", "ambiguous", "Jacob Marley died in 1836."),
        decomposed(["Marley was rich.", "Marley paid 15 clerks."], ["Jacob Marley died in 1836."]),
    )
    assert claims == [
        SentenceClaims(SENTENCES[0], "claims", ["Marley was rich.", "Marley paid 15 clerks."]),
        SentenceClaims(SENTENCES[1], "ambiguous"),
        SentenceClaims(SENTENCES[2], "nothing to check"),
        SentenceClaims(SENTENCES[3], "claims", ["Jacob Marley died in 1836."]),
    ]
    shown = [request.messages[-1].content for request in requests]
    assert all(QUESTION in prompt and part.context in prompt for prompt in shown)
    assert "4. Death: He died in 1836." in shown[0]
    assert "3. He died in 1836." in shown[1]
    assert "2. Jacob Marley died in 1836." in shown[2]


def test_a_rewritten_sentence_that_says_more_is_not_accepted() -> None:
    part = AnswerPart(SENTENCES[:1], SENTENCES[0])
    (one,), _ = found(part, selected("part", text="Marley was rich in 1799."))
    assert one.outcome == "added"
    assert one.left_out == ["Marley was rich in 1799. ('1799' stands in no source)"]
    (one,), _ = found(part, selected("keep"), resolved("Old Marley of Camden was rich."))
    assert one.outcome == "added"


def test_a_claim_that_says_more_is_left_out_and_the_others_stay() -> None:
    part = AnswerPart(SENTENCES[:1], SENTENCES[0])
    said = ["Marley was rich.", "Marley was rich.", "His partner was Ebenezer Scrooge."]
    (one,), _ = found(part, selected("keep"), resolved("clear"), decomposed(said))
    assert one.claims == ["Marley was rich."]
    assert one.left_out == ["His partner was Ebenezer Scrooge. ('Ebenezer' stands in no source)"]
    (one,), _ = found(part, selected("keep"), resolved("clear"), decomposed(said[2:]))
    assert (one.outcome, one.claims) == ("added", [])


@pytest.mark.parametrize(
    "reply", [selected("keep"), selected("keep", "keep", "keep"), "", "I can't.", '{"selected": 7}']
)
def test_a_reply_that_skips_a_sentence_is_asked_for_again_and_then_an_error(reply: str) -> None:
    part = AnswerPart(SENTENCES[:2], " ".join(SENTENCES[:2]))
    twice = reply.replace('"number": 3', '"number": 2')
    claims, _ = found(part, twice, selected("none", "none"))
    assert {one.outcome for one in claims} == {"nothing to check"}
    with pytest.raises(ReplyError):
        found(part, twice, twice)


@pytest.mark.parametrize(
    ("text", "source", "adds"),
    [
        ("They announced layoffs.", "A layoff was announcing itself.", False),
        ("It cost 1,000 pounds.", "The cost: 1000 pounds", False),
        ("机器学习改变世界。", "机器学习很重要。它改变了世界。", False),
        ("", "x", False),
        ("The NSA did it.", "They did it.", True),
        ("It cost 2000.", "It cost 1000 pounds.", True),
        ("Ships sank near many cold harbours.", "It cost 1000 pounds to do it.", True),
        ("人们喜欢猫和狗。", "机器学习很重要。", True),
    ],
)
def test_new_names_numbers_and_words_are_found_and_other_forms_are_not_new(
    text: str, source: str, *, adds: bool
) -> None:
    assert bool(added_content(text, [source])) is adds
