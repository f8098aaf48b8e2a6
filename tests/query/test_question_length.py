"""A question has a limit, and the sentence says which."""

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.query.question import LONGEST_QUESTION, Question


def test_a_question_that_is_too_long_is_refused_before_the_graph_is_asked() -> None:
    text = "word " * (LONGEST_QUESTION // 5)
    Question(text)
    with pytest.raises(InputError, match=r"has 20,001 characters; at most 20,000 are allowed. Ask"):
        Question(text + "x")
