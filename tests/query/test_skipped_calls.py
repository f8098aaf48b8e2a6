"""A question whose calls fail in part is answered from the others, and the answer says so."""

from collections.abc import AsyncIterator, Callable
from typing import Unpack

import pytest

from graphrag_neo4j import AsyncGraphRAG, ModelError, ReplyError
from graphrag_neo4j.errors import BudgetSpentError
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.settings.options import QueryOptions
from tests.conftest import Run
from tests.support.carol import Indexed, indexed_carol
from tests.support.servers import TestServer

QUESTION = "What does Scrooge think of Christmas and of Marley?"


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(
        checked_server,
        characters=30_000,
        map_context_tokens=500,
        claims=False,
        small_share=1.0,
    ) as indexed:
        yield indexed


@pytest.fixture(autouse=True)
def no_faults(carol: Indexed) -> None:
    carol.endpoint.change(garbage=0.0, spared=0, only=[], key="")


async def ask(
    carol: Indexed, heard: list[Event] | None = None, **how: Unpack[QueryOptions]
) -> Answer:
    listen: Callable[[Event], None] = heard.append if heard is not None else lambda _: None
    async with AsyncGraphRAG(carol.settings, listen) as rag:
        return await rag.query(QUESTION, **how)


WAYS: list[tuple[str, QueryOptions]] = [
    ("json:points", {"method": "global"}),
    ("json:primer", {"method": "drift"}),
    ("json:relevant_reports", {"method": "global", "dynamic": True}),
]


@pytest.mark.parametrize(("kind", "how"), WAYS[:2])
async def test_some_calls_of_a_search_may_fail(
    carol: Indexed, kind: str, how: QueryOptions
) -> None:
    assert (await ask(carol, **how)).notices == ()
    carol.endpoint.change(garbage=1.0, spared=1, only=[kind])
    heard: list[Event] = []
    answer = await ask(carol, heard, **how)
    assert answer.found
    assert answer.citations
    (notice,) = answer.notices
    assert "reply can't be used" in notice
    assert Notice(notice, warning=True) in heard


@pytest.mark.parametrize(("kind", "how"), WAYS)
async def test_a_question_fails_with_the_reason_if_all_calls_fail(
    carol: Indexed, kind: str, how: QueryOptions
) -> None:
    carol.endpoint.change(garbage=1.0, only=[kind])
    with pytest.raises(ReplyError, match="none of the model's replies"):
        await ask(carol, **how)


async def test_reports_that_a_dynamic_search_could_not_rate_are_kept(
    carol: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_neo4j.query.global_.RATED_AT_ONCE", 2)
    carol.endpoint.change(garbage=1.0, spared=1, only=["json:relevant_reports"])
    answer = await ask(carol, method="global", dynamic=True)
    assert any("groups of reports were counted as relevant" in notice for notice in answer.notices)


async def test_a_refused_key_ends_the_question(carol: Indexed) -> None:
    carol.endpoint.change(key="another")
    with pytest.raises(ModelError, match="refuses the key"):
        await ask(carol, method="global")


async def test_a_cost_limit_ends_the_question(carol: Indexed) -> None:
    async with AsyncGraphRAG(carol.settings.changed(max_cost=0.0)) as rag:
        with pytest.raises(BudgetSpentError):
            await rag.query(QUESTION, method="global")


def test_the_command_prints_the_notice(
    carol: Indexed, kg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"KG_MAP_CONTEXT_TOKENS": "500", "KG_SMALL_SHARE": "1"}
    for name, value in (carol.environment | own).items():
        monkeypatch.setenv(name, value)
    carol.endpoint.change(garbage=1.0, spared=1, only=["json:points"])
    done = kg("query", QUESTION, "--method", "global", "--json")
    (notice,) = done.json["notices"]
    assert notice in " ".join(done.err.split())
