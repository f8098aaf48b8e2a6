"""What a question asks a model: the requests of the searches, and the reports that they choose."""

import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.evaluate import Evaluation
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.query.answer import Answer
from tests.support.carol import Indexed, indexed_carol
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.recording_endpoint import Body, prompt_of, recording_endpoint, schema_of
from tests.support.servers import TestServer

FIRST, SECOND = "What does Scrooge think of Christmas?", "Who is afraid of Marley?"
RATED = "relevant_reports"
REF = re.compile(r"^(\d+) \| ", re.MULTILINE)


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server, characters=40_000, claims=False) as indexed:
        yield indexed


async def ask(
    carol: Indexed,
    question: str = FIRST,
    url: str | None = None,
    **how: Any,  # noqa: ANN401 - options of a question
) -> tuple[Answer, list[str]]:
    """The answer, and the notices that were given."""
    said: list[Event] = []
    settings = carol.settings.changed(openai_base_url=url) if url else carol.settings
    async with AsyncGraphRAG(settings, said.append) as rag:
        answer = await rag.query(question, **how)
    return answer, [event.text for event in said if isinstance(event, Notice)]


async def rows(carol: Indexed, statement: str, **values: object) -> list[dict[str, Any]]:
    return [dict(row) for row in await carol.graph.run_plain(statement, **values)]


def refs(prompt: str) -> set[int]:
    return {int(ref) for ref in REF.findall(prompt)}


def refs_of(answer: Answer) -> set[int]:
    return {record.ref for table in answer.context for record in table.records.values()}


async def refs_of_level(carol: Indexed, level: int, *, plain: bool) -> set[int]:
    found = await rows(
        carol,
        "MATCH (c:Community {level: $level}) WHERE (c.origin = 'elements') = $plain "
        "RETURN c.ref AS ref",
        level=level,
        plain=plain,
    )
    return {row["ref"] for row in found}


async def test_the_contexts_of_a_level_are_the_same_for_every_question(carol: Indexed) -> None:
    contexts, prompts = [], []
    for question in (FIRST, SECOND):
        with recording_endpoint() as (url, came):
            answer, _ = await ask(
                carol, question, url, method="global", level=1, map_context_tokens=1000
            )
        maps = [body for body in came if schema_of(body) == "points"]
        assert all(body["messages"][-1]["content"] == question for body in maps)
        assert all(question not in body["messages"][0]["content"] for body in maps)
        contexts.append([table.text for table in answer.context])
        prompts.append(sorted(body["messages"][0]["content"] for body in maps))
    assert len(contexts[0]) > 1
    assert contexts[0] == contexts[1]
    assert prompts[0] == prompts[1]


async def test_a_relevant_report_stays_if_none_of_its_parts_is_relevant(carol: Indexed) -> None:
    tops = await refs_of_level(carol, 0, plain=False)
    with recording_endpoint(_only(tops)) as (url, came):
        answer, said = await ask(carol, url=url, method="global", dynamic=True)
    rated = [refs(prompt_of(body)) for body in came if schema_of(body) == RATED]
    assert any(not tops & batch for batch in rated), "no parts were rated"
    assert tops <= refs_of(answer)
    assert any(text.startswith("Answering from ") for text in said)


async def test_a_relevant_part_replaces_its_whole(carol: Indexed) -> None:
    [one, *_] = await rows(
        carol,
        "MATCH (part:Community {level: 1})-[:PARENT]->(whole:Community) "
        "WHERE part.origin <> 'elements' RETURN part.ref AS part, whole.ref AS whole ORDER BY part",
    )
    with recording_endpoint(_only({one["part"], one["whole"]})) as (url, _):
        answer, _ = await ask(carol, url=url, method="global", dynamic=True, small_share=0.0)
    assert refs_of(answer) == {one["part"]}


async def test_no_report_without_a_model_is_rated_by_one(carol: Indexed) -> None:
    found = await rows(carol, "MATCH (c:Community) WHERE c.origin = 'elements' RETURN c.ref AS ref")
    plain = {row["ref"] for row in found}
    with recording_endpoint(_everything) as (url, came):
        answer, _ = await ask(carol, url=url, method="global", dynamic=True, small_share=1.0)
    rated = [refs(prompt_of(body)) for body in came if schema_of(body) == RATED]
    assert rated
    assert not any(plain & batch for batch in rated)
    assert plain & refs_of(answer)


async def test_nothing_is_answered_from_plain_reports_alone(carol: Indexed) -> None:
    with recording_endpoint(_only(set())) as (url, came):
        answer, _ = await ask(carol, url=url, method="global", dynamic=True)
    assert not answer.context
    assert not answer.found
    assert {schema_of(body) for body in came} == {RATED}


async def test_batches_of_a_level_are_rated_side_by_side(
    carol: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_neo4j.query.global_.RATED_AT_ONCE", 1)
    with FakeEndpoint(latency=1.0, only=("json:relevant_reports",)) as slow:
        await ask(carol, url=slow.url, method="global", dynamic=True)
        rated = [call for call in slow.log if call.kind == f"json:{RATED}"]
    assert len(rated) > 2
    # The first call to a server of one's own goes alone, to see how fast it is.
    assert rated[2].time < rated[1].ended


async def test_chunks_are_shuffled_in_the_same_order_each_time(carol: Indexed) -> None:
    orders = []
    for _ in range(2):
        answer, _ = await ask(carol, method="text", context_only=True)
        orders.append([r.ref for table in answer.context for r in table.records.values()])
    assert len(orders[0]) > 10
    assert orders[0] == orders[1]
    assert orders[0] not in (sorted(orders[0]), sorted(orders[0], reverse=True))


async def test_local_contexts_are_not_called_reports(carol: Indexed) -> None:
    with recording_endpoint() as (url, came):
        await ask(carol, url=url, method="drift", drift_calls=2)
    primed = [body["messages"][0]["content"] for body in came if schema_of(body) == "primer"]
    assert len(primed) == 3
    assert any("# Sources" in prompt for prompt in primed)
    assert not any(re.search(r"reports below|\n# Reports\n\n", prompt) for prompt in primed)


async def test_the_conditions_of_the_paper_read_all_reports_and_others_say_what_they_leave_out(
    carol: Indexed, tmp_path: Path
) -> None:
    evaluation = Evaluation(tmp_path / "e", carol.settings)
    evaluation.add_questions([FIRST])
    evaluation.choose(["C0", "global:0"])
    assert (await evaluation.answer()).made == 2
    paper, ours = evaluation.folder.current_answers().values()
    [level] = await rows(carol, "MATCH (c:Community {level: 0}) RETURN count(c) AS n")
    assert paper.units == level["n"] > (ours.units or 0)
    assert not any("KG_SMALL_SHARE" in notice for notice in paper.notices)
    assert any("KG_SMALL_SHARE" in notice for notice in ours.notices)


def _only(relevant: set[int]) -> Callable[[Body], str | None]:
    def reply(body: Body) -> str | None:
        if schema_of(body) != RATED:
            return None
        return json.dumps({"relevant": sorted(relevant & refs(prompt_of(body)))})

    return reply


def _everything(body: Body) -> str | None:
    if schema_of(body) != RATED:
        return None
    return json.dumps({"relevant": sorted(refs(prompt_of(body)))})
