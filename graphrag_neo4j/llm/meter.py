"""Counts what the calls of a run have used, a step at a time."""

from collections import defaultdict
from dataclasses import dataclass, field

from graphrag_neo4j.llm.prices import Price
from graphrag_neo4j.model import Usage

__all__ = ["Meter"]


@dataclass(slots=True)
class Meter:
    """Usage by step; a meter of one run or question counts into that of the `whole` as well."""

    whole: "Meter | None" = None
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
        if self.whole:
            self.whole.count(step, price, tokens, estimated=estimated)

    def fail(self, step: str) -> None:
        """Counts a call that failed."""
        self.steps[step].failed += 1
        if self.whole:
            self.whole.fail(step)

    @property
    def total(self) -> Usage:
        """The sum of all steps."""
        return Usage.total(self.steps.values())
