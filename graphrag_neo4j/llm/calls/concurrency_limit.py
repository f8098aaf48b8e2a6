"""The number of concurrent calls, adapted to what the endpoint bears.

A server that works on one call at a time lets the other calls wait until they time out; more calls
at once gain nothing there. So one call is sent at first, and its time shows how many calls such a
server could answer before they time out. The same is done again before replies that may be longer
than all before, unless more than a few calls at once have gained something. The limit grows round
by round as long as more calls at once bring more replies in the same time. It is halved where calls
time out or are refused as too many.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import anyio
import openai

__all__ = ["FIRST", "ConcurrencyLimit"]

FIRST: Final = 1
"""Concurrent calls at first, where it is not known that the endpoint bears many."""
FEW: Final = 4
"""Concurrent calls from which on a growth must gain something: the times of fewer calls say too
little, as the first ones may be very short, or wait until the server has loaded its model."""
SAFE: Final = 0.7
"""Share of the timeout that the slowest call may take after the limit has grown, if the server
works on one call at a time, so that each call waits for all others."""
GAIN: Final = 0.5  # share of the growth by which the number of replies in a time must grow, too
HOLD: Final = 3  # rounds without growth after a growth that gained too little, or after a cut
BURST: Final = 1 / 8  # share of the calls of a round that are refused as too many
TOO_MANY: Final = frozenset({429, 503, 529})  # 529: overloaded


@dataclass(slots=True)
class Call:
    """A call that holds a slot. `began` is the time when it was sent.

    `change` is the number of changes of the limit before it. `is_whole` tells whether it ends with
    its whole reply, so that its time counts.
    """

    change: int
    began: float
    is_whole: bool = True


class ConcurrencyLimit:
    """The limit of concurrent calls; `most` is its maximum, `timeout` that of a call in seconds.

    With `many` it starts at its maximum, because the endpoint belongs to a large provider. A round
    ends when as many calls are answered as may run at the same time.
    """

    def __init__(self, most: int, timeout: float, *, many: bool) -> None:
        self._most, self._safe, self._many = most, timeout * SAFE, many
        self._longest = 0  # tokens that a reply so far may have had
        self._slots = anyio.CapacityLimiter(most if many else min(FIRST, most))
        self._changes = 0
        self._seconds: list[float] = []  # of the calls that were answered in this round
        self._refused = 0  # calls in this round
        self._hold = 0  # rounds
        self._before: tuple[int, float] | None = None  # limit and replies a second before it grew

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
        self._begin_again(reply_tokens or 0)
        async with self._slots:
            call = Call(self._changes, time.monotonic(), is_whole=reply_tokens is not None)
            try:
                yield call
            except openai.APITimeoutError:
                self._cut(call)
                raise
            except openai.APIStatusError as error:
                if error.status_code in TOO_MANY:
                    self._count_refusal(call)
                raise
            self._count_answer(call)

    def _begin_again(self, reply_tokens: int) -> None:
        """Lets one call show its time before others, if its reply may be longer than all before."""
        if reply_tokens > self._longest:
            self._longest = reply_tokens
            if self.now <= FEW and not self._many:
                self._set(min(FIRST, self._most), hold=0)

    def _count_answer(self, call: Call) -> None:
        if call.change != self._changes or not call.is_whole:
            return
        self._seconds.append(time.monotonic() - call.began)
        if len(self._seconds) >= self.now:
            self._end_round()

    def _end_round(self) -> None:
        slowest = max(self._seconds)
        rate = self.now * len(self._seconds) / max(sum(self._seconds), 1e-9)  # replies a second
        self._seconds, self._refused = [], 0
        before, self._before = self._before, None
        if before and rate < before[1] * (1 + GAIN * (self.now / before[0] - 1)):
            self._set(before[0])
        elif self._hold:
            self._hold -= 1
        elif self._slots.available_tokens <= 0:  # otherwise nothing shows that more is borne
            self._grow(slowest, rate)

    def _grow(self, slowest: float, rate: float) -> None:
        """Raises the limit to FEW, or twice it, or a quarter more, so that no call times out."""
        now = self.now
        for larger in (FEW, 2 * now, now + max(1, now // 4)):
            wanted = min(self._most, larger)
            if wanted > now and slowest * wanted / now <= self._safe:
                self._set(wanted, hold=0)
                self._before = (now, rate) if now >= FEW else None
                return

    def _count_refusal(self, call: Call) -> None:
        if call.change == self._changes:
            self._refused += 1
        if self._refused > self.now * BURST:
            self._cut(call)

    def _cut(self, call: Call) -> None:
        """Halves the limit, once for all calls that were under way together."""
        if call.change == self._changes:
            self._set(max(1, self.now // 2))

    def _set(self, limit: int, hold: int = HOLD) -> None:
        self._slots.total_tokens = limit
        self._changes += 1
        self._seconds, self._refused, self._hold, self._before = [], 0, hold, None
