"""What a question asks a model: the requests of the searches, and the reports that they choose."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j import AsyncGraphRAG, ModelError, ReplyError
from graphrag_neo4j.errors import BudgetSpentError
from graphrag_neo4j.extras.evaluate import Evaluation
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.query import engine
from graphrag_neo4j.query.answer import METHODS, Answer, Method
from graphrag_neo4j.query.engine import messages_of
from graphrag_neo4j.text.tokens import CountTokens
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
    max_cost: float | None = None,
    **how: Any,  # noqa: ANN401 - options of a question
) -> tuple[Answer, list[str]]:
    """The answer, and the notices that were given."""
    said: list[Event] = []
    settings = carol.settings.changed(max_cost=max_cost)
    settings = settings.changed(openai_base_url=url) if url else settings
    async with AsyncGraphRAG(settings, said.append) as rag:
        answer = await rag.query(question, **how)
    return answer, [event.text for event in said if isinstance(event, Notice)]


def refs(prompt: str) -> set[int]:
    return {int(ref) for ref in REF.findall(prompt)}


def refs_of(answer: Answer) -> set[int]:
    return {record.ref for table in answer.context for record in table.records.values()}


async def refs_by_origin(carol: Indexed, *, plain: bool) -> set[int]:
    """The reports made with a model on the first level, or all that were made without one."""
    found = await carol.graph.run_plain(
        "MATCH (c:Community) WHERE (c.origin = 'elements') = $plain AND ($plain OR c.level = 0) "
        "RETURN c.ref AS ref",
        plain=plain,
    )
    return {row["ref"] for row in found}


async def test_a_question_is_embedded_once(carol: Indexed) -> None:
    answer, _ = await ask(carol, method="local", context_only=True)
    assert answer.usage["embedding"].calls == 1


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
    tops = await refs_by_origin(carol, plain=False)
    with recording_endpoint(_only(tops)) as (url, came):
        answer, said = await ask(carol, url=url, method="global", dynamic=True)
    rated = [refs(prompt_of(body)) for body in came if schema_of(body) == RATED]
    assert any(not tops & batch for batch in rated), "no parts were rated"
    assert tops <= refs_of(answer)
    assert any(text.startswith("Answering from ") for text in said)


async def test_a_relevant_part_replaces_its_whole_and_where_none_is_nothing_is_answered(
    carol: Indexed,
) -> None:
    [one, *_] = await carol.graph.run_plain(
        "MATCH (part:Community {level: 1})-[:PARENT]->(whole:Community) "
        "WHERE part.origin <> 'elements' RETURN part.ref AS part, whole.ref AS whole ORDER BY part"
    )
    with recording_endpoint(_only({one["part"], one["whole"]})) as (url, _):
        answer, _ = await ask(carol, url=url, method="global", dynamic=True)
    assert refs_of(answer) - await refs_by_origin(carol, plain=True) == {one["part"]}
    with recording_endpoint(_only(set())) as (url, came):  # nothing from plain reports alone
        answer, _ = await ask(carol, url=url, method="global", dynamic=True)
    assert not answer.context
    assert not answer.found
    assert {schema_of(body) for body in came} == {RATED}


async def test_no_report_without_a_model_is_rated_by_one(carol: Indexed) -> None:
    plain = await refs_by_origin(carol, plain=True)
    with recording_endpoint(_only(None)) as (url, came):
        answer, _ = await ask(carol, url=url, method="global", dynamic=True)
    rated = [refs(prompt_of(body)) for body in came if schema_of(body) == RATED]
    assert rated
    assert not any(plain & batch for batch in rated)
    assert plain & refs_of(answer)


async def test_chunks_are_shuffled_in_the_same_order_each_time(carol: Indexed) -> None:
    orders = []
    for _ in range(2):
        answer, _ = await ask(carol, method="text", context_only=True)
        orders.append([r.ref for table in answer.context for r in table.records.values()])
    assert len(orders[0]) > 10
    assert orders[0] == orders[1]
    assert orders[0] not in (sorted(orders[0]), sorted(orders[0], reverse=True))


async def test_the_conditions_of_the_paper_and_a_named_level_read_all_reports(
    carol: Indexed, tmp_path: Path
) -> None:
    evaluation = Evaluation(tmp_path / "e", carol.settings)
    evaluation.add_questions([FIRST])
    evaluation.choose(["C0", "global:0"])
    assert (await evaluation.answer()).made == 2
    paper, ours = evaluation.folder.current_answers().values()
    async with AsyncGraphRAG(carol.settings) as rag:
        level = await rag.communities(level=0)
    assert paper.units == ours.units == len(level)


def _only(relevant: set[int] | None) -> Callable[[Body], str | None]:
    def reply(body: Body) -> str | None:
        if schema_of(body) != RATED:
            return None
        shown = refs(prompt_of(body))
        return json.dumps({"relevant": sorted(shown if relevant is None else shown & relevant)})

    return reply


# A question is understood together with the conversation before it.

HISTORY = [("What does the book say of Fezziwig?", "He is merry [Data: Entities (5)].")]
UNDERSTOOD = "And what of his ball (about Fezziwig)?"


async def resume(carol: Indexed, *, method: Method, **changed: object) -> tuple[str, list[Event]]:
    said: list[Event] = []
    carol.endpoint.reset()
    async with AsyncGraphRAG(carol.settings.changed(**changed), said.append) as rag:
        answer = await rag.query("And what of his ball?", method=method, history=HISTORY)
    return answer.question, said


@pytest.mark.parametrize("method", METHODS)
async def test_each_call_sees_the_whole_question(carol: Indexed, method: Method) -> None:
    question, said = await resume(carol, method=method)
    assert question == UNDERSTOOD
    assert Notice(f"The question is understood as: {UNDERSTOOD}") in said
    kinds = [call.kind for call in carol.endpoint.log if not call.inputs]
    assert kinds.count("json:self_contained_question") == 1
    assert kinds[0] == "json:self_contained_question"


async def test_a_question_stays_where_a_model_answers_it_and_without_one_a_pronoun_gets_its_name(
    carol: Indexed,
) -> None:
    carol.endpoint.change(garbage=1.0, only=["json:self_contained_question"])
    try:
        question, said = await resume(carol, method="local")
    finally:
        carol.endpoint.change(garbage=0.0, only=[])
    assert question == "And what of his ball?"
    [notice] = [one for one in said if isinstance(one, Notice)]
    assert notice.warning
    assert "asked as it stands, without what was said before" in notice.text
    question, said = await resume(carol, method="local", openai_api_key=None, openai_base_url=None)
    assert question == "And what of his ball (Fezziwig)?"
    assert Notice(f"The question is understood as: {question}") in said


def words(each: int) -> CountTokens:
    """Counts each word as so many tokens."""
    return lambda text: each * len(text.split())


def test_the_latest_turns_count_as_far_as_they_fit_and_a_long_answer_is_shortened() -> None:
    history = [("one two", "three four"), ("five six", "seven eight"), ("nine", "ten")]
    said = [message.content for message in messages_of(history, words(engine.HISTORY // 6))]
    assert said == ["five six", "seven eight", "nine", "ten"]
    said = [message.content for message in messages_of(history, words(engine.HISTORY // 5))]
    assert said == ["five six", "seven", "nine", "ten"]
    assert len(messages_of(history * 9, len)) == 2 * engine.TURNS
    long = "word " * 1000 + "[Data: Entities (5)]"
    history = [("Who?", long), ("And?", "So [Data: Claims (2)].")]
    count = words(engine.HISTORY // 100)
    messages = messages_of(history, count)
    assert sum(count(message.content) for message in messages) <= engine.HISTORY
    assert messages[-1].content == "So."
    assert "Data" not in messages[1].content


# Calls that fail in part are told, and the others answer.

SMALL = {"map_context_tokens": 500}  # many calls
WAYS: list[tuple[str, dict[str, Any]]] = [
    ("json:points", {"method": "global", **SMALL}),
    ("json:primer", {"method": "drift", **SMALL}),
    ("json:relevant_reports", {"method": "global", "dynamic": True, **SMALL}),
]


@pytest.fixture
def endpoint(carol: Indexed) -> Iterator[FakeEndpoint]:
    yield carol.endpoint
    carol.endpoint.change(garbage=0.0, spared=0, only=[], key="")


@pytest.mark.parametrize(("kind", "how"), WAYS)
async def test_some_calls_may_fail(
    carol: Indexed, endpoint: FakeEndpoint, kind: str, how: dict[str, Any]
) -> None:
    endpoint.change(garbage=1.0, only=[kind])
    with pytest.raises(ReplyError, match="none of the model's replies"):
        await ask(carol, **how)
    endpoint.change(garbage=0.0)
    if "dynamic" not in how:
        assert (await ask(carol, **how))[0].notices == ()
        endpoint.change(garbage=1.0, spared=3)
        answer, said = await ask(carol, **how)
        assert answer.found
        assert answer.citations
        (notice,) = answer.notices
        assert "reply can't be used" in notice
        assert notice in said


async def test_reports_that_could_not_be_rated_are_kept(
    carol: Indexed, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_neo4j.query.global_.RATED_AT_ONCE", 2)
    endpoint.change(garbage=1.0, spared=1, only=["json:relevant_reports"])
    answer, _ = await ask(carol, **WAYS[2][1])
    assert any("groups of reports were counted as relevant" in notice for notice in answer.notices)


async def test_a_refused_key_and_a_cost_limit_end_it(
    carol: Indexed, endpoint: FakeEndpoint
) -> None:
    with pytest.raises(BudgetSpentError):
        await ask(carol, method="global", max_cost=0.0)
    endpoint.change(key="another")
    with pytest.raises(ModelError, match="refuses the key"):
        await ask(carol, method="global")
