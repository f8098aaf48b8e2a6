"""The manners of endpoints in an index: errors, lists and vectors, over HTTP, by the client."""

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.status import IndexResult
from tests.conftest import Make
from tests.support.fake_endpoint.forms import to_json
from tests.support.fake_endpoint.server import HttpResponse
from tests.support.recording_endpoint import Body, Manner, Usual, mannered_endpoint

pytestmark = [pytest.mark.one_release, pytest.mark.usefixtures("graph")]

TALE = "Ebenezer Scrooge met Jacob Marley in London in {}. Marley was dead in London."
LONGEST = 300  # characters of a text that an embedding model of a test takes


async def index(
    settings: Make, manner: Manner, *texts: str, **given: object
) -> tuple[IndexResult, list[Body]]:
    """The result of an index of these texts, and the bodies of the calls."""
    usual = {"claims": False, "max_retries": 0, "entity_types": ("person", "place")}
    documents = [Document(text, f"tale {n}") for n, text in enumerate(texts or (TALE,))]
    with mannered_endpoint(manner) as (url, came):
        made = settings(openai_base_url=url, **{**usual, **given})
        async with AsyncGraphRAG(made) as rag:
            return await rag.index(documents), came


async def count(graph: Graph, label: str) -> int:
    rows = await graph.run_plain(f"MATCH (one:{label}) RETURN count(one) AS n")
    return int(rows[0]["n"])


@pytest.mark.parametrize(
    "error",
    [
        {"choices": [{"message": {"content": "So"}, "finish_reason": "content_filter"}]},
        {"error": {"message": "overloaded", "code": 500}},
    ],
)
async def test_a_gleaning_that_fails_leaves_the_first_list(
    settings: Make, graph: Graph, error: object
) -> None:
    def manner(body: Body, _usual: Usual) -> HttpResponse | None:
        gleaning = len(body.get("messages", ())) > 1
        return to_json(error) if gleaning else None

    built, came = await index(settings, manner, TALE * 8, gleanings=1)
    assert any(len(body.get("messages", ())) > 1 for body in came)
    assert built.complete
    assert await count(graph, "Entity") >= 2
    assert built.status
    assert any("gleaning" in one for one in built.status.unusable)


async def test_a_text_that_is_too_long_for_the_embedding_model_names_the_setting(
    settings: Make,
) -> None:
    def manner(body: Body, _usual: Usual) -> HttpResponse | None:
        long = any(len(text.split()) > LONGEST for text in body.get("input", ()))
        return to_json({"error": {"message": "at most 512 tokens"}}, 400) if long else None

    text = f"{TALE} " + "He said it again and again. " * 100
    built, _ = await index(settings, manner, text)
    assert built.status
    reasons = [failure.reason for failure in built.status.failures]
    assert reasons
    assert all("KG_EMBEDDING_TOKENS" in reason for reason in reasons)
    built, _ = await index(settings, manner, text, embedding_tokens=200)
    assert built.complete


async def test_a_limit_of_inputs_is_learned(
    settings: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_neo4j.index.limits.TEXTS_PER_CALL", 16)

    def manner(body: Body, _usual: Usual) -> HttpResponse | None:
        many = len(body.get("input", ())) > 4
        return to_json({"error": {"message": "batch size too large"}}, 400) if many else None

    texts = [TALE.format(year) for year in range(1843, 1883)]
    built, came = await index(settings, manner, *texts, concurrency=1)
    assert built.complete
    sizes = [len(body["input"]) for body in came if "input" in body]
    assert sum(size > 4 for size in sizes) <= 3  # 16 and 8 twice, in the first batch only
    assert sizes.count(4) >= 8
