"""How many calls an endpoint gets at the same time and in a minute, as its log shows."""

import json
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from itertools import accumulate

import anyio
import httpx2
import openai
import pytest
from anyio.lowlevel import checkpoint

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm.endpoint import Endpoint, http_calls
from graphrag_neo4j.llm.endpoint.http_calls import ConcurrencyLimit
from graphrag_neo4j.model.types import Message, Request
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.text.tokens import encoding
from tests.support.fake_endpoint import Call, FakeEndpoint
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse
from tests.support.odd_endpoint import serving

TRIES = 3
"""A busy machine makes calls of one run late or slow; a wrong limit is wrong in all runs."""
LATE = 0.2
"""Seconds that a call may come late, and so the next one seem early."""


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The fake counts tokens; its first call would load what it counts with."""
    encoding()


def endpoint_of(fake: FakeEndpoint, **given: object) -> Endpoint:
    return Endpoint(load_settings(openai_base_url=fake.url, openai_api_key="sk-x", **given))


async def errors_of(
    model: Endpoint, texts: int | Iterable[str], tokens: int | None = None
) -> list[ReplyError | ModelError]:
    """The errors of calls that are wanted at the same time; `tokens` limits their replies."""
    errors: list[ReplyError | ModelError] = []

    async def ask(text: str) -> None:
        try:
            await model.ask(Request("summary", (Message("user", text),), tokens))
        except (ReplyError, ModelError) as error:
            errors.append(error)

    async with anyio.create_task_group() as all_:
        for text in [f"Say {n}." for n in range(texts)] if isinstance(texts, int) else texts:
            all_.start_soon(ask, text)
    return errors


def most_at_once(log: list[Call]) -> int:
    changes = sorted([(call.time, 1) for call in log] + [(call.ended, -1) for call in log])
    return max(accumulate(change for _, change in changes))


async def in_one_of_some_runs(holds: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(TRIES):
        if await holds():
            return
    raise AssertionError(f"It does not hold in any of {TRIES} runs.")


async def test_a_server_that_works_on_one_call_at_a_time_answers_all_of_30() -> None:
    """At a fraction of the usual times: 0.1 s a reply, 0.8 s until a call is given up."""

    async def none_is_given_up() -> bool:
        with FakeEndpoint(one_at_a_time=True, latency=0.1) as fake:
            async with endpoint_of(fake, timeout=0.8) as model:
                assert await errors_of(model, 30) == []
            assert model.meter.total.calls == 30
            assert most_at_once(fake.log) <= 6
            return len(fake.log) == 30

    await in_one_of_some_runs(none_is_given_up)


async def test_the_wait_that_a_refusal_orders_is_honoured() -> None:
    with FakeEndpoint(too_many=0.5, retry_after=0.3, latency=0.02) as fake:
        async with endpoint_of(fake, concurrency=16, max_retries=30) as model:
            assert await errors_of(model, 24) == []
        seen: dict[str, float] = {}
        for call in sorted(fake.log, key=lambda call: call.time):
            assert call.time - seen.get(call.request, 0.0) >= 0.29
            seen[call.request] = call.time


async def test_single_refusals_change_nothing_and_what_ends_at_once_halves_once() -> None:
    request = httpx2.Request("POST", "http://127.0.0.1/v1")
    refused = httpx2.Response(429, request=request)
    limit = ConcurrencyLimit(32, 120, many=True)

    async def end_with(error: openai.APIError) -> None:
        with suppress(openai.APIError):
            async with limit.slot():
                await anyio.sleep(0.01)
                raise error

    for now in (32, 32, 32, 32, 16):
        await end_with(openai.RateLimitError("busy", response=refused, body=None))
        assert limit.now == now
    async with anyio.create_task_group() as all_:
        for _ in range(8):
            all_.start_soon(end_with, openai.APITimeoutError(request))
    assert limit.now == 8


async def test_after_a_cut_the_limit_grows_by_one_a_round() -> None:
    limit = ConcurrencyLimit(16, 120, many=False)
    seen: list[int] = []

    async def call() -> None:
        async with limit.slot():
            await checkpoint()  # no timer: the calls of a round end in one turn of the loop
        seen.append(limit.now)

    async def rounds() -> None:
        seen.clear()
        async with anyio.create_task_group() as all_:
            for _ in range(40):
                all_.start_soon(call)

    await rounds()
    assert list(dict.fromkeys(seen)) == [2, 4, 8, 16]
    with suppress(openai.APITimeoutError):
        async with limit.slot():
            raise openai.APITimeoutError(httpx2.Request("POST", "http://127.0.0.1/v1"))
    await rounds()
    assert list(dict.fromkeys(seen)) == [8, 9, 10, 11]


async def test_calls_that_all_time_out_say_what_to_set_though_a_vector_came() -> None:
    with FakeEndpoint() as fake:
        async with endpoint_of(fake, timeout=0.1, max_retries=0) as model:
            while not model.meter.steps["embedding"].calls:  # a busy machine may be late
                with suppress(ReplyError, ModelError):
                    await model.embed(["One text."])
            fake.change(latency=5.0)
            errors = await errors_of(model, 6)
    assert any(isinstance(error, ReplyError) and "KG_TIMEOUT" in str(error) for error in errors)
    [stopped, *_] = [str(error) for error in errors if isinstance(error, ModelError)]
    assert all(said in stopped for said in ("2 calls in a row", "0.1 seconds", "KG_TIMEOUT"))


async def test_calls_a_minute_come_evenly_their_retries_included() -> None:
    async def evenly() -> bool:
        with FakeEndpoint(too_many=0.3, retry_after=0.01) as fake:
            async with endpoint_of(fake, requests_per_minute=1200) as model:
                await errors_of(model, 24)
            log = sorted(fake.log, key=lambda call: call.time)
        assert {call.status for call in log} == {200, 429}
        return all(
            later.time - call.time > between * 60 / 1200 - LATE
            for n, call in enumerate(log)
            for between, later in enumerate(log[n:])
        )

    await in_one_of_some_runs(evenly)


async def test_tokens_a_minute_come_evenly_in_calls_larger_than_the_bucket() -> None:
    """A second brings 20,000 tokens here, a call has 4,000 and more."""
    texts = [f"{n} " + "word " * 4_000 for n in range(8)]

    async def evenly() -> bool:
        with FakeEndpoint() as fake:
            async with endpoint_of(fake, tokens_per_minute=1_200_000) as model:
                await errors_of(model, 1)
                fake.reset()
                async with anyio.create_task_group() as all_:
                    all_.start_soon(model.embed, texts[:1])
                    all_.start_soon(errors_of, model, texts[1:])
            log = sorted(fake.log, key=lambda call: call.time)
        assert len(log) == 8
        return all(
            sum(one.prompt_tokens + one.completion_tokens for one in log[n + 1 : last + 1])
            < 20_000 * (log[last].time - call.time + LATE)
            for n, call in enumerate(log)
            for last in range(n + 1, len(log))
        )

    await in_one_of_some_runs(evenly)


async def test_a_long_wait_that_is_ordered_is_not_waited_for() -> None:
    with FakeEndpoint(too_many=1.0, retry_after=86_400.0) as fake:
        async with endpoint_of(fake) as model:
            [error] = await errors_of(model, 1)
        assert len(fake.log) == 1
    assert "1,440 minutes" in str(error)


async def test_no_call_is_sent_while_an_order_to_wait_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where one call is told to wait, the others would only be refused."""
    monkeypatch.setattr(http_calls, "LONGEST_WAIT", 0.5)
    came: list[float] = []

    def answer(_: HttpRequest) -> HttpResponse:
        came.append(time.monotonic())
        if len(came) == 1:
            return HttpResponse(429, b"{}", headers={"Retry-After": "1"})
        message = {"role": "assistant", "content": "Yes."}
        return HttpResponse(200, json.dumps({"choices": [{"message": message}]}).encode())

    with serving(answer) as url:
        given = load_settings(openai_base_url=url, openai_api_key="sk-x", concurrency=4)
        async with Endpoint(given) as model, anyio.create_task_group() as calls:
            calls.start_soon(errors_of, model, ["One."])
            await anyio.sleep(0.4)
            calls.start_soon(errors_of, model, ["Two."])
    assert len(came) == 3
    assert min(came[1:]) - came[0] > 0.95
