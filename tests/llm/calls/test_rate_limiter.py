"""The limits of calls and tokens a minute, seen in the log of the endpoint."""

from contextlib import suppress

import anyio

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm import Endpoint
from graphrag_neo4j.model import Message, Request
from graphrag_neo4j.settings import load_settings
from tests.support.fake_endpoint import Call, FakeEndpoint

LATE = 0.2
"""Seconds that a call may come late, and so the next one seem early."""
TRIES = 3
"""A busy machine makes a call of one run later than LATE; a wrong limiter is wrong in all runs."""


async def ask_at_once(endpoint: FakeEndpoint, texts: list[str], **limits: int) -> list[Call]:
    """The log of as many calls at the same time, in the order of their coming."""
    given = load_settings(openai_base_url=endpoint.url, openai_api_key="sk-test", **limits)
    async with Endpoint(given) as model, anyio.create_task_group() as all_:

        async def ask(text: str) -> None:
            with suppress(ReplyError):
                await model.ask(Request("summary", (Message("user", text),)))

        await ask("The first call loads what the endpoint counts with.")
        endpoint.reset()
        for text in texts:
            all_.start_soon(ask, text)
    return sorted(endpoint.log, key=lambda call: call.time)


async def test_calls_a_minute_come_evenly_their_retries_included(endpoint: FakeEndpoint) -> None:
    endpoint.change(too_many=0.3, retry_after=0.01)
    texts = [f"Say {n}." for n in range(24)]
    for _ in range(TRIES):
        log = await ask_at_once(endpoint, texts, requests_per_minute=1200)
        assert {call.status for call in log} == {200, 429}
        assert len({call.request for call in log if call.status == 200}) == 24
        if even := all(
            later.time - call.time > between * 60 / 1200 - LATE
            for n, call in enumerate(log)
            for between, later in enumerate(log[n:])
        ):
            break
    assert even


async def test_tokens_a_minute_come_evenly_in_calls_larger_than_the_bucket(
    endpoint: FakeEndpoint,
) -> None:
    """A second brings 20,000 tokens here, a call has 4,000 and more."""
    texts = [f"{n} " + "word " * 4_000 for n in range(8)]
    for _ in range(TRIES):
        log = await ask_at_once(endpoint, texts, tokens_per_minute=1_200_000)
        assert len(log) == 8
        if even := come_evenly(log, 20_000):
            break
    assert even


async def test_tokens_of_texts_to_embed_come_evenly_too(endpoint: FakeEndpoint) -> None:
    for _ in range(TRIES):
        log = await embed_at_once(endpoint)
        assert len(log) == 8
        if even := come_evenly(log, 20_000):
            break
    assert even


async def embed_at_once(endpoint: FakeEndpoint) -> list[Call]:
    given = load_settings(
        openai_base_url=endpoint.url, openai_api_key="sk-test", tokens_per_minute=1_200_000
    )
    async with Endpoint(given) as model:
        await model.embed(["The first call loads what the endpoint counts with."])
        endpoint.reset()
        async with anyio.create_task_group() as all_:
            for n in range(8):
                all_.start_soon(model.embed, [f"{n} " + "word " * 2_000] * 2)
    return sorted(endpoint.log, key=lambda call: call.time)


def come_evenly(log: list[Call], tokens_per_second: int) -> bool:
    return all(
        sum(one.prompt_tokens + one.completion_tokens for one in log[n + 1 : last + 1])
        < tokens_per_second * (log[last].time - call.time + LATE)
        for n, call in enumerate(log)
        for last in range(n + 1, len(log))
    )
