"""Drift search: the questions of a round run side by side, in any order with the same result."""

import json
from collections.abc import Sequence

import anyio
import pytest

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import ensure_fulltext_indexes
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.model.types import LLMTask, Reply, T
from graphrag_neo4j.query.drift import _explore
from graphrag_neo4j.query.global_ import SkippedCalls
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.text import tokens

FIRST = ["What does Ann do?", "What does Bob do?", "What does Cleo do?"]
SCORES = {FIRST[0]: 20, FIRST[1]: 90, FIRST[2]: 50}


class Round:
    """Answers the questions of the first round when all three are asked, in the given order."""

    def __init__(self, order: Sequence[int]) -> None:
        self._order = [FIRST[n] for n in order]
        self._turns = {question: anyio.Event() for question in FIRST}
        self._asked: set[str] = set()
        self.later: list[str] = []

    async def run(self, task: LLMTask[T]) -> T:
        question = next(task).messages[-1].content
        follow_ups = [f"{question} And {n}?" for n in range(2)]
        if question == "Who?":
            follow_ups = FIRST
        elif question in FIRST:
            await self._turn(question)
        else:
            self.later.append(question)
        score = SCORES.get(question, 10)
        reply = {"answer": f"Told of {question}", "score": score, "follow_ups": follow_ups}
        try:
            task.send(Reply(json.dumps(reply)))
        except StopIteration as done:
            result: T = done.value
            return result
        raise AssertionError("the reply was not taken")

    async def _turn(self, question: str) -> None:
        self._asked.add(question)
        if len(self._asked) == len(FIRST):
            self._turns[self._order[0]].set()
        await self._turns[question].wait()
        for after in self._order[self._order.index(question) + 1 :][:1]:
            self._turns[after].set()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_the_order_of_replies_changes_nothing(graph: Graph, order: Sequence[int]) -> None:
    """In an empty graph."""
    answers, settings = Round(order), load_settings(drift_calls=5)
    await ensure_fulltext_indexes(graph, settings.fulltext_analyzer)
    backend = LLMQueryBackend(settings)
    query = QueryContext(graph, settings, backend, answers.run, None, tokens.count, "Who?")
    calls = SkippedCalls(query.run, ("context", "contexts"))
    with anyio.fail_after(60):
        contexts, points = await _explore(query, query.table(100), calls)
    assert len(contexts) == len(points) == 6
    # The best answer's questions are asked in the second round, as far as the calls go.
    second = [f"{FIRST[1]} And {n}?" for n in range(2)]
    assert [point.description for point in points] == [
        f"Told of {question}" for question in ["Who?", *FIRST, *second]
    ]
    assert sorted(answers.later) == second
