"""Drift search: the questions of a round run side by side, in any order with the same result."""

import json
from collections.abc import Sequence
from functools import partial

import anyio
import pytest

from graphrag_neo4j import tokens
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.llm import LLMQueryBackend
from graphrag_neo4j.model import LLMTask, Message, Reply, StreamedTask, T
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.query.search.drift import search_drift
from graphrag_neo4j.settings import load_settings

FIRST = ["What does Ann do?", "What does Bob do?", "What does Cleo do?"]
SCORES = {FIRST[0]: 20, FIRST[1]: 90, FIRST[2]: 50}


class Round:
    """Answers the questions of the first round when all three are asked, in the given order."""

    def __init__(self, order: Sequence[int]) -> None:
        self._order = [FIRST[n] for n in order]
        self._asked: set[str] = set()
        self._answered: list[str] = []
        self._changed = anyio.Condition()
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
        async with self._changed:
            self._asked.add(question)
            self._changed.notify_all()
            while self._asked != {*FIRST} or self._order[len(self._answered)] != question:
                await self._changed.wait()
            self._answered.append(question)
            self._changed.notify_all()


async def found(graph: Graph, order: Sequence[int]) -> tuple[Sequence[Message], list[str]]:
    """The last request of a search in a graph of one report, and the questions of round two."""
    await graph.run_plain(
        "CREATE (:Community {id: 'c', ref: 1, level: 0, size: 3, title: 'Who', summary: 'Who?',"
        " report: 'Who? Ann.', n_tokens: 9, origin: 'model'})"
    )
    await graph.run_plain("CALL db.awaitIndexes(60)")
    answers = Round(order)
    settings = load_settings(drift_calls=5)
    query = QueryContext(
        graph=graph,
        settings=settings,
        backend=LLMQueryBackend.from_settings(settings),
        run=answers.run,
        embedder=None,
        count=partial(tokens.count, encoding_name=settings.encoding),
        question="Who?",
    )
    with anyio.fail_after(30):
        result = await search_drift(query)
    assert isinstance(result.answer, StreamedTask)
    assert len(result.contexts) == 6
    return result.answer.request.messages, answers.later


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_a_round_runs_side_by_side_and_the_order_of_its_replies_changes_nothing(
    graph: Graph, order: Sequence[int]
) -> None:
    asked, later = await found(graph, order)
    notes = asked[0].content
    places = [notes.index(f"Told of {FIRST[n]}\n") for n in (1, 2, 0)]  # by score
    assert places == sorted(places)
    # The best answer's questions are asked in the second round, as far as the calls go.
    assert sorted(later) == [f"{FIRST[1]} And {n}?" for n in range(2)]
