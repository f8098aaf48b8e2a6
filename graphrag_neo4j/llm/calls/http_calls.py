"""Sends HTTP calls to the endpoint: within its limits, and again where they fail by chance."""

import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any, Final, TypeVar

import anyio
import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream

from graphrag_neo4j.llm.calls.concurrency_limit import ConcurrencyLimit
from graphrag_neo4j.llm.calls.rate_limiter import Rates
from graphrag_neo4j.llm.calls.refusals import LIMITS
from graphrag_neo4j.llm.calls.response_bodies import bound_body
from graphrag_neo4j.llm.calls.retries import seconds_before_retry
from graphrag_neo4j.llm.prices import is_listed_provider
from graphrag_neo4j.settings import Settings

__all__ = ["HttpCalls"]

R = TypeVar("R")
OPENAI: Final = (".openai.com", ".openai.azure.com")  # ends of the host names of OpenAI's models


class HttpCalls:
    """The connections to an endpoint, its limits, and the retries of calls."""

    def __init__(self, settings: Settings) -> None:
        self.rates = Rates(settings.requests_per_minute, settings.tokens_per_minute)
        self._client = _client(settings)
        self._retries = settings.max_retries
        self.of_large_provider = is_listed_provider(str(self._client.base_url))
        self.concurrency = ConcurrencyLimit(
            settings.concurrency, settings.timeout, many=self.of_large_provider
        )

    @property
    def address(self) -> str:
        """The endpoint's address without a user name and password that it may hold."""
        return str(self._client.base_url.copy_with(username=None, password=None, query=None))

    @property
    def openai_itself(self) -> bool:
        """Whether the endpoint is one of OpenAI's own, or OpenAI's models at Azure."""
        return self._client.base_url.host.endswith(OPENAI)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[httpx2.Response], R],
        check: Callable[[], None],
    ) -> R:
        """Sends a body and returns what `read` finds in the response.

        `check` is called when the call has its slot; an error of it keeps the call from being sent.
        Raises openai.APIError, and what `read` and `check` raise.
        """

        async def send() -> R:
            # The typed methods of the client take 1.7 times the processor time for this.
            response = await self._client.post(path, body=body, cast_to=httpx2.Response)
            return read(response)

        return await self._with_retries(send, _reply_tokens(body), check)

    async def open_stream(
        self, path: str, body: Mapping[str, Any], check: Callable[[], None]
    ) -> AsyncStream[object]:
        """Opens a stream of raw events. Typed events would fail if an event has another form.

        The slot of the call is released before the reply is read. A reader that is slow, or that
        asks another question meanwhile, must not block the other calls. `check` is called as by
        `post`.
        """

        async def send() -> AsyncStream[object]:
            return await self._client.post(
                path, body=body, cast_to=object, stream=True, stream_cls=AsyncStream[object]
            )

        return await self._with_retries(send, None, check)

    async def retried(self, send: Callable[[AsyncOpenAI], Awaitable[R]]) -> R:
        """Calls `send` with the client, and again where it fails by chance.

        Raises what `send` raises.
        """
        return await self._with_retries(lambda: send(self._client), None)

    async def _with_retries(
        self,
        send: Callable[[], Awaitable[R]],
        reply_tokens: int | None,
        check: Callable[[], None] = lambda: None,
    ) -> R:
        for retries in count():
            try:
                async with self.concurrency.slot(reply_tokens) as call:
                    await self.rates.before_request()
                    check()
                    call.began = time.monotonic()
                    return await send()
            except openai.APIError as error:
                wait = seconds_before_retry(error, retries)
                if retries >= self._retries or wait is None:
                    raise
            await anyio.sleep(wait)  # without a slot, so that other calls may be sent
        raise AssertionError("The loop above has no end.")


def _reply_tokens(body: Mapping[str, Any]) -> int:
    """Returns the limit of the reply in the body of a call, 0 if it has none."""
    return max(int(body.get(name) or 0) for name in LIMITS)


def _client(settings: Settings) -> AsyncOpenAI:
    key = settings.openai_api_key
    http_client = openai.DefaultAsyncHttpxClient(
        event_hooks={"response": [bound_body]},
        timeout=settings.timeout,
        follow_redirects=False,  # they would carry texts of the user to any host
    )
    return AsyncOpenAI(
        api_key=key.get_secret_value() if key else "none",
        base_url=settings.openai_base_url,
        timeout=settings.timeout,
        max_retries=0,  # retries are made here, where the concurrency is adapted to them
        http_client=http_client,
    )
