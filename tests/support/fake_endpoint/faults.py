"""Which calls fail and how."""

from typing import NamedTuple

from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.words import dice

FAULTS = ("too_many", "server_error", "cut", "half", "garbage")


class Fate(NamedTuple):
    """What happens to a call: a fault or none, and seconds of waiting before."""

    fault: str = ""
    delay: float = 0.0


def decide(options: Options, request: str, attempt: int, kind: str) -> Fate:
    """The fate of a request seen for the `attempt`-th time, so that a retry may succeed."""
    rates = [getattr(options, fault) for fault in FAULTS]
    if any(rates) and not (options.only and kind not in options.only):
        chance = dice(options.seed, request, attempt)
        _, point = chance.random(), chance.random()  # the second one, as tests know their seeds
        for fault, rate in zip(FAULTS, rates, strict=True):
            point -= rate
            if point < 0:
                return Fate(fault, options.latency)
    return Fate("", options.latency)
