"""The prices of tokens, from the settings or from the price list in the package genai-prices."""

from dataclasses import dataclass

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.settings import Settings

__all__ = ["Price", "is_listed_provider", "price_of", "us_dollars"]

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
        given, cached = settings.input_price, settings.cached_input_price
        cached = given if cached is None else cached
        return Price(given / MILLION, cached / MILLION, settings.output_price / MILLION)
    price = _listed(model)
    if price is None and settings.max_cost is not None:
        raise InputError(
            f"No price is known for the model {model}, so a cost limit can't be kept: "
            "set KG_INPUT_PRICE and KG_OUTPUT_PRICE (US dollars for a million tokens)."
        )
    return price


def us_dollars(amount: float) -> str:
    """Returns an amount as a part of a sentence, with four decimals below a cent.

    >>> us_dollars(5), us_dollars(0.003)
    ('5.00 US dollars', '0.0030 US dollars')
    """
    decimals = 4 if 0 < amount < 0.01 else 2
    return f"{amount:,.{decimals}f} US dollars"


def is_listed_provider(address: str) -> bool:
    """Tells whether an address is that of a provider in the list: a service for many users."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - start-up stays quick

    try:
        get_snapshot().find_provider(None, None, address)
    except LookupError:
        return False
    return True


def _listed(model: str) -> Price | None:
    """Returns the listed price, or None.

    The second attempt names the provider, because some models of OpenAI are only found that way.
    """
    try:
        return _listed_by(model, None)
    except LookupError:
        pass
    try:
        return _listed_by(model, "openai")
    except LookupError:
        return None


def _listed_by(model: str, provider: str | None) -> Price:
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - start-up stays quick

    def dollars(usage: Usage) -> float:
        return float(calc_price(usage, model_ref=model, provider_id=provider).total_price) / USUAL

    return Price(
        dollars(Usage(input_tokens=USUAL)),
        dollars(Usage(input_tokens=USUAL, cache_read_tokens=USUAL)),
        dollars(Usage(output_tokens=USUAL)),
    )
