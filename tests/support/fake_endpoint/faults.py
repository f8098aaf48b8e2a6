"""Which calls fail and how, and the mess that real models make of right replies."""

from random import Random
from typing import NamedTuple

from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.words import dice

FAULTS = ("too_many", "server_error", "cut", "half", "garbage")
MESSES = (
    (" ", "\n"),
    ('("entity"<|>', '("ENTITY"<|>'),
    ('("entity"<|>', '("entity"<|>"'),
    (")\n##", "\n##"),
    ("<|COMPLETE|>", ""),
)


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


def make_messy(reply: str, chance: Random) -> str:
    """The same records with the mess that real models make at times, one kind of it."""
    old, new = chance.choice(MESSES)
    pieces = reply.split(old)
    place = chance.randrange(1, max(2, len(pieces)))
    messy = old.join(pieces[:place]) + (new if pieces[1:] else "") + old.join(pieces[place:])
    return f"```text\n{messy}\n```" if chance.random() < 0.2 else messy
