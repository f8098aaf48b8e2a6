"""What calls cost: the prices of tokens, and the count of calls, tokens and dollars of each step.

A price comes from the settings, or from the price list in the package genai-prices.
"""

from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf

import anyio

from graphrag_neo4j.errors import BudgetSpentError, InputError
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import money

MILLION = 1_000_000
BATCH_SHARE = 0.5  # of the price of a direct call; all providers with a Batch API have this share
USUAL = 1_000  # tokens for which prices are looked up; only much longer prompts cost more


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for one token."""

    input: float
    cached: float
    output: float

    @property
    def of_batches(self) -> "Price":
        """The price of a token in a batch of a provider: half."""
        return Price(*(BATCH_SHARE * each for each in (self.input, self.cached, self.output)))

    def of(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """Returns the price in US dollars. The input tokens include the cached tokens."""
        uncached = input_tokens - cached_tokens
        return uncached * self.input + cached_tokens * self.cached + output_tokens * self.output


def price_of(model: str, settings: Settings, *, limited: bool = False) -> Price | None:
    """Returns the price of a model, or None if it is not known.

    Raises InputError if the price is not known and a cost limit is set, in the settings or, as
    `limited` tells, elsewhere.
    """
    if settings.input_price is not None and settings.output_price is not None:
        given = settings.input_price / MILLION
        return Price(given, given, settings.output_price / MILLION)
    # Some models of OpenAI are only found if their provider is named.
    price = _listed(model, None) or _listed(model, "openai")
    if price is None and (limited or settings.max_cost is not None):
        raise InputError(
            f"No price is known for the model {model}, so a cost limit can't be kept: "
            "set KG_INPUT_PRICE and KG_OUTPUT_PRICE (US dollars for a million tokens)."
        )
    return price


def _listed(model: str, provider: str | None) -> Price | None:
    from genai_prices import Usage as Tokens  # noqa: PLC0415 - start-up stays quick
    from genai_prices import calc_price  # noqa: PLC0415

    def dollars(used: Tokens) -> float:
        return float(calc_price(used, model_ref=model, provider_id=provider).total_price) / USUAL

    try:
        return Price(
            dollars(Tokens(input_tokens=USUAL)),
            dollars(Tokens(input_tokens=USUAL, cache_read_tokens=USUAL)),
            dollars(Tokens(output_tokens=USUAL)),
        )
    except LookupError:
        return None


def is_listed_provider(address: str) -> bool:
    """Returns whether an address is that of a provider in the list: a service for many users."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - start-up stays quick

    try:
        get_snapshot().find_provider(None, None, address)
    except LookupError:
        return False
    return True


@dataclass(slots=True)
class Meter:
    """The usage of each step, and what the calls under way may cost at most.

        run or question ──▶ client ──▶ all clients of a server

    What is counted or held in a meter also is in its `whole`. `limit` is the largest cost of all
    that is counted here, `spent` that cost so far, and `held` what the calls under way may cost at
    most, all in US dollars. Since what is held counts like what is spent, no limit is passed,
    however many calls begin at once. `ending` is the number of calls that hold something and end by
    themselves, so that others may wait for them; `ended` tells those that wait. A build is marked
    with the `name` of its client's `whole`.
    """

    whole: "Meter | None" = None
    limit: float | None = None
    steps: defaultdict[str, Usage] = field(default_factory=lambda: defaultdict(Usage))
    spent: float = 0.0
    held: float = 0.0
    ending: int = 0
    ended: anyio.Event | None = None
    name: str | None = None

    def count(
        self,
        step: str,
        price: Price | None,
        tokens: tuple[int, int, int],
        *,
        estimated: bool = False,
        calls: int = 1,
    ) -> None:
        """Counts a call that was answered, or with `calls` of 0 what a call cost that failed.

        `price` is in US dollars for a token, or None if it is not known. `tokens` holds the input
        tokens, the cached tokens among them, and the output tokens. `estimated` says that they
        are an estimate, because the endpoint did not report them, or too few.
        """
        sent, cached, written = tokens
        cost = price.of(*tokens) if price else 0.0
        unpriced, guessed = calls * (price is None), calls * estimated
        self.add({step: Usage(calls, 0, sent, cached, written, cost, unpriced, guessed)})

    def fail(self, step: str) -> None:
        """Counts a call that failed."""
        self.add({step: Usage(failed=1)})

    def note_repaired(self, step: str, parts: int) -> None:
        """Counts the parts of a reply that were repaired or left out."""
        self.add({step: Usage(repaired=parts)})

    def add(self, counted: Mapping[str, Usage]) -> None:
        """Adds what was counted elsewhere, by step."""
        for step, usage in counted.items():
            self.steps[step].add(usage)
            self.spent += usage.cost
        if self.whole:
            self.whole.add(counted)

    @property
    def left(self) -> float:
        """US dollars that are not spent of the limits here and above; infinite without a limit."""
        own = inf if self.limit is None else self.limit - self.spent
        return min(own, self.whole.left) if self.whole else own

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit here or above."""
        return self.left < inf

    @asynccontextmanager
    async def hold(self, most: float) -> AsyncGenerator[None]:
        """Holds what a call may cost at most, until its true cost is counted.

        Waits while other calls hold too much. Raises BudgetSpentError if it can't fit.
        """
        while full := self.check(most):
            full.ended = full.ended or anyio.Event()
            await full.ended.wait()
        self.reserve(most, calls=1)
        try:
            yield
        finally:
            self.reserve(-most, calls=-1)

    def check(self, most: float = 0.0) -> "Meter | None":
        """Returns the meter in which so much more does not fit now, None if there is none.

        Raises BudgetSpentError if it will not fit later either.
        """
        if not self._exceeds(self.held + most):
            return self.whole.check(most) if self.whole else None
        if self.ending and not self._exceeds(most):
            return self
        raise BudgetSpentError(self.refusal(most))

    def reserve(self, dollars: float, *, calls: int = 0) -> None:
        """Holds so much more, or frees it below 0. Without `calls`, no other call waits for it."""
        self.held += dollars
        self.ending += calls
        if self.ended:
            self.ended.set()
            self.ended = None
        if self.whole:
            self.whole.reserve(dollars, calls=calls)

    def _exceeds(self, more: float) -> bool:
        limit, spent = self.limit, self.spent
        return limit is not None and (spent >= limit or spent + more > limit)

    def refusal(self, most: float) -> str:
        """The sentence by which a call is refused that may cost so much."""
        return f"The cost limit of {money(self.limit)} is reached{self.reason(most)}."

    def reason(self, most: float) -> str:
        """Why a limit counts as reached that is not, as the end of a sentence; else ""."""
        if self.limit is None or self.spent >= self.limit:
            return ""
        return (
            f", since {money(self.spent + self.held)} are spent or reserved and the next call "
            f"may cost {money(most)}"
        )

    @property
    def total(self) -> Usage:
        """The sum of all steps."""
        return Usage.total(self.steps.values())
