"""Sends HTTP calls to the endpoint: within its limits, and again where they fail by chance."""

import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any, Final, TypeVar

import anyio
import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream

from graphrag_neo4j.llm.calls.bodies import bound_body
from graphrag_neo4j.llm.calls.errors import LIMITS, seconds_before_retry
from graphrag_neo4j.llm.calls.pace import ConcurrencyLimit, Rates
from graphrag_neo4j.llm.cost import is_listed_provider
from graphrag_neo4j.settings import Settings

R = TypeVar("R")
OPENAI: Final = (".openai.com", ".openai.azure.com")  # ends of the host names of OpenAI's models


class HttpCalls:
    """The connections to an endpoint, its limits, and the retries of calls.

    `address` is that of the endpoint, without a user name and password that it may hold.
    `of_large_provider` tells whether it belongs to a provider whose prices are known: no own
    server. `openai_itself` tells whether it has OpenAI's models, at OpenAI or at Azure.
    """

    def __init__(self, settings: Settings) -> None:
        key = settings.openai_api_key
        http_client = openai.DefaultAsyncHttpxClient(
            event_hooks={"response": [bound_body]},
            timeout=settings.timeout,
            follow_redirects=False,  # they would carry texts of the user to any host
        )
        self._client = AsyncOpenAI(
            api_key=key.get_secret_value() if key else "none",
            base_url=settings.openai_base_url,
            timeout=settings.timeout,
            max_retries=0,  # `seconds_before_retry` says why
            http_client=http_client,
        )
        url = self._client.base_url
        self.address = str(url.copy_with(username=None, password=None, query=None))
        self.of_large_provider = is_listed_provider(str(url))
        self.openai_itself = url.host.endswith(OPENAI)
        self.rates = Rates(settings.requests_per_minute, settings.tokens_per_minute)
        self.concurrency = ConcurrencyLimit(
            settings.concurrency, settings.timeout, many=self.of_large_provider
        )
        self._retries = settings.max_retries

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

        async def send(client: AsyncOpenAI) -> R:
            # The typed methods of the client take 1.7 times the processor time for this.
            return read(await client.post(path, body=body, cast_to=httpx2.Response))

        reply_tokens = max(int(body.get(name) or 0) for name in LIMITS)
        return await self.retried(send, reply_tokens, check)

    async def open_stream(
        self, path: str, body: Mapping[str, Any], check: Callable[[], None]
    ) -> AsyncStream[object]:
        """Opens a stream of raw events. Typed events would fail if an event has another form.

        The slot of the call is released before the reply is read. A reader that is slow, or that
        asks another question meanwhile, must not block the other calls. `check` is called as by
        `post`.
        """

        async def send(client: AsyncOpenAI) -> AsyncStream[object]:
            stream = AsyncStream[object]
            return await client.post(
                path, body=body, cast_to=object, stream=True, stream_cls=stream
            )

        return await self.retried(send, None, check)

    async def retried(
        self,
        send: Callable[[AsyncOpenAI], Awaitable[R]],
        reply_tokens: int | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> R:
        """Calls `send` with the client, and again where it fails by chance.

        `reply_tokens` is that of `ConcurrencyLimit.slot`. Raises what `send` and `check` raise.
        """
        for retries in count():
            try:
                async with self.concurrency.slot(reply_tokens) as call:
                    await self.rates.before_request()
                    check()
                    call.began = time.monotonic()
                    return await send(self._client)
            except openai.APIError as error:
                wait = seconds_before_retry(error, retries)
                if retries >= self._retries or wait is None:
                    raise
            await anyio.sleep(wait)  # without a slot, so that other calls may be sent
        raise AssertionError("The loop above has no end.")
