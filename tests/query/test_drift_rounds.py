"""Drift search: the questions of a round run side by side, in any order with the same result."""

import json
from collections.abc import Sequence

import anyio
import pytest

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import ensure_fulltext_indexes
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.model.types import LLMTask, Reply, T
from graphrag_neo4j.query.drift import RankedRow, _explore, apart, search_drift
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


# A community and its parts, with their numbers of members; the first two are about Greece's debts.
TREE = [
    ("debts", None, 30, "Griechenlands Schulden und die Kredite der Euro-Staaten"),
    ("loans", "debts", 12, "Die Kredite für Griechenland und Griechenlands Schulden"),
    ("banks", "debts", 8, "Griechenlands Banken, ihre Schulden und die Kredite der EZB"),
    ("note", None, 2, "Kredite und Schulden Griechenlands, Atomkraft in Hinkley Point"),
    ("power", None, 20, "Der Streit über Subventionen für Atomkraft in Hinkley Point"),
]
MADE = """UNWIND $tree AS row
CREATE (c:Community:KgBuild {id: row[0], ref: row[4], size: row[2], level: CASE WHEN row[1] IS NULL
  THEN 0 ELSE 1 END, title: row[3], summary: row[3], report: row[3] + '.', origin: 'model'})
WITH c, row MATCH (parent:Community {id: row[1]}) CREATE (c)-[:PARENT]->(parent)"""


async def test_the_primer_reads_reports_of_different_themes(graph: Graph) -> None:
    settings = load_settings()
    await ensure_fulltext_indexes(graph, settings.fulltext_analyzer)
    await graph.run_plain(MADE, tree=[[*row, ref] for ref, row in enumerate(TREE, 1)])
    await graph.run_plain("CALL db.awaitIndexes(60)")
    asked = "Wer zahlt für Griechenlands Schulden, die Kredite und die Atomkraft in Hinkley Point?"
    backend, answers = LLMQueryBackend(settings), Round((0, 1, 2))
    query = QueryContext(
        graph, settings, backend, answers.run, None, tokens.count, asked, context_only=True
    )
    primer, _ = (await search_drift(query)).contexts
    ids = [id_ for _, id_ in primer.records]
    assert set(ids) & {"note", "power"} == {"note", "power"}
    parts = {"loans", "banks"} & set(ids)
    assert bool(parts) != ("debts" in ids)


def row_of(name: str, *above: str, size: int = 10) -> RankedRow:
    return RankedRow(
        id=name, ref=1, title="", summary="", report="", n_tokens=1, size=size, above=[*above]
    )


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        # The better one of a part and its whole; both parts where they are better than the whole.
        ({"whole": 3, "part": 2, "other": 1}, ["whole", "other"]),
        ({"part": 3, "whole": 2, "within": 1.5, "twin": 1}, ["part", "twin"]),
        ({"within": 3, "whole": 2, "other": 1}, ["within", "other"]),
        # Two members are rarely a theme, but may be what the question is about.
        ({"small": 1.05, "other": 1}, ["other", "small"]),
        ({"small": 2, "other": 1}, ["small", "other"]),
    ],
)
def test_no_report_stands_beside_a_part_of_itself(
    scores: dict[str, float], kept: list[str]
) -> None:
    rows = [
        row_of("whole"),
        row_of("part", "whole"),
        row_of("twin", "whole"),
        row_of("within", "part", "whole"),
        row_of("other"),
        row_of("small", size=2),
    ]
    found = apart([row for row in rows if row["id"] in scores], scores)
    assert [row["id"] for row in found] == kept
