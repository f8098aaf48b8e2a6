"""Contradictions in a real graph: their statements, dates and places, and a model's verdict."""

import json

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, InputError
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.query import contradictions
from graphrag_neo4j.rules.query_backend import ExtractiveQueryBackend
from graphrag_neo4j.settings import Settings
from tests.conftest import Make, Run
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import DATA

pytestmark = pytest.mark.one_release

TOLD = json.loads((DATA / "contradictions" / "chosen_on.json").read_text("utf-8"))
DOCUMENTS = [
    Document(one["text"], one["source"], one["title"], {"date": one["date"]} if one["date"] else {})
    for one in TOLD["documents"]
]
RIGHT = {
    frozenset((source, text) for source, text in (one["one"], one["other"]))
    for one in TOLD["contradictions"]
}


@pytest.mark.usefixtures("graph", "environment")
async def test_most_of_what_is_shown_is_a_contradiction(
    alone: Settings, kg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(DOCUMENTS)).complete
        found = await rag.contradictions()
        monkeypatch.setattr(contradictions, "ENTITIES", 7)
        assert await rag.contradictions() == found
        assert await rag.contradictions(2) == found[:2]
        with pytest.raises(InputError, match="No model is set"):
            await rag.contradictions(with_model=True)
        with pytest.raises(InputError, match="limit"):
            await rag.contradictions(0)
    pairs = [frozenset((s.source.document, s.text) for s in one.statements) for one in found]
    assert len(RIGHT.intersection(pairs)) >= 0.8 * len(found)
    assert len(found) > 5
    for one in found:
        assert [said.source.quoted for said in one.statements] == [s.text for s in one.statements]
        dates = [said.date for said in one.statements]
        assert dates == sorted(dates)
    shown = kg("status", "--contradictions").out
    for said in found[0].statements:
        assert f"   - {said.text}\n     {said.source.place}" in shown


def test_the_option_needs_the_other_one(kg: Run) -> None:
    ran = kg("status", "--with-model")
    assert (ran.code, "Give --with-model together with --contradictions." in ran.err) == (2, True)


@pytest.mark.usefixtures("graph")
async def test_a_model_judges_each_pair_in_a_call(
    alone: Settings, settings: Make, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(DOCUMENTS)
    async with AsyncGraphRAG(settings()) as rag:
        judged = await rag.contradictions(2, with_model=True)
        asked = [call for call in endpoint.log if call.kind == "choice"]
        calls = len(endpoint.log)
        monkeypatch.setattr(LLMQueryBackend, "contradicts", ExtractiveQueryBackend.contradicts)
        every = await rag.contradictions(6, with_model=True)
        assert len(endpoint.log) == calls
    assert len(asked) == 2 * contradictions.JUDGED
    assert all(one in every for one in judged)
    assert len(judged) <= 2
    assert len({one.kind for one in every}) > 1
