"""The form that a question asks for, and sentences of this form."""

import pytest

from graphrag_neo4j.nlp.answer_cues import cue_asked_for, shows


@pytest.mark.parametrize(
    ("question", "cue", "fitting", "other"),
    [
        ("Why did she leave?", "reason", "She wanted to learn.", "She left in May."),
        ("Where was he born?", "place", "He was born in Albania.", "He was born early."),
        ("When was it built?", "time", "We built it in 1969.", "We built it by hand."),
        ("How old is it?", "time", "It began ten years ago.", "It is of stone."),
        ("How many people came?", "number", "Some 300 came.", "Many came."),
        ("What advice do they give?", "advice", "You should read more.", "They read more."),
        ("How can I start?", "advice", "Don’t wait for anybody.", "They waited."),
        ("How did you get into music?", "beginning", "I started at six.", "I like music."),
        ("How has it changed?", "change", "Now there are chapters.", "It is a club."),
        ("What is ImageNet?", "definition", "ImageNet is a large set.", "We like ImageNet."),
    ],
)
def test_a_question_asks_for_a_form(question: str, cue: str, fitting: str, other: str) -> None:
    assert cue_asked_for(question) == cue
    assert shows(fitting, cue)
    assert not shows(other, cue)


def test_other_questions_ask_for_no_form() -> None:
    assert cue_asked_for("What does she say about music?") is None
    assert cue_asked_for("Wo wohnt sie?") is None
