"""Questions that no quotation answers are told from those that sentences answer."""

import pytest

from graphrag_neo4j.nlp.question_forms import form_of, kind_asked_for, names_in


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("How many guests are there?", "count"),
        ("How often is ImageNet mentioned?", "count"),
        ("How frequently do discussions about AI arise?", "count"),
        ("Who are the guests?", "list"),
        ("List all companies.", "list"),
        ("Which places are mentioned?", "list"),
        ("Compare Ada and Ben.", "comparison"),
        ("What is the difference between deep learning and statistics?", "comparison"),
        # a sentence may say these
        ("How many ghosts visit Scrooge?", None),
        ("How many people died in the fire?", None),
        ("What do the guests say of data?", None),
        ("Which companies did Bill Gates buy?", None),
        ("How often does she train?", None),
    ],
)
def test_the_form_of_a_question(question: str, form: str | None) -> None:
    assert form_of(question) == form


def test_the_type_that_a_list_is_of() -> None:
    assert kind_asked_for("Which organisations are mentioned?") == "organization"
    assert kind_asked_for("Which cities are named?") == "place"
    assert kind_asked_for("What are the themes?") is None


def test_names_in_a_question() -> None:
    found = names_in("Did Fei-Fei Li meet Andrew Ng's students in Boston?")
    assert [name for name, _ in found] == ["Fei-Fei Li", "Andrew Ng", "Boston"]
    assert names_in("Was sagt die Lehrerin von der Sprache?") == ()
