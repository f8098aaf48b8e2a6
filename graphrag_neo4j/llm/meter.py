"""Counts what the calls of a run have used, a step at a time."""

from collections import defaultdict
from dataclasses import dataclass, field

from graphrag_neo4j.llm.prices import Price

__all__ = ["Meter", "Usage"]


@dataclass(slots=True)
class Usage:
    """Calls, tokens and US dollars; the cached tokens are among the input tokens.

    `cost` counts only what has a known price; `unpriced` are the calls without one. `estimated`
    are the calls whose tokens the endpoint did not say, or said wrongly: we counted them.
    `replaced` are the characters of replies that can't be stored.
    """

    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    estimated: int = 0
    replaced: int = 0


@dataclass(slots=True)
class Meter:
    """Usage per step."""

    steps: defaultdict[str, Usage] = field(default_factory=lambda: defaultdict(Usage))

    def count(
        self,
        step: str,
        price: Price | None,
        tokens: tuple[int, int, int],
        *,
        estimated: bool = False,
    ) -> None:
        """Counts a call that came back with (input, cached, output) tokens."""
        usage = self.steps[step]
        usage.calls += 1
        usage.input_tokens += tokens[0]
        usage.cached_tokens += tokens[1]
        usage.output_tokens += tokens[2]
        usage.cost += price.of(*tokens) if price else 0.0
        usage.unpriced += price is None
        usage.estimated += estimated

    @property
    def total(self) -> Usage:
        """The sum of all steps."""
        total = Usage()
        for usage in self.steps.values():
            total.calls += usage.calls
            total.failed += usage.failed
            total.input_tokens += usage.input_tokens
            total.cached_tokens += usage.cached_tokens
            total.output_tokens += usage.output_tokens
            total.cost += usage.cost
            total.unpriced += usage.unpriced
            total.estimated += usage.estimated
            total.replaced += usage.replaced
        return total
