"""A question has a limit, and the sentence says which."""

from typing import cast

import pytest

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.query.engine import LONGEST_QUESTION, answer_question
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.settings import load_settings


async def test_a_question_that_is_too_long_is_refused_before_the_graph_is_asked() -> None:
    nothing = cast("Graph", None)  # whatever would ask it, fails otherwise
    question = Question("word " * (LONGEST_QUESTION // 5) + "x")
    with pytest.raises(InputError, match=r"has 20,001 characters; at most 20,000 are allowed. Ask"):
        async for _ in answer_question(
            nothing, Backends(load_settings()), load_settings(), question, lambda _: None
        ):
            pass
