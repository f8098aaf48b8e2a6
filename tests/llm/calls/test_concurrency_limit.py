"""The number of concurrent calls follows what the endpoint bears, as its log shows."""

from contextlib import suppress
from itertools import accumulate

import anyio
import pytest

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm import Endpoint
from graphrag_neo4j.llm.calls.http_calls import HttpCalls
from graphrag_neo4j.llm.calls.pace import ConcurrencyLimit
from graphrag_neo4j.model import Message, Request
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.tokens import encoding
from tests.support.fake_endpoint import Call, FakeEndpoint

TRIES = 3
"""A busy machine makes the calls of one run slow; a wrong limit is wrong in all runs."""


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The fake counts tokens; its first call would load what it counts with."""
    encoding("o200k_base")


async def ask_at_once(
    endpoint: FakeEndpoint, n: int, **given: object
) -> tuple[list[ReplyError | ModelError], Endpoint]:
    """The errors of n calls that are wanted at the same time."""
    usual = {"openai_base_url": endpoint.url, "openai_api_key": "sk-x"}
    async with Endpoint(load_settings(**(usual | given))) as model:
        return await errors_of(model, n), model


async def errors_of(
    model: Endpoint, n: int, tokens: int | None = None
) -> list[ReplyError | ModelError]:
    """The errors of n calls to this endpoint that are wanted at the same time.

    `tokens` is the limit of their replies.
    """
    errors: list[ReplyError | ModelError] = []

    async def ask(text: str) -> None:
        try:
            await model.ask(Request("summary", (Message("user", text),), tokens))
        except (ReplyError, ModelError) as error:
            errors.append(error)

    async with anyio.create_task_group() as all_:
        for number in range(n):
            all_.start_soon(ask, f"Say {number}.")
    return errors


def most_at_once(log: list[Call]) -> int:
    """The largest number of calls that were under way together."""
    return max(accumulate(begun_and_ended(log)))


def answered_before(at_once: int, log: list[Call]) -> int:
    """The number of calls that were answered before so many were under way together."""
    changes = begun_and_ended(log)
    return changes[: list(accumulate(changes)).index(at_once)].count(-1)


def begun_and_ended(log: list[Call]) -> list[int]:
    """1 for each call that begins and -1 for each that ends, in the order of their times."""
    ends = sorted([(call.time, 1) for call in log] + [(call.ended, -1) for call in log])
    return [change for _, change in ends]


async def test_a_server_that_works_on_one_call_at_a_time_answers_all_of_30() -> None:
    """At a fraction of the usual times: 0.1 s a reply, 0.8 s until a call is given up."""
    for _ in range(TRIES):
        with FakeEndpoint(one_at_a_time=True, latency=0.1) as endpoint:
            errors, model = await ask_at_once(endpoint, 30, timeout=0.8)
            log = endpoint.log
        assert errors == []
        assert model.meter.total.calls == 30
        assert most_at_once(log) <= 6
        if none_given_up := len(log) == 30:
            break
    assert none_given_up


async def test_one_that_becomes_slower_answers_all_after_some_were_given_up() -> None:
    """It has borne four calls at once. Now the fourth would wait longer than the timeout."""
    with FakeEndpoint(one_at_a_time=True, latency=0.05) as endpoint:
        given = {"openai_base_url": endpoint.url, "timeout": 0.8, "concurrency": 4}
        async with Endpoint(load_settings(**given)) as model:
            assert await errors_of(model, 16) == []  # if one is late, the limit grows later
            assert most_at_once(endpoint.log) == 4
            endpoint.change(latency=0.25)
            endpoint.reset()
            assert await errors_of(model, 5) == []
            assert any(call.dropped for call in endpoint.log)


async def test_the_times_of_short_replies_say_nothing_about_long_ones() -> None:
    """Before the first list the embedding model is tried; a question's method takes one word."""
    for _ in range(TRIES):
        with FakeEndpoint(one_at_a_time=True) as endpoint:
            given = {"openai_base_url": endpoint.url, "timeout": 1.2}
            async with Endpoint(load_settings(**given)) as model:
                await model.embed(["One text."])
                assert await errors_of(model, 4, tokens=1) == []
                endpoint.change(latency=0.6)
                endpoint.reset()
                assert await errors_of(model, 3, tokens=4000) == []
            log = endpoint.log
        if one_by_one := len(log) == 3 and most_at_once(log) == 1:
            break
    assert one_by_one


@pytest.mark.parametrize("latency", [0.6, 0.9])
async def test_of_a_slow_one_that_works_on_one_call_at_a_time_no_call_is_given_up(
    latency: float,
) -> None:
    """At a hundredth of the usual times: replies of 60 and 90 s, a timeout of 120 s."""
    for _ in range(TRIES):
        with FakeEndpoint(one_at_a_time=True, latency=latency) as endpoint:
            errors, model = await ask_at_once(endpoint, 3, timeout=1.2)
            log = endpoint.log
        assert errors == []
        assert model.meter.total.calls == 3
        if one_by_one := len(log) == 3 and most_at_once(log) == 1:
            break
    assert one_by_one


async def test_a_fast_endpoint_soon_gets_all_calls_that_are_allowed() -> None:
    for _ in range(TRIES):
        with FakeEndpoint(latency=0.3) as endpoint:
            errors, _ = await ask_at_once(endpoint, 200, concurrency=32)
            log = endpoint.log
        assert errors == []
        assert most_at_once(log) <= 32
        if soon := most_at_once(log) == 32 and answered_before(32, log) <= 100:
            break
    assert soon


async def test_a_large_provider_gets_all_calls_at_once() -> None:
    for url, now in (
        ("https://api.openai.com/v1", 32),
        ("https://openrouter.ai/api/v1", 32),
        ("https://models.example.org/v1", 1),
        ("http://192.168.1.7:8000/v1", 1),
    ):
        calls = HttpCalls(load_settings(openai_base_url=url, openai_api_key="sk-x"))
        assert calls.concurrency.now == now
        await calls.aclose()


async def test_many_refusals_halve_the_limit_and_the_wait_is_honoured() -> None:
    with FakeEndpoint(too_many=0.5, retry_after=0.3, latency=0.02) as endpoint:
        errors, model = await ask_at_once(endpoint, 24, concurrency=16, max_retries=30)
        log = endpoint.log
    assert errors == []
    assert model.meter.total.calls == 24
    seen: dict[str, float] = {}
    for call in sorted(log, key=lambda call: call.time):
        if call.request in seen:
            assert call.time - seen[call.request] >= 0.29
        seen[call.request] = call.time


async def test_single_refusals_change_nothing_and_timeouts_at_once_halve_once() -> None:
    import httpx2  # noqa: PLC0415
    import openai  # noqa: PLC0415

    request = httpx2.Request("POST", "http://127.0.0.1/v1")
    limit = ConcurrencyLimit(32, 120, many=True)

    async def end_with(error: openai.APIError) -> None:
        with suppress(openai.APIError):
            async with limit.slot():
                await anyio.sleep(0.01)
                raise error

    refused = httpx2.Response(429, request=request)
    for _ in range(4):
        await end_with(openai.RateLimitError("busy", response=refused, body=None))
    assert limit.now == 32
    await end_with(openai.RateLimitError("busy", response=refused, body=None))
    assert limit.now == 16
    async with anyio.create_task_group() as all_:
        for _ in range(8):
            all_.start_soon(end_with, openai.APITimeoutError(request))
    assert limit.now == 8


async def test_the_time_until_a_stream_begins_changes_nothing() -> None:
    limit = ConcurrencyLimit(32, 120, many=False)
    async with limit.slot(None):
        pass
    assert limit.now == 1
    async with limit.slot():
        pass
    assert limit.now > 1


async def test_calls_that_all_time_out_say_what_to_set_though_a_vector_came() -> None:
    with FakeEndpoint() as endpoint:
        given = {"openai_base_url": endpoint.url, "timeout": 0.1, "max_retries": 0}
        async with Endpoint(load_settings(**given)) as model:
            while not model.meter.steps["embedding"].calls:  # a busy machine may be late
                with suppress(ReplyError, ModelError):
                    await model.embed(["One text."])
            endpoint.change(latency=5.0)
            errors = await errors_of(model, 6)
    assert any(isinstance(error, ReplyError) and "KG_TIMEOUT" in str(error) for error in errors)
    [stopped, *_] = [error for error in errors if isinstance(error, ModelError)]
    assert "2 calls in a row failed" in str(stopped)
    assert "none got a reply within 0.1 seconds. Set KG_TIMEOUT" in str(stopped)


@pytest.mark.parametrize(
    ("seconds", "said"), [("500", "the call failed"), ("86400", "1,440 minutes")]
)
async def test_an_endpoint_that_orders_a_long_wait_is_not_waited_for(
    seconds: str, said: str
) -> None:
    with FakeEndpoint(too_many=1.0, retry_after=float(seconds)) as endpoint:
        errors, _ = await ask_at_once(endpoint, 1)
        assert len(endpoint.log) == 1
    assert said in str(errors[0])
