"""What tokens cost: a setting, or the kept price list of genai-prices."""

from dataclasses import dataclass

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.settings import Settings

__all__ = ["Price", "price_of"]

MILLION = 1_000_000
USUAL = 1_000  # tokens; prices for very long prompts are higher, and none of ours is long


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for one token."""

    input: float
    cached: float
    output: float

    def of(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """US dollars; the cached tokens are among the input tokens."""
        fresh = input_tokens - cached_tokens
        return fresh * self.input + cached_tokens * self.cached + output_tokens * self.output


def price_of(model: str, settings: Settings) -> Price | None:
    """The price of a model, None where it is not known.

    Raises InputError where a cost limit is set and nothing could be held against it.
    """
    if settings.input_price is not None and settings.output_price is not None:
        given = settings.input_price / MILLION
        return Price(given, given, settings.output_price / MILLION)
    price = _listed(model)
    if price is None and settings.max_cost is not None:
        raise InputError(
            f"No price is known for the model {model}, so a cost limit can't be kept: "
            "set KG_INPUT_PRICE and KG_OUTPUT_PRICE (US dollars for a million tokens)."
        )
    return price


def _listed(model: str) -> Price | None:
    """The listed price; without naming the provider not all of OpenAI's models are found."""
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
