"""Limits of calls and tokens a minute, kept evenly: no burst, so that no minute exceeds them."""

from collections.abc import Iterable

import anyio
import httpx2
from aiolimiter import AsyncLimiter

from graphrag_neo4j import tokens
from graphrag_neo4j.model import Request

__all__ = ["Rates"]

EXPECTED_REPLY = 500


class Rates:
    """The two limits of an endpoint; None: no limit."""

    def __init__(self, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self._requests = AsyncLimiter(1, 60 / requests_per_minute) if requests_per_minute else None
        # The bucket holds what a tenth of a second brings.
        self._tokens = AsyncLimiter(tokens_per_minute / 600, 0.1) if tokens_per_minute else None
        self._turn = anyio.Lock()
        self._reply = EXPECTED_REPLY

    async def before_request(self, _request: httpx2.Request) -> None:
        """Waits until one more HTTP request may be sent."""
        if self._requests:
            await self._requests.acquire()

    async def before_call(self, request: Request, encoding: str) -> None:
        """Waits until a call's tokens, its expected reply among them, may be spent."""
        await self.before_tokens((m.content for m in request.messages), encoding, self._reply)

    async def before_tokens(self, texts: Iterable[str], encoding: str, more: int = 0) -> None:
        """Waits until the tokens of texts, and so many more, may be spent."""
        if self._tokens is None:
            return
        rest: float = more + sum(tokens.count(text, encoding) for text in texts)
        async with self._turn:  # or calls would take parts in turns, and all be sent at the end
            while rest > 0:
                part = min(rest, self._tokens.max_rate)
                await self._tokens.acquire(part)
                rest -= part

    def after_call(self, reply_tokens: int) -> None:
        """Learns how long replies are."""
        self._reply += (reply_tokens - self._reply) // 10
