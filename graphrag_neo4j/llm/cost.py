"""What calls cost: the prices of tokens, and the count of calls, tokens and dollars of each step.

A price comes from the settings, or from the price list in the package genai-prices.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Usage
from graphrag_neo4j.settings import Settings

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


def price_of(model: str, settings: Settings) -> Price | None:
    """Returns the price of a model, or None if it is not known.

    Raises InputError if the price is not known and a cost limit is set.
    """
    if settings.input_price is not None and settings.output_price is not None:
        given = settings.input_price / MILLION
        return Price(given, given, settings.output_price / MILLION)
    # Some models of OpenAI are only found if their provider is named.
    price = _listed(model, None) or _listed(model, "openai")
    if price is None and settings.max_cost is not None:
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
    """Tells whether an address is that of a provider in the list: a service for many users."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - start-up stays quick

    try:
        get_snapshot().find_provider(None, None, address)
    except LookupError:
        return False
    return True


def us_dollars(amount: float) -> str:
    """Returns an amount as a part of a sentence, with four decimals below a cent.

    >>> us_dollars(5), us_dollars(0.003)
    ('5.00 US dollars', '0.0030 US dollars')
    """
    decimals = 4 if 0 < amount < 0.01 else 2
    return f"{amount:,.{decimals}f} US dollars"


@dataclass(slots=True)
class Meter:
    """The usage of each step.

    `whole` is the meter of the client; the meter of one run or one question also counts there.
    `limit` is the largest cost in US dollars of all that is counted here.
    """

    whole: "Meter | None" = None
    limit: float | None = None
    steps: defaultdict[str, Usage] = field(default_factory=lambda: defaultdict(Usage))

    def count(
        self,
        step: str,
        price: Price | None,
        tokens: tuple[int, int, int],
        *,
        estimated: bool = False,
    ) -> None:
        """Counts a call that was answered.

        `price` is in US dollars for a token, or None if it is not known. `tokens` holds the input
        tokens, the cached tokens among them, and the output tokens. `estimated` tells that they
        are an estimate, because the endpoint did not report them.
        """
        sent, cached, written = tokens
        cost = price.of(*tokens) if price else 0.0
        self.add({step: Usage(1, 0, sent, cached, written, cost, price is None, estimated)})

    def fail(self, step: str) -> None:
        """Counts a call that failed."""
        self.add({step: Usage(failed=1)})

    def note_repaired(self, step: str, parts: int) -> None:
        """Counts the parts of a reply that were repaired or left out."""
        self.add({step: Usage(repaired=parts)})

    def add(self, counted: Mapping[str, Usage]) -> None:
        """Adds what was counted elsewhere, by step."""
        for step, usage in counted.items():
            here = self.steps[step]
            for name in Usage.__slots__:
                setattr(here, name, getattr(here, name) + getattr(usage, name))
        if self.whole:
            self.whole.add(counted)

    def take(self) -> dict[str, Usage]:
        """Returns what was counted since the last call, and begins to count anew.

        The meter where this one counts, too, is not changed.
        """
        counted, self.steps = dict(self.steps), defaultdict(Usage)
        return counted

    def reached(self) -> float | None:
        """The limit that is reached: that of this meter, or of one where it also counts."""
        if self.limit is not None and self.total.cost >= self.limit:
            return self.limit
        return self.whole.reached() if self.whole else None

    @property
    def total(self) -> Usage:
        """The sum of all steps."""
        return Usage.total(self.steps.values())
