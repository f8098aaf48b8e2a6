"""Limits of requests and tokens per minute.

Calls are spread evenly and never sent in a burst, so no minute exceeds the limits.
"""

from collections.abc import Iterable

import anyio
from aiolimiter import AsyncLimiter

from graphrag_neo4j import tokens
from graphrag_neo4j.model import Request

__all__ = ["Rates"]

EXPECTED_REPLY = 500  # tokens


class Rates:
    """The limits of an endpoint: requests and tokens per minute. None means no limit."""

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

    async def before_call(self, request: Request, encoding: str) -> None:
        """Waits until the limit allows the tokens of a call and of its expected reply."""
        await self.before_tokens((m.content for m in request.messages), encoding, self._reply)

    async def before_tokens(self, texts: Iterable[str], encoding: str, more: int = 0) -> None:
        """Waits until the limit allows the tokens of these texts and `more` tokens."""
        if self._tokens is None:
            return
        rest: float = more + sum(tokens.count(text, encoding) for text in texts)
        # Without the lock, calls would take parts of the limit in turns, and all finish late.
        async with self._turn:
            while rest > 0:
                part = min(rest, self._tokens.max_rate)
                await self._tokens.acquire(part)
                rest -= part

    def after_call(self, reply_tokens: int) -> None:
        """Updates the expected length of replies, in tokens, by a moving average."""
        self._reply += (reply_tokens - self._reply) // 10
