"""Reasoning models, local servers, old servers and strict proxies: each call comes through."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import anyio
import httpx2
import openai
import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm import Endpoint
from graphrag_neo4j.llm.calls.options import CallOptions, Capabilities, sent_without_refused
from graphrag_neo4j.model import Message, Reply, Request
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.fake_endpoint.options import MODES
from tests.support.odd_endpoint import EVENTS, events, odd_endpoint

SCHEMA = {"title": "note", "type": "object", "properties": {"text": {"type": "string"}}}
PLAIN = Request("summary", (Message("user", "Say something short."),), max_tokens=200)
CHOICE = Request("rating", (Message("user", "Is it so?"),), choices=("Yes", "No"))
NOTE = Request("report", (Message("user", "A note, please."),), schema=SCHEMA, max_tokens=500)
ANSWER = Request("answer", (Message("user", "Say something short."),), max_tokens=200)


def settings(url: str, **given: object) -> Settings:
    usual = {"openai_base_url": url, "openai_api_key": "sk-x", "max_retries": 0}
    return load_settings(**(usual | given))


@pytest.fixture(params=list(MODES))
def kind(request: pytest.FixtureRequest) -> Iterator[FakeEndpoint]:
    with FakeEndpoint(**MODES[request.param]) as endpoint:
        yield endpoint


async def heard(model: Endpoint, request: Request = ANSWER) -> tuple[str, list[str]]:
    """The streamed text, and the reasons why it is incomplete."""
    reasons: list[str] = []
    return "".join([piece async for piece in model.stream(request, reasons.append)]), reasons


async def test_every_call_comes_through_and_is_refused_only_at_first(kind: FakeEndpoint) -> None:
    async with Endpoint(settings(kind.url)) as model:
        for _ in range(2):
            kind.reset()
            assert (await heard(model))[0]
            assert (await model.ask(PLAIN)).text
            assert (await model.ask(CHOICE)).text
            assert (await model.ask(NOTE)).text
            assert await model.embed(["One text."])
    assert [call.status for call in kind.log] == [200] * 5


async def test_a_call_that_waits_while_another_learns_what_is_refused_comes_through(
    kind: FakeEndpoint,
) -> None:
    """It was written with all options, and is refused when the options are known no more."""
    kind.change(latency=0.05)
    texts: list[str] = []
    async with (
        Endpoint(settings(kind.url, concurrency=1)) as model,
        anyio.create_task_group() as all_,
    ):

        async def ask() -> None:
            texts.append((await model.ask(NOTE)).text)

        async def listen() -> None:
            texts.append((await heard(model, NOTE))[0])

        for call in (ask, ask, listen):
            all_.start_soon(call)
            await anyio.sleep(0.02)
    assert len(texts) == 3
    assert all(texts)


@pytest.mark.parametrize("learnt", [{"json_schema"}, {"json_schema", "json_object"}])
async def test_a_refusal_of_what_is_known_by_now_sends_the_call_again(learnt: set[str]) -> None:
    known = Capabilities()
    options = CallOptions("model-of-mine", NOTE, known)
    types: list[str] = []

    async def send(body: Mapping[str, Any]) -> str:
        kind = body.get("response_format", {"type": ""})["type"]
        types.append(kind)
        if not kind:
            return "done"
        known.refused |= learnt  # by another call
        response = httpx2.Response(400, request=httpx2.Request("POST", "http://127.0.0.1/v1"))
        raise openai.BadRequestError("response_format unknown", response=response, body=None)

    assert (await sent_without_refused(known, options.body, send))[0] == "done"
    assert types == ["json_schema", *{"json_object"} - learnt, ""]


@pytest.mark.parametrize("shown", ["content", "field", ""])
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_reply_whose_limit_went_to_the_reasoning_is_asked_for_with_more_room(
    shown: str, *, streamed: bool
) -> None:
    with FakeEndpoint(reasoning=300, shows_reasoning=shown) as endpoint:
        async with Endpoint(settings(endpoint.url)) as model:
            for _ in range(2):
                text = (await heard(model))[0] if streamed else (await model.ask(PLAIN)).text
                assert text
                assert "<think>" not in text
        sizes = [call.completion_tokens for call in endpoint.log]
    assert sizes[0] == 200
    assert len(sizes) == 3  # the second question has room for the reasoning at once


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_reasoning_without_end_is_no_reply(*, streamed: bool) -> None:
    with FakeEndpoint(reasoning=10**6) as endpoint:
        async with Endpoint(settings(endpoint.url, reasoning_tokens=100)) as model:
            with pytest.raises(ReplyError, match=r"no text within 600 tokens.*KG_REASONING_TOKENS"):
                await (heard(model) if streamed else model.ask(PLAIN))
        assert len(endpoint.log) == 2
    assert model.meter.total.calls == 2  # both were paid for


@pytest.mark.parametrize("rejects", [(), ("temperature",)])
async def test_a_choice_that_went_to_the_reasoning_is_asked_for_in_the_models_own_words(
    rejects: tuple[str, ...],
) -> None:
    with FakeEndpoint(reasoning=300, rejects=rejects) as endpoint:
        async with Endpoint(settings(endpoint.url)) as model:
            for _ in range(2):
                assert (await model.ask(CHOICE)).text
        tokens = [call.completion_tokens for call in endpoint.log if call.status == 200]
    assert tokens[0] == 1
    assert min(tokens[1:]) > 300
    assert len(tokens) == 3


async def test_a_streamed_answer_that_is_cut_keeps_what_came_and_says_so() -> None:
    with FakeEndpoint(output_tokens=3) as endpoint:
        async with Endpoint(settings(endpoint.url)) as model:
            text, reasons = await heard(model)
    assert text
    assert reasons == ["it reached the limit of its length"]


def ending(reason: str, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


async def streamed(*body: object) -> tuple[str, list[str]]:
    with odd_endpoint(events(*body), content_type=EVENTS) as (url, _):
        async with Endpoint(settings(url)) as model:
            return await heard(model)


async def test_a_filter_that_ends_a_streamed_answer_is_said() -> None:
    text, reasons = await streamed(ending("", content="So be"), ending("content_filter"))
    assert text == "So be"
    assert reasons == ["the endpoint's content filter stopped it"]
    with pytest.raises(ReplyError, match="content filter withheld"):
        await streamed(ending("content_filter"))


async def test_a_refusal_is_said_in_the_models_words() -> None:
    words = ("I can't help ", "with that.")
    with pytest.raises(ReplyError, match=r"refused to reply: I can't help with that\."):
        await streamed(*(ending("", refusal=word) for word in words))
    message = {"role": "assistant", "content": None, "refusal": "".join(words)}
    with odd_endpoint({"choices": [{"message": message, "finish_reason": "stop"}]}) as (url, _):
        async with Endpoint(settings(url)) as model:
            with pytest.raises(ReplyError, match=r"refused to reply: I can't help with that\."):
                await model.ask(PLAIN)


async def test_a_limit_that_is_too_large_is_left_out_of_that_call() -> None:
    too_large = {"error": {"message": "max_tokens is too large: 200. At most 100."}}
    with odd_endpoint(too_large, status=400) as (url, came):
        async with Endpoint(settings(url)) as model:
            with pytest.raises(ReplyError, match="too large"):
                await model.ask(PLAIN)
    assert ["max_tokens" in json.loads(one.body) for one in came] == [True, False]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://127.0.0.1:11434/v1", "max_tokens"),
        ("https://api.mistral.ai/v1", "max_tokens"),
        ("https://api.openai.com.example.org/v1", "max_tokens"),
    ],
)
async def test_the_limit_has_the_name_that_the_endpoint_knows(url: str, name: str) -> None:
    async with Endpoint(settings(url)) as model:
        options = await model._prepare(PLAIN, 0)
    assert options.body()[name] == 200


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens_details": {"cached_tokens": 80}},
        {"prompt_cache_hit_tokens": 80, "prompt_cache_miss_tokens": 20},
        {"cached_tokens": 80},
    ],
)
async def test_cached_input_is_reported_and_has_its_price(usage: dict[str, object]) -> None:
    message = {"role": "assistant", "content": "Yes."}
    body = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10} | usage,
    }
    prices = {"input_price": 1.0, "cached_input_price": 0.25, "output_price": 4.0}
    with odd_endpoint(body) as (url, _):
        async with Endpoint(settings(url, **prices)) as model:
            assert await model.ask(PLAIN) == Reply("Yes.")
    used = model.meter.total
    assert (used.input_tokens, used.cached_tokens) == (100, 80)
    assert used.cost == pytest.approx((20 * 1.0 + 80 * 0.25 + 10 * 4.0) / 1_000_000)


async def test_an_error_within_a_body_of_status_200_is_said_and_passing_ones_are_retried() -> None:
    for code, calls in ((503, 2), (400, 1)):
        body = {"error": {"message": "The provider is overloaded.", "code": code}}
        with odd_endpoint(body) as (url, came):
            async with Endpoint(settings(url, max_retries=1)) as model:
                with pytest.raises(ReplyError, match=r"failed: The provider is overloaded"):
                    await model.ask(PLAIN)
            assert len(came) == calls
