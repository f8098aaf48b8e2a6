"""Sends HTTP calls to the endpoint: within its limits, and again where they fail by chance."""

import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

import anyio
import httpx2
import openai
from aiolimiter import AsyncLimiter
from openai import AsyncOpenAI, AsyncStream

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.llm.endpoint.bodies import bound_body
from graphrag_neo4j.llm.endpoint.cost import is_listed_provider
from graphrag_neo4j.llm.endpoint.errors import (
    LIMITS,
    LOADING_WAIT,
    LONGEST_LOADING,
    LONGEST_WAIT,
    is_loading,
    ordered_wait,
    seconds_before_retry,
)
from graphrag_neo4j.model.types import Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens

R = TypeVar("R")
Holding = Callable[[], AbstractAsyncContextManager[None]]
"""What surrounds a call while it is sent and its reply is read, each time that it is sent."""
UNUSABLE_NETWORK: Final = (
    "A proxy or certificate that the environment sets can't be used ({}): see HTTPS_PROXY, "
    "HTTP_PROXY, ALL_PROXY and SSL_CERT_FILE. A proxy begins with http:// or https://."
)
OPENAI: Final = (".openai.com", ".openai.azure.com")  # ends of the host names of OpenAI's models
SAFE: Final = 0.7
"""Share of the timeout that the slowest call may take after the limit has grown, if the server
works on one call at a time, so that each call waits for all others."""
BURST: Final = 1 / 8  # share of the calls of a round that are refused as too many
TOO_MANY: Final = frozenset({429, 503, 529})  # 529: overloaded
EXPECTED_REPLY: Final = 500  # tokens


@dataclass(slots=True)
class Call:
    """A call that holds a slot. `began` is the time when it was sent, `changes` a limit's count."""

    changes: int
    began: float


class ConcurrencyLimit:
    """The limit of concurrent calls: additive increase, multiplicative decrease.

    A round ends when as many calls are answered as may run at the same time. If all slots were
    taken, the limit grows by one, or is doubled until the endpoint refuses calls for the first
    time. It is halved where a call times out, or where many calls are refused as too many.

    `most` is its maximum, `timeout` that of a call in seconds. With `many` it starts at its
    maximum, because the endpoint belongs to a large provider. Otherwise it starts at one, because a
    server that works on one call at a time lets the others wait until they time out.
    """

    def __init__(self, most: int, timeout: float, *, many: bool) -> None:
        self._most, self._safe = most, timeout * SAFE
        self._slots = anyio.CapacityLimiter(most if many else 1)
        self._longest: float = math.inf if many else 0  # tokens that a reply so far may have had
        self._doubles, self._changes = True, 0
        self._seconds, self._refused = list[float](), 0  # of the calls of this round

    @property
    def now(self) -> int:
        """The number of calls that may run at the same time now."""
        return int(self._slots.total_tokens)

    @asynccontextmanager
    async def slot(self, reply_tokens: int | None = 0) -> AsyncIterator[Call]:
        """Waits for a slot, and adapts the limit to how the call in it ends.

        `reply_tokens` is the largest number of tokens of its reply, 0 if it has no limit, None for
        a stream, whose reply comes after the call. If the call is not sent at once, its `began`
        must be set when it is sent.
        """
        if reply_tokens and reply_tokens > self._longest:  # it may take proportionally longer
            self._change(int(self.now * self._longest / reply_tokens))
            self._longest = reply_tokens
        async with self._slots:
            call = Call(self._changes, time.monotonic())
            try:
                yield call
            except openai.APIError as error:
                if call.changes == self._changes:  # not again for calls that began before a change
                    self._count_error(error)
                raise
            if call.changes == self._changes and reply_tokens is not None:
                self._seconds.append(time.monotonic() - call.began)
                if len(self._seconds) >= self.now:
                    self._end_round()

    def _count_error(self, error: openai.APIError) -> None:
        self._refused += getattr(error, "status_code", 0) in TOO_MANY
        if isinstance(error, openai.APITimeoutError) or self._refused > self.now * BURST:
            self._doubles = False
            self._change(self.now // 2)

    def _end_round(self) -> None:
        slowest, now = max(self._seconds), self.now
        self._seconds, self._refused = [], 0
        larger = min(2 * now if self._doubles else now + 1, self._most)
        all_taken = self._slots.available_tokens <= 0  # otherwise a larger limit would show nothing
        if all_taken and larger > now and slowest * larger / now <= self._safe:
            self._change(larger)

    def _change(self, limit: int) -> None:
        self._slots.total_tokens = max(1, limit)
        self._changes += 1
        self._seconds, self._refused = [], 0


class Rates:
    """The limits of an endpoint: requests and tokens per minute. None means no limit.

    Calls are spread evenly and never sent in a burst, so no minute exceeds the limits.
    """

    def __init__(self, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self._requests = AsyncLimiter(1, 60 / requests_per_minute) if requests_per_minute else None
        # The capacity is the number of tokens for a tenth of a second.
        self._tokens = AsyncLimiter(tokens_per_minute / 600, 0.1) if tokens_per_minute else None
        self._turn = anyio.Lock()
        self._reply = EXPECTED_REPLY

    async def before_request(self) -> None:
        """Waits until the limit allows one more HTTP request."""
        if self._requests:
            await self._requests.acquire()

    async def before_call(self, request: Request) -> None:
        """Waits until the limit allows the tokens of a call and of its expected reply."""
        await self.before_tokens((m.content for m in request.messages), self._reply)

    async def before_tokens(self, texts: Iterable[str], more: int = 0) -> None:
        """Waits until the limit allows the tokens of these texts and `more` tokens."""
        if self._tokens is None:
            return
        rest: float = more + sum(tokens.count(text) for text in texts)
        # Without the lock, calls would take parts of the limit in turns, and all finish late.
        async with self._turn:
            while rest > 0:
                part = min(rest, self._tokens.max_rate)
                await self._tokens.acquire(part)
                rest -= part

    def after_call(self, reply_tokens: int) -> None:
        """Updates the expected length of replies, in tokens, by a moving average."""
        self._reply += (reply_tokens - self._reply) // 10


class HttpCalls:
    """The connections to an endpoint, its limits, and the retries of calls.

    `address` is that of the endpoint, without a user name and password that it may hold.
    `of_large_provider` says whether it belongs to a provider whose prices are known: no own
    server. `openai_itself` says whether it has OpenAI's models, at OpenAI or at Azure.
    """

    def __init__(self, settings: Settings) -> None:
        key = settings.openai_api_key
        base, _, query = (settings.openai_base_url or "").partition("?")
        try:
            http_client = openai.DefaultAsyncHttpxClient(
                event_hooks={"response": [bound_body]},
                timeout=settings.timeout,
                follow_redirects=False,  # they would carry texts of the user to any host
            )
        except (ImportError, ValueError, OSError, httpx2.InvalidURL) as error:
            raise InputError(UNUSABLE_NETWORK.format(str(error).rstrip("."))) from None
        self._client = AsyncOpenAI(
            api_key=key.get_secret_value().strip() if key else "none",
            base_url=base or None,
            default_query=dict(parse_qsl(query, keep_blank_values=True)),
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
        self._paused_until = -math.inf

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[httpx2.Response], R],
        hold: Holding,
    ) -> R:
        """Sends a body and returns what `read` finds in the response.

        `hold` begins when the call has its slot; an error of it keeps the call from being sent.
        Raises openai.APIError, and what `read` and `hold` raise.
        """

        async def send(client: AsyncOpenAI) -> R:
            # The typed methods of the client take 1.7 times the processor time for this.
            return read(await client.post(path, body=body, cast_to=httpx2.Response))

        reply_tokens = max(int(body.get(name) or 0) for name in LIMITS)
        return await self.retried(send, reply_tokens, hold)

    async def open_stream(
        self,
        path: str,
        body: Mapping[str, Any],
        begin: Callable[[AsyncStream[object]], Awaitable[None]],
        hold: Holding,
    ) -> AsyncStream[object]:
        """Opens a stream of raw events. Typed events would fail if an event has another form.

        `begin` reads its first events: an error among them is one of the call. The slot of the call
        is released before the rest is read. A reader that is slow, or that asks another question
        meanwhile, must not block the other calls. `hold` is that of `post`.
        """

        async def send(client: AsyncOpenAI) -> AsyncStream[object]:
            stream = await client.post(
                path, body=body, cast_to=object, stream=True, stream_cls=AsyncStream[object]
            )
            try:
                await begin(stream)
            except BaseException:
                await stream.close()
                raise
            return stream

        return await self.retried(send, None, hold)

    async def retried(
        self,
        send: Callable[[AsyncOpenAI], Awaitable[R]],
        reply_tokens: int | None = None,
        hold: Holding = nullcontext,
    ) -> R:
        """Calls `send` with the client, and again where it fails by chance.

        `reply_tokens` is that of `ConcurrencyLimit.slot`, `hold` that of `post`. Raises what `send`
        and `hold` raise.
        """
        began = time.monotonic()
        for retries in count():
            try:
                await anyio.sleep_until(self._paused_until)
                async with self.concurrency.slot(reply_tokens) as call:
                    await self.rates.before_request()
                    async with hold():  # the last, so that nothing is held by a call that waits
                        call.began = time.monotonic()
                        return await send(self._client)
            except openai.APIError as error:
                wait = seconds_before_retry(error, retries)
                if is_loading(error) and time.monotonic() - began < LONGEST_LOADING:
                    wait = LOADING_WAIT
                elif retries >= self._retries or wait is None:
                    raise
                if (ordered := ordered_wait(error)) > LONGEST_WAIT:  # all calls would be refused
                    self._paused_until = anyio.current_time() + min(ordered, wait)
            await anyio.sleep(wait)  # without a slot, so that other calls may be sent
        raise AssertionError("The loop above has no end.")
