"""The number of concurrent calls, adapted to what the endpoint bears.

A server that works on one call at a time lets the others wait until they time out. So the limit
grows while calls are answered soon, and is halved where they time out or are refused as too many.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import anyio
import openai

__all__ = ["ConcurrencyLimit"]

FIRST: Final = 4
"""Concurrent calls at first, where it is not known that the endpoint bears many."""
SOON: Final = 1 / 4
"""The limit grows only after calls that took less than this share of the timeout. Doubling the
limit may double their time."""
BURST: Final = 1 / 8  # share of the calls of a round that are refused as too many
TOO_MANY: Final = frozenset({429, 503, 529})  # 529: overloaded


@dataclass(slots=True)
class _Call:
    """A call that holds a slot. `cuts` is the number of times the limit was halved before it."""

    cuts: int
    began: float = 0.0


class ConcurrencyLimit:
    """The limit of concurrent calls; `most` is its maximum, `timeout` that of a call in seconds.

    With `many` it starts at its maximum, because the endpoint belongs to a large provider.
    """

    def __init__(self, most: int, timeout: float, *, many: bool) -> None:
        self._most, self._soon = most, timeout * SOON
        self._slots = anyio.CapacityLimiter(most if many else min(FIRST, most))
        self._doubling = True  # until the first time that it is halved
        self._cuts = 0
        self._answered = self._refused = 0  # calls since the limit was changed, or in this round

    @property
    def now(self) -> int:
        """The number of calls that may run at the same time now."""
        return int(self._slots.total_tokens)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[_Call]:
        """Waits for a slot, and adapts the limit to how the call in it ends.

        `began` of the call must be set when it is sent.
        """
        async with self._slots:
            call = _Call(self._cuts)
            try:
                yield call
            except openai.APITimeoutError:
                self._cut(call)
                raise
            except openai.APIStatusError as error:
                if error.status_code in TOO_MANY:
                    self._count_refusal(call)
                raise
            self._count_answer(time.monotonic() - call.began)

    def _count_answer(self, seconds: float) -> None:
        self._answered += 1
        self._end_round()
        in_use = self._slots.available_tokens <= 0  # otherwise nothing shows that more is borne
        if seconds > self._soon or not in_use or self.now >= self._most:
            return
        if self._doubling or self._answered >= self.now:
            self._set(self.now + 1)

    def _count_refusal(self, call: _Call) -> None:
        self._refused += 1
        if self._refused > self.now * BURST:
            self._cut(call)

    def _cut(self, call: _Call) -> None:
        """Halves the limit, once for all calls that were under way together."""
        if call.cuts == self._cuts:
            self._cuts += 1
            self._doubling = False
            self._set(max(1, self.now // 2))

    def _end_round(self) -> None:
        """Forgets refusals of the round before: single ones are no burst."""
        if self._answered % self.now == 0:
            self._refused = 0

    def _set(self, limit: int) -> None:
        self._slots.total_tokens = limit
        if not self._doubling:
            self._answered = self._refused = 0
