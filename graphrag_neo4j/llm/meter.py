"""Counts the calls, tokens and cost of a run for each step."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag_neo4j.llm.prices import Price
from graphrag_neo4j.model import Usage

__all__ = ["Meter"]


@dataclass(slots=True)
class Meter:
    """The usage of each step.

    `whole` is the meter of the client; the meter of one run or one question counts there, too.
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

    def note_repaired(self, step: str, parts: int) -> None:
        """Counts the parts of a reply that were repaired or left out."""
        self.steps[step].repaired += parts
        if self.whole:
            self.whole.note_repaired(step, parts)

    def take(self) -> dict[str, Usage]:
        """Returns what was counted since the last call, and begins to count anew.

        The meter where this one counts, too, is not changed.
        """
        counted, self.steps = dict(self.steps), defaultdict(Usage)
        return counted

    def add(self, counted: Mapping[str, Usage]) -> None:
        """Adds what the meter of another process has counted."""
        for step, usage in counted.items():
            self.steps[step] = Usage.total([self.steps[step], usage])
        if self.whole:
            self.whole.add(counted)

    def reached(self) -> float | None:
        """The limit that is reached: that of this meter, or of one where it counts, too."""
        if self.limit is not None and self.total.cost >= self.limit:
            return self.limit
        return self.whole.reached() if self.whole else None

    @property
    def total(self) -> Usage:
        """The sum of all steps."""
        return Usage.total(self.steps.values())
